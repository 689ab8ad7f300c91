internal import GRDB
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// By how many rows entities grew over the newest part of history: the inserts less the deletions of each step.
  ///
  /// - Complexity: O(changes), a million at most.
  package func rowTrends(steps: Int) throws -> [RowTrend] {
    try reading { db in
      let statement = try RawStatement(db, Self.netRows)
      statement.bind(Int64(steps), at: 1)
      statement.bind(Self.mostChanges, at: 2)
      defer { statement.reset() }
      var added: [String: [Int64]] = [:]
      while try statement.step() {
        added[statement.string(0) ?? "", default: Array(repeating: 0, count: steps + 1)][
          Int(statement.integer(1))] = statement.integer(2)
      }
      return try added.sorted { $0.key < $1.key }.filter { try TableColumns(db, $0.key) != nil }
        .map { RowTrend(entity: $0.key, added: $0.value) }
    }
  }

  private static let mostChanges: Int64 = 1_000_000

  /// The newest transactions in so many parts, and the net number of rows that each part added to an entity. `sum` would be an
  /// error beyond 64 bits.
  private static let netRows = """
    WITH newest AS (SELECT first_change, last_change, ntile(?1) OVER (ORDER BY number) - 1 AS step FROM bolide_transaction
        WHERE first_change > (SELECT max(change) FROM bolide_change) - ?2),
      part AS (SELECT step, min(first_change) AS first, max(last_change) AS last FROM newest GROUP BY step
        UNION ALL SELECT ?1, max(last_change) + 1, 9223372036854775807 FROM newest)
    SELECT name, step, CAST(total(CASE kind WHEN 0 THEN c.last - c.first + 1 ELSE c.first - c.last - 1 END) AS INTEGER)
    FROM part JOIN bolide_change AS c ON change BETWEEN part.first AND part.last JOIN bolide_entity USING (entity)
    WHERE kind <> 1 GROUP BY name, step
    """
}
