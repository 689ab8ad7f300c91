internal import FeedReading
internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import StoreInterface
internal import TypedRows

/// Reads inputs through a pipeline as an import would, one after another, without a store.
struct FeedTrial: ~Copyable {
  private var records: RecordInput
  /// The inputs that come after it, the last one first.
  private var nextInputs: [InferenceSource]
  private var stage: RecordStage
  private let shape: RecordShape
  private let chunk: Chunk
  /// Records read.
  private(set) var read = 0
  /// Records that an import would reject.
  private(set) var rejected = 0
  /// Children read, and those that an import would reject, by entity.
  private(set) var children: [(entity: String, read: Int, rejected: Int)]
  /// The first rejected records and children.
  private(set) var firstRejects: [RejectedRecord] = []
  /// How many records have each of the source paths, in the order of `paths`; null counts.
  private(set) var occurrences: [Int]
  /// Attributes whose times have no zone, which the pipeline does not speak of.
  private(set) var localTimes: [String] = []
  /// Where such times could be, of the records and of each list of children.
  private var dates: [DateFields]

  private static let chunkRows = 4096
  private static let chunkBytes = 4 << 20
  private static let shownRejects = 10

  /// - Parameter next: inputs that come after the first; each is opened when it is read.
  init(_ pipeline: Pipeline, _ input: ByteInput, then next: some Sequence<InferenceSource> = []) throws {
    let layout = ChunkLayout(pipeline, model: pipeline.model)
    let stage = try RecordStage(pipeline, layout: layout, input: input.name)
    let shape = RecordShape(pipeline.records)
    records = RecordInput(
      input, reader: try stage.reader(shape),
      limit: InputLimit(pipeline.settings.bounds),
      check: DocumentCheck(keySources: stage.builder.keySources, count: pipeline.count))
    nextInputs = next.reversed()
    (self.stage, self.shape) = (stage, shape)
    chunk = Chunk(layout: layout)
    occurrences = stage.builder.paths.map { _ in 0 }
    children = layout.children.map { ($0.entity.name, 0, 0) }
    dates = [DateFields(pipeline.fields, stage.builder, "")]
    for (list, children) in pipeline.children.enumerated() {
      let entity = layout.children[list].entity.name
      dates.append(DateFields(children.fields, stage.childBuilders[list], "\(entity)."))
    }
  }

  /// Where the values come from, as the reader was asked.
  var paths: [FieldPath] { stage.builder.paths }

  /// What shape was found, in plain words.
  var shapeDescription: String? {
    records.layout.map { FoundLocation.plain($0, keys: records.envelope.keys, records: read) }
  }

  /// Keys of the records that the pipeline does not ask for; the reader keeps the first 256.
  var unusedKeys: [String] { records.reader.unrequestedKeys }

  /// What the children had under the fields of attributes.
  var childFields: [FieldCount] { stage.childBuilders.flatMap(\.fieldCounts) }

  /// The columns of the entity's key.
  var keyColumns: [Int] { chunk.layout.keyColumns }

  /// Reads to the end, or until the visitor has seen enough.
  ///
  /// - Parameter visit: called with each chunk and its rows that would land; equal keys are not folded. It says whether it
  ///   wants more.
  /// - Throws: `ImportError`, which names the input.
  mutating func run(_ visit: (Chunk, [Int]) -> Bool) throws(ImportError) {
    do {
      while try readInput(visit), let next = nextInputs.popLast() {
        records = records.following(try next.open(), reader: try stage.reader(shape))
        stage.begin(input: next.name)
      }
    } catch {
      throw ImportError(reading: error, input: records.name, isStored: false)
    }
  }

  /// - Returns: whether the visitor wants more.
  private mutating func readInput(_ visit: (Chunk, [Int]) -> Bool) throws -> Bool {
    while case .record = try records.next(until: nil) {
      read += 1
      if chunk.isBatchFull { try stage.flushBatch(chunk) }
      try stage.add(&records.reader, to: chunk)
      let fields = records.reader.fields
      for index in occurrences.indices where fields[index].kind != .absent { occurrences[index] += 1 }
      if records.reader.problem == nil { lookAtDates(fields) }
      if chunk.recordsRead >= Self.chunkRows || chunk.byteCount >= Self.chunkBytes {
        guard try finish(visit) else { return false }
      }
    }
    return try finish(visit)
  }

  private mutating func lookAtDates(_ fields: UnsafeBufferPointer<RecordField>) {
    dates[0].look(fields, &localTimes)
    for list in children.indices where !dates[list + 1].isDone {
      while records.reader.nextChild(of: list) {
        dates[list + 1].look(records.reader.childFields(of: list), &localTimes)
      }
    }
  }

  private mutating func finish(_ visit: (Chunk, [Int]) -> Bool) throws -> Bool {
    try stage.flushBatch(chunk)
    let goesOn = visit(chunk, chunk.acceptedRows)
    rejected += chunk.rejects.rejectedCount
    let gone = Set(chunk.rejects.lazy.filter(\.isRow).map(\.rowsBefore))
    for (list, rows) in chunk.children.enumerated() {
      if !gone.isEmpty { rows.leaveOutChildren(of: gone.contains) }
      children[list].read += rows.recordsRead
      children[list].rejected += rows.rejects.rejectedCount
    }
    firstRejects += chunk.allRejects.prefix(Self.shownRejects - firstRejects.count)
    chunk.clear()
    return goesOn
  }
}

/// Fields of dates that do not say what times without a zone are.
private struct DateFields {
  private var open: [(index: Int, name: String, reading: DateReading?)]

  /// - Parameter prefix: what stands before an attribute's name.
  init(_ fields: [Field], _ builder: RowBuilder, _ prefix: String) {
    open = fields.compactMap { field in
      guard case .path(let path) = field.source, field.zone == nil, field.dateForm?.isEpoch != true,
        builder.isDate(field.attribute), let path = try? FieldPath(path),
        let index = builder.paths.firstIndex(of: path)
      else { return nil }
      return (index, prefix + field.attribute, DateReading(field))
    }
  }

  var isDone: Bool { open.isEmpty }

  /// Looks at a record's, or a child's; what was found once is not looked for again.
  mutating func look(_ fields: UnsafeBufferPointer<RecordField>, _ found: inout [String]) {
    guard !open.isEmpty else { return }
    open.removeAll { date in
      let field = fields[date.index]
      guard field.kind == .string, let scanned = try? DateScanner(field.bytes, reading: date.reading),
        scanned.isLocal
      else {
        return false
      }
      found.append(date.name)
      return true
    }
  }
}
