internal import Foundation
internal import StoreInterface

/// Whose turn it is to use the connection that writes: one call after the other, in the order in which they came.
///
/// GRDB's queue does so too, but who waits there can neither be cancelled nor give up.
///
/// @unchecked: the line is touched under the condition's lock alone.
final class WriterTurn: @unchecked Sendable {
  private let condition = NSCondition()
  /// Whose turn it is, and who waits for it.
  private var line: [Int] = []
  private var last = 0
  /// How long a cancelled call goes on waiting.
  private static let pause: TimeInterval = 0.01

  /// Runs `body` when it is its turn.
  ///
  /// - Throws: `StoreError.busy` when that takes longer than so many seconds, or is cancelled; and what `body` throws.
  func taking<Result>(
    waiting seconds: Double, isCancelled: () -> Bool, _ body: () throws -> Result
  ) throws -> Result {
    try wait(seconds, isCancelled)
    defer {
      condition.lock()
      line.removeFirst()
      condition.broadcast()
      condition.unlock()
    }
    return try body()
  }

  private func wait(_ seconds: Double, _ isCancelled: () -> Bool) throws(StoreError) {
    var wait: LockWait?
    defer { wait?.end() }
    condition.lock()
    defer { condition.unlock() }
    last += 1
    let number = last
    line.append(number)
    let start = ContinuousClock.now
    while line.first != number {
      guard start.duration(to: .now) / .seconds(1) < seconds, !isCancelled(), !StoreCall.isCancelled else {
        line.removeAll { $0 == number }
        throw .writerInUse
      }
      // Whoever is told must not hold up the line.
      condition.unlock()
      if wait == nil { wait = LockWait(for: .writer) }
      wait?.goOn()
      condition.lock()
      if line.first != number { _ = condition.wait(until: Date(timeIntervalSinceNow: Self.pause)) }
    }
  }
}
