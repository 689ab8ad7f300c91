internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Which children take part in a filtered aggregate, asked of rows that the table does not have yet.
final class ChildFilter {
  private let statement: RawStatement
  private let columns: [Int]

  /// Nil for an aggregate without a filter.
  init?(_ db: Database, _ children: DerivedChildren, layout: ChunkLayout) throws {
    guard let filter = children.filter else { return nil }
    columns = children.filterAttributes.compactMap { name in
      layout.columns[..<layout.storedCount].firstIndex { $0.name == name }
    }
    // As the table's columns they decide how a comparison takes its other side: `id = '1'`.
    let values = columns.map {
      "CAST(? AS \(layout.columns[$0].storage.sql)) AS \(quoted(layout.columns[$0].name))"
    }
    let from = values.isEmpty ? "" : " FROM (SELECT \(values.joined(separator: ", ")))"
    statement = try RawStatement(db, "SELECT (\(filter)\n) IS TRUE\(from)")
  }

  /// Whether a row takes part.
  func passes(_ row: RowState) throws -> Bool {
    statement.bind(columns.map(row.value))
    defer { statement.reset() }
    return try statement.step() && statement.integer(0) == 1
  }
}
