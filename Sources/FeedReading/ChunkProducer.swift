package import ImportInput
package import ImportModel
package import JSONStream
package import StoreInterface
internal import TypedRows

/// The reading thread: one input after another, bytes to records to typed rows, one chunk after another into the queue.
///
/// A chunk's records are all of one input, unless the settings say that inputs share chunks. Where records are sorted by key,
/// all are read before the first chunk of rows goes into the queue; what is rejected goes before.
package struct ChunkProducer: ~Copyable {
  var records: RecordInput
  /// The inputs that come after it.
  private var nextInputs: ArraySlice<ByteInput>
  private var stage: RecordStage
  private let shape: RecordShape
  private let queue: ChunkQueue
  var limits: ChunkLimits
  private let readerLimits: ReaderLimits
  let settings: ImportSettings
  let stop: Cancellation
  var chunk: Chunk
  /// When the chunk in hand is to be handed over although it is small.
  private var deadline: ContinuousClock.Instant?
  private var read = 0
  /// The records of the inputs before.
  private var readBefore = 0
  /// The bytes of the inputs before.
  private var bytesBefore = 0
  /// The size of all inputs, if it is known.
  private let totalBytes: Int?
  private var digests: [[UInt8]?] = []
  /// Inputs that may not have to be read, by their size.
  private let known: [Int: [KnownInput]]
  private var inputs: [InputFacts?] = []
  /// What the records of skipped inputs had in fields, and those of all inputs before the present one.
  private var skippedFields: [[Int]] = []
  private var fieldsBefore: [[Int]] = []
  private var fields = FieldsRead()
  private var absentFields: [AbsentField] = []
  /// Whether any record was good.
  private var hasAccepted = false
  var times = StageTimes()
  /// A record was rejected, and the import stops there.
  private var isStopped = false
  /// What kept inputs from being read to their end, where the import goes on with the others.
  private var failures: [ImportError] = []
  /// What was read and is not handed over is dropped: a guard has ended the import, or there is no room to sort.
  var isDropped = false
  /// The records read so far, where they are sorted by key.
  var sort: RecordSort?
  /// The keys that wildcards matched, as the chunk in hand knows them.
  private var knownWildcards = -1
  private var newFields: NewFields
  /// What earlier runs met of fields.
  private let memory: FieldMemory

  /// After so many records that are all rejected, nothing good is to be expected.
  package static let maxLeadingRejects = 1000

  /// - Parameters:
  ///   - inputs: one at least.
  ///   - known: inputs that may not have to be read.
  ///   - collect: takes the values of new fields; nil where nobody wants them.
  package init?(
    _ inputs: [ByteInput], stage: RecordStage, shape: RecordShape, queue: ChunkQueue,
    settings: ImportSettings, stop: Cancellation, memory: FieldMemory, collect: NewFields.Collector?,
    limit: InputLimit, known: [KnownInput] = []
  ) throws(PathError) {
    guard let chunk = queue.takeEmpty() else { return nil }
    let check = DocumentCheck(
      keySources: stage.builder.keySources, count: stage.count, isStored: !settings.isAtomic)
    readerLimits = ReaderLimits(recordBytes: settings.budget.record)
    records = RecordInput(
      inputs[0], reader: try stage.reader(shape, limits: readerLimits), limit: limit, check: check)
    nextInputs = inputs.dropFirst()
    totalBytes = inputs.totalBytes.map(Int.init)
    self.known = Dictionary(grouping: known, by: \.facts.size)
    self.stage = stage
    self.shape = shape
    self.queue = queue
    self.settings = settings
    self.stop = stop
    self.memory = memory
    newFields = NewFields(known: memory.unused, settings: settings, collect: collect)
    var limits = ChunkLimits(bytes: settings.budget.chunk)
    if let rows = settings.chunkRows { (limits.rows, limits.isFixed) = (rows, true) }
    self.limits = limits
    self.chunk = chunk
    if sorts { chunk.numbersRecords = true }
  }

  private var sorts: Bool { settings.sortPolicy == .key }

  /// Reads to the end, or to an error. What is complete before an error is handed over first.
  package mutating func run() -> ReadingEnd {
    var end = ReadingEnd(bytes: 0)
    do {
      try readAll()
    } catch let error as ImportError {
      end.error = error
    } catch {
      end.error = ImportError(reading: error, input: records.name, isStored: !settings.isAtomic)
    }
    // A cancelled import drops the chunk in hand: nothing of it is in the store. So does one that a guard ends.
    if end.error?.kind != .cancelled, !isDropped {
      do {
        if try chunk.isEmpty || handOver() { try handOverSorted() }
      } catch {
        end.error = end.error ?? ImportError(error)
      }
    }
    let errors = [end.error].compactMap(\.self) + failures
    end.error = errors.first?.with(others: errors.dropFirst())
    end.bytes = bytes
    end.times = times
    end.newFields = newFields.found
    end.absentFields = absentFields
    end.fields.counts = fieldCounts
    end.pages = records.check.pages
    if end.isGood {
      end.digests = digests
      end.inputs = inputs
      end.fields.unused = fields.unused
      end.fields.settled = fields.settled
    }
    return end
  }

  /// Bytes taken so far.
  var bytes: Int { bytesBefore + records.bytes }

  private mutating func readAll() throws {
    guard try skipInputs() else { return }
    while !isStopped {
      switch try next() {
      case .record:
        try takeRecord()
      case .idle:
        guard try handOver() else { return }
      case .end:
        guard try endInput(), try skipInputs() else { return }
      }
    }
  }

  /// Goes on to the next record of the input.
  @inline(__always)
  private mutating func next() throws -> RecordInput.Step {
    do {
      return try records.next(until: deadline)
    } catch {
      return try end(at: error)
    }
  }

  /// Where inputs share chunks, one that cannot be read on has ended.
  @inline(never)
  private mutating func end(at error: any Error) throws -> RecordInput.Step {
    guard settings.commitPolicy == .chunk, !settings.isAtomic, error.isOfOneInput else { throw error }
    var failure = ImportError(reading: error, input: records.name)
    // The records of the inputs behind it come, too.
    if failure.telling == .before, !nextInputs.isEmpty { failure.telling = .read }
    failures.append(failure)
    return .end
  }

  /// Goes on to the next input that is to be read: the present one, if it has to be.
  ///
  /// - Returns: false when there is none, or the writing thread has given up.
  private mutating func skipInputs() throws -> Bool {
    while let input = knownInput() {
      // What was read before it is applied by then.
      if !chunk.isEmpty { guard try handOver() else { return false } }
      guard let isSkipped = queue.maySkip(input) else { return false }
      guard isSkipped else { return true }
      read += input.facts.records
      hasAccepted = hasAccepted || input.facts.records > 0
      skippedFields = input.facts.fields.adding(skippedFields)
      guard try endInput(skipping: input.facts) else { return false }
    }
    return true
  }

  /// The present input, if it is one of those that may not have to be read.
  private func knownInput() -> KnownInput? {
    guard let known = records.totalBytes.flatMap({ known[$0] }) else { return nil }
    // What keeps it from being read, the reading of it tells.
    guard let digest = try? records.digestOfAll() else { return nil }
    return known.first { $0.facts.digest == digest }
  }

  /// What the present input was, at its end; nil where it cannot be known again.
  private mutating func facts() -> InputFacts? {
    let counts = stage.fieldCounts.map { [$0.records, $0.present, $0.nulls] }
    defer { fieldsBefore = counts }
    guard let digest = records.digest, records.bytes == records.totalBytes, records.check.pages == nil else {
      return nil
    }
    return InputFacts(
      size: records.bytes, digest: digest, records: read - readBefore,
      fields: counts.adding(fieldsBefore, times: -1))
  }

  /// What the records had under the fields of attributes, skipped ones too.
  private var fieldCounts: [FieldCount] {
    var counts = stage.fieldCounts
    for (index, skipped) in zip(counts.indices, skippedFields) where skipped.count == 3 {
      counts[index].records += skipped[0]
      counts[index].present += skipped[1]
      counts[index].nulls += skipped[2]
    }
    return counts
  }

  /// Goes on to the next input.
  ///
  /// - Parameter skipped: what the present one is, where it was not read.
  /// - Returns: false when there is none, or the writing thread has given up.
  private mutating func endInput(skipping skipped: InputFacts? = nil) throws -> Bool {
    digests.append(skipped?.digest ?? records.digest)
    inputs.append(skipped == nil ? facts() : nil)
    bytesBefore += skipped?.size ?? 0
    fields.unused.formUnion(records.reader.unrequestedKeys)
    guard let next = nextInputs.popFirst() else {
      if failures.isEmpty { try checkGuards() }
      return false
    }
    if settings.commitPolicy == .input, !sorts, !chunk.isEmpty { guard try handOver() else { return false } }
    bytesBefore += records.bytes
    readBefore = read
    records = records.following(next, reader: try stage.reader(shape, limits: readerLimits))
    stage.begin(input: next.name, after: readBefore)
    newFields.beginInput()
    knownWildcards = -1
    return true
  }

  /// Holds what was read of all inputs against what they should have.
  private mutating func checkGuards() throws {
    if let minimum = settings.minimumRecords, read < minimum, !settings.acceptedGuards.contains(.minRecords) {
      isDropped = true
      throw ImportError.tooFewRecords(
        records.name, read: read, minimum: minimum, isStored: !settings.isAtomic)
    }
    guard settings.absentFieldPolicy != .ignore else { return }
    let absent = AbsentFields.find(fieldCounts, used: memory.used, of: stage.builder.entity)
    if settings.acceptedGuards.contains(.onAbsentField) {
      fields.settled = absent.map(\.count)
    } else if settings.absentFieldPolicy == .fail, let first = absent.first {
      isDropped = true
      throw ImportError.absentField(
        records.name, first.field, others: absent.count - 1,
        read: first.count.records == 0
          ? "\(read.grouped) records"
          : first.count.records.grouped
            + (first.count.entity == stage.builder.entity ? " records" : " children"),
        isStored: !settings.isAtomic)
    } else {
      absentFields = absent.map(\.field)
    }
  }

  private mutating func takeRecord() throws {
    try newFields.look(records)
    noteSurroundings(isFirst: chunk.isEmpty)
    let isRow = try stage.add(&records.reader, to: chunk)
    read += 1
    if read == Self.maxLeadingRejects { try checkLeadingRejects() }
    isStopped = settings.stopsOnReject && (!isRow || chunk.rejectCount > 0)
    guard try isChunkFull() || isStopped else { return }
    if try !handOver() { throw ImportError.cancelled }
  }

  /// What a rejected record of this chunk needs to be read alone, and which input it is of.
  private mutating func noteSurroundings(isFirst: Bool) {
    if isFirst, !sorts { deadline = ContinuousClock.now + limits.time }
    let changes = records.reader.wildcardChanges
    guard isFirst || changes != knownWildcards else { return }
    knownWildcards = changes
    let text = RecordDocument.around(
      names: records.envelope.names, keys: records.reader.wildcardKeys, delimiter: records.layout?.delimiter)
    chunk.surround(
      fromRecord: readBefore + records.reader.recordNumber, with: text, of: records.name, after: readBefore,
      number: inputs.count)
  }

  private mutating func flushBatch() throws {
    times.end(.records)
    try stage.flushBatch(chunk)
    times.end(.expressions)
    hasAccepted = hasAccepted || chunk.hasAccepted
  }

  private mutating func checkLeadingRejects() throws {
    try flushBatch()
    guard !hasAccepted else { return }
    throw ImportError.allRejected(records.name, first: read, last: chunk.rejects.last.map(chunk.placed))
  }

  /// Whether the chunk is to be handed over. Ends a full window.
  private mutating func isChunkFull() throws -> Bool {
    if chunk.isBatchFull {
      if chunk.byteCount >= limits.bytes { return true }
      if stop.isCancelled { throw ImportError.cancelled }
      try flushBatch()
    }
    return sorts ? false : isRipe
  }

  /// Whether the chunk has as many records as are committed together.
  var isRipe: Bool {
    let count = chunk.recordsRead
    if limits.isFixed { return count >= limits.rows }
    // A look at the clock and the queue costs more than a record: only now and then.
    guard count % 256 == 0 else { return false }
    let isRipe = count >= limits.rows || deadline.map { ContinuousClock.now >= $0 } ?? false
    // Instead of waiting for the writing thread, the chunk grows: the more rows are sorted together, the fewer places
    // of the index they are written to.
    return isRipe && queue.hasEmpty
  }

  /// - Returns: false when the writing thread has given up.
  private mutating func handOver() throws -> Bool {
    if stop.isCancelled { throw ImportError.cancelled }
    deadline = nil
    try flushBatch()
    if sorts { return try moveToRun() }
    if settings.stopsOnReject { isStopped = chunk.cutAfterFirstReject() || isStopped }
    chunk.sortToApply()
    times.end(.sort)
    return send(bytes: bytes)
  }

  mutating func send(bytes: Int) -> Bool {
    queue.send(FilledChunk(chunk: chunk, bytes: bytes, totalBytes: totalBytes))
    guard let next = queue.takeEmpty() else { return false }
    times.end(.waitingForRoom)
    chunk = next
    if sorts { chunk.numbersRecords = true }
    return true
  }
}

extension [[Int]] {
  /// The sums of the same numbers in both; an empty one has zeros.
  fileprivate func adding(_ other: [[Int]], times factor: Int = 1) -> Self {
    other.isEmpty ? self : zip(self, other).map { zip($0, $1).map { $0 + factor * $1 } }
  }
}
