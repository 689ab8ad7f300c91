internal import FeedReading
internal import Foundation
internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import Logging
internal import TypedRows

/// One import: the calling thread writes, a thread of the import's own reads, a bounded queue lies between them.
struct ImportRun {
  let store: any StoreEngine
  let pipeline: Pipeline
  let options: ImportOptions
  /// Ends the input's reading: with the caller's cancellation, and when the import has failed.
  let stop: Cancellation

  /// Chunks that exist at a time: one is filled, one is applied.
  private static let chunkCount = 2

  private var settings: ImportSettings { options.settings(over: pipeline) }

  /// Runs the import to its end, on the calling thread.
  ///
  /// - Parameter inputs: one at least; they are read one after the other.
  /// - Throws: `ImportError` with the report of what was done before.
  func run(_ inputs: sending [ByteInput]) throws(ImportError) -> ImportReport {
    let start = ContinuousClock.now
    let settings = settings
    let cancellation = options.cancellation
    let name = inputs.name
    let size = inputs.totalBytes
    let writing: any ImportSession
    let restored: RepairReport
    let newFields: NewFields
    let lock: AnyObject
    do {
      lock = try store.lock(
        forPipeline: pipeline.name, waiting: settings.lockWait,
        isCancelled: { cancellation.isCancelled })
      try pipeline.check()
      try store.fit(pipeline)
      restored = try store.restoreTriggers()
      for problem in restored.problems { options.logger?.warning("restored: \(problem)") }
      if !settings.force, let known = try UnchangedInput.find(inputs, pipeline, store) {
        return ImportReport(
          pipeline: pipeline.name, run: known.run, progress: known.progress, seconds: start.secondsSince,
          firstRejects: [], rejectLimit: settings.rejectLimit, showsValues: settings.showsValues,
          restored: restored)
      }
      let known = try store.unusedFields(pipeline: pipeline.name)
      newFields = NewFields(known: known, policy: settings.newFieldPolicy, showsValues: settings.showsValues)
      writing = try store.beginImport(
        pipeline, input: name, settings: settings, sameJSON: CanonicalJSON.areEqual,
        isCancelled: { cancellation.isCancelled })
    } catch {
      if cancellation.isCancelled { throw ImportError.cancelledWaiting }
      throw ImportError(error)
    }
    defer { withExtendedLifetime(lock) {} }

    let queue = ChunkQueue(
      chunks: (0..<Self.chunkCount).map { _ in Chunk(layout: writing.layout) }, cancellation: stop)
    startReading(
      inputs, writing.layout, queue, newFields, InputLimit(settings.bounds, since: start))
    var consumer = ChunkConsumer(
      queue: queue, writing: writing, settings: settings, options: options, pipeline: pipeline.name,
      input: name, start: start)
    var failure: ImportError?
    do {
      try consumer.run()
    } catch {
      // Waiting for another program ends when the import is stopped, and so does a statement that takes too long.
      let isWait = [.store(.busy), .store(.walLimit), .store(.interrupted)].contains(error.kind)
      failure = cancellation.isCancelled && isWait ? .cancelled : error
      // The reading thread may wait for a chunk, or for bytes that never come.
      queue.stop()
      stop.cancel()
    }
    let end = queue.waitForEnd()
    writing.times.add(end.times)
    failure = failure ?? end.error
    failure = failure?.telling(writing.progress.counts)
    let isGood = settings.rejectLimit.allows(writing.progress.total)
    let outcome = failure?.code ?? (isGood ? RunOutcome.good : RunOutcome.tooManyRefused)
    do {
      let identity =
        failure == nil ? UnchangedInput.identity(end, size: size, writing.progress, pipeline) : nil
      try writing.finish(
        outcome: outcome, bytes: end.bytes, read: identity, unusedFields: end.unusedFields,
        isComplete: failure == nil && end.pages?.isWhole != false)
    } catch {
      failure = failure ?? ImportError(error)
    }
    if settings.isAtomic {
      failure =
        writing.isCommitted
        ? failure?.settled(true) : writing.unsettled.map { failure?.unsettled($0) } ?? failure?.rolledBack
    }
    options.logger?.debug("import ended: \(outcome)", metadata: consumer.metadata)
    var report = ImportReport(
      pipeline: pipeline.name, run: writing.run, progress: writing.progress, seconds: start.secondsSince,
      firstRejects: consumer.firstRejects, rejectLimit: settings.rejectLimit,
      showsValues: settings.showsValues,
      restored: restored)
    report.times = writing.times
    report.newFields = end.newFields
    report.absent = end.absent
    report.expiredReaders = writing.expiredReaders
    report.overwritten =
      pipeline.repeatedKeyPolicy == nil
      ? writing.progress.counts.superseded + writing.progress.counts.repeated : 0
    report.pages = end.pages
    if var failure {
      failure.report = report
      throw failure
    }
    return report
  }

  private func startReading(
    _ inputs: sending [ByteInput], _ layout: ChunkLayout, _ queue: ChunkQueue, _ newFields: NewFields,
    _ limit: InputLimit
  ) {
    let (pipeline, settings, stop) = (pipeline, settings, stop)
    // The inputs belong to the reading thread from here on.
    nonisolated(unsafe) let inputs = inputs
    let isStarted = WorkThread.start("bolide reading") {
      let end = ImportRun.read(inputs, pipeline, layout, queue, settings, stop, newFields, limit)
      queue.finish(end)
    }
    if !isStarted { queue.finish(ReadingEnd(error: .noThread, bytes: 0)) }
  }

  private static func read(
    _ inputs: [ByteInput], _ pipeline: Pipeline, _ layout: ChunkLayout, _ queue: ChunkQueue,
    _ settings: ImportSettings, _ stop: Cancellation, _ newFields: NewFields, _ limit: InputLimit
  ) -> ReadingEnd {
    do {
      let producer = try ChunkProducer(
        inputs, stage: RecordStage(pipeline, layout: layout, input: inputs[0].name, stop: stop),
        shape: RecordShape(pipeline.records), queue: queue, settings: settings, stop: stop,
        newFields: newFields, limit: limit)
      guard var producer else { return ReadingEnd(bytes: 0) }
      return producer.run()
    } catch {
      return ReadingEnd(error: ImportError(reading: error, input: inputs[0].name), bytes: 0)
    }
  }
}

extension ContinuousClock.Instant {
  /// Seconds from here to now.
  var secondsSince: Double { duration(to: .now) / .seconds(1) }
}
