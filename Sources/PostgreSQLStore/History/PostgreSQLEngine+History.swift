internal import ModelMerging
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func assignPendingChanges(readsHistory: Bool, waiting seconds: Double) throws -> [ReadingNote] {
    // A session that is lost here has locks.
    try session(repeats: true) { connection in
      if connection.isStandby { return try PendingChanges.notes(connection) }
      let pending = try connection.run("SELECT \(PendingChanges.exist), \(StoreOrigin.isElsewhere)")
      if pending.integer(0, 1) != 0 { try StoreOrigin.check(connection) }
      guard pending.integer(0, 0) != 0 else { return [] }
      do {
        return try assign(connection, until: .now + .seconds(seconds))
      } catch let error as PostgreSQLError where error.isRefusal || error.isReadOnly {
        // Whoever may only read has transactions numbered by a function of the store's owner.
        if error.isRefusal { try connection.inTransaction { try connection.numberPending() } }
        return try PendingChanges.pending(connection, .readOnly)
      }
    }
  }

  /// Computes what is marked, and numbers what other programs have committed.
  ///
  /// Another program may have locked what is to be computed, and wait for what that has locked. It gives way again and again, before the
  /// server ends one of the two: that could be the other program's statement.
  /// - Parameter deadline: from when on what is marked is left to the next command where it is locked.
  private func assign(
    _ connection: PostgreSQLConnection, until deadline: ContinuousClock.Instant
  ) throws -> [ReadingNote] {
    var hasWaited = false
    while true {
      do {
        try inTransaction(connection) { transaction in
          try connection.limitLockWait(0.5)
          try transaction.refreshMarked()
          try connection.run("SET LOCAL lock_timeout = DEFAULT")
          // Where the marks give nothing to write, there is no transaction of its own, and the others are numbered all the same.
          if try transaction.end(author: nil, pipeline: nil, run: nil) == nil {
            try connection.numberPending()
          }
        }
        // Another command may be computing the rest.
        let isLate = ContinuousClock.now >= deadline
        if try isLate || connection.run("SELECT EXISTS (SELECT FROM bolide_mark)").integer(0, 0) == 0 {
          return isLate && hasWaited ? try PendingChanges.pending(connection, .rowsLocked) : []
        }
        try connection.run("SELECT pg_sleep(0.02)")
        hasWaited = true
      } catch let error as PostgreSQLError where error.mayBeRepeated || error.isLockTimeout {
        if ContinuousClock.now < deadline { continue }
        try address.repeating { try connection.inTransaction { try connection.numberPending() } }
        return try PendingChanges.pending(connection, .rowsLocked)
      }
    }
  }

  package var readingNote: ReadingNote? {
    get throws { try session { try $0.isStandby ? PendingChanges.notes($0).first : nil } }
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
}

extension PostgreSQLConnection {
  /// Numbers what other programs have committed, in the caller's transaction, to whose end nobody else is numbered.
  func numberPending() throws {
    try run("SELECT bolide_number()")
  }
}

/// What other programs have left to the next command of Bolide's that writes.
enum PendingChanges {
  static let exist =
    "(EXISTS (SELECT FROM bolide_pending) OR EXISTS (SELECT FROM bolide_mark))"
  /// How many changes have no number.
  static let changes =
    "(SELECT count(*) FROM bolide_pending AS p JOIN bolide_change AS c ON c.transaction = p.id)"
  /// How many objects have derived attributes that are to be computed.
  static let marks = "(SELECT count(DISTINCT (entity, id)) FROM bolide_mark)"

  /// What a standby's answer lacks: what it has not received yet, and what has no number there.
  static func notes(_ connection: PostgreSQLConnection) throws -> [ReadingNote] {
    let found = try connection.run(
      """
      SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver)
          THEN 0 ELSE coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0)
          END::double precision
      """)
    return try [.standby(secondsBehind: max(0, found.real(0, 0)))] + pending(connection, .readOnly)
  }

  /// What waits for the next command that writes.
  static func pending(_ connection: PostgreSQLConnection, _ obstacle: ReadingObstacle) throws -> [ReadingNote]
  {
    let found = try connection.run(
      """
      SELECT \(changes), \(marks)
      """)
    let (changes, values) = (found.integer(0, 0), found.integer(0, 1))
    return changes + values == 0 ? [] : [.pending(changes: changes, values: values, obstacle)]
  }
}
