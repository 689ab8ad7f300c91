internal import Foundation
internal import Synchronization

/// How long SQLite waits for another program's lock, and who may end the waiting.
///
/// SQLite's own timeout hears no signal: a stopped import would sit it out.
final class LockPatience: Sendable {
  private struct State {
    var seconds: Double
    var isCancelled: @Sendable () -> Bool = { false }
    var start = ContinuousClock.now
  }

  private let state: Mutex<State>
  private static let pause: UInt32 = 10_000

  init(seconds: Double) {
    state = Mutex(State(seconds: seconds))
  }

  /// SQLite's busy handler: whether to try again, after a pause.
  ///
  /// - Parameter tries: how often it was tried for the same lock.
  func waits(_ tries: Int) -> Bool {
    let goesOn = state.withLock { state in
      if tries == 0 { state.start = .now }
      let waited = state.start.duration(to: .now) / .seconds(1)
      return waited < state.seconds && !state.isCancelled()
    }
    if goesOn { usleep(Self.pause) }
    return goesOn
  }

  /// Waits otherwise while `body` runs. The connection's own queue keeps calls apart.
  func with<Result>(
    seconds: Double, isCancelled: @escaping @Sendable () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let before = state.withLock { state in
      defer { (state.seconds, state.isCancelled) = (seconds, isCancelled) }
      return (state.seconds, state.isCancelled)
    }
    defer { state.withLock { ($0.seconds, $0.isCancelled) = before } }
    return try body()
  }
}
