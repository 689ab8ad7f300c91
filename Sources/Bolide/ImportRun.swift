internal import FeedReading
internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import TypedRows

/// One import of inputs: the calling thread writes, a thread of the import's own reads, a bounded queue lies between them.
struct ImportRun {
  let frame: ImportFrame
  /// Ends the input's reading: with the caller's cancellation, and when the import has failed.
  let stop: Cancellation

  /// Chunks that exist at a time: one is filled, one is applied.
  private static let chunkCount = 2

  init(store: any StoreEngine, pipeline: Pipeline, options: ImportOptions, stop: Cancellation) {
    frame = ImportFrame(store: store, pipeline: pipeline, options: options)
    self.stop = stop
  }

  /// Runs the import to its end, on the calling thread.
  ///
  /// - Parameter inputs: one at least; they are read one after the other.
  /// - Throws: `ImportError` with the report of what was done before.
  func run(_ inputs: sending [ByteInput]) throws(ImportError) -> ImportReport {
    let (size, pipeline) = (inputs.totalBytes, frame.pipeline)
    // The inputs belong to the reading thread once it is there.
    nonisolated(unsafe) let inputs = inputs
    return try frame.run(inputs.name) {
      frame.settings.force ? nil : try UnchangedInput.find(inputs, pipeline, frame.settings, frame.store)
    } _: { writing in
      var applied = apply(inputs, writing)
      if applied.failure == nil {
        applied.identity = UnchangedInput.identity(
          applied.reading, size: size, writing.progress, pipeline, frame.settings)
        applied.isComplete = applied.reading.pages?.isWhole != false
      }
      return applied
    }
  }

  private func apply(_ inputs: sending [ByteInput], _ writing: any ImportSession) -> AppliedRecords {
    let (name, settings, cancellation) = (inputs.name, frame.settings, frame.options.cancellation)
    let known: Set<String>?
    do {
      known = try frame.store.unusedFields(pipeline: frame.pipeline.name)
    } catch {
      return AppliedRecords(failure: ImportError(applying: error, cancellation))
    }
    let queue = ChunkQueue(
      chunks: (0..<Self.chunkCount).map { _ in Chunk(layout: writing.layout) }, cancellation: stop)
    startReading(
      inputs, writing.layout, queue,
      NewFields(known: known, policy: settings.newFieldPolicy, showsValues: settings.showsValues))
    var consumer = ChunkConsumer(queue: queue, writing: writing, frame: frame, input: name)
    var failure: ImportError?
    do {
      try consumer.run()
    } catch {
      failure = ImportError(applying: error, cancellation)
      // The reading thread may wait for a chunk, or for bytes that never come.
      queue.stop()
      stop.cancel()
    }
    let end = queue.waitForEnd()
    return AppliedRecords(failure: failure ?? end.error, firstRejects: consumer.firstRejects, reading: end)
  }

  private func startReading(
    _ inputs: sending [ByteInput], _ layout: ChunkLayout, _ queue: ChunkQueue, _ newFields: NewFields
  ) {
    let (pipeline, settings, stop) = (frame.pipeline, frame.settings, stop)
    let limit = InputLimit(settings.bounds, since: frame.start)
    // They belong to the reading thread from here on.
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
