package import GRDB
package import ImportModel
package import SQLiteAccess
internal import TypedRows

extension RawStatement {
  /// Finds the id of the object that has a key, whose values are the parameters.
  ///
  /// - Parameter key: the key's attributes and columns.
  package convenience init(_ db: Database, idOf entity: Entity, key: some Collection<String>) throws {
    let terms = key.map { "\(quoted($0)) = ?" }.joined(separator: " AND ")
    try self.init(db, "SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(terms)")
  }

  /// Binds a row's key to the first parameters, in the key's order.
  func bind(keyOf chunk: Chunk, _ row: Int) { bind(chunk, row, columns: chunk.layout.keyColumns) }

  /// Binds a row's values in some columns, none of which is null, to the first parameters.
  func bind(_ chunk: Chunk, _ row: Int, columns: some Sequence<Int>) {
    for (place, column) in columns.enumerated() {
      let index = Int32(place + 1)
      switch chunk.layout.storages[column] {
      case .integer: bind(chunk.integer(column, row), at: index)
      case .real: bind(chunk.real(column, row), at: index)
      case .text: bind(text: chunk.bytes(column, row), at: index, copying: true)
      case .blob: bind(blob: chunk.bytes(column, row), at: index, copying: true)
      }
    }
  }
}

extension ChunkLayout {
  /// The chunk as table `x`, each row with the stored one of its key as `t`, if there is one.
  var joinedByKey: String {
    let terms = keyColumns.map { "t.\(quoted(columns[$0].name)) = x.\(quoted(columns[$0].name))" }
    return "\(tableName) AS x LEFT JOIN \(quoted(entity.name)) AS t ON \(terms.joined(separator: " AND "))"
  }
}

/// Finds the object that has a record's key.
struct RowFinder {
  private let query: RawStatement
  private let layout: ChunkLayout

  init(_ db: Database, layout: ChunkLayout) throws {
    self.layout = layout
    query = try RawStatement(
      db, idOf: layout.entity, key: layout.keyColumns.map { layout.columns[$0].name })
  }

  /// The object's id; nil when the table has no such row.
  func id(_ chunk: Chunk, _ row: Int) throws -> Int64? {
    guard layout.keyColumns.allSatisfy({ chunk.state($0, row) == .value }) else { return nil }
    query.bind(keyOf: chunk, row)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }
}
