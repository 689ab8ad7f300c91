package import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// Takes the oldest transactions out of history, in the caller's transactions.
///
/// First the floor rises: the transactions go and the newest one's number and nonce are kept. Then their changes go, a
/// step at a time; nobody reads below the floor, so it does not matter when.
package struct Pruning {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// How many transactions or changes go in one SQLite transaction.
  private static let step: Int64 = 2000
  /// History below this size is never too large.
  private static let smallSize: Int64 = 64_000_000

  // MARK: What may go

  /// What the rules of a pipeline let go, and what readers have to do with it.
  struct Limit {
    /// The newest number that may go; 0 for none.
    var number: Int64 = 0
    /// Live readers that keep more from going.
    var holding: [String] = []
    /// Readers that are not waited for any more, with their places.
    var released: [(name: String, number: Int64)] = []
  }

  /// What may go under a pipeline's rules, or under none.
  func limit(_ retention: HistoryRetention?) throws -> Limit {
    let rules = retention ?? HistoryRetention()
    var wanted: [Int64] = []
    if let keep = rules.keep { wanted.append(keep.isFinite ? try newest(olderThan: keep) : 0) }
    if let count = rules.transactions { wanted.append(try newest(besides: count)) }
    let number = try wanted.min() ?? newest(beyond: max(Self.smallSize, db.fileBytes() / 2))
    return try limit(number, hold: rules.holdForReaders ?? .infinity, cap: rules.cap)
  }

  /// What may go up to a number, as far as readers are through with it.
  ///
  /// - Parameters:
  ///   - hold: for how many seconds a reader's oldest unread transaction is kept.
  ///   - cap: the bytes beyond which readers are not waited for.
  func limit(_ number: Int64, hold: Double = .infinity, cap: Int64? = nil) throws -> Limit {
    let tooOld = hold.isFinite ? try newest(olderThan: hold) : 0
    let tooMuch = try cap.map(newest(beyond:)) ?? 0
    let floor = try db.integer("SELECT max(number) FROM bolide_pruned")
    let readers = try RawStatement(
      db,
      """
      SELECT name, number FROM bolide_reader WHERE diverged = 0 AND number >= \(floor) AND number < \(number)
      ORDER BY number
      """)
    defer { readers.reset() }
    var limit = Limit(number: number)
    while try readers.step() {
      let (name, place) = (readers.string(0) ?? "", readers.integer(1))
      if place < max(tooOld, tooMuch) {
        limit.released.append((name, place))
      } else {
        limit.holding.append(name)
        limit.number = min(limit.number, place)
      }
    }
    return limit
  }

  /// The newest transaction before which, and with which, all are older than so many seconds.
  private func newest(olderThan seconds: Double) throws -> Int64 {
    let first = try RawStatement(
      db,
      """
      SELECT min(number) FROM bolide_transaction WHERE at >= strftime('%Y-%m-%dT%H:%M:%fZ', ?, ? || ' seconds')
      """)
    first.bind(timestamp(), at: 1)
    first.bind("-\(Int64(min(seconds, 1e11)))", at: 2)
    defer { first.reset() }
    guard try first.step(), !first.isNull(0) else {
      return try db.integer("SELECT max(number) FROM bolide_transaction")
    }
    return first.integer(0) - 1
  }

  /// The newest transaction besides the so many newest ones.
  private func newest(besides count: Int) throws -> Int64 {
    try db.integer("SELECT number FROM bolide_transaction ORDER BY number DESC LIMIT 1 OFFSET \(count)")
  }

  /// The newest transaction that has to go for the rest to be smaller than about so many bytes.
  private func newest(beyond size: Int64) throws -> Int64 {
    guard try db.integer("SELECT CAST(total(\(Self.size)) AS INTEGER) FROM bolide_transaction") > size else {
      return 0
    }
    return try db.integer(
      """
      SELECT max(number) FROM (SELECT number, total(\(Self.size)) OVER (ORDER BY number DESC) AS size
      FROM bolide_transaction) WHERE size > \(size)
      """)
  }

  /// About a transaction's bytes: its row, its changes, two values an update and eight a delete.
  private static let size = "100 + 24 * (last_change - first_change + 1) + 60 * updated + 240 * deleted"

  // MARK: How it goes

  /// Raises the floor by one step.
  ///
  /// - Returns: the new floor, and how many transactions and changes went out of history; nil when there is none up to
  ///   the number.
  func raiseFloor(to number: Int64) throws -> (floor: Int64, transactions: Int, changes: Int)? {
    let next = try db.integer(
      """
      SELECT max(number) FROM (SELECT number FROM bolide_transaction WHERE number <= \(number) ORDER BY number
      LIMIT \(Self.step))
      """)
    guard next > 0 else { return nil }
    let transactions = try db.integer("SELECT count(*) FROM bolide_transaction WHERE number <= \(next)")
    let changes = try db.integer(
      "SELECT CAST(total(inserted + updated + deleted) AS INTEGER) FROM bolide_transaction WHERE number <= \(next)"
    )
    try db.run("DELETE FROM bolide_pruned")
    try db.run(
      "INSERT INTO bolide_pruned SELECT number, nonce, at, last_change FROM bolide_transaction WHERE number = ?",
      .integer(next))
    try db.run("DELETE FROM bolide_transaction WHERE number <= ?", .integer(next))
    return (next, Int(transactions), Int(changes))
  }

  /// Removes all changes below the floor, in the caller's transaction.
  package static func removeAllChanges(_ db: Database) throws {
    while try Pruning(db).removeChanges() {}
  }

  /// Removes one step of the changes below the floor.
  ///
  /// - Returns: whether there may be more.
  func removeChanges() throws -> Bool {
    let last = try db.number("SELECT max(last_change) FROM bolide_pruned")
    let first = try db.number("SELECT min(change) FROM bolide_change")
    guard first > 0, first <= last else { return false }
    let end = min(last, first + Self.step - 1)
    for table in ["bolide_previous", "bolide_erased", "bolide_change"] {
      try db.run("DELETE FROM \(table) WHERE change BETWEEN ? AND ?", .integer(first), .integer(end))
    }
    return end < last
  }
}
