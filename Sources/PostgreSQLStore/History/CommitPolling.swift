internal import PostgreSQLAccess
package import StoreInterface
internal import Synchronization

extension PostgreSQLEngine {
  package func watchCommits() throws -> any CommitWatch {
    try address.telling { try CommitPolling(take(), address) }
  }
}

/// Bolide's own commits are told by the primary at once; other programs' are asked for, as no trigger tells of them, and on a
/// standby all are.
private final class CommitPolling: CommitWatch {
  private let state: Mutex<State>
  private let address: PostgreSQLAddress

  /// Unchecked, as the session is reached under the mutex alone.
  private struct State: @unchecked Sendable {
    let connection: PostgreSQLConnection
    var found: (number: Int64, hasPending: Bool)
    var next = ContinuousClock.now
    /// When it was another answer for the last time.
    var changed = ContinuousClock.now
    /// Since when the server does not answer.
    var lost: ContinuousClock.Instant?
  }

  /// How long to wait between questions for other programs' commits: a fiftieth of the time since the last one, within these. A
  /// commit is seen within 50 ms while others come, and a follower that nothing comes to asks seldom.
  private static let pauses = Duration.milliseconds(20)...Duration.milliseconds(200)
  private static let longestPause = Duration.seconds(1)

  init(_ connection: PostgreSQLConnection, _ address: PostgreSQLAddress) throws {
    self.address = address
    try Self.listen(connection, address)
    state = Mutex(State(connection: connection, found: try Self.newest(connection)))
  }

  private static func listen(_ connection: PostgreSQLConnection, _ address: PostgreSQLAddress) throws {
    if !connection.isStandby { try connection.run("LISTEN \(quoted(SystemTables.channel(address.schema)))") }
  }

  /// The newest transaction's number, and whether other programs have left something to the next command.
  private static func newest(_ connection: PostgreSQLConnection) throws -> (number: Int64, hasPending: Bool) {
    let found = try connection.run("SELECT last_number, \(PendingChanges.exist) FROM bolide_store")
    return (found.integer(0, 0), found.integer(0, 1) != 0)
  }

  func hasCommit() throws -> Bool {
    try state.withLock { state in
      if state.lost == nil, state.connection.isAlive, state.connection.hasNotification() { return true }
      let start = ContinuousClock.now
      if start < state.next { return false }
      defer {
        let end = ContinuousClock.now
        let pause = min(max((end - state.changed) / 50, Self.pauses.lowerBound), Self.pauses.upperBound)
        // Where the answer takes long, as beside a transaction of millions of changes that is open, a tenth of the time goes to it. It
        // may as well have waited for a lock, or for the server.
        state.next = max(start + pause, end + min((end - start) * 9, Self.longestPause))
      }
      return try address.telling { try ask(&state) }
    }
  }

  private func ask(_ state: inout State) throws -> Bool {
    do {
      if state.lost != nil {
        try state.connection.reconnect(within: .zero)
        try Self.listen(state.connection, address)
      }
      let found = try Self.newest(state.connection)
      if found != state.found { state.changed = .now }
      defer { (state.found, state.lost) = (found, nil) }
      return found.number != state.found.number || found.hasPending && !state.connection.isStandby
        || state.lost != nil
    } catch let error as PostgreSQLError where error.mayBeRepeated {
      return false
    } catch let error as PostgreSQLError where error.isPassing {
      let since = state.lost ?? .now
      state.lost = since
      if ContinuousClock.now - since > HistoryFollower.patience { throw error }
      return false
    }
  }

  /// Whether the store still is there, the next reading says.
  func check() {}
}
