public import Foundation
public import ImportModel
public import Logging
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
  /// Of calls, and of imports whose options have no logger of their own.
  let context: CallContext
  /// Which types ask rows for names that they have.
  let names = NameChecks()

  /// The file's path, as given.
  public var path: String { engine.path }

  package init(_ engine: any StoreEngine) {
    (self.engine, writes, lockWait) = (engine, CallQueue(limit: 1), nil)
    context = CallContext()
  }

  /// - Parameter lockWait: how long a call that writes waits for its turn; nil for as long as it takes.
  init(
    _ engine: any StoreEngine, _ writes: CallQueue, lockWait: Duration? = nil,
    _ context: CallContext = CallContext()
  ) {
    (self.engine, self.writes, self.lockWait, self.context) = (engine, writes, lockWait, context)
  }

  /// Opens a store for a pipeline. Creates the file if it does not exist, and migrates its schema to the pipeline's model.
  ///
  /// - Parameters:
  ///   - path: the store's file.
  ///   - pipeline: how records become objects.
  ///   - trustsSchema: whether triggers that other programs added to the store may use virtual tables, such as a full-text
  ///     index, and functions that SQLite considers unsafe. Only for a file that you trust like a program.
  ///   - lockWait: how long to wait for another writer, now and in each later call that writes.
  ///   - logger: told of calls, imports, waits for locks and repairs, as the page *Using Bolide from Swift* says. Nothing
  ///     of an object's content is told.
  ///   - now: what the store takes for the present instant, for tests: in history, runs, ages and rules on how long something is
  ///     kept. Attributes that SQL triggers derive from `now()` have SQLite's clock. Nil for the system's clock.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when the file is not a store, has a
  ///   newer format, differs from the model in what would lose values, or cannot be opened.
  public convenience init(
    path: String, for pipeline: Pipeline, trustsSchema: Bool = false, lockWait: Duration = .seconds(600),
    logger: Logger? = nil, now: (@Sendable () -> Date)? = nil
  ) async throws {
    let (writes, context) = (CallQueue(limit: 1), CallContext(logger: logger, now: now))
    let engine = try await writes.run {
      try context.entering {
        try StoreAddress(path).open(
          for: pipeline, lockWait: lockWait / .seconds(1), trustsSchema: trustsSchema)
      }
    }
    self.init(engine, writes, lockWait: lockWait, context)
  }

  /// Makes a temporary store for tests, which is deleted with its last reference.
  ///
  /// The store is a file in a private folder: in shared memory on Linux if available, otherwise in the temporary folder;
  /// `path` is its path. A killed process leaves the file behind.
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - now: as `init(path:for:trustsSchema:lockWait:logger:now:)`.
  /// - Throws: `PipelineError` when the pipeline has problems; `StoreError` when there is no room for it.
  public convenience init(inMemoryFor pipeline: Pipeline, now: (@Sendable () -> Date)? = nil) async throws {
    let (writes, context) = (CallQueue(limit: 1), CallContext(now: now))
    let engine = try await writes.run {
      try context.entering { try StoreAddress.inMemory(for: pipeline) }
    }
    self.init(engine, writes, context)
  }

  /// Asks the engine something that changes nothing.
  ///
  /// - Parameter call: what the logger calls it; nil for what it is not told of.
  func answering<Answer: Sendable>(
    call: String? = #function, _ body: @escaping @Sendable (any StoreEngine) throws -> Answer
  ) async throws -> Answer {
    try await context.telling(of: call) {
      try await reads.run { [engine, context] in try context.entering { try body(engine) } }
    }
  }

  /// Has the engine write something.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for other writers; nil for as long as the store does.
  ///   - call: what the logger calls it.
  func writing<Answer: Sendable>(
    waiting lockWait: Duration? = nil, call: String? = #function,
    _ body: @escaping @Sendable (any StoreEngine) throws -> Answer
  ) async throws -> Answer {
    try await context.telling(of: call) {
      try await writes.run(lockWait: lockWait ?? self.lockWait) { [engine, context] in
        try context.entering { try body(engine) }
      }
    }
  }
}
