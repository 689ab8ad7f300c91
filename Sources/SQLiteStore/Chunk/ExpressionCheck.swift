internal import GRDB
internal import GRDBSQLite
package import ImportModel

/// Finds out, before a run, whether expressions can be evaluated.
///
/// An expression is compiled as a generated column of a table with the entity's attributes. SQLite then refuses
/// what an expression over one record cannot be: subqueries, aggregates, `random()`, the present time.
package final class ExpressionCheck {
  private let queue: DatabaseQueue
  private let columns: String

  /// - Parameter entity: its attributes that records bring are what an expression may name.
  package init(_ entity: Entity) throws {
    queue = try DatabaseQueue()
    columns = entity.attributes.filter { $0.derivation == nil }
      .map { "\(quoted($0.name)) \($0.type.storage.sql)" }.joined(separator: ", ")
  }

  /// What is wrong with an expression, in SQLite's words; nil when nothing is.
  package func problem(_ expression: String) -> String? {
    do {
      try queue.inDatabase { db in
        defer { try? db.execute(sql: "DROP TABLE IF EXISTS record") }
        // As a query first: a text that closes the parenthesis could go on with statements of its own.
        try db.run("CREATE TABLE record(\(columns))")
        _ = try RawStatement(db, "SELECT (\(expression)\n) FROM record")
        try db.run("DROP TABLE record")
        try RawStatement(db, "CREATE TABLE record(\(columns), bolide_result AS (\(expression)\n))").run()
        // Some mistakes show only when the expression runs, the present time among them.
        try db.run("INSERT INTO record DEFAULT VALUES")
        _ = try db.value("SELECT bolide_result FROM record")
      }
      return nil
    } catch let error as StoreError {
      return Self.sentence(error.message)
    } catch {
      return Self.sentence("\(error)")
    }
  }

  /// The attributes that an expression reads.
  package func attributes(usedBy expression: String) throws -> Set<String> {
    let names = NameList()
    return try queue.inDatabase { db in
      defer { try? db.execute(sql: "DROP TABLE IF EXISTS record") }
      try db.run("CREATE TABLE record(\(columns))")
      // The authorizer is told every column that a statement reads; GRDB has none of its own outside of compiling.
      let statement = try collecting(names, db.sqliteConnection) {
        try RawStatementProbe(db.sqliteConnection, "SELECT (\(expression)\n) FROM record")
      }
      _ = statement
      return names.names
    }
  }

  private func collecting<Result>(
    _ names: NameList, _ connection: OpaquePointer?, _ body: () throws -> Result
  ) rethrows -> Result {
    sqlite3_set_authorizer(
      connection,
      { list, action, _, column, _, _ in
        // An empty name: the table is read, but none of its columns.
        if action == SQLITE_READ, let list, let column, column.pointee != 0 {
          Unmanaged<NameList>.fromOpaque(list).takeUnretainedValue().names.insert(String(cString: column))
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(names).toOpaque())
    defer { sqlite3_set_authorizer(connection, nil, nil) }
    return try body()
  }

  private static func sentence(_ message: String) -> String {
    // GRDB's own words for a text that goes on with another statement are about its API.
    if message.contains("Multiple statements") { return severalExpressions }
    return message.replacing(StoreError.sqliteSays, with: "").replacing(" in table record", with: "")
  }
}

private final class NameList {
  var names: Set<String> = []
}

/// Compiles a statement only to see what it reads.
private struct RawStatementProbe {
  init(_ connection: OpaquePointer?, _ sql: String) throws(StoreError) {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    sqlite3_finalize(statement)
    if result != SQLITE_OK { throw StoreError(connection: connection) }
  }
}
