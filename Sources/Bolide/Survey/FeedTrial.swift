internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import SQLiteStore

/// Reads an input through a pipeline as an import would, without a store.
struct FeedTrial: ~Copyable {
  private var records: RecordInput
  private let builder: RowBuilder
  private let expressions: ExpressionStage?
  private let chunk: Chunk
  /// Records read.
  private(set) var read = 0
  /// Records that an import would refuse.
  private(set) var refused = 0
  /// The first of them.
  private(set) var firstRejects: [Reject] = []
  /// How many records have each of the source paths, in the order of `paths`; null counts.
  private(set) var occurrences: [Int]

  private static let chunkRows = 4096
  private static let chunkBytes = 4 << 20
  private static let shownRejects = 10

  init(_ pipeline: Pipeline, _ input: ByteInput) throws {
    let layout = ChunkLayout(pipeline, model: pipeline.model)
    let builder = try RowBuilder(pipeline, layout: layout, input: input.name)
    let hasExpressions =
      !pipeline.checks.isEmpty || !pipeline.links.isEmpty
      || pipeline.fields.contains { if case .expression = $0.source { true } else { false } }
    let expressions = hasExpressions ? try ExpressionStage(pipeline, layout: layout, input: input.name) : nil
    let reader = try RecordReader(fields: builder.paths, shape: RecordShape(pipeline.records))
    records = RecordInput(input, reader: reader)
    self.builder = builder
    self.expressions = expressions
    chunk = Chunk(layout: layout)
    occurrences = builder.paths.map { _ in 0 }
  }

  /// Where the values come from, as the reader was asked.
  var paths: [FieldPath] { builder.paths }

  /// What shape was found, in plain words.
  var shapeDescription: String? {
    records.shapeDescription.map { FoundPlace.plain($0, keys: records.envelope.keys, records: read) }
  }

  /// Keys of the records that the pipeline does not ask for; the reader keeps the first 256.
  var unusedKeys: [String] { records.reader.unrequestedKeys }

  /// The columns of the entity's key.
  var keyColumns: [Int] { chunk.layout.keyColumns }

  /// Reads to the end.
  ///
  /// - Parameter visit: called with each chunk and its rows that would land; equal keys are not folded.
  mutating func run(_ visit: (Chunk, [Int]) -> Void) throws {
    while case .record = try records.next(until: nil) {
      if read == 0 { try records.envelope.checkNames(builder, input: records.name) }
      read += 1
      if chunk.isWindowFull { try endWindow() }
      builder.add(records.reader, to: chunk)
      let fields = records.reader.fields
      for index in occurrences.indices where fields[index].kind != .absent { occurrences[index] += 1 }
      if chunk.recordsRead >= Self.chunkRows || chunk.byteCount >= Self.chunkBytes { try finish(visit) }
    }
    try finish(visit)
    try records.envelope.checkEnd(read: read, input: records.name, isStored: false)
  }

  private func endWindow() throws {
    if let expressions { try expressions.endWindow(chunk) } else { chunk.endWindow() }
  }

  private mutating func finish(_ visit: (Chunk, [Int]) -> Void) throws {
    try endWindow()
    visit(chunk, chunk.acceptedRows)
    refused += chunk.rejects.count
    let first = chunk.rejects.sorted { $0.record < $1.record }
    firstRejects += first.prefix(Self.shownRejects - firstRejects.count)
    chunk.clear()
  }
}
