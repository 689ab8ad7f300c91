internal import Foundation
internal import GRDBSQLite
internal import StoreInterface
internal import Synchronization

/// How long SQLite waits for another program's lock, and who may end the waiting.
///
/// SQLite's own timeout hears no signal: a stopped import would sit it out.
package final class LockTimeout: Sendable {
  private struct State {
    var seconds: Double
    var isCancelled: @Sendable () -> Bool = { false }
    /// The one that goes on, or has ended and was not told to be over.
    var wait: LockWait?
    /// When a running statement was first seen to be unwanted.
    var unwanted: ContinuousClock.Instant?
  }

  /// How long it waits when nothing else is said.
  let seconds: Double
  private let state: Mutex<State>
  private static let pause: UInt32 = 10_000
  /// How long a cancelled statement may still take to come to its end.
  private static let grace = Duration.seconds(1)
  /// How many steps of SQLite's machine lie between two looks: some hundred microseconds.
  static let steps: Int32 = 20_000

  package init(seconds: Double) {
    self.seconds = seconds
    state = Mutex(State(seconds: seconds))
  }

  /// SQLite's busy handler: whether to try again, after a pause.
  ///
  /// - Parameter tries: how often it was tried for the same lock.
  func waits(_ tries: Int) -> Bool {
    if tries == 0 { endWait() }
    var wait = state.withLock { $0.wait.take() } ?? LockWait(for: .write)
    wait.goOn()
    let goesOn = state.withLock { [wait] state in
      state.wait = wait
      return wait.seconds < state.seconds && !state.isCancelled() && !StoreCall.isCancelled
    }
    if goesOn { usleep(Self.pause) }
    return goesOn
  }

  /// SQLite does not say when it has the lock: by then the next wait begins, or all that it was for has ended.
  private func endWait() { state.withLock { $0.wait.take() }?.end() }

  /// Ends a connection's statements when somebody has cancelled what they are for, as `SQLITE_INTERRUPT`.
  ///
  /// In an import not at once: a chunk in hand is committed rather than taken back. The connection must not outlive this
  /// object.
  func endStatements(of connection: OpaquePointer?) {
    sqlite3_progress_handler(
      connection, Self.steps,
      { patience in
        guard let patience else { return 0 }
        return Unmanaged<LockTimeout>.fromOpaque(patience).takeUnretainedValue().isOver ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private var isOver: Bool {
    if StoreCall.isCancelled { return true }
    return state.withLock { state in
      guard state.isCancelled() else { return false }
      let since = state.unwanted ?? .now
      state.unwanted = since
      return since.duration(to: .now) >= Self.grace
    }
  }

  /// Waits otherwise while `body` runs. `WriterTurn` keeps calls apart.
  ///
  /// - Parameter seconds: nil for as long as always.
  func with<Result>(
    seconds: Double?, isCancelled: @escaping @Sendable () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let before = state.withLock { state in
      defer {
        (state.seconds, state.isCancelled, state.unwanted) = (seconds ?? state.seconds, isCancelled, nil)
      }
      return (state.seconds, state.isCancelled)
    }
    defer {
      endWait()
      state.withLock { ($0.seconds, $0.isCancelled) = before }
    }
    return try body()
  }
}
