internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Tells by one join which of a chunk's keys the table has.
struct StoredKeyQuery: StoredKeys {
  private let query: RawStatement

  /// - Parameter newer: the column that says what is newer.
  init(_ db: Database, layout: ChunkLayout, newer: Int?) throws {
    let columns = ["t.bolide_id"] + (newer.map { ["t.\(quoted(layout.columns[$0].name))"] } ?? [])
    query = try RawStatement(
      db, "SELECT \(columns.joined(separator: ", ")) FROM \(layout.joinedByKey)")
  }

  // The join keeps the chunk's order: the places come in turn.
  func id(atPlace place: Int) throws -> Int64? {
    guard try query.step() else { preconditionFailure("the join has a row for each of the chunk's") }
    return query.isNull(0) ? nil : query.integer(0)
  }

  func isGreater(_ chunk: Chunk, _ row: Int, _ column: Int, atPlace place: Int) -> Bool {
    if query.isNull(1) { return true }
    guard chunk.state(column, row) == .value else { return false }
    return switch chunk.layout.storages[column] {
    case .integer: chunk.integer(column, row) > query.integer(1)
    case .real: chunk.real(column, row) > query.real(1)
    case .text, .blob: query.bytes(1).lexicographicallyPrecedes(chunk.bytes(column, row))
    }
  }

  /// Ends the query, wherever it is.
  func end() { query.reset() }
}
