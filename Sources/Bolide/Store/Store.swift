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

  /// Opens a store for a pipeline: makes the file when there is none, and adds what the model has more than it.
  ///
  /// - Parameter trustsSchema: whether triggers that another program has put on the store's tables may use virtual tables,
  ///   such as an index for full-text search, and functions that SQLite takes for unsafe. Say so only of a file that you
  ///   trust as you trust a program.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when the file is not a store, has a
  ///   newer format, differs from the model in what would lose values, or cannot be opened.
  public convenience init(path: String, for pipeline: Pipeline, trustsSchema: Bool = false) async throws {
    self.init(
      try await onDispatch {
        try StoreAddress(path).open(for: pipeline, lockWait: 600, trustsSchema: trustsSchema)
      })
  }

  /// Makes a store that lives in memory and goes with the last reference to it: for tests and for trying things.
  ///
  /// All else is as with any store, as it is a file in a folder of its own: in the system's memory where Linux offers
  /// it, otherwise among the temporary files. `path` leads there. A process that is killed leaves it behind.
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
