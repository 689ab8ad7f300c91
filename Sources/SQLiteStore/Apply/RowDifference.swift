internal import GRDB
internal import GRDBSQLite
internal import ImportModel

/// A row as the table has it: the current row of the difference query.
struct StoredRow {
  let statement: RawStatement
  fileprivate let layout: ChunkLayout

  // The query's columns: place, bolide_id, the stored columns, the to-one relationships.

  func index(_ column: Int) -> Int32 { 2 + Int32(column) }

  func column(_ column: Int) -> (index: Int32, isReal: Bool) {
    (index(column), layout.columns[column].storage == .real)
  }

  func linkIndex(_ relationship: Int) -> Int32 { 2 + Int32(layout.storedCount + relationship) }

  /// The owner's object id, 0 for none.
  func link(_ relationship: Int) -> Int64 { statement.integer(linkIndex(relationship)) }
}

/// Finds which rows of a chunk are new and which are changed: one join of the chunk with the table by its key.
///
/// The values are compared here and not in SQL: the values before are then at hand for history, and a chunk with
/// absent cells needs no statement of its own.
final class RowDifference {
  private let layout: ChunkLayout
  private let query: RawStatement
  private let stored: StoredRow
  private let properties: [Int64]
  private let linkProperties: [Int64]

  struct Result {
    /// The rows that the table does not have.
    var new: [Int32] = []
    /// The rows that the table has with other values.
    var changed: [Int32] = []
    /// Their object ids.
    var changedIDs: [Int64] = []
  }

  init(_ db: Database, layout: ChunkLayout, numbers: PropertyNumbers) throws {
    self.layout = layout
    let names = layout.columns[..<layout.storedCount].map(\.name)
    let relationships = layout.entity.toOneRelationships
    let columns = (names + relationships.map(\.column)).map { "t.\(quoted($0))" }
    let keys = layout.keyColumns.map {
      "t.\(quoted(layout.columns[$0].name)) = x.\(quoted(layout.columns[$0].name))"
    }
    query = try RawStatement(
      db,
      """
      SELECT x.bolide_place, t.bolide_id, \(columns.joined(separator: ", "))
      FROM \(ChunkTable.name) AS x LEFT JOIN \(quoted(layout.entity.name)) AS t ON \(keys.joined(separator: " AND "))
      """)
    stored = StoredRow(statement: query, layout: layout)
    let numbered = numbers.columns(of: layout.entity)
    func number(_ name: String) -> Int64 { numbered.first { $0.name == name }?.number ?? 0 }
    properties = names.map(number)
    linkProperties = relationships.map { number($0.name) }
  }

  /// Runs the join over the rows that the chunk's table shows.
  ///
  /// A changed row's history is written at once, and the differences of its derived attributes are gathered. Cells
  /// that the record left out take the stored value, so that the update may write the whole row.
  func find(
    _ chunk: Chunk, entity: Int64, links: Links, history: HistoryWriter, derived: DerivedUpkeep
  ) throws -> Result {
    var result = Result()
    while try query.step() {
      let row = chunk.order[Int(query.integer(0))]
      if query.isNull(1) {
        result.new.append(row)
      } else if isChanged(chunk, Int(row), links) {
        let id = query.integer(1)
        try history.noteUpdate(entity, id)
        try notePrevious(chunk, Int(row), links, history)
        derived.revise(chunk, Int(row), stored: stored, links: links)
        fillAbsent(chunk, Int(row))
        result.changed.append(row)
        result.changedIDs.append(id)
      }
    }
    return result
  }

  private func isChanged(_ chunk: Chunk, _ row: Int, _ links: Links) -> Bool {
    for column in 0..<layout.storedCount where layout.columns[column].isCompared {
      if differs(chunk, row, column) { return true }
    }
    return linkProperties.indices.contains { relinks(row, $0, links) }
  }

  private func relinks(_ row: Int, _ relationship: Int, _ links: Links) -> Bool {
    links.newOwner(ofRelationship: relationship, row).map { $0 != stored.link(relationship) } ?? false
  }

  /// Whether a cell says something else than the table. What the record left out never does.
  private func differs(_ chunk: Chunk, _ row: Int, _ column: Int) -> Bool {
    let index = stored.index(column)
    switch chunk.state(column, row) {
    case .absent: return false
    case .null: return !query.isNull(index)
    case .value:
      if query.isNull(index) { return true }
      switch layout.columns[column].storage {
      case .integer: return query.integer(index) != chunk.integer(column, row)
      case .real: return query.real(index) != chunk.real(column, row)
      case .text, .blob: return !chunk.bytes(column, row).elementsEqual(query.bytes(index))
      }
    }
  }

  private func notePrevious(_ chunk: Chunk, _ row: Int, _ links: Links, _ history: HistoryWriter) throws {
    for column in 0..<layout.storedCount where !layout.columns[column].isKey && differs(chunk, row, column) {
      try history.notePrevious(properties[column], query, stored.index(column))
    }
    for relationship in linkProperties.indices where relinks(row, relationship, links) {
      try history.notePrevious(linkProperties[relationship], query, stored.linkIndex(relationship))
    }
  }

  private func fillAbsent(_ chunk: Chunk, _ row: Int) {
    for column in 0..<layout.storedCount where chunk.state(column, row) == .absent {
      let index = stored.index(column)
      guard !query.isNull(index) else {
        chunk.set(.null, 0, column, row)
        continue
      }
      // Text byte for byte: another program may have stored what is not UTF-8.
      let cell =
        switch layout.columns[column].storage {
        case .integer: UInt64(bitPattern: query.integer(index))
        case .real: query.real(index).bitPattern
        case .text, .blob: chunk.keep(query.bytes(index))
        }
      chunk.set(.value, cell, column, row)
    }
  }
}
