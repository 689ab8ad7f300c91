internal import PostgreSQLAccess
package import StoreInterface
internal import Synchronization

extension PostgreSQLEngine {
  package func assignPendingChanges(readsHistory: Bool, waiting seconds: Double) throws -> [ReadingNote] {
    try session { connection in
      let pending = try connection.run("\(NotificationWatch.hasPending), pg_is_in_recovery()")
      guard pending.integer(0, 0) != 0 else { return [] }
      if pending.integer(0, 1) != 0 {
        let changes = try connection.run(
          """
          SELECT count(*) FROM bolide_change AS c JOIN bolide_transaction AS t ON t.id = c.transaction
          WHERE t.number IS NULL
          """)
        return [.pending(changes: changes.integer(0, 0), values: 0, .readOnly)]
      }
      let stored = try StoredModel(connection, address)
      let transaction = WriteTransaction(connection: connection, stored: stored)
      try connection.inTransaction {
        try transaction.begin()
        // Where the marks give nothing to write, there is no transaction of its own, and the others are numbered all the same.
        if try transaction.end(author: nil, pipeline: nil, run: nil) == nil {
          try connection.run(SystemTables.lock(address.schema))
          try connection.run("SELECT bolide_number(NULL)")
        }
      }
      return []
    }
  }

  package func newestToken() throws -> HistoryToken {
    try reading { try Positions($0, $1, path).newest }
  }

  package func checkBeginning() throws {
    let floor = try reading { try Positions($0, $1, path).floor }
    if floor > 0 { throw StoreError.prunedBeginning(floor, path) }
  }

  package func readHistory(
    _ request: HistoryRequest, change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws {
    try reading { try HistoryReader($0, $1, path).read(request, change: change, commit: commit) }
  }

  package func watchCommits() throws -> any CommitWatch {
    try address.telling {
      let connection = try take()
      try connection.run("LISTEN \(quoted("bolide_\(address.schema)"))")
      return NotificationWatch(connection, address)
    }
  }
}

/// Bolide's own commits are told by the server; other programs' are asked for, as no trigger tells of them.
private final class NotificationWatch: CommitWatch {
  private let state: Mutex<State>
  private let address: PostgreSQLAddress

  /// Whether other programs have left something to the next command.
  static let hasPending =
    "SELECT EXISTS (SELECT FROM bolide_transaction WHERE number IS NULL) OR EXISTS (SELECT FROM bolide_mark)"

  /// Unchecked, as the session is reached under the mutex alone.
  private struct State: @unchecked Sendable {
    let connection: PostgreSQLConnection
    var asked = ContinuousClock.now
  }

  /// How often other programs' commits are asked for.
  private static let pause: Duration = .milliseconds(200)

  init(_ connection: PostgreSQLConnection, _ address: PostgreSQLAddress) {
    self.address = address
    state = Mutex(State(connection: connection))
  }

  func hasCommit() throws -> Bool {
    try state.withLock { state in
      if state.connection.hasNotification() { return true }
      if ContinuousClock.now - state.asked < Self.pause { return false }
      state.asked = .now
      return try address.telling {
        try state.connection.run(Self.hasPending).integer(0, 0) != 0
      }
    }
  }

  func check() throws(StoreError) {
    if !state.withLock({ $0.connection.isAlive }) { throw .vanished(address.shown) }
  }
}
