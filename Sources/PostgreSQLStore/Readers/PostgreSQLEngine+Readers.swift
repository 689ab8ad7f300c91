internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func namedReaders() throws -> [Reader] {
    try session(StoreOrigin.check)
    return try reading { connection, stored in
      let rows = try connection.run(
        """
        SELECT r.name, r.number, r.nonce, to_char(r.moved, \(SystemTables.instant)),
          count(t.id), coalesce(sum(t.changes), 0)::bigint,
          coalesce(extract(epoch FROM clock_timestamp() - min(t.at)), 0)::double precision,
          r.number >= greatest(s.pruned_number, \(Positions.gap)), r.number = 0 OR EXISTS (
            SELECT FROM bolide_transaction AS o WHERE o.number = r.number AND o.nonce = r.nonce)
            OR r.number = s.pruned_number AND r.nonce = s.pruned_nonce, r.diverged
        FROM bolide_reader AS r CROSS JOIN bolide_store AS s LEFT JOIN bolide_transaction AS t ON t.number > r.number
        GROUP BY r.name, s.pruned_number, s.pruned_nonce ORDER BY r.name
        """)
      return (0..<rows.count).map { row in
        let state: Reader.State =
          rows.integer(row, 9) != 0
          ? .diverged : rows.integer(row, 7) == 0 ? .expired : rows.integer(row, 8) == 0 ? .diverged : .live
        return Reader(
          name: rows.text(row, 0),
          token: HistoryToken(store: stored.id, number: rows.integer(row, 1), nonce: rows.text(row, 2)),
          state: state, transactionsBehind: Int(rows.integer(row, 4)),
          changesBehind: Int(rows.integer(row, 5)),
          secondsBehind: rows.real(row, 6), moved: rows.text(row, 3))
      }
    }
  }

  package func place(ofReader name: String) throws -> HistoryToken {
    try session(StoreOrigin.check)
    return try reading { try place(name, $0, $1) }
  }

  /// - Parameter locks: whether nobody else moves the reader until the transaction ends.
  private func place(
    _ name: String, _ connection: PostgreSQLConnection, _ stored: StoredModel, locks: Bool = false
  ) throws -> HistoryToken {
    let row = try connection.run(
      "SELECT number, nonce, diverged FROM bolide_reader WHERE name = $1\(locks ? " FOR UPDATE" : "")",
      [.text(name)])
    guard row.count == 1 else { throw StoreError.noSuchReader(name, path) }
    guard row.integer(0, 2) == 0 else { throw StoreError.readerElsewhere(name, path) }
    let token = HistoryToken(store: stored.id, number: row.integer(0, 0), nonce: row.text(0, 1))
    try Positions(connection, stored, path).check(token, of: name)
    return token
  }

  package func checkWritable() throws {
    try session { connection in
      guard try connection.run("SELECT current_setting('transaction_read_only') = 'on'").integer(0, 0) != 0
      else { return }
      var error = PostgreSQLError(state: "25006", text: "read-only")
      error.isOfStandby = connection.isStandby
      throw error
    }
  }

  package func addReader(_ name: String, from start: Reader.Start) throws {
    guard Reader.isName(name) else { throw StoreError.badReaderName(path) }
    // What others have committed by now is before it.
    try assignPendingChanges()
    try moving { connection, stored in
      try connection.run(SystemTables.lock(address.schema))
      let token = try token(start, connection, stored)
      let added = try connection.run(
        "INSERT INTO bolide_reader VALUES ($1, $2, $3, $4::text::timestamptz) ON CONFLICT DO NOTHING",
        row(name, token))
      if added.affected == 0 { throw StoreError.readerExists(name, path) }
    }
  }

  package func acknowledge(_ token: HistoryToken, by name: String) throws {
    try moving { connection, stored in
      let place = try place(name, connection, stored, locks: true)
      let token = try self.token(.token(token), connection, stored)
      if token > place { try put(name, token, connection) }
    }
  }

  package func acknowledge(_ token: HistoryToken, by name: String, from start: HistoryToken) throws {
    try moving(repeats: true) { connection, stored in
      if try place(name, connection, stored, locks: true) == start { try put(name, token, connection) }
    }
  }

  package func begin(_ name: String, at token: HistoryToken) throws {
    guard Reader.isName(name) else { throw StoreError.badReaderName(path) }
    try moving { connection, _ in try put(name, token, connection) }
  }

  package func resetReader(_ name: String, to start: Reader.Start) throws {
    try assignPendingChanges()
    try moving { connection, stored in
      // Somebody may be delivering to it: nobody else waits for that.
      let known = try connection.run("SELECT FROM bolide_reader WHERE name = $1 FOR UPDATE", [.text(name)])
      if known.count == 0 { throw StoreError.noSuchReader(name, path) }
      // What a command prunes meanwhile is gone.
      try connection.run(SystemTables.lock(address.schema))
      try put(name, try token(start, connection, stored), connection)
    }
  }

  package func dropReader(_ name: String) throws {
    try moving { connection, _ in
      let dropped = try connection.run("DELETE FROM bolide_reader WHERE name = $1", [.text(name)])
      if dropped.affected == 0 { throw StoreError.noSuchReader(name, path) }
    }
  }

  private func token(
    _ start: Reader.Start, _ connection: PostgreSQLConnection, _ stored: StoredModel
  ) throws -> HistoryToken {
    let positions = try Positions(connection, stored, path)
    let token =
      switch start {
      case .now: try positions.newest
      case .beginning: try positions.token(0)
      case .token(let token): token
      }
    try positions.check(token)
    guard token.inside == nil else { throw StoreError.readerInside(token, path) }
    return token
  }

  private func row(_ name: String, _ token: HistoryToken) -> [Parameter] {
    [.text(name), .integer(token.number), .text(token.nonce), .text(timestamp())]
  }

  private func put(_ name: String, _ token: HistoryToken, _ connection: PostgreSQLConnection) throws {
    try connection.run(
      """
      INSERT INTO bolide_reader VALUES ($1, $2, $3, $4::text::timestamptz) ON CONFLICT (name) DO UPDATE
      SET number = excluded.number, nonce = excluded.nonce, moved = excluded.moved, diverged = false
      """, row(name, token))
  }

  /// A transaction that moves readers, and changes nothing else.
  ///
  /// - Parameter repeats: as for `session`.
  private func moving(
    repeats: Bool = false, _ body: (PostgreSQLConnection, StoredModel) throws -> Void
  ) throws {
    try session(repeats: repeats) { connection in
      try StoreOrigin.check(connection)
      let stored = try StoredModel(connection, address)
      try connection.inTransaction { try body(connection, stored) }
    }
  }

  package func deliver(
    to name: String, limit: Int?, _ body: (HistoryTransaction, any TransactionConnection) throws -> Void
  ) throws -> HistoryToken? {
    try session { connection in
      try StoreOrigin.check(connection)
      let stored = try StoredModel(connection, address)
      return try connection.inSnapshot("READ WRITE") {
        try connection.run("SELECT FROM bolide_reader WHERE name = $1 FOR UPDATE", [.text(name)])
        var request = HistoryRequest(after: try place(name, connection, stored))
        request.transactionLimit = limit
        var last: HistoryToken?
        var changes: [HistoryChange] = []
        try HistoryReader(connection, stored, path).read(request) {
          changes.append($0)
        } commit: { transaction in
          var transaction = transaction
          transaction.changes = changes
          changes.removeAll()
          try body(transaction, Statements(connection: connection))
          last = transaction.token
        }
        if let last { try put(name, last, connection) }
        return last
      }
    }
  }
}

/// Statements of a consumer's in the transaction that moves its reader.
private struct Statements: TransactionConnection {
  let connection: PostgreSQLConnection

  func rows(_ sql: String, _ values: [Value]) throws -> [[Value]] {
    let result = try connection.run(sql, values.map(Parameter.init))
    return (0..<result.count).map { row in result.values(row) }
  }
}
