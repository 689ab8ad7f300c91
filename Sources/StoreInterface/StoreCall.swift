internal import Synchronization

/// What may be given up from another thread: a call of the library, when its task is cancelled; an import's first steps, and a
/// command that feeds another program, when a signal comes.
package final class StoreCall: Sendable {
  /// What the present thread does; nil where nobody gives it up.
  @TaskLocal package static var current: StoreCall?

  /// Whether it waits for locks as a command does, also for one that it could do without.
  package let isPatient: Bool
  private let isGivenUp = Atomic(false)
  private let isDone = Atomic(false)
  private let last = Mutex<ContinuousClock.Instant?>(nil)
  /// How long a last step may still take.
  private static let grace = Duration.seconds(1)

  package init(isPatient: Bool = false) { self.isPatient = isPatient }

  /// Ends the call's waiting and its statements. May be called from any thread.
  package func cancel() { isGivenUp.store(true, ordering: .releasing) }

  /// Says that what the call was for is committed: the rest is not given up any more.
  package func settle() { isDone.store(true, ordering: .releasing) }

  /// Whether it was given up, also after what it was for was committed.
  package var wasCancelled: Bool { isGivenUp.load(ordering: .acquiring) }

  /// Whether it is to end without an answer.
  package var isCancelled: Bool {
    guard wasCancelled && !isDone.load(ordering: .acquiring) else { return false }
    return last.withLock { $0.map { .now >= $0 + Self.grace } ?? true }
  }

  /// Whether what the present thread does is to end without an answer.
  package static var isCancelled: Bool { current?.isCancelled ?? false }

  /// - Throws: `CancellationError` where what the present thread does is to end without an answer.
  package static func check() throws {
    if isCancelled { throw CancellationError() }
  }

  /// Takes the step that keeps what was done, which is tried where it was given up meanwhile, too: that ends it only where it
  /// takes longer than a second, as it does where it waits for a lock.
  package static func finishing<Result>(_ body: () throws -> Result) rethrows -> Result {
    current?.last.withLock { $0 = .now }
    defer { current?.last.withLock { $0 = nil } }
    return try body()
  }
}

extension Error {
  /// Whether this may be what a call ends by that was given up: while it waits for a lock, or in a statement.
  package var isEndOfCall: Bool {
    let code = (self as? StoreError)?.code
    return self is CancellationError || code == .busy || code == .locked || code == .interrupted
  }
}
