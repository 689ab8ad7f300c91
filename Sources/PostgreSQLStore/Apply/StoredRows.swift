internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// The rows that a store has of the keys of some rows of a chunk, as they were when they were asked for.
struct StoredRows: StoredKeys {
  private let layout: ChunkLayout
  private let result: FlatRows
  /// For each row of the chunk the result's row; -1 where the store has none.
  private let tuples: [Int32]
  /// The rows that were asked for.
  private let order: [Int32]

  /// So many keys are looked up at a time.
  private static let part = 8_192

  // The result's columns: place, bolide_id, version, the stored columns, the to-one relationships.
  private static let firstColumn = 3

  /// Finds them by their keys.
  ///
  /// - Parameter order: the rows of the chunk.
  init(_ connection: PostgreSQLConnection, _ layout: ChunkLayout, _ chunk: Chunk, _ order: [Int32]) throws {
    self.layout = layout
    let columns = layout.columns[..<layout.storedCount].map {
      $0.attribute.type.result(ofColumn: "t.\(quoted($0.name))")
    }
    let links = layout.entity.toOneRelationships.map { "t.\(quoted($0.column))" }
    let keys = KeyRows(layout, layout.keyColumns, names: layout.keyColumns.map { layout.columns[$0].name })
    let select = """
      SELECT x.place, t.bolide_id, t.xmin, \((columns + links).joined(separator: ", "))
      FROM \(keys.table) JOIN \(quoted(layout.entity.name)) AS t ON \(keys.equal("t")) AND \(keys.isWithin("t"))
      """
    result = FlatRows(columns: Self.firstColumn + columns.count + links.count, rows: order.count)
    var tuples = [Int32](repeating: -1, count: chunk.count)
    // A part at a time: libpq's form of an answer takes twice the memory.
    for start in stride(from: 0, to: order.count, by: Self.part) {
      let rows = Array(order[start..<min(start + Self.part, order.count)])
      let found = try connection.run(select, keys.parameters(chunk, rows) + keys.bounds(chunk, rows))
      for tuple in 0..<found.count {
        let row = rows[Int(found.integer(tuple, 0)) - 1]
        tuples[Int(row)] = Int32(truncatingIfNeeded: result.count + tuple)
      }
      result.append(found)
    }
    (self.tuples, self.order) = (tuples, order)
  }

  /// The result's row for a row of the chunk; nil where the store has none.
  func tuple(_ row: Int32) -> Int? { tuples[Int(row)] < 0 ? nil : Int(tuples[Int(row)]) }

  func id(_ tuple: Int) -> Int64 { result.integer(tuple, 1) }

  /// What tells one state of a row from the next: the transaction that wrote it.
  func version(_ tuple: Int) -> Int64 { result.integer(tuple, 2) }

  /// The owner's object id; 0 for none.
  func link(_ tuple: Int, _ relationship: Int) -> Int64 {
    result.integer(tuple, Self.firstColumn + layout.storedCount + relationship)
  }

  /// A stored value.
  func value(_ tuple: Int, _ column: Int) -> Value {
    layout.columns[column].attribute.type.value(result, tuple, Self.firstColumn + column)
  }

  /// Whether a cell says something else than the store. What the record left out never does.
  func differs(_ chunk: Chunk, _ row: Int, _ column: Int, _ tuple: Int) -> Bool {
    let state = chunk.state(column, row)
    if layout.isSilent(state) { return false }
    let place = Self.firstColumn + column
    let isNull = result.isNull(tuple, place)
    if isNull || state == .null { return isNull != (state == .null) }
    let type = layout.columns[column].attribute.type
    switch layout.storages[column] {
    case .integer: return result.integer(tuple, place) != chunk.integer(column, row)
    case .real: return result.real(tuple, place) != chunk.real(column, row)
    case .text, .blob:
      let bytes = chunk.bytes(column, row)
      return type.withStoredText(result, tuple, place) { stored in
        guard ordering(stored, bytes) != 0 else { return false }
        return type != .json || !layout.sameJSON(bytes, stored)
      }
    }
  }

  /// Whether any value that makes a row changed differs.
  func hasOtherValues(_ chunk: Chunk, _ row: Int, _ tuple: Int) -> Bool {
    layout.comparedColumns.contains { differs(chunk, row, $0, tuple) }
  }

  // MARK: For the merge policy

  func id(atPlace place: Int) -> Int64? { tuple(order[place]).map(id) }

  func isGreater(_ chunk: Chunk, _ row: Int, _ column: Int, atPlace place: Int) -> Bool {
    guard let tuple = tuple(order[place]), !result.isNull(tuple, Self.firstColumn + column) else {
      return true
    }
    guard chunk.state(column, row) == .value else { return false }
    let index = Self.firstColumn + column
    return switch layout.storages[column] {
    case .integer: chunk.integer(column, row) > result.integer(tuple, index)
    case .real: chunk.real(column, row) > result.real(tuple, index)
    case .text, .blob:
      layout.columns[column].attribute.type.withStoredText(result, tuple, index) { stored in
        ordering(stored, chunk.bytes(column, row)) < 0
      }
    }
  }
}
