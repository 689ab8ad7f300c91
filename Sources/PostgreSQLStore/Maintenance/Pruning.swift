internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// What may go from history, and how: in the caller's transaction, which holds the lock of the numbers.
struct Pruning {
  let connection: PostgreSQLConnection
  let positions: Positions

  /// History below this size is never too large.
  private static let smallSize: Int64 = 64_000_000
  /// How many transactions go at a time.
  private static let step = 2000
  /// About a transaction's bytes: its row, and its changes with what was before.
  private static let size = "100 + 200 * entries"

  /// What may go, and what readers have to do with it.
  struct Limit {
    /// The newest number that may go; 0 for none.
    var number: Int64 = 0
    /// Live readers that keep more from going.
    var holding: [String] = []
    /// Readers that are not waited for any more, with their places.
    var released: [(name: String, number: Int64)] = []
  }

  /// What a request lets go.
  func limit(_ request: PruneRequest) throws -> Limit {
    switch request {
    case .before(let start): try limit(positions.number(start))
    case .olderThan(let seconds): try limit(newest(olderThan: seconds))
    case .keepingTransactions(let count): try limit(newest(besides: count))
    }
  }

  /// What a pipeline's rules let go, or no rules.
  func limit(_ retention: HistoryRetention?) throws -> Limit {
    let rules = retention ?? HistoryRetention()
    var wanted: [Int64] = []
    if let keep = rules.keep { wanted.append(keep.isFinite ? try newest(olderThan: keep) : 0) }
    if let count = rules.transactions { wanted.append(try newest(besides: count)) }
    let number = try wanted.min() ?? newest(beyond: max(Self.smallSize, schemaBytes() / 2))
    return try limit(number, hold: rules.holdForReaders ?? .infinity, cap: rules.cap)
  }

  /// What may go up to a number, as far as readers are through with it.
  ///
  /// - Parameters:
  ///   - hold: for how many seconds a reader's oldest unread transaction is kept.
  ///   - cap: the bytes beyond which readers are not waited for.
  private func limit(_ number: Int64, hold: Double = .infinity, cap: Int64? = nil) throws -> Limit {
    let tooOld = hold.isFinite ? try newest(olderThan: hold) : 0
    let tooMuch = try cap.map(newest(beyond:)) ?? 0
    let readers = try connection.run(
      "SELECT name, number FROM bolide_reader WHERE NOT diverged AND number >= $1 AND number < $2 ORDER BY number FOR SHARE",
      [.integer(positions.floor), .integer(number)])
    var limit = Limit(number: number)
    for row in 0..<readers.count {
      let (name, place) = (readers.text(row, 0), readers.integer(row, 1))
      if place < max(tooOld, tooMuch) {
        limit.released.append((name, place))
      } else {
        limit.holding.append(name)
        limit.number = min(limit.number, place)
      }
    }
    return limit
  }

  /// The newest transaction with which, and before which, all are older than so many seconds.
  private func newest(olderThan seconds: Double) throws -> Int64 {
    let first = try connection.run(
      "SELECT min(number) FROM bolide_transaction WHERE at >= now() - make_interval(secs => $1)",
      [.double(min(seconds, 1e11))])
    return (first.optionalInteger(0, 0) ?? positions.newestNumber + 1) - 1
  }

  /// The newest transaction besides the so many newest ones.
  private func newest(besides count: Int) throws -> Int64 {
    let last = try connection.run(
      "SELECT number FROM bolide_transaction WHERE number IS NOT NULL ORDER BY number DESC LIMIT 1 OFFSET $1",
      [.integer(Int64(count))])
    return last.count == 0 ? 0 : last.integer(0, 0)
  }

  /// The newest transaction that has to go for the rest to be smaller than about so many bytes.
  private func newest(beyond size: Int64) throws -> Int64 {
    let last = try connection.run(
      """
      SELECT max(number) FROM (SELECT number, sum(\(Self.size)) OVER (ORDER BY number DESC) AS size
        FROM bolide_transaction WHERE number IS NOT NULL) AS t WHERE size > $1
      """, [.integer(size)])
    return last.optionalInteger(0, 0) ?? 0
  }

  private func schemaBytes() throws -> Int64 {
    try connection.run(
      """
      SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      """
    ).integer(0, 0)
  }

  /// Takes the oldest transactions out of history, one step of them.
  ///
  /// - Returns: the newest that is gone, and how many transactions and changes went; nil when there is none up to the number.
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
