internal import Foundation
internal import ImportInput
internal import ImportModel
internal import JSONStream
internal import Logging
internal import SQLiteStore

/// One import: the calling thread writes, a thread of the import's own reads, a bounded queue lies between them.
struct ImportRun {
  let store: Store
  let pipeline: Pipeline
  let options: ImportOptions

  /// Chunks that exist at a time: one is filled, one is applied.
  private static let chunkCount = 2
  /// How many refused records the report shows.
  private static let shownRejects = 10

  /// Runs the import to its end, on the calling thread.
  ///
  /// - Throws: `ImportError` with the report of what was done before.
  func run(_ input: sending ByteInput) throws(ImportError) -> ImportReport {
    let clock = ContinuousClock()
    let start = clock.now
    func seconds() -> Double { start.duration(to: clock.now) / .seconds(1) }
    let writing: StoreImport
    let lock: StoreLock
    do {
      lock = try StoreLock(
        store: store.path, pipeline: pipeline.name, wait: options.lockWait,
        isCancelled: { options.cancellation.isCancelled })
      try store.fit(pipeline)
      writing = try StoreImport(store, pipeline, input: input.name)
    } catch {
      if options.cancellation.isCancelled {
        throw ImportError(.cancelled, code: "cancelled", "the import was stopped while it waited")
      }
      throw ImportError(error)
    }
    defer { withExtendedLifetime(lock) {} }

    let queue = ChunkQueue(chunks: (0..<Self.chunkCount).map { _ in Chunk(layout: writing.layout) })
    startReading(input, writing.layout, queue)
    var failure: ImportError?
    var firstRejects: [Reject] = []
    while let parcel = queue.receive() {
      writing.times.end(.waitingForChunks)
      do {
        try writing.apply(parcel.chunk, bytes: parcel.bytes)
      } catch {
        failure = ImportError(error)
        break
      }
      if firstRejects.count < Self.shownRejects {
        // Those of expressions come after those of types, whatever their place in the input.
        let inOrder = parcel.chunk.rejects.sorted { $0.record < $1.record }
        firstRejects += inOrder.prefix(Self.shownRejects - firstRejects.count)
      }
      let progress = ImportProgress(
        read: writing.progress.counts.read, rejected: writing.progress.counts.rejected, bytes: parcel.bytes,
        totalBytes: parcel.totalBytes, seconds: seconds())
      queue.giveBack(parcel.chunk)
      options.logger?.debug("chunk committed", metadata: log(writing.progress, writing.run))
      options.progress?(progress)
    }
    if failure != nil {
      // The reading thread may wait for a chunk, or for bytes that never come.
      queue.stop()
      options.cancellation.cancel()
    }
    let end = queue.waitForEnd()
    writing.times.add(end.times)
    failure = failure ?? end.error
    do {
      try writing.finish(outcome: failure?.code ?? "ok", bytes: end.bytes)
    } catch {
      failure = failure ?? ImportError(error)
    }
    options.logger?.debug(
      "import ended: \(failure?.code ?? "ok")", metadata: log(writing.progress, writing.run))
    var report = ImportReport(
      pipeline: pipeline.name, run: writing.run, progress: writing.progress, seconds: seconds(),
      firstRejects: firstRejects, rejectLimit: options.rejectLimit)
    report.times = writing.times
    if var failure {
      failure.report = report
      throw failure
    }
    return report
  }

  private func log(_ progress: RunProgress, _ run: Int64) -> Logger.Metadata {
    [
      "pipeline": "\(pipeline.name)", "run": "\(run)", "read": "\(progress.counts.read)",
      "rejected": "\(progress.counts.rejected)", "token": "\(progress.token?.description ?? "")",
    ]
  }

  private func startReading(_ input: sending ByteInput, _ layout: ChunkLayout, _ queue: ChunkQueue) {
    let (pipeline, options) = (pipeline, options)
    var limits = ChunkLimits()
    if let rows = options.chunkRows { (limits.rows, limits.isFixed) = (rows, true) }
    // The input belongs to the reading thread from here on.
    nonisolated(unsafe) let input = input
    let thread = Thread { [limits] in
      let end = ImportRun.read(input, pipeline, layout, queue, limits, options.cancellation)
      queue.finish(end)
    }
    thread.name = "bolide reading"
    // A deep JSON document costs no stack; this is for SQLite's expressions.
    thread.stackSize = 4 << 20
    thread.start()
  }

  private static func read(
    _ input: ByteInput, _ pipeline: Pipeline, _ layout: ChunkLayout, _ queue: ChunkQueue,
    _ limits: ChunkLimits,
    _ cancellation: ImportCancellation
  ) -> ReadingEnd {
    do {
      let builder = try RowBuilder(pipeline, layout: layout, input: input.name)
      let expressions = try ExpressionStage(pipeline, layout: layout, input: input.name)
      let reader = try RecordReader(fields: builder.paths, shape: RecordShape(pipeline.records))
      let producer = ChunkProducer(
        RecordInput(input, reader: reader), builder: builder, expressions: expressions, queue: queue,
        limits: limits,
        cancellation: cancellation)
      guard var producer else { return ReadingEnd(bytes: 0) }
      return producer.run()
    } catch {
      return ReadingEnd(error: ImportError(reading: error, input: input.name), bytes: 0)
    }
  }
}

extension RecordShape {
  /// The shape that a pipeline says.
  init(_ place: RecordPlace) {
    switch place {
    case .automatic: self = .automatic
    case .path(let path): self = .array(path: path)
    case .columnar: self = .columnar()
    case .lines: self = .lines
    case .rows(let names): self = .positional(names: names)
    }
  }
}
