internal import FeedInference
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

  init(store: any StoreEngine, pipeline: Pipeline, options: ImportOptions, stop: Cancellation) {
    frame = ImportFrame(store: store, pipeline: pipeline, options: options)
    self.stop = stop
  }

  /// Runs the import to its end, on the calling thread.
  ///
  /// - Parameter inputs: one at least; they are read one after the other.
  /// - Throws: `ImportError` with the report of what was done before.
  func run(_ inputs: sending [ByteInput]) throws(ImportError) -> ImportReport {
    let size = inputs.totalBytes
    // The inputs belong to the reading thread once it is there.
    nonisolated(unsafe) let inputs = inputs
    return try frame.run(inputs.name) { frame in
      frame.settings.force
        ? nil : try UnchangedInput.find(inputs, frame.pipeline, frame.settings, frame.store)
    } _: { frame, writing in
      var applied = apply(inputs, frame, writing)
      if applied.failure == nil {
        applied.identity = UnchangedInput.identity(
          applied.reading, size: size, writing.progress, frame.pipeline, frame.settings)
        applied.inputs = UnchangedInput.inputs(applied.reading, frame.settings)
        applied.isComplete = applied.reading.pages?.isWhole != false
      }
      return applied
    }
  }

  private func apply(
    _ inputs: sending [ByteInput], _ frame: ImportFrame, _ writing: any ImportSession
  ) -> AppliedRecords {
    let (name, cancellation) = (inputs.name, frame.options.cancellation)
    var known: [KnownInput] = []
    do {
      // Where the records of all inputs are sorted together, none is applied before another is read.
      if inputs.count > 1, frame.settings.sortPolicy != .key {
        known = try UnchangedInput.known(frame, writing)
      }
    } catch {
      return AppliedRecords(failure: ImportError(applying: error, cancellation))
    }
    let chunkCount = frame.settings.budget.within(MemoryLimit.ofProcess).chunkCount
    let queue = ChunkQueue(
      chunks: (0..<chunkCount).map { _ in Chunk(layout: writing.layout) }, cancellation: stop)
    startReading(inputs, known, frame, writing.layout, queue)
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
    return AppliedRecords(
      failure: failure ?? end.error, firstRejects: consumer.firstRejects, rejectKinds: consumer.tally.kinds,
      reading: end)
  }

  private func startReading(
    _ inputs: sending [ByteInput], _ known: [KnownInput], _ frame: ImportFrame, _ layout: ChunkLayout,
    _ queue: ChunkQueue
  ) {
    let (pipeline, settings, memory, stop) = (frame.pipeline, frame.settings, frame.memory, stop)
    let limit = InputLimit(settings.bounds, since: frame.start)
    // They belong to the reading thread from here on.
    nonisolated(unsafe) let inputs = inputs
    let isStarted = WorkThread.start("bolide reading") {
      let end = ImportRun.read(inputs, known, pipeline, layout, queue, settings, stop, memory, limit)
      queue.finish(end)
    }
    if !isStarted { queue.finish(ReadingEnd(error: .noThread, bytes: 0)) }
  }

  private static func read(
    _ inputs: [ByteInput], _ known: [KnownInput], _ pipeline: Pipeline, _ layout: ChunkLayout,
    _ queue: ChunkQueue, _ settings: ImportSettings, _ stop: Cancellation, _ memory: FieldMemory,
    _ limit: InputLimit
  ) -> ReadingEnd {
    let inference = settings.newFieldPolicy == .add ? NewFieldInference() : nil
    do {
      let producer = try ChunkProducer(
        inputs, stage: RecordStage(pipeline, layout: layout, input: inputs[0].name, stop: stop),
        shape: RecordShape(pipeline.records), queue: queue, settings: settings, stop: stop,
        memory: memory, collect: inference?.take, limit: limit, known: known)
      guard var producer else { return ReadingEnd(bytes: 0) }
      var end = producer.run()
      if end.isGood, let inference { end.add(inference, to: pipeline, memory) }
      return end
    } catch {
      return ReadingEnd(error: ImportError(reading: error, input: inputs[0].name), bytes: 0)
    }
  }
}

extension ReadingEnd {
  /// A pipeline gets so many attributes without being asked.
  private static var mostAdded: Int { 100 }

  /// Makes attributes of new fields.
  fileprivate mutating func add(
    _ inference: NewFieldInference, to pipeline: Pipeline, _ memory: FieldMemory
  ) {
    guard let entity = pipeline.model.entity(named: pipeline.entity) else { return }
    let names = memory.names.union(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    let room = max(0, Self.mostAdded - memory.added.count)
    fields.added = Array(inference.fields(besides: names).prefix(room))
    // Their types are not known yet: the next import looks again.
    fields.unused.subtract(inference.valueless)
    newFields.removeAll { inference.valueless.contains($0.name) }
  }
}
