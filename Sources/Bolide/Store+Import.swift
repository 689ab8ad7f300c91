internal import Foundation
internal import ImportInput
public import ImportModel
public import SQLiteStore

/// Where an import's bytes come from.
public struct ImportSource: Sendable {
  let source: ByteInput.Source
  let label: String?

  /// A file, plain or gzip; `-` is standard input.
  public static func file(_ path: String) -> ImportSource {
    ImportSource(source: .path(path), label: nil)
  }

  /// Bytes in memory, plain or gzip.
  ///
  /// - Parameter name: what messages call them.
  public static func bytes(_ bytes: some Sequence<UInt8>, name: String = "bytes") -> ImportSource {
    ImportSource(source: .bytes(Array(bytes)), label: name)
  }
}

extension Store {
  /// Imports a source through a pipeline.
  ///
  /// The import has two threads of its own; the calling task is suspended meanwhile. Cancelling the task stops the
  /// import at the edge of a chunk.
  /// - Returns: what was done. Look at `verdict`: refused records are no error.
  /// - Throws: `ImportError`, with the report of what was done before.
  public func run(
    _ pipeline: Pipeline, on source: ImportSource, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await run(pipeline, on: [source], options: options)
  }

  /// Imports several sources through a pipeline, one after the other, as one run: a full feed that comes in parts, say.
  ///
  /// - Parameter sources: one at least. All are opened before anything is read.
  /// - Returns: what was done.
  /// - Throws: as `run(_:on:options:)` of one source.
  public func run(
    _ pipeline: Pipeline, on sources: [ImportSource], options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await onThread(options) { try self.runBlocking(pipeline, on: sources, options: $0) }
  }

  /// Imports the bytes that a sequence brings, such as the body of a request.
  ///
  /// The sequence is asked for more only when the import has room for it. The call returns when the import has ended, also
  /// where the sequence has not; then the task that asks it is cancelled.
  /// - Returns: what was done.
  /// - Throws: as `run(_:on:options:)`; a failure of the sequence is an `ImportError` of the kind `inputOutput`.
  public func run<Pieces: AsyncSequence & Sendable>(
    _ pipeline: Pipeline, on pieces: Pieces, named name: String = "stream",
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport where Pieces.Element: Collection<UInt8> {
    let pipe = BytePipe()
    // A task that nobody waits for: the import may end while the sequence is quiet.
    let sending = Task { await pipe.send(contentsOf: pieces) }
    defer {
      sending.cancel()
      pipe.close()
    }
    return try await run(pipeline, on: ImportSource(source: .pipe(pipe), label: name), options: options)
  }

  /// Tries the kept refused records of a pipeline again, after the pipeline was mended.
  ///
  /// Records that land are kept no longer. Not tried: those whose text was cut or not kept, and those whose key a later
  /// record brought; they stay, as do those that are refused again. Blocks as little as `run`.
  /// - Returns: what was done, and how many refused records the store still keeps.
  /// - Throws: as `run(_:on:options:)`.
  public func replay(_ pipeline: Pipeline, options: ImportOptions = ImportOptions()) async throws
    -> ImportReport
  {
    try await onThread(options) { try self.replayBlocking(pipeline, options: $0) }
  }

  private func onThread(
    _ options: ImportOptions, _ body: @escaping @Sendable (ImportOptions) throws -> ImportReport
  ) async throws -> ImportReport {
    let cancellation = options.cancellation.child()
    defer { options.cancellation.release(cancellation) }
    var options = options
    options.cancellation = cancellation
    return try await withTaskCancellationHandler { [options] in
      try await withCheckedThrowingContinuation { continuation in
        let isStarted = WorkThread.start("bolide writing") {
          continuation.resume(with: Result { try body(options) })
        }
        if !isStarted { continuation.resume(throwing: ImportError.noThread) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Imports on the calling thread.
  package func runBlocking(
    _ pipeline: Pipeline, on sources: [ImportSource], options: ImportOptions
  ) throws -> ImportReport {
    let stop = options.cancellation.forInput()
    defer { options.cancellation.release(stop) }
    let inputs = try Self.inputs(sources, stop)
    return try ImportRun(store: self, pipeline: pipeline, options: options, stop: stop).run(inputs)
  }

  /// Replays on the calling thread.
  package func replayBlocking(_ pipeline: Pipeline, options: ImportOptions) throws -> ImportReport {
    try ReplayRun(store: self, pipeline: pipeline, options: options).run()
  }

  /// Opens the inputs, then the store, and imports on the calling thread: a mistyped input leaves no empty store.
  package static func importing(
    path: String, _ pipeline: Pipeline, from paths: [String], options: ImportOptions,
    trustsSchema: Bool = false
  ) throws -> ImportReport {
    let stop = options.cancellation.forInput()
    defer { options.cancellation.release(stop) }
    func run() throws -> ImportReport {
      let inputs = try inputs(paths.map(ImportSource.file), stop)
      let store = try opening(path, for: pipeline, options, trustsSchema)
      return try ImportRun(store: store, pipeline: pipeline, options: options, stop: stop).run(inputs)
    }
    do {
      return try run()
    } catch let error as ImportError {
      guard let token = error.unsettled?.token, let isStored = try? has(token, at: path) else { throw error }
      throw error.settled(isStored)
    }
  }

  private static func inputs(_ sources: [ImportSource], _ stop: Cancellation) throws(ImportError)
    -> [ByteInput]
  {
    guard !sources.isEmpty else { throw .noSources }
    do {
      return try sources.map { source throws(InputError) in
        try ByteInput(source.source, label: source.label, cancellation: stop)
      }
    } catch {
      throw ImportError(error)
    }
  }

  /// Opens a store that is there, and replays on the calling thread.
  package static func replaying(
    path: String, _ pipeline: Pipeline, options: ImportOptions, trustsSchema: Bool = false
  ) throws -> ImportReport {
    // Before anything could make one.
    _ = try Store(reading: path)
    return try opening(path, for: pipeline, options, trustsSchema).replayBlocking(pipeline, options: options)
  }

  private static func opening(
    _ path: String, for pipeline: Pipeline, _ options: ImportOptions, _ trustsSchema: Bool
  ) throws -> Store {
    let cancellation = options.cancellation
    var pipeline = pipeline
    pipeline.settings = options.settings(over: pipeline)
    do {
      return try Store(
        blocking: path, for: pipeline, lockWait: pipeline.settings.lockWait,
        trustsSchema: trustsSchema, isCancelled: { cancellation.isCancelled })
    } catch let error as StoreError where cancellation.isCancelled && error.code == .busy {
      throw ImportError.cancelledWaiting
    }
  }

  /// Opens the store that a path names, or the store of the pipeline that it names.
  ///
  /// - Parameter trustsSchema: as `init(path:for:trustsSchema:)`.
  package static func opening(_ path: String, trustsSchema: Bool = false) throws -> Store {
    let (store, pipeline) = try named(path)
    return try Store(reading: store, trustsSchema: trustsSchema, stores: pipeline?.namedStores ?? [])
  }

  /// The path of a store that is named by its path or by a pipeline.
  package static func named(_ path: String) throws -> (path: String, by: Pipeline?) {
    guard path.namesPipeline else { return (path, nil) }
    let pipeline = try Pipeline(path: path)
    guard let store = pipeline.store else {
      throw StoreError.noStore(in: path)
    }
    return (store, pipeline)
  }
}

extension String {
  /// Whether a path stands for a pipeline file, and not for a store.
  package var namesPipeline: Bool {
    [".yaml", ".yml"].contains { utf8.reversed().starts(with: $0.utf8.reversed()) }
  }
}
