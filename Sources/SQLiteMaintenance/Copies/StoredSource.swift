internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
internal import StoreInterface

/// A file from which objects are copied, inside the caller's transaction.
struct StoredSource: CopySource {
  let model: Model
  private let db: Database
  private let path: String
  /// What SQL calls the file.
  private let schema: String
  private let statements = CompiledStatements()

  init(_ db: Database, path: String, schema: String = "main") throws {
    (self.db, self.path, self.schema) = (db, path, schema)
    model = try ModelRecord(db, schema: schema).model
  }

  func ids(_ request: ObjectQuery) throws -> [Int64] {
    try SQLiteEngine.naming(path) {
      try FetchReading(db, path: path, schema: schema).ids(request, at: nil)
    }
  }

  private static let objects = "SELECT value FROM json_each(?1)"

  func ids(_ step: CopyStep, from ids: [Int64], behind last: Int64, limit: Int) throws -> [Int64] {
    try SQLiteEngine.naming(path) {
      let query = try statements.statement(
        db, step.ids(in: "\(schema).", from: Self.objects, behind: "?2", limit: limit))
      query.bind(ids.json, at: 1)
      query.bind(last, at: 2)
      var found: [Int64] = []
      while try query.step() { found.append(query.integer(0)) }
      return found
    }
  }

  func rows(_ ids: [Int64], of entity: Entity) throws -> [[Value]] {
    try SQLiteEngine.naming(path) {
      let columns = entity.copiedColumns.map { ", \(quoted($0.name))" }.joined()
      let query = try statements.statement(
        db,
        """
        SELECT bolide_id\(columns) FROM \(schema).\(quoted(entity.name)) WHERE bolide_id IN (\(Self.objects))
        """)
      query.bind(ids.json, at: 1)
      var rows: [[Value]] = []
      while try query.step() { rows.append(query.row) }
      return rows
    }
  }
}

/// The statements of a copy, each compiled once: a long chain of objects runs them for each.
final class CompiledStatements {
  private var statements: [String: RawStatement] = [:]

  func statement(_ db: Database, _ sql: String) throws -> RawStatement {
    if let statement = statements[sql] { return statement }
    let statement = try RawStatement(db, sql)
    statements[sql] = statement
    return statement
  }
}
