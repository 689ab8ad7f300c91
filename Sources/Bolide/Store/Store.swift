internal import Dispatch
public import ImportModel
package import StoreInterface

/// A store: a model, the objects, and their history.
///
/// It is an SQLite file. Any program may read and write the file with plain SQL; history and derived attributes stay true. A
/// store may be used from any thread and task.
public final class Store: Sendable {
  /// What keeps the store; all that is done to it goes through this.
  package let engine: any StoreEngine

  /// The file's path, as given.
  public var path: String { engine.path }

  package init(_ engine: any StoreEngine) {
    self.engine = engine
  }

  /// Opens a store for a pipeline. Creates the file if it does not exist, and migrates its schema to the pipeline's model.
  ///
  /// - Parameter trustsSchema: whether triggers that other programs added to the store may use virtual tables, such as a
  ///   full-text index, and functions that SQLite considers unsafe. Only for a file that you trust like a program.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when the file is not a store, has a
  ///   newer format, differs from the model in what would lose values, or cannot be opened.
  public convenience init(path: String, for pipeline: Pipeline, trustsSchema: Bool = false) async throws {
    self.init(
      try await onDispatch {
        try StoreAddress(path).open(for: pipeline, lockWait: 600, trustsSchema: trustsSchema)
      })
  }

  /// Makes a temporary store for tests, which is deleted with its last reference.
  ///
  /// The store is a file in a private folder: in shared memory on Linux if available, otherwise in the temporary folder;
  /// `path` is its path. A killed process leaves the file behind.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when there is no room for it.
  public convenience init(inMemoryFor pipeline: Pipeline) async throws {
    self.init(try await onDispatch { try StoreAddress.inMemory(for: pipeline) })
  }

  /// Asks the engine something on a thread where waiting is allowed.
  func answering<Answer: Sendable>(
    _ body: @escaping @Sendable (any StoreEngine) throws -> Answer
  ) async throws -> Answer {
    let engine = engine
    return try await onDispatch { try body(engine) }
  }
}

/// Runs something that may wait on one of Dispatch's threads; the calling task is suspended meanwhile.
func onDispatch<Answer: Sendable>(
  _ body: @escaping @Sendable () throws -> Answer
) async throws -> Answer {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
  }
}
