internal import GRDB
internal import ImportModel

/// Tells whether the table has a row with a record's key.
struct RowFinder {
  private let query: RawStatement
  private let layout: ChunkLayout

  init(_ db: Database, layout: ChunkLayout) throws {
    self.layout = layout
    let terms = layout.keyColumns.map { "\(quoted(layout.columns[$0].name)) = ?" }
    query = try RawStatement(
      db, "SELECT 1 FROM \(quoted(layout.entity.name)) WHERE \(terms.joined(separator: " AND "))")
  }

  func finds(_ chunk: Chunk, _ row: Int) throws -> Bool {
    for (place, column) in layout.keyColumns.enumerated() {
      let index = Int32(place + 1)
      guard chunk.state(column, row) == .value else { return false }
      switch layout.columns[column].storage {
      case .integer: query.bind(chunk.integer(column, row), at: index)
      case .real: query.bind(chunk.real(column, row), at: index)
      case .text: query.bind(text: chunk.bytes(column, row), at: index, copying: true)
      case .blob: query.bind(blob: chunk.bytes(column, row), at: index, copying: true)
      }
    }
    defer { query.reset() }
    return try query.step()
  }
}
