internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func prune(_ request: PruneRequest) throws -> PruneReport {
    try assignPendingChanges()
    return try session { connection in
      let stored = try StoredModel(connection, address)
      return try connection.inTransaction {
        // Nobody numbers meanwhile, and no reader comes back to what goes.
        try connection.run(SystemTables.lock(address.schema))
        let positions = try Positions(connection, stored, path)
        let wanted = try number(request, connection, positions)
        let readers = try connection.run(
          "SELECT name, number FROM bolide_reader WHERE number >= $1 AND number < $2 ORDER BY number FOR SHARE",
          [.integer(positions.floor), .integer(wanted)])
        var report = PruneReport()
        report.holding = (0..<readers.count).map { readers.text($0, 0) }
        let limit = readers.count > 0 ? min(wanted, readers.integer(0, 1)) : wanted
        let last = try connection.run(
          """
          SELECT max(number), count(*), coalesce(sum(changes), 0)::bigint FROM bolide_transaction
          WHERE number <= $1 AND number > $2
          """, [.integer(limit), .integer(positions.floor)])
        guard let end = last.optionalInteger(0, 0) else { return report }
        (report.transactions, report.changes) = (Int(last.integer(0, 1)), Int(last.integer(0, 2)))
        try connection.run(
          """
          UPDATE bolide_store SET pruned_number = t.number, pruned_nonce = t.nonce, pruned_at = t.at
          FROM bolide_transaction AS t WHERE t.number = $1
          """, [.integer(end)])
        try connection.run(
          "DELETE FROM bolide_change AS c USING bolide_transaction AS t WHERE t.id = c.transaction AND t.number <= $1",
          [.integer(end)])
        try connection.run("DELETE FROM bolide_transaction WHERE number <= $1", [.integer(end)])
        return report
      }
    }
  }

  private func number(
    _ request: PruneRequest, _ connection: PostgreSQLConnection, _ positions: Positions
  ) throws -> Int64 {
    switch request {
    case .before(let start): return try positions.number(start)
    case .olderThan(let seconds):
      let first = try connection.run(
        "SELECT min(number) FROM bolide_transaction WHERE at >= now() - make_interval(secs => $1)",
        [.double(seconds)])
      return (first.optionalInteger(0, 0) ?? positions.newestNumber + 1) - 1
    case .keepingTransactions(let count):
      let last = try connection.run(
        "SELECT number FROM bolide_transaction WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET $1",
        [.integer(Int64(count))])
      return last.count == 0 ? 0 : last.integer(0, 0)
    }
  }

  /// The server's own business: autovacuum.
  package func vacuum() throws {}
}
