internal import GRDBSQLite
import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// A fetched row, valid until the next one.
struct FetchedCells: FetchedRow {
  let statement: RawStatement
  /// What each fetched property finds, in the shape's order.
  var fetched: [FoundRows] = []

  /// Hands over the objects that a fetched property has found, once.
  ///
  /// - Parameter index: in the shape's list.
  /// - Throws: `StoreError` when there are more or fewer than it may find, and what the closure throws.
  func fetched(_ index: Int, _ body: (any FetchedRow) throws -> Void) throws {
    try fetched[index].read { try body(FetchedCells(statement: $0)) }
  }

  subscript(cell: Int) -> FetchedCell {
    let column = Int32(truncatingIfNeeded: cell)
    return switch statement.type(column) {
    case SQLITE_INTEGER: .integer(statement.integer(column))
    case SQLITE_FLOAT: .real(statement.real(column))
    case SQLITE_TEXT: .text(statement.bytes(column))
    case SQLITE_BLOB: .blob(statement.bytes(column))
    default: .null
    }
  }
}

extension RowLayout {
  /// The row as values, with what fetched properties find; nil when there is no object.
  func row(_ statement: RawStatement, _ cursors: [FoundRows]) throws -> Snapshot.Row? {
    guard var row = row(statement) else { return nil }
    row.fetched = try zip(fetched, cursors).map { fetched, cursor in
      var found = Snapshot.Row.Fetched(name: fetched.property.name, rows: [])
      try cursor.read { statement in
        if let row = fetched.layout.row(statement) { found.rows.append(row) }
      }
      return found
    }
    return row
  }

  /// The row as values; nil when there is no object.
  func row(_ statement: RawStatement) -> Snapshot.Row? { row { statement.value(Int32($0)) } }
}
