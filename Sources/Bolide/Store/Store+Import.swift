internal import Foundation
internal import ImportInput
public import ImportModel
internal import JSONStream
internal import StoreInterface

/// Where an import's bytes come from.
public struct ImportSource: Sendable {
  let source: ByteInput.Source
  let label: String?

  /// A file, plain, gzip or zstd; `-` is standard input.
  public static func file(_ path: String) -> ImportSource {
    ImportSource(source: .path(path), label: nil)
  }

  /// Bytes in memory, plain, gzip or zstd.
  ///
  /// - Parameters:
  ///   - bytes: the whole input.
  ///   - name: what messages call them.
  public static func bytes(_ bytes: some Sequence<UInt8>, name: String = "bytes") -> ImportSource {
    ImportSource(source: .bytes(Array(bytes)), label: name)
  }
}

extension Store {
  /// Imports a source through a pipeline.
  ///
  /// The import has two threads of its own; the calling task is suspended meanwhile. Cancelling the task stops the
  /// import at the edge of a chunk.
  /// - Returns: what was done. Look at `verdict`: rejected records are no error.
  /// - Throws: `ImportError`, with the report of what was done before.
  public func run(
    _ pipeline: Pipeline, on source: ImportSource, options: ImportOptions = ImportOptions()
  ) async throws(ImportError) -> ImportReport {
    try await run(pipeline, on: [source], options: options)
  }

  /// Imports several sources through a pipeline, one after the other, as one run: a full feed that comes in parts, say.
  ///
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - sources: one at least. All are opened before anything is read.
  ///   - options: limits, patience and what is told meanwhile.
  /// - Returns: what was done.
  /// - Throws: as `run(_:on:options:)` of one source.
  public func run(
    _ pipeline: Pipeline, on sources: [ImportSource], options: ImportOptions = ImportOptions()
  ) async throws(ImportError) -> ImportReport {
    try await onThread(pipeline, options) { [engine] in
      try engine.run(pipeline, on: sources, options: $0)
    }
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
  ) async throws(ImportError) -> ImportReport where Pieces.Element: Collection<UInt8> {
    let pipe = BytePipe()
    // A task that nobody waits for: the import may end while the sequence is quiet.
    let sending = Task { await pipe.send(contentsOf: pieces) }
    defer {
      sending.cancel()
      pipe.close()
    }
    return try await run(pipeline, on: ImportSource(source: .pipe(pipe), label: name), options: options)
  }

  /// Imports bytes that come one by one, such as those of a file handle.
  ///
  /// - Returns: what was done.
  /// - Throws: as `run(_:on:named:options:)` of a sequence of pieces.
  public func run<Bytes: AsyncSequence & Sendable>(
    _ pipeline: Pipeline, on bytes: Bytes, named name: String = "stream",
    options: ImportOptions = ImportOptions()
  ) async throws(ImportError) -> ImportReport where Bytes.Element == UInt8 {
    try await run(pipeline, on: BytePieces(bytes), named: name, options: options)
  }

  /// Imports a pipeline's kept rejected records again, after the pipeline was corrected.
  ///
  /// Imported records are removed from the rejected records; those rejected again are kept. Records whose text was truncated
  /// or not kept, and records whose key a later record had, are skipped and kept.
  /// - Returns: what was done, and how many rejected records the store still keeps.
  /// - Throws: as `run(_:on:options:)`.
  public func replay(_ pipeline: Pipeline, options: ImportOptions = ImportOptions())
    async throws(ImportError) -> ImportReport
  {
    try await onThread(pipeline, options) { [engine] in try engine.replay(pipeline, options: $0) }
  }

  /// Imports on a thread of its own.
  func onThread(
    _ pipeline: Pipeline, _ options: ImportOptions,
    _ body: @escaping @Sendable (ImportOptions) throws -> ImportReport
  ) async throws(ImportError) -> ImportReport {
    let cancellation = options.cancellation.child()
    defer { options.cancellation.release(cancellation) }
    var options = options
    options.cancellation = cancellation
    let context = CallContext(logger: options.logger ?? self.context.logger, now: self.context.now)
    options.logger = context.logger
    do {
      return try await context.telling(ofImport: pipeline.name) { [options] in
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { continuation in
            let isStarted = WorkThread.start("bolide writing") {
              continuation.resume(with: Result { try context.entering { try body(options) } })
            }
            if !isStarted { continuation.resume(throwing: ImportError.noThread) }
          }
        } onCancel: {
          cancellation.cancel()
        }
      }
    } catch {
      throw ImportError(error)
    }
  }
}
