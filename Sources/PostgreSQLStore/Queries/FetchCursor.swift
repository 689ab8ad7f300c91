internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
internal import StoreInterface

/// Goes through a statement's objects, one after the other, with what fetched properties find, inside one read transaction.
final class FetchCursor {
  let statement: FetchStatement
  private let owners: ServerCursor
  private var found: [FoundRows] = []
  private var isBegun = false

  /// - Parameter part: what is read beside, and which part of the objects.
  init(_ statement: FetchStatement, _ part: FetchStatement.Part, _ connection: PostgreSQLConnection) throws {
    self.statement = statement
    let parameters = statement.parameters
    // All rows are read, unlike those of most cursors.
    if !statement.fetched.isEmpty { try connection.run("SET LOCAL cursor_tuple_fraction = 1") }
    owners = try ServerCursor(
      "bolide_rows", statement.text(part), parameters, statement.types, connection)
    do {
      for (place, property) in statement.fetched.enumerated() {
        let rows = try ServerCursor(
          "bolide_found_\(place)", statement.text(of: property, part), parameters, property.types, connection)
        found.append(try FoundRows(property, rows))
      }
    } catch {
      end()
      throw error
    }
  }

  /// Goes on to the next object. Its cells are valid until then.
  func next() throws -> FetchedResult? {
    if isBegun { for rows in found { try rows.cursor.end() } }
    isBegun = true
    guard try owners.next() else {
      for rows in found { try rows.cursor.finish() }
      return nil
    }
    owners.row.found = found
    if !found.isEmpty {
      let id = owners.row.id(statement.plan.shape.id)
      for rows in found { rows.cursor.begin(id) }
    }
    return owners.row
  }

  /// Lets go of what is read from.
  func end() {
    for cursor in [owners] + found.map(\.rows) { cursor.close() }
  }
}

/// The rows of a fetched property's query, read along with the owners.
struct FoundRows {
  let rows: ServerCursor
  let cursor: FetchedCursor

  init(_ statement: FoundStatement, _ rows: ServerCursor) throws {
    self.rows = rows
    cursor = try FetchedCursor(statement.plan) {
      try statement.run { try rows.next() ? rows.row.id(statement.plan.plan.columns.count) : nil }
    }
  }
}

extension RowLayout {
  /// The row as values, with what fetched properties find; nil when there is no object.
  func row(_ result: FetchedResult) throws -> Snapshot.Row? {
    guard var row = row(result.value) else { return nil }
    row.fetched = try zip(fetched, result.found).map { fetched, found in
      var all = Snapshot.Row.Fetched(name: fetched.property.name, rows: [])
      try found.cursor.read {
        if let row = fetched.layout.row(found.rows.row.value) { all.rows.append(row) }
      }
      return all
    }
    return row
  }
}
