internal import PostgreSQLAccess
internal import StoreInterface

/// What may go from history, and how: in the caller's transaction, which holds the lock of the numbers.
struct Pruning: PrunableHistory {
  let connection: PostgreSQLConnection
  let positions: Positions

  /// How many transactions go at a time.
  private static let step = 2000
  /// About a transaction's bytes: its row, and its changes with what was before.
  private static let size = "100 + 200 * entries"

  func readers(before number: Int64) throws -> [(name: String, number: Int64)] {
    let rows = try connection.run(
      """
      SELECT name, number FROM bolide_reader WHERE NOT diverged AND number >= $1 AND number < $2
      ORDER BY number FOR SHARE
      """, [.integer(positions.floor), .integer(number)])
    return (0..<rows.count).map { (rows.text($0, 0), rows.integer($0, 1)) }
  }

  func newest(olderThan seconds: Double) throws -> Int64 {
    let first = try connection.run(
      "SELECT min(number) FROM bolide_transaction WHERE at >= now() - make_interval(secs => $1)",
      [.double(min(seconds, 1e11))])
    return (first.optionalInteger(0, 0) ?? positions.newestNumber + 1) - 1
  }

  func newest(besides count: Int) throws -> Int64 {
    let last = try connection.run(
      "SELECT number FROM bolide_transaction ORDER BY number DESC LIMIT 1 OFFSET $1",
      [.integer(Int64(count))])
    return last.count == 0 ? 0 : last.integer(0, 0)
  }

  func newest(beyond size: Int64) throws -> Int64 {
    let last = try connection.run(
      """
      SELECT max(number) FROM (SELECT number, sum(\(Self.size)) OVER (ORDER BY number DESC) AS size
        FROM bolide_transaction) AS t WHERE size > $1
      """, [.integer(size)])
    return last.optionalInteger(0, 0) ?? 0
  }

  func storeBytes() throws -> Int64 {
    try connection.run(
      """
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
      WHERE relnamespace = \(SystemTables.namespace) AND relkind = 'r'
      """
    ).integer(0, 0)
  }

  func raiseFloor(to number: Int64) throws -> (floor: Int64, transactions: Int, changes: Int)? {
    let step = try connection.run(
      """
      SELECT max(number), count(*), coalesce(sum(changes), 0)::bigint FROM (
        SELECT number, changes FROM bolide_transaction WHERE number <= $1 ORDER BY number LIMIT \(Self.step)) AS t
      """, [.integer(number)])
    guard let end = step.optionalInteger(0, 0) else { return nil }
    try connection.run(
      """
      UPDATE bolide_store SET pruned_number = t.number, pruned_nonce = t.nonce, pruned_at = t.at
      FROM bolide_transaction AS t WHERE t.number = $1
      """, [.integer(end)])
    try connection.run(
      "DELETE FROM bolide_change AS c USING bolide_transaction AS t WHERE t.id = c.transaction AND t.number <= $1",
      [.integer(end)])
    try connection.run("DELETE FROM bolide_transaction WHERE number <= $1", [.integer(end)])
    return (end, Int(step.integer(0, 1)), Int(step.integer(0, 2)))
  }
}
