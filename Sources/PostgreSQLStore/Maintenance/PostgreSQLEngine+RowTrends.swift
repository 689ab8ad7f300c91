internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  /// By how many rows entities grew over the newest part of history: the inserts less the deletions of each step.
  ///
  /// - Complexity: O(changes), a million at most.
  package func rowTrends(steps: Int) throws -> [RowTrend] {
    try reading { connection, stored in
      let rows = try connection.run(
        """
        WITH counted AS (SELECT id, number, sum(changes) OVER (ORDER BY number DESC) AS behind
            FROM bolide_transaction),
          part AS (SELECT id, ntile($1::bigint::integer) OVER (ORDER BY number) - 1 AS step FROM counted WHERE behind <= $2
            UNION ALL SELECT id, $1::bigint FROM bolide_pending)
        SELECT c.entity, p.step::bigint,
          sum((coalesce(c.last_id, c.id) - c.id + 1) * CASE c.kind WHEN 1 THEN 1 ELSE -1 END)::bigint
        FROM part AS p JOIN bolide_change AS c ON c.transaction = p.id WHERE c.kind <> 2 GROUP BY c.entity, p.step
        """, [.integer(Int64(steps)), .integer(Self.mostChanges)])
      var added: [String: [Int64]] = [:]
      for row in 0..<rows.count {
        guard let entity = stored.entity(rows.integer(row, 0)) else { continue }
        added[entity.name, default: Array(repeating: 0, count: steps + 1)][Int(rows.integer(row, 1))] =
          rows.integer(row, 2)
      }
      return added.sorted { $0.key < $1.key }.map { RowTrend(entity: $0.key, added: $0.value) }
    }
  }

  private static let mostChanges: Int64 = 1_000_000
}
