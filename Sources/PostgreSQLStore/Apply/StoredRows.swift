internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// The rows that a store has of the keys of some rows of a chunk, as they were when they were asked for.
struct StoredRows: StoredKeys {
  private let layout: ChunkLayout
  private let result: QueryResult
  /// For each row of the chunk the result's row; -1 where the store has none.
  private let tuples: [Int32]
  /// The rows that were asked for.
  private let order: [Int32]

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
    result = try connection.run(
      """
      SELECT x.place, t.bolide_id, t.xmin::text::bigint, \((columns + links).joined(separator: ", "))
      FROM \(layout.keyRows) JOIN \(quoted(layout.entity.name)) AS t ON \(layout.keyCondition) AND \(layout.keyBounds)
      """, layout.keyParameters(chunk, order))
    var tuples = [Int32](repeating: -1, count: chunk.count)
    for tuple in 0..<result.count {
      tuples[Int(order[Int(result.integer(tuple, 0)) - 1])] = Int32(truncatingIfNeeded: tuple)
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

extension ChunkLayout {
  /// The keys of a chunk's rows as a table `x` with their place, from 1.
  var keyRows: String {
    let parameters = keyColumns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let names = keyColumns.indices.map { "k\($0)" } + ["place"]
    return "unnest(\(parameters)) WITH ORDINALITY AS x(\(names.joined(separator: ", ")))"
  }

  var keyCondition: String {
    keyColumns.enumerated().map { (place, column) -> String in
      let type = columns[column].attribute.type
      return "t.\(quoted(columns[column].name)) = \(type.value(ofParameter: "x.k\(place)"))"
    }.joined(separator: " AND ")
  }

  /// The keys' range: a table that is hashed for the join is read in this part alone, and behind its last key nothing is.
  var keyBounds: String {
    guard let column = keyColumns.first else { return "true" }
    let (name, type) = ("t.\(quoted(columns[column].name))", columns[column].attribute.type)
    func bound(_ place: Int) -> String { type.value(ofParameter: "($\(keyColumns.count + place))[1]") }
    return "\(name) >= \(bound(1)) AND \(name) <= \(bound(2))"
  }

  /// The keys, and behind them the smallest and the largest value of their first column.
  func keyParameters(_ chunk: Chunk, _ order: [Int32]) -> [Parameter] {
    var bounds: [[Int32]] = [[], []]
    if let column = keyColumns.first, var first = order.first {
      var last = first
      for row in order {
        if chunk.compare(column, Int(row), Int(first)) < 0 { first = row }
        if chunk.compare(column, Int(row), Int(last)) > 0 { last = row }
      }
      bounds = [[first], [last]]
    }
    return keyColumns.map { parameter(chunk, $0, order) }
      + bounds.compactMap { bound in keyColumns.first.map { parameter(chunk, $0, bound) } }
  }

  /// A column's cells as an array; null for what is absent.
  func parameter(_ chunk: Chunk, _ column: Int, _ order: [Int32]) -> Parameter {
    var array = ArrayParameter(columns[column].attribute.type.element, capacity: order.count)
    for row in order { array.append(chunk, column, Int(row)) }
    return array.parameter
  }
}
