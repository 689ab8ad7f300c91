internal import GRDBSQLite
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// What a fetched row holds of an object, and in which cells.
package struct FetchShape: Sendable {
  /// One property.
  package struct Member: Sendable {
    /// The property's name.
    package let name: String
    /// Nil for an object id.
    package let type: AttributeType?
    /// Where its value is.
    package let cell: Int
    /// The object that a relationship leads to, when it is brought along.
    package let related: FetchShape?
  }

  /// What a fetched property brings along.
  package struct Fetched: Sendable {
    /// The fetched property.
    package let property: FetchedProperty
    /// What each object holds, in cells of its own.
    package let shape: FetchShape
  }

  let entity: String
  /// The properties in order; the object's own id comes first where all properties are fetched.
  package internal(set) var members: [Member] = []
  /// Where the object id is. Null there says that there is no object.
  package let id: Int
  /// The properties of the key, where they are asked for.
  var key: [Member] = []
  /// The fetched properties that are brought along, in the request's order.
  package internal(set) var fetched: [Fetched] = []
}

/// One value of a fetched row.
package enum FetchedCell {
  case null
  case integer(Int64)
  case real(Double)
  /// Valid until the next row.
  case text(UnsafeBufferPointer<UInt8>)
  /// Valid until the next row.
  case blob(UnsafeBufferPointer<UInt8>)
}

/// A fetched row, valid until the next one.
package struct FetchedCells {
  let statement: RawStatement
  /// What each fetched property finds, in the shape's order.
  var fetched: [FetchedCursor] = []

  /// Hands over the objects that a fetched property has found, once.
  ///
  /// - Parameter index: in the shape's list.
  /// - Throws: `StoreError` when there are more or fewer than it may find, and what the closure throws.
  package func fetched(_ index: Int, _ body: (FetchedCells) throws -> Void) throws {
    try fetched[index].read { try body(FetchedCells(statement: $0)) }
  }

  package subscript(cell: Int) -> FetchedCell {
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

extension FetchShape {
  /// The row as values, with what fetched properties find; nil when there is no object.
  func row(_ statement: RawStatement, _ cursors: [FetchedCursor]) throws -> Snapshot.Row? {
    guard var row = row(statement) else { return nil }
    row.fetched = try zip(fetched, cursors).map { fetched, cursor in
      var found = Snapshot.Row.Fetched(name: fetched.property.name, rows: [])
      try cursor.read { statement in
        if let row = fetched.shape.row(statement) { found.rows.append(row) }
      }
      return found
    }
    return row
  }

  /// The row as values; nil when there is no object.
  func row(_ statement: RawStatement) -> Snapshot.Row? {
    guard !statement.isNull(Int32(id)) else { return nil }
    // The object's own id is told apart.
    let members = members.filter { $0.cell != id }
    func property(_ member: Member) -> HistoryChange.Property {
      HistoryChange.Property(name: member.name, type: member.type, value: statement.value(Int32(member.cell)))
    }
    var row = Snapshot.Row(
      entity: entity, id: statement.integer(Int32(id)), key: key.map(property), values: members.map(property))
    row.related = members.compactMap { member in
      member.related.map { Snapshot.Row.Related(name: member.name, row: $0.row(statement)) }
    }
    return row
  }
}
