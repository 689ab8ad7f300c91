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
  /// - Throws: `ImportError`, with the report of what was done before; `PipelineError` for a pipeline with problems.
  public func run(
    _ pipeline: Pipeline, on source: ImportSource, options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let thread = Thread {
          continuation.resume(with: Result { try self.runBlocking(pipeline, on: source, options: options) })
        }
        thread.name = "bolide writing"
        thread.stackSize = 4 << 20
        thread.start()
      }
    } onCancel: {
      options.cancellation.cancel()
    }
  }

  /// Imports the bytes that a sequence brings, such as the body of a request.
  ///
  /// The sequence is asked for more only when the import has room for it.
  /// - Returns: what was done.
  /// - Throws: as `run(_:on:options:)`; a failure of the sequence is an `ImportError` of the kind `inputOutput`.
  public func run<Pieces: AsyncSequence & Sendable>(
    _ pipeline: Pipeline, on pieces: Pieces, named name: String = "stream",
    options: ImportOptions = ImportOptions()
  ) async throws -> ImportReport where Pieces.Element: Collection<UInt8> {
    let pipe = BytePipe()
    async let report = run(pipeline, on: ImportSource(source: .pipe(pipe), label: name), options: options)
    await pipe.send(contentsOf: pieces)
    return try await report
  }

  /// Imports on the calling thread.
  package func runBlocking(
    _ pipeline: Pipeline, on source: ImportSource, options: ImportOptions
  ) throws -> ImportReport {
    let input: ByteInput
    do {
      input = try ByteInput(source.source, label: source.label, cancellation: options.cancellation.inner)
    } catch {
      throw ImportError(error)
    }
    return try ImportRun(store: self, pipeline: pipeline, options: options).run(input)
  }

  /// Opens the input, then the store, and imports on the calling thread: a mistyped input leaves no empty store.
  package static func importing(
    path: String, _ pipeline: Pipeline, from input: String, options: ImportOptions
  ) throws -> ImportReport {
    let bytes: ByteInput
    do {
      bytes = try ByteInput(.path(input), cancellation: options.cancellation.inner)
    } catch {
      throw ImportError(error)
    }
    let store = try Store(blocking: path, for: pipeline, lockWait: options.lockWait)
    return try ImportRun(store: store, pipeline: pipeline, options: options).run(bytes)
  }

  /// Opens the store that a path names, or the store of the pipeline that it names.
  package static func opening(_ path: String) throws -> Store {
    guard path.hasSuffix(".yaml") || path.hasSuffix(".yml") else { return try Store(reading: path) }
    let pipeline = try Pipeline(path: path)
    guard let store = pipeline.store else {
      throw StoreError(.cannotOpen, "\(path): the pipeline names no store", hint: "Name the store itself.")
    }
    return try Store(reading: store)
  }
}
