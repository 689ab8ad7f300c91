internal import FeedReading
internal import ImportModel
internal import Logging
internal import TypedRows

/// The writing thread: chunks from the queue into the store.
struct ChunkConsumer {
  let queue: ChunkQueue
  let writing: any ImportSession
  let frame: ImportFrame
  /// The input's name.
  let input: String
  /// The first records that were rejected, in their order.
  private(set) var firstRejects: [RejectedRecord] = []
  private(set) var tally = RejectTally()

  /// Whether any record was not rejected.
  private var hasLanded = false

  private var settings: ImportSettings { frame.settings }

  init(queue: ChunkQueue, writing: any ImportSession, frame: ImportFrame, input: String) {
    self.queue = queue
    self.writing = writing
    self.frame = frame
    self.input = input
  }

  /// Applies chunks until the reading thread has ended.
  ///
  /// - Throws: what ended the writing. How the reading ended, the queue knows.
  mutating func run() throws(ImportError) {
    do {
      // An atomic import takes the write lock when there is something to write.
      guard let first = try receive() else { return try endInput() }
      if settings.isAtomic {
        _ = try writing.atomically {
          guard try applyAll(first), queue.waitForEnd().isGood,
            settings.rejectLimit.allows(writing.progress.total)
          else { return false }
          try endInput()
          return true
        }
      } else {
        _ = try applyAll(first)
        try endInput()
      }
    } catch {
      throw ImportError(error)
    }
  }

  /// Holds an input that was read to its end against what the store had before, and treats the rows that it has no more.
  private func endInput() throws {
    let end = queue.waitForEnd()
    guard end.isGood else { return }
    if let most = limit(.maxMissing, settings.maximumMissing), end.pages?.isWhole != false,
      let found = try writing.missingOfLastRun(), found.exceeds(most)
    {
      throw ImportError.tooManyMissing(input, found, most: most, isStored: !settings.isAtomic)
    }
    if let most = limit(.maxChanged, settings.maximumChanged),
      let found = try writing.changedSinceLastGoodRun(), found.exceeds(most)
    {
      throw ImportError.tooManyChanged(input, found, most: most, isStored: !settings.isAtomic)
    }
    // An import that rejects too much is no good one, and decides nothing.
    if frame.pipeline.gone != .keep, end.pages?.isWhole != false,
      settings.rejectLimit.allows(writing.progress.total)
    {
      if frame.pipeline.gone == .delete { try checkDeletion() }
      try writing.treatGone()
    }
  }

  /// Fails an input by which too many rows would be deleted: also those that were missing before, and children.
  private func checkDeletion() throws {
    guard let most = limit(.maxMissing, settings.maximumMissing) else { return }
    for (entity, share) in try writing.goneRows() where share.exceeds(most) {
      throw ImportError.tooManyGone(input, entity, share, most: most, isStored: !settings.isAtomic)
    }
  }

  /// A guard's limit, unless this import passes it.
  private func limit(_ guarding: ImportGuard, _ limit: Double?) -> Double? {
    settings.acceptedGuards.contains(guarding) ? nil : limit
  }

  private mutating func applyAll(_ first: FilledChunk) throws -> Bool {
    var next: FilledChunk? = first
    while let parcel = next {
      try apply(parcel)
      next = try receive()
    }
    return true
  }

  /// The next chunk; inputs that are asked for before it are skipped where they may be.
  private mutating func receive() throws -> FilledChunk? {
    while let item = queue.receive() {
      switch item {
      case .chunk(let parcel): return parcel
      case .question(let input):
        let isSkipped = try writing.skip(input)
        hasLanded = hasLanded || isSkipped && input.facts.records > 0
        queue.answer(isSkipped)
      }
    }
    return nil
  }

  private mutating func apply(_ parcel: FilledChunk) throws {
    writing.times.end(.waitingForChunks)
    let chunk = parcel.chunk
    let hasRows = !chunk.order.isEmpty
    try writing.apply(chunk, bytes: parcel.bytes)
    // Those of expressions come after those of types, whatever their place in the input.
    let inOrder = chunk.allRejects
    firstRejects.appendFirst(inOrder)
    tally.add(inOrder)
    let counts = writing.progress.counts
    hasLanded = hasLanded || counts.rejected < counts.read
    // Where records are sorted, what is rejected comes first.
    if !hasLanded, hasRows, counts.read >= ChunkProducer.maxLeadingRejects {
      throw ImportError.allRejected(inOrder.last?.input ?? input, first: counts.read, last: inOrder.last)
    }
    let progress = ImportProgress(
      read: counts.read, rejected: writing.progress.total.rejected, bytes: parcel.bytes,
      totalBytes: parcel.totalBytes,
      seconds: frame.start.secondsSince)
    queue.giveBack(chunk)
    frame.options.logger?.debug("chunk committed", metadata: writing.metadata(frame.pipeline))
    frame.options.progress?(progress)
    if settings.stopsOnReject, let reject = inOrder.first {
      var before = counts
      if reject.entity == nil { (before.read, before.rejected) = (before.read - 1, before.rejected - 1) }
      throw ImportError.stopped(at: reject, after: settings.isAtomic ? nil : before)
    }
  }
}
