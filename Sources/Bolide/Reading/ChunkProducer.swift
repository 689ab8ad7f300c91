internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import SQLiteStore

/// The reading thread: bytes to records to typed rows, one chunk after another into the queue.
struct ChunkProducer: ~Copyable {
  private var records: RecordInput
  private let stage: RecordStage
  private let queue: ChunkQueue
  private let limits: ChunkLimits
  private let settings: ImportSettings
  private let stop: Cancellation
  private var chunk: Chunk
  /// When the chunk in hand is to be handed over although it is small.
  private var deadline: ContinuousClock.Instant?
  private var read = 0
  /// Whether any record was good.
  private var hasAccepted = false
  private var times = StageTimes()
  /// A record was refused, and the import stops there.
  private var isStopped = false
  /// The keys that wildcards matched, as the chunk in hand knows them.
  private var knownWildcards = -1
  private var newFields: NewFields

  /// After so many records that are all refused, nothing good is to be expected.
  private static let hopeless = 1000

  init?(
    _ records: consuming RecordInput, stage: RecordStage, queue: ChunkQueue, settings: ImportSettings,
    stop: Cancellation, newFields: NewFields
  ) {
    guard let chunk = queue.takeEmpty() else { return nil }
    self.records = records
    self.stage = stage
    self.queue = queue
    self.settings = settings
    self.stop = stop
    self.newFields = newFields
    var limits = ChunkLimits()
    if let rows = settings.chunkRows { (limits.rows, limits.isFixed) = (rows, true) }
    self.limits = limits
    self.chunk = chunk
  }

  /// Reads to the end, or to an error. What is complete before an error is handed over first.
  mutating func run() -> ReadingEnd {
    var end = ReadingEnd(bytes: 0)
    do {
      try readAll()
    } catch let error as ImportError {
      end.error = error
    } catch {
      end.error = ImportError(reading: error, input: records.name, isStored: !settings.isAtomic)
    }
    // A cancelled import drops the chunk in hand: nothing of it is in the store.
    if end.error?.kind != .cancelled, !chunk.isEmpty {
      do {
        _ = try handOver()
      } catch {
        end.error = end.error ?? ImportError(error)
      }
    }
    end.bytes = records.bytes
    end.times = times
    end.newFields = newFields.found
    end.absent = stage.absent
    if end.isGood {
      end.digest = records.digest
      end.unusedFields = records.reader.unrequestedKeys
    }
    return end
  }

  private mutating func readAll() throws {
    while !isStopped {
      switch try records.next(until: deadline) {
      case .record:
        try takeRecord()
      case .idle:
        guard try handOver() else { return }
      case .end:
        if read == 0 { try records.envelope.checkNames(stage.builder, input: records.name) }
        return try records.envelope.checkEnd(read: read, input: records.name, isStored: !settings.isAtomic)
      }
    }
  }

  private mutating func takeRecord() throws {
    if read == 0 { try records.envelope.checkNames(stage.builder, input: records.name) }
    try newFields.look(records)
    noteSurroundings(isFirst: chunk.isEmpty)
    let isRow = try stage.add(&records.reader, to: chunk)
    read += 1
    if read == Self.hopeless { try checkHope() }
    isStopped = settings.stopsOnReject && (!isRow || chunk.rejectCount > 0)
    guard try isChunkFull() || isStopped else { return }
    if try !handOver() { throw ImportError.cancelled }
  }

  /// What a refused record of this chunk needs to be read alone.
  private mutating func noteSurroundings(isFirst: Bool) {
    if isFirst { deadline = ContinuousClock.now + limits.time }
    let changes = records.reader.wildcardChanges
    guard isFirst || changes != knownWildcards else { return }
    knownWildcards = changes
    let text = RecordDocument.around(names: records.envelope.names, keys: records.reader.wildcardKeys)
    chunk.surroundings.append((records.reader.recordNumber, text))
  }

  private mutating func endWindow() throws {
    times.end(.records)
    try stage.endWindow(chunk)
    times.end(.expressions)
    hasAccepted = hasAccepted || chunk.hasAccepted
  }

  private mutating func checkHope() throws {
    try endWindow()
    guard !hasAccepted else { return }
    throw ImportError.allRefused(records.name, first: read, last: chunk.rejects.last)
  }

  /// Whether the chunk is to be handed over. Ends a full window.
  private mutating func isChunkFull() throws -> Bool {
    if chunk.isWindowFull {
      if chunk.byteCount >= limits.bytes { return true }
      try endWindow()
    }
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
    try endWindow()
    if settings.stopsOnReject { isStopped = chunk.cutAfterFirstReject() || isStopped }
    chunk.sortAndFold()
    times.end(.sort)
    queue.send(Parcel(chunk: chunk, bytes: records.bytes, totalBytes: records.totalBytes))
    guard let next = queue.takeEmpty() else { return false }
    times.end(.waitingForRoom)
    chunk = next
    return true
  }
}

/// When a chunk is full.
struct ChunkLimits: Sendable {
  /// So many records, or more while the writing thread is busy with the chunk before.
  var rows = 32_768
  /// Whether exactly so many.
  var isFixed = false
  /// So many bytes in memory at most; two chunks exist at a time.
  var bytes = 14 << 20
  /// So long after its first record.
  var time = Duration.seconds(1)
}
