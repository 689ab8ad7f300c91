internal import FeedReading
internal import ImportInput
internal import ImportModel
internal import StoreInterface

extension StoreAddress {
  /// Opens the inputs, then the store, and imports on the calling thread: a mistyped input leaves no empty store.
  package func run(
    _ pipeline: Pipeline, on paths: [String], options: ImportOptions, trustsSchema: Bool = false
  ) throws -> ImportReport {
    let stop = options.cancellation.forInput()
    defer { options.cancellation.release(stop) }
    return try decidingFate {
      let inputs = try ImportSource.open(paths.map(ImportSource.file), stop)
      let store = try open(for: pipeline, options, trustsSchema)
      return try ImportRun(store: store, pipeline: pipeline, options: options, stop: stop).run(inputs)
    }
  }

  /// Opens a store that is there, and replays on the calling thread.
  package func replay(
    _ pipeline: Pipeline, options: ImportOptions, trustsSchema: Bool = false
  ) throws -> ImportReport {
    // Before anything could make one.
    _ = try open()
    return try decidingFate {
      try open(for: pipeline, options, trustsSchema).replay(pipeline, options: options)
    }
  }

  /// Runs an import whose store is closed at its end: what became of an atomic one can be seen then.
  private func decidingFate(_ run: () throws -> ImportReport) throws -> ImportReport {
    do {
      return try run()
    } catch let error as ImportError {
      guard case .undecided(let token) = error.fate, let isStored = try? has(token) else { throw error }
      throw error.with(isStored ? .all : .nothing)
    }
  }

  private func open(
    for pipeline: Pipeline, _ options: ImportOptions, _ trustsSchema: Bool
  ) throws -> any StoreEngine {
    var pipeline = pipeline
    pipeline.settings = options.settings(over: pipeline)
    do {
      return try options.cancellation.ending {
        try open(for: pipeline, lockWait: pipeline.settings.lockWait, trustsSchema: trustsSchema)
      }
    } catch let error where options.cancellation.isCancelled && error.isEndOfCall {
      throw ImportError.cancelledWaiting
    }
  }
}

extension StoreEngine {
  /// Imports on the calling thread.
  package func run(
    _ pipeline: Pipeline, on sources: [ImportSource], options: ImportOptions
  ) throws -> ImportReport {
    let stop = options.cancellation.forInput()
    defer { options.cancellation.release(stop) }
    let inputs = try ImportSource.open(sources, stop)
    return try ImportRun(store: self, pipeline: pipeline, options: options, stop: stop).run(inputs)
  }

  /// Replays on the calling thread.
  package func replay(_ pipeline: Pipeline, options: ImportOptions) throws -> ImportReport {
    try ReplayRun(store: self, pipeline: pipeline, options: options).run()
  }
}

extension ImportSource {
  /// Opens sources, before anything is read.
  fileprivate static func open(_ sources: [ImportSource], _ stop: Cancellation) throws(ImportError)
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
}
