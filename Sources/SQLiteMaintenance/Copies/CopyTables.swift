internal import GRDB
internal import ImportModel
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

/// A file that objects are copied into.
struct CopyTables: CopyTarget {
  static let temporary = "temp"
  static let places = "INTEGER"
  static let own = "main."
  let model: Model
  let source: String?
  private let db: Database
  private let statements = CompiledStatements()

  /// - Parameter source: what stands before the names of an attached file's tables; nil where the source is no file.
  init(_ db: Database, _ model: Model, source: String? = nil) {
    (self.db, self.model, self.source) = (db, model, source)
  }

  /// Values keep the form in which they come.
  func column(_ type: AttributeType?) -> String { type == nil ? "INTEGER" : "" }

  func differs(_ type: AttributeType?, _ left: String, _ right: String) -> String {
    "\(left) IS NOT \(right)"
  }

  func run(_ sql: String) throws { try db.run(sql) }

  func number(_ sql: String) throws -> Int64 { try db.integer(sql) }

  func add(_ ids: [Int64], to table: String) throws -> Bool {
    let add = try statements.statement(db, "INSERT OR IGNORE INTO \(table)(id) VALUES (?)")
    var isNew = false
    for id in ids {
      add.bind(id, at: 1)
      try add.run()
      if db.changesCount == 1 { isNew = true }
    }
    return isNew
  }

  func ids(in table: String, behind place: Int64, limit: Int) throws -> [(place: Int64, id: Int64)] {
    let query = try statements.statement(
      db, "SELECT place, id FROM \(table) WHERE place > ? ORDER BY place LIMIT \(limit)")
    query.bind(place, at: 1)
    var ids: [(Int64, Int64)] = []
    while try query.step() { ids.append((query.integer(0), query.integer(1))) }
    return ids
  }

  func write(_ rows: [[Value]], of entity: Entity, to table: String) throws {
    guard let width = rows.first?.count else { return }
    let values = Array(repeating: "?", count: width).joined(separator: ", ")
    let insert = try statements.statement(db, "INSERT INTO \(table) VALUES (\(values))")
    for row in rows {
      insert.bind(row)
      try insert.run()
    }
  }

  /// Its plans follow the statements alone.
  func analyze(_ table: String) {}

  func eachValue(
    of attribute: Attribute, _ column: String, in rows: String, _ body: (Value) throws -> Void
  ) throws {
    let values = try RawStatement(db, "SELECT DISTINCT \(column) FROM \(rows)")
    while try values.step() { try body(values.value(0)) }
  }

  func isJSON(_ text: String) throws -> Bool {
    try db.value("SELECT json_valid(?)", .text(text)) == .integer(1)
  }

  func writing(_ entity: Entity, _ body: () throws -> Void) throws {
    let result = Result {
      try db.run("PRAGMA ignore_check_constraints = OFF")
      try db.naming(fullIDsOf: entity.name, body)
    }
    try Connection.ignoreChecks(db)
    do {
      try result.get()
    } catch let error as StoreError where error.code == .constraint {
      throw StoreError.copyBreaksRule(entity, error.engineText ?? error.reason)
    }
  }
}
