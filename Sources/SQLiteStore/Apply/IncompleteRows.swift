internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// Rejects new rows that lack a required value, before owners are made for them: a rejected row makes none.
///
/// Where a gate or further constraints look at the chunk, they have rejected such rows already.
final class IncompleteRows {
  private let layout: ChunkLayout
  private let query: RawStatement

  /// - Returns: nil where no link needs its owners before it is known which rows are new.
  init?(_ db: Database, layout: ChunkLayout) throws {
    guard !layout.required.isEmpty, layout.owners.contains(where: { $0.timing == .always }) else {
      return nil
    }
    self.layout = layout
    query = try RawStatement(
      db,
      """
      SELECT x.bolide_place FROM \(layout.joinedByKey) WHERE t.bolide_id IS NULL
      """)
  }

  /// Takes them from the chunk's order, and adds them to its rejects.
  func reject(_ chunk: Chunk, table: ChunkTable, input: String) throws {
    let incomplete = chunk.order.filter { chunk.missingAttribute(Int($0)) != nil }
    guard !incomplete.isEmpty else { return }
    var rejected: Set<Int32> = []
    try table.show(chunk, rows: incomplete[...]) {
      defer { query.reset() }
      while try query.step() { rejected.insert(incomplete[Int(query.integer(0))]) }
    }
    for row in incomplete where rejected.contains(row) {
      guard let attribute = chunk.missingAttribute(Int(row)) else { continue }
      chunk.rejectIncomplete(Int(row), attribute, input: input)
    }
    chunk.order.removeAll(where: rejected.contains)
  }
}
