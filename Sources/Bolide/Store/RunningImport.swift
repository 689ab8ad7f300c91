public import ImportModel
internal import JSONStream

extension Store {
  /// Begins to import a source, and tells how far it is.
  ///
  ///     let run = store.importing(pipeline, on: .file(feed))
  ///     for try await progress in run { bar.show(progress) }
  ///     let report = try await run.report
  ///
  /// The import stops, as where a task is cancelled, when the last reference to the result is gone.
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - source: where the bytes come from.
  ///   - options: see `run(_:on:options:)`.
  public func importing(
    _ pipeline: Pipeline, on source: ImportSource, options: ImportOptions = ImportOptions()
  ) -> RunningImport {
    RunningImport(options) { [self] in try await run(pipeline, on: source, options: $0) }
  }

  /// Begins to import the bytes that a sequence brings, and tells how far it is; see `importing(_:on:options:)`.
  ///
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - pieces: the bytes, in pieces of any size.
  ///   - name: what messages call the bytes.
  ///   - options: limits, patience and what is told meanwhile.
  public func importing<Pieces: AsyncSequence & Sendable>(
    _ pipeline: Pipeline, on pieces: Pieces, named name: String = "stream",
    options: ImportOptions = ImportOptions()
  ) -> RunningImport where Pieces.Element: Collection<UInt8> {
    RunningImport(options) { [self] in try await run(pipeline, on: pieces, named: name, options: $0) }
  }

  /// Begins to import bytes that come one by one, and tells how far it is; see `importing(_:on:options:)`.
  ///
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - bytes: the bytes.
  ///   - name: what messages call them.
  ///   - options: limits, patience and what is told meanwhile.
  public func importing<Bytes: AsyncSequence & Sendable>(
    _ pipeline: Pipeline, on bytes: Bytes, named name: String = "stream",
    options: ImportOptions = ImportOptions()
  ) -> RunningImport where Bytes.Element == UInt8 {
    importing(pipeline, on: BytePieces(bytes), named: name, options: options)
  }
}

/// An import under way: how far it is, chunk by chunk, and its report when it has ended.
///
/// Of what nobody has taken yet only the newest is kept; the import waits for nobody. The sequence ends when the import ends,
/// with its error where there is one. It is for one loop.
public final class RunningImport: AsyncSequence, Sendable {
  private let progress: AsyncThrowingStream<ImportProgress, any Error>
  private let task: Task<ImportReport, any Error>

  init(_ options: ImportOptions, _ run: @escaping @Sendable (ImportOptions) async throws -> ImportReport) {
    let (progress, told) = AsyncThrowingStream.makeStream(
      of: ImportProgress.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    self.progress = progress
    let callback = options.progress
    var options = options
    options.progress = {
      callback?($0)
      told.yield($0)
    }
    task = Task { [options] in
      do {
        let report = try await run(options)
        told.finish()
        return report
      } catch {
        told.finish(throwing: error)
        throw error
      }
    }
  }

  deinit { task.cancel() }

  /// What was done; waits for the import's end. A cancelled task stops the import.
  ///
  /// - Throws: as `Store.run(_:on:options:)`.
  public var report: ImportReport {
    get async throws(ImportError) {
      do {
        return try await withTaskCancellationHandler {
          try await task.value
        } onCancel: {
          cancel()
        }
      } catch {
        throw ImportError(error)
      }
    }
  }

  /// Stops the import at the edge of a chunk; `report` throws then.
  public func cancel() { task.cancel() }

  /// Begins with the newest progress.
  public func makeAsyncIterator() -> Iterator { Iterator(run: self) }

  /// Goes from one chunk's end to the next.
  public struct Iterator: AsyncIteratorProtocol {
    /// Nobody else may have a reference to it.
    private let run: RunningImport
    private var progress: AsyncThrowingStream<ImportProgress, any Error>.Iterator

    fileprivate init(run: RunningImport) {
      (self.run, progress) = (run, run.progress.makeAsyncIterator())
    }

    /// How far the import is; nil when it has ended.
    ///
    /// - Throws: as `Store.run(_:on:options:)`.
    public mutating func next() async throws -> ImportProgress? { try await progress.next() }
  }
}
