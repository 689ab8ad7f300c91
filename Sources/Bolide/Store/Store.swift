public import ImportModel
package import StoreInterface

/// A store: a model, the objects, and their history.
///
/// It is an SQLite file. Any program may read and write the file with plain SQL; history and derived attributes stay true. A
/// store may be used from any thread and task.
///
/// Every call honours the cancellation of its task while it waits: it throws `CancellationError` and changes nothing. A call
/// whose change is committed succeeds also when its task is cancelled.
public final class Store: Sendable {
  /// What keeps the store; all that is done to it goes through this.
  package let engine: any StoreEngine
  /// Calls that only read.
  private let reads = CallQueue(limit: 8)
  /// Calls that write, one at a time, as SQLite has one writer.
  private let writes: CallQueue
  /// How long a call that writes waits for other writers.
  private let lockWait: Duration?

  /// The file's path, as given.
  public var path: String { engine.path }

  package init(_ engine: any StoreEngine) {
    (self.engine, writes, lockWait) = (engine, CallQueue(limit: 1), nil)
  }

  /// - Parameter lockWait: how long a call that writes waits for its turn; nil for as long as it takes.
  init(_ engine: any StoreEngine, _ writes: CallQueue, lockWait: Duration? = nil) {
    (self.engine, self.writes, self.lockWait) = (engine, writes, lockWait)
  }

  /// Opens a store for a pipeline. Creates the file if it does not exist, and migrates its schema to the pipeline's model.
  ///
  /// - Parameters:
  ///   - path: the store's file.
  ///   - pipeline: how records become objects.
  ///   - trustsSchema: whether triggers that other programs added to the store may use virtual tables, such as a full-text
  ///     index, and functions that SQLite considers unsafe. Only for a file that you trust like a program.
  ///   - lockWait: how long to wait for another writer, now and in each later call that writes.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when the file is not a store, has a
  ///   newer format, differs from the model in what would lose values, or cannot be opened.
  public convenience init(
    path: String, for pipeline: Pipeline, trustsSchema: Bool = false, lockWait: Duration = .seconds(600)
  ) async throws {
    let writes = CallQueue(limit: 1)
    let engine = try await writes.run {
      try StoreAddress(path).open(
        for: pipeline, lockWait: lockWait / .seconds(1), trustsSchema: trustsSchema)
    }
    self.init(engine, writes, lockWait: lockWait)
  }

  /// Makes a temporary store for tests, which is deleted with its last reference.
  ///
  /// The store is a file in a private folder: in shared memory on Linux if available, otherwise in the temporary folder;
  /// `path` is its path. A killed process leaves the file behind.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when there is no room for it.
  public convenience init(inMemoryFor pipeline: Pipeline) async throws {
    let writes = CallQueue(limit: 1)
    self.init(try await writes.run { try StoreAddress.inMemory(for: pipeline) }, writes)
  }

  /// Asks the engine something that changes nothing.
  func answering<Answer: Sendable>(
    _ body: @escaping @Sendable (any StoreEngine) throws -> Answer
  ) async throws -> Answer {
    try await reads.run { [engine] in try body(engine) }
  }

  /// Has the engine write something.
  ///
  /// - Parameter lockWait: how long to wait for other writers; nil for as long as the store does.
  func writing<Answer: Sendable>(
    waiting lockWait: Duration? = nil, _ body: @escaping @Sendable (any StoreEngine) throws -> Answer
  ) async throws -> Answer {
    try await writes.run(lockWait: lockWait ?? self.lockWait) { [engine] in try body(engine) }
  }
}
