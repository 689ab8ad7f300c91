internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// A row as the table has it: the current row of a query. A class, as it is handed on for each row and the layout is large.
final class TableRow {
  let statement: RawStatement
  private let layout: ChunkLayout

  fileprivate init(_ statement: RawStatement, layout: ChunkLayout) {
    self.statement = statement
    self.layout = layout
  }

  // The query's columns: place, bolide_id, the stored columns, the to-one relationships.

  /// The place among the rows that are searched for.
  fileprivate var place: Int { Int(statement.integer(0)) }

  /// Whether the search found nothing.
  fileprivate var isMissing: Bool { statement.isNull(1) }

  var id: Int64 { statement.integer(1) }

  func index(_ column: Int) -> Int32 { 2 + Int32(column) }

  func column(_ column: Int) -> (index: Int32, isReal: Bool) {
    (index(column), layout.columns[column].storage == .real)
  }

  func linkIndex(_ relationship: Int) -> Int32 { 2 + Int32(layout.storedCount + relationship) }

  /// The owner's object id, 0 for none.
  func link(_ relationship: Int) -> Int64 { statement.integer(linkIndex(relationship)) }
}

/// Finds which rows of a chunk are new and which are changed.
///
/// A sorted chunk and the table's unique index are merged: one scan of the table from the chunk's first key on, which
/// reads each stored row once and never searches. Beyond the table's last key it costs nothing, so a first load in any
/// order of chunks is not held up. Where the table has far more rows in between than the chunk, the rest of the
/// chunk is joined to it by a search for each key.
///
/// The values are compared here and not in SQL: the values before are then at hand for history, and a chunk with
/// absent cells needs no statement of its own.
final class RowDifference {
  private let layout: ChunkLayout
  /// What `layout.isSilent` says of null, without a copy of the layout for each cell.
  private let nullIsSilent: Bool
  private let compared: [Int]
  private let isJSON: [Bool]
  /// Whether a cell may be unlike the stored value, and leave it all the same.
  private let mayYield: Bool
  private let table: ChunkTable
  private let scan: TableRow
  private let search: TableRow
  private let properties: [Int64]
  private let linkProperties: [Int64]

  struct Result {
    /// The rows that the table does not have.
    var new: [Int32] = []
    /// The rows that the table has with other values.
    var changed: [Int32] = []
    /// Their object ids.
    var changedIDs: [Int64] = []
    /// How many of them the run had met before, in an earlier chunk.
    var repeated = 0
  }

  init(_ db: Database, table: ChunkTable, layout: ChunkLayout, numbers: PropertyNumbers) throws {
    self.layout = layout
    self.table = table
    compared = layout.comparedColumns
    nullIsSilent = layout.isSilent(.null)
    isJSON = layout.columns.map { $0.attribute.type == .json }
    mayYield = isJSON.contains(true) || layout.mergePolicy == .updateNonNull
    let names = layout.columns[..<layout.storedCount].map(\.name)
    let relationships = layout.entity.toOneRelationships
    let columns = (["bolide_id"] + names + relationships.map(\.column)).map { "t.\(quoted($0))" }
    let keys = layout.keyColumns.map { quoted(layout.columns[$0].name) }
    let key = keys.map { "t.\($0)" }.joined(separator: ", ")
    let from = "FROM \(quoted(layout.entity.name)) AS t"
    scan = TableRow(
      try RawStatement(
        db,
        """
        SELECT NULL, \(columns.joined(separator: ", ")) \(from)
        WHERE (\(key)) >= (\(keys.map { _ in "?" }.joined(separator: ", "))) ORDER BY \(key)
        """), layout: layout)
    search = TableRow(
      try RawStatement(
        db,
        """
        SELECT x.bolide_place, \(columns.joined(separator: ", ")) FROM \(layout.joinedByKey)
        """), layout: layout)
    let numbered = numbers.columns(of: layout.entity)
    func number(_ name: String) -> Int64 { numbered.first { $0.name == name }?.number ?? 0 }
    properties = names.map(number)
    linkProperties = relationships.map { number($0.name) }
  }

  /// Compares the chunk's rows, in the key's order, with the table.
  ///
  /// A changed row's history is written at once, and the differences of its derived attributes are gathered. Cells
  /// that the record left out take the stored value, so that the update may write the whole row.
  /// - Parameters:
  ///   - seen: the objects that the run has met; those of the chunk's rows are added.
  ///   - met: gets the objects of the chunk's rows, where it has places for them.
  func find(
    _ chunk: Chunk, entity: Int64, links: Links, history: HistoryWriter, derived: DerivedUpkeep,
    seen: inout ObjectSet, met: inout [Int64]
  ) throws -> Result {
    var result = Result()
    func compare(_ row: Int32, _ stored: TableRow) throws {
      let isRepeated = !seen.insert(stored.id)
      if Int(row) < met.count { met[Int(row)] = stored.id }
      guard isChanged(chunk, Int(row), stored, links) else { return }
      if isRepeated { result.repeated += 1 }
      try history.noteUpdate(entity, stored.id)
      if mayYield { yield(chunk, Int(row), stored) }
      try notePrevious(chunk, Int(row), stored, links, history)
      try derived.revise(chunk, Int(row), stored: stored, links: links)
      fillAbsent(chunk, Int(row), stored)
      result.changed.append(row)
      result.changedIDs.append(stored.id)
    }
    let place = try merge(chunk, new: { result.new.append(contentsOf: $0) }, found: compare)
    let rest = chunk.order[place...]
    guard !rest.isEmpty else { return result }
    try table.show(chunk, rows: rest) {
      while try search.statement.step() {
        let row = rest[place + search.place]
        if search.isMissing { result.new.append(row) } else { try compare(row, search) }
      }
    }
    return result
  }

  /// How many of some rows, all of which the table has, it has with other values, links aside.
  func countChanged(_ chunk: Chunk, rows: [Int32]) throws -> Int {
    try table.show(chunk, rows: rows[...]) {
      var changed = 0
      while try search.statement.step() {
        if hasOtherValues(chunk, Int(rows[search.place]), search) { changed += 1 }
      }
      return changed
    }
  }

  /// Walks through the chunk and the table at once.
  ///
  /// - Returns: the place up to which the chunk was dealt with.
  private func merge(
    _ chunk: Chunk, new: (ArraySlice<Int32>) -> Void, found: (Int32, TableRow) throws -> Void
  ) throws -> Int {
    let order = chunk.order
    guard let first = order.first else { return 0 }
    scan.statement.bind(keyOf: chunk, Int(first))
    defer { scan.statement.reset() }
    var place = 0
    var passed = 0
    while place < order.count {
      guard try scan.statement.step() else {
        new(order[place...])
        return order.count
      }
      let start = place
      var comparison = compareKey(chunk, Int(order[place]), scan)
      if comparison < 0, place + 1 < order.count, compareKey(chunk, Int(order[order.count - 1]), scan) < 0 {
        place = order.count
      }
      while comparison < 0, place < order.count {
        place += 1
        if place < order.count { comparison = compareKey(chunk, Int(order[place]), scan) }
      }
      if place > start { new(order[start..<place]) }
      guard place < order.count else { break }
      if comparison == 0 {
        try found(order[place], scan)
        place += 1
      } else {
        passed += 1
        // A search costs what two steps do.
        if passed > 2 * place + 100 { break }
      }
    }
    return place
  }

  /// The order of a chunk's key and a stored one, as SQLite's BINARY collation has it.
  private func compareKey(_ chunk: Chunk, _ row: Int, _ stored: TableRow) -> Int {
    for column in layout.keyColumns {
      let index = stored.index(column)
      let comparison =
        switch layout.storages[column] {
        case .integer: ordering(chunk.integer(column, row), stored.statement.integer(index))
        case .real: ordering(chunk.real(column, row), stored.statement.real(index))
        case .text, .blob: ordering(chunk.bytes(column, row), stored.statement.bytes(index))
        }
      if comparison != 0 { return comparison }
    }
    return 0
  }

  private func isChanged(_ chunk: Chunk, _ row: Int, _ stored: TableRow, _ links: Links) -> Bool {
    if hasOtherValues(chunk, row, stored) { return true }
    return linkProperties.indices.contains { relinks(row, $0, stored, links) }
  }

  private func hasOtherValues(_ chunk: Chunk, _ row: Int, _ stored: TableRow) -> Bool {
    let cells = chunk.memory.pointee.cells(ofRow: row)
    for column in compared where differs(chunk, cells, column, stored) { return true }
    return false
  }

  private func relinks(_ row: Int, _ relationship: Int, _ stored: TableRow, _ links: Links) -> Bool {
    links.newOwner(ofRelationship: relationship, row).map { $0 != stored.link(relationship) } ?? false
  }

  /// Whether a cell says something else than the table. What the record left out never does.
  @inline(__always)
  private func differs(_ chunk: Chunk, _ cells: RowCells, _ column: Int, _ stored: TableRow) -> Bool {
    let (statement, index) = (stored.statement, stored.index(column))
    guard let cell = cells.value(column) else {
      return cells.state(column).pointee == CellState.null.rawValue && !nullIsSilent
        && !statement.isNull(index)
    }
    // Null reads as nought or as no bytes, so that SQLite is asked for it only then.
    switch layout.storages[column] {
    case .integer:
      let (new, old) = (Int64(bitPattern: cell), statement.integer(index))
      return new != old || old == 0 && statement.isNull(index)
    case .real:
      let (new, old) = (Double(bitPattern: cell), statement.real(index))
      return new != old || old == 0 && statement.isNull(index)
    case .text, .blob:
      let old = statement.bytes(index)
      return old.isEmpty && statement.isNull(index)
        || !isSame(chunk.memory.pointee.slice(cell, column), old, column)
    }
  }

  /// Byte for byte, but for JSON, which can be written in many ways.
  private func isSame(
    _ new: UnsafeBufferPointer<UInt8>, _ stored: UnsafeBufferPointer<UInt8>, _ column: Int
  ) -> Bool {
    new.count == stored.count && ordering(new, stored) == 0 || isJSON[column] && layout.sameJSON(new, stored)
  }

  /// Empties the cells that leave the stored value, so that this is written again.
  private func yield(_ chunk: Chunk, _ row: Int, _ stored: TableRow) {
    let cells = chunk.memory.pointee.cells(ofRow: row)
    for column in 0..<layout.storedCount
    where chunk.state(column, row) != .absent && !differs(chunk, cells, column, stored) {
      chunk.set(.absent, 0, column, row)
    }
  }

  private func notePrevious(
    _ chunk: Chunk, _ row: Int, _ stored: TableRow, _ links: Links, _ history: HistoryWriter
  ) throws {
    let cells = chunk.memory.pointee.cells(ofRow: row)
    for column in 0..<layout.storedCount
    where !layout.columns[column].isKey && differs(chunk, cells, column, stored) {
      try history.notePrevious(properties[column], stored.statement, stored.index(column))
    }
    for relationship in linkProperties.indices where relinks(row, relationship, stored, links) {
      try history.notePrevious(linkProperties[relationship], stored.statement, stored.linkIndex(relationship))
    }
  }

  private func fillAbsent(_ chunk: Chunk, _ row: Int, _ stored: TableRow) {
    for column in 0..<layout.storedCount where layout.isSilent(chunk.state(column, row)) {
      chunk.set(column, row, to: stored.statement, stored.index(column))
    }
  }
}

extension Chunk {
  /// Gives a cell the value of a query's current row.
  func set(_ column: Int, _ row: Int, to query: RawStatement, _ index: Int32) {
    guard !query.isNull(index) else { return set(.null, 0, column, row) }
    // Text byte for byte: another program may have stored what is not UTF-8.
    let cell =
      switch layout.columns[column].storage {
      case .integer: UInt64(bitPattern: query.integer(index))
      case .real: query.real(index).bitPattern
      case .text, .blob: keep(query.bytes(index))
      }
    set(.value, cell, column, row)
  }
}
