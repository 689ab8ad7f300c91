internal import Synchronization

/// A call of the library that a task waits for, and may give up from another thread.
package final class StoreCall: Sendable {
  /// The call that the present thread makes; nil in imports and in the tool's commands, which have other means.
  @TaskLocal package static var current: StoreCall?

  private let isGivenUp = Atomic(false)
  private let isDone = Atomic(false)

  package init() {}

  /// Ends the call's waiting and its statements. May be called from any thread.
  package func cancel() { isGivenUp.store(true, ordering: .releasing) }

  /// Says that what the call was for is committed: the rest is not given up any more.
  package func settle() { isDone.store(true, ordering: .releasing) }

  /// Whether it was given up, also after what it was for was committed.
  package var wasCancelled: Bool { isGivenUp.load(ordering: .acquiring) }

  /// Whether it is to end without an answer.
  package var isCancelled: Bool { wasCancelled && !isDone.load(ordering: .acquiring) }

  /// Whether the present thread's call is to end without an answer.
  package static var isCancelled: Bool { current?.isCancelled ?? false }

  /// - Throws: `CancellationError` where the present thread's call is to end without an answer.
  package static func check() throws {
    if isCancelled { throw CancellationError() }
  }
}
