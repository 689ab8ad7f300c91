package import GRDB
internal import ImportModel
internal import SQLiteAccess

/// Which of the values that history keeps before a change an erasure has taken away.
package struct ErasedValues {
  /// In place of a property's number: all of the change's.
  package static let all: Int64 = 0

  /// Without an erasure in all of history, nobody need look for one.
  private let rows: RawStatement?

  package init(_ db: Database) throws {
    rows =
      try db.value("SELECT 1 FROM bolide_erased LIMIT 1") == .null
      ? nil : RawStatement(db, "SELECT property FROM bolide_erased WHERE change = ?")
  }

  /// The numbers of the properties.
  package func of(_ change: Int64) throws -> Set<Int64> {
    guard let rows else { return [] }
    rows.bind(change, at: 1)
    defer { rows.reset() }
    var properties: Set<Int64> = []
    while try rows.step() { properties.insert(rows.integer(0)) }
    return properties
  }

  /// When values of an object were erased the last time: `YYYY-MM-DDTHH:MM:SS.mmmZ`; nil when none were.
  ///
  /// - Parameter entity: its number.
  package static func time(_ db: Database, entity: Int64, id: Int64) throws -> String? {
    let row = try RawStatement(
      db,
      """
      SELECT at FROM bolide_change JOIN bolide_erased USING (change) JOIN bolide_transaction USING (number)
      WHERE entity = ? AND first = ? ORDER BY number DESC LIMIT 1
      """)
    row.bind(entity, at: 1)
    row.bind(id, at: 2)
    defer { row.reset() }
    return try row.step() ? row.string(0) : nil
  }
}
