internal import GRDB
internal import GRDBSQLite
internal import SQLiteAccess
internal import StoreInterface

/// Looks over SQLite's shoulder while a predicate is compiled: it may read the rows of some tables, and do nothing else.
///
/// The text has been read word for word before; this holds also where that reading should be wrong.
enum FetchGuard {
  /// Functions that act on the connection or the process.
  private static let refusedFunctions: Set = ["load_extension", "fts3_tokenizer", "sqlite_log"]

  private final class Watch {
    let tables: Set<String>
    /// The one query itself; another one would be a subquery.
    var queries = 0
    var refused: String?

    init(_ tables: Set<String>) { self.tables = tables }

    func allows(_ action: Int32, _ first: String, _ second: String) -> Bool {
      switch action {
      case SQLITE_SELECT:
        queries += 1
        if queries > 1 { refused = "a subquery" }
      case SQLITE_READ:
        if !tables.contains(first) { refused = "the table \(first)" }
      case SQLITE_FUNCTION:
        if refusedFunctions.contains(second.lowercased()) { refused = "the function \(second)" }
      default: refused = "a statement that is no query"
      }
      return refused == nil
    }
  }

  /// Compiles a query that reads some tables, and throws it away.
  ///
  /// - Parameter entity: for messages.
  /// - Throws: `StoreError` when it is not one query that only reads these tables.
  static func check(_ db: Database, _ sql: String, reading tables: Set<String>, for entity: String) throws {
    let watch = Watch(tables)
    sqlite3_set_authorizer(
      db.sqliteConnection,
      { watch, action, first, second, _, _ in
        guard let watch else { return SQLITE_DENY }
        let texts = [first, second].map { $0.map { String(cString: $0) } ?? "" }
        let isAllowed = Unmanaged<Watch>.fromOpaque(watch).takeUnretainedValue().allows(
          action, texts[0], texts[1])
        return isAllowed ? SQLITE_OK : SQLITE_DENY
      }, Unmanaged.passUnretained(watch).toOpaque())
    defer { sqlite3_set_authorizer(db.sqliteConnection, nil, nil) }
    var statement: OpaquePointer?
    var goesOn = false
    let result = withExtendedLifetime(watch) {
      sql.withCString { text in
        var rest: UnsafePointer<CChar>?
        defer { goesOn = rest.map { $0.pointee != 0 } ?? false }
        return sqlite3_prepare_v2(db.sqliteConnection, text, -1, &statement, &rest)
      }
    }
    // What gives no rows is not asked about, such as VACUUM.
    if statement != nil, sqlite3_column_count(statement) == 0 {
      watch.refused = "a statement that is no query"
    }
    sqlite3_finalize(statement)
    if let refused = watch.refused { throw StoreError.reachesOut(refused, from: entity) }
    guard result == SQLITE_OK else {
      let error = StoreError(connection: db.sqliteConnection)
      throw StoreError.noExpression(over: entity, error.engineText ?? error.reason)
    }
    if goesOn { throw StoreError.reachesOut("a second statement", from: entity) }
  }
}
