internal import GRDB
internal import ImportModel

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
    for (place, column) in layout.keyColumns.enumerated() {
      let index = Int32(place + 1)
      guard chunk.state(column, row) == .value else { return nil }
      switch layout.columns[column].storage {
      case .integer: query.bind(chunk.integer(column, row), at: index)
      case .real: query.bind(chunk.real(column, row), at: index)
      case .text: query.bind(text: chunk.bytes(column, row), at: index, copying: true)
      case .blob: query.bind(blob: chunk.bytes(column, row), at: index, copying: true)
      }
    }
    defer { query.reset() }
    return try query.step() ? query.integer(0) : nil
  }
}
