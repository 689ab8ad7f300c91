package import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// Takes the oldest transactions out of history, in the caller's transactions.
///
/// First the floor rises: the transactions go and the newest one's number and nonce are kept. Then their changes go, a
/// step at a time; nobody reads below the floor, so it does not matter when.
package struct Pruning: PrunableHistory {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// How many transactions or changes go in one SQLite transaction.
  private static let step: Int64 = 2000

  // MARK: What may go

  package func storeBytes() throws -> Int64 { try db.fileBytes() }

  package func readers(before number: Int64) throws -> [(name: String, number: Int64)] {
    let floor = try db.integer("SELECT max(number) FROM bolide_pruned")
    let rows = try RawStatement(
      db,
      """
      SELECT name, number FROM bolide_reader WHERE diverged = 0 AND number >= \(floor) AND number < \(number)
      ORDER BY number
      """)
    var readers: [(name: String, number: Int64)] = []
    while try rows.step() { readers.append((rows.string(0) ?? "", rows.integer(1))) }
    return readers
  }

  package func newest(olderThan seconds: Double) throws -> Int64 {
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

  package func newest(besides count: Int) throws -> Int64 {
    try db.integer("SELECT number FROM bolide_transaction ORDER BY number DESC LIMIT 1 OFFSET \(count)")
  }

  package func newest(beyond size: Int64) throws -> Int64 {
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

  package func raiseFloor(to number: Int64) throws -> (floor: Int64, transactions: Int, changes: Int)? {
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
