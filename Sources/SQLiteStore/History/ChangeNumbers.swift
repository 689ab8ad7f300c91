package import GRDB
internal import SQLiteAccess

/// The ends of the pending changes, as SQL: numbers of changes, 0 for none.
package enum ChangeNumbers {
  /// The last change that was made.
  ///
  /// SQLite notes the last number at a statement's end, and does not where one with OR FAIL ends early: what it has done
  /// by then stays.
  package static let made = """
    max(ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'bolide_change'), 0), \
    ifnull((SELECT max(change) FROM bolide_change), 0))
    """

  /// The last change that is in a transaction, also when that was pruned.
  static let assigned = """
    ifnull((SELECT last_change FROM bolide_transaction ORDER BY number DESC LIMIT 1), \
    ifnull((SELECT last_change FROM bolide_pruned), 0))
    """

  /// How many objects have changes in no transaction yet.
  package static func pending(_ db: Database) throws -> Int64 {
    try db.integer(
      "SELECT CAST(total(last - first + 1) AS INTEGER) FROM bolide_change WHERE change > \(assigned)")
  }
}
