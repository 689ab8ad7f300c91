internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Finds the object that has a record's key.
struct RowFinder {
  private let query: RawStatement
  private let layout: ChunkLayout

  init(_ db: Database, layout: ChunkLayout) throws {
    self.layout = layout
    let terms = layout.keyColumns.map { "\(quoted(layout.columns[$0].name)) = ?" }
    query = try RawStatement(
      db, "SELECT bolide_id FROM \(quoted(layout.entity.name)) WHERE \(terms.joined(separator: " AND "))")
  }

  /// The object's id; nil when the table has no such row.
  func id(_ chunk: Chunk, _ row: Int) throws -> Int64? {
    guard layout.keyColumns.allSatisfy({ chunk.state($0, row) == .value }) else { return nil }
    query.bind(keyOf: chunk, row)
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }
}

extension RawStatement {
  /// Binds a row's key to the first parameters, in the key's order.
  func bind(keyOf chunk: Chunk, _ row: Int) {
    for (place, column) in chunk.layout.keyColumns.enumerated() {
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
