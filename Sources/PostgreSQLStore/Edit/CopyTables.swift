internal import ImportModel
internal import ObjectEdits
internal import PostgreSQLAccess
internal import StoreInterface

/// A store on a server that objects are copied into.
struct CopyTables: CopyTarget {
  static let temporary = "pg_temp"
  static let places = "bigint GENERATED ALWAYS AS IDENTITY"
  static let own = ""
  let connection: PostgreSQLConnection
  let model: Model

  /// The server cannot read another store.
  var source: String? { nil }

  func column(_ type: AttributeType?) -> String { type.stored.column }

  func differs(_ type: AttributeType?, _ left: String, _ right: String) -> String {
    type.stored.differs(left, right)
  }

  func run(_ sql: String) throws { try connection.run(sql) }

  func number(_ sql: String) throws -> Int64 { try connection.run(sql).integer(0, 0) }

  func add(_ ids: [Int64], to table: String) throws -> Bool {
    if ids.isEmpty { return false }
    return try connection.run(
      "INSERT INTO \(table)(id) SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING", [.integers(ids)]
    ).affected > 0
  }

  func ids(in table: String, behind place: Int64, limit: Int) throws -> [(place: Int64, id: Int64)] {
    let found = try connection.run(
      "SELECT place, id FROM \(table) WHERE place > \(place) ORDER BY place LIMIT \(limit)")
    return (0..<found.count).map { (found.integer($0, 0), found.integer($0, 1)) }
  }

  func write(_ rows: [[Value]], of entity: Entity, to table: String) throws {
    let types = [.integer64] + entity.copiedColumns.map(\.type.stored)
    for row in rows {
      for (place, (value, type)) in zip(row, types).enumerated() where !type.holds(value) {
        throw StoreError.copyHasOtherValue(entity.copiedColumns[place - 1].name, type, of: entity)
      }
    }
    do {
      try connection.copy(into: table, columns: types.count, rows: rows.count) { row, fields in
        for (value, type) in zip(rows[row], types) { fields.append(stored: value, type) }
      }
    } catch let error as PostgreSQLError where error.state.hasPrefix("22") {
      throw StoreError.copyDenied(entity, error)
    }
  }

  /// It would take rows with a mark for few, and read whole tables for each.
  func analyze(_ table: String) throws { try connection.run("ANALYZE \(table)") }

  func eachValue(
    of attribute: Attribute, _ column: String, in rows: String, _ body: (Value) throws -> Void
  ) throws {
    let type = attribute.type
    // JSON has no equality.
    let value = type == .json ? "\(column)::text" : type.result(ofColumn: column)
    try connection.each("SELECT DISTINCT \(value) FROM \(rows)") { try body(type.value($0, 0, 0)) }
  }

  /// The column holds nothing else.
  func isJSON(_ text: String) -> Bool { true }

  func writing(_ entity: Entity, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as PostgreSQLError
      where error.state.hasPrefix(PostgreSQLError.constraint) || error.isOfIndexSize
    {
      throw StoreError.copyDenied(entity, error)
    }
  }
}
