internal import FeedReading
internal import ImportModel
internal import Logging
internal import TypedRows

/// The writing thread: chunks from the queue into the store.
struct ChunkConsumer {
  let queue: ChunkQueue
  let writing: any ImportSession
  let settings: ImportSettings
  let options: ImportOptions
  let pipeline: String
  /// The input's name.
  let input: String
  let start: ContinuousClock.Instant
  /// The first records that were refused, in their order.
  private(set) var firstRejects: [Reject] = []

  /// Whether any record was not refused.
  private var hasLanded = false

  /// How many rejected records the report shows.
  private static let shownRejects = 10

  init(
    queue: ChunkQueue, writing: any ImportSession, settings: ImportSettings, options: ImportOptions,
    pipeline: String, input: String,
    start: ContinuousClock.Instant
  ) {
    self.queue = queue
    self.writing = writing
    self.settings = settings
    self.options = options
    self.pipeline = pipeline
    self.input = input
    self.start = start
  }

  /// Applies chunks until the reading thread has ended.
  ///
  /// - Throws: what ended the writing. How the reading ended, the queue knows.
  mutating func run() throws(ImportError) {
    // An atomic import takes the write lock when there is something to write.
    guard let first = queue.receive() else { return }
    do {
      if settings.isAtomic {
        _ = try writing.atomically {
          try applyAll(first) && queue.waitForEnd().isGood
            && settings.rejectLimit.allows(writing.progress.total)
        }
      } else {
        _ = try applyAll(first)
      }
    } catch {
      throw ImportError(error)
    }
  }

  private mutating func applyAll(_ first: FilledChunk) throws -> Bool {
    var next: FilledChunk? = first
    while let parcel = next {
      try apply(parcel)
      next = queue.receive()
    }
    return true
  }

  private mutating func apply(_ parcel: FilledChunk) throws {
    writing.times.end(.waitingForChunks)
    let chunk = parcel.chunk
    try writing.apply(chunk, bytes: parcel.bytes)
    // Those of expressions come after those of types, whatever their place in the input.
    let inOrder = chunk.allRejects
    firstRejects += inOrder.prefix(max(0, Self.shownRejects - firstRejects.count))
    let counts = writing.progress.counts
    hasLanded = hasLanded || counts.rejected < counts.read
    if !hasLanded, counts.read >= ChunkProducer.hopeless {
      throw ImportError.allRefused(chunk.input ?? input, first: counts.read, last: inOrder.last)
    }
    let progress = ImportProgress(
      read: counts.read, rejected: writing.progress.total.rejected, bytes: parcel.bytes,
      totalBytes: parcel.totalBytes,
      seconds: start.secondsSince)
    queue.giveBack(chunk)
    options.logger?.debug("chunk committed", metadata: metadata)
    options.progress?(progress)
    if settings.stopsOnReject, let reject = inOrder.first {
      var before = counts
      if reject.entity == nil { (before.read, before.rejected) = (before.read - 1, before.rejected - 1) }
      throw ImportError.stopped(at: reject, after: settings.isAtomic ? nil : before)
    }
  }

  /// How far the import is, for the log.
  var metadata: Logger.Metadata {
    let progress = writing.progress
    return [
      "pipeline": "\(pipeline)", "run": "\(writing.run)", "read": "\(progress.counts.read)",
      "rejected": "\(progress.total.rejected)", "token": "\(progress.token?.description ?? "")",
    ]
  }
}
