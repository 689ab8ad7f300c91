internal import Dispatch
internal import GRDB
internal import GRDBSQLite
package import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import Synchronization

/// Finds out, before a run, whether expressions can be evaluated.
///
/// An expression is compiled as a generated column of a table with the entity's attributes. SQLite then refuses
/// what an expression over one record cannot be: subqueries, aggregates, `random()`, the present time.
package final class ExpressionCheck {
  private var queue: DatabaseQueue
  private let columns: String

  /// So many seconds an expression may take for one record.
  static let patience = 5

  /// - Parameter entity: its attributes that records bring are what an expression may name.
  package init(_ entity: Entity) throws {
    queue = try DatabaseQueue.forExpressions()
    // A name that is none at all the check of names tells.
    columns = entity.attributes.filter { $0.derivation == nil && !$0.name.utf8.contains(0) }
      .map { "\(quoted($0.name)) \($0.type.storage.sql)" }.joined(separator: ", ")
  }

  /// What is wrong with an expression, in SQLite's words; nil when nothing is.
  ///
  /// - Complexity: at most some seconds, whatever the expression does.
  package func problem(_ expression: String) -> String? {
    // One call of a function of SQLite's cannot be interrupted: the connection is left to it.
    let found = FoundProblem()
    let look: @Sendable () -> Void = { [queue, columns] in
      queue.inDatabase { found.set(Self.problem(expression, $0, columns)) }
    }
    // Dispatch would wait for a thread for ever where there is none.
    if !WorkThread.start("bolide checking", look) { look() }
    if let problem = found.wait(seconds: Self.patience) { return problem }
    queue.interrupt()
    do {
      queue = try DatabaseQueue.forExpressions()
    } catch {
      return Self.message("\(error)")
    }
    return Self.takesLong
  }

  private static func problem(_ expression: String, _ db: Database, _ columns: String) -> String? {
    do {
      defer { try? db.execute(sql: "DROP TABLE IF EXISTS record") }
      // As a query first: a text that closes the parenthesis could go on with statements of its own.
      try db.run("CREATE TABLE record(\(columns))")
      _ = try RawStatement(db, "SELECT (\(expression)\n) FROM record")
      try db.run("DROP TABLE record")
      try RawStatement(db, "CREATE TABLE record(\(columns), bolide_result AS (\(expression)\n))").run()
      if let problem = try DateCalls.problem(expression) { return problem }
      // Some mistakes show only when the expression runs.
      try db.run("INSERT INTO record DEFAULT VALUES")
      _ = try db.value("SELECT bolide_result FROM record")
      return nil
    } catch let error as StoreError {
      return message(error.engineText ?? error.reason)
    } catch {
      return message("\(error)")
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

  private static func message(_ message: String) -> String {
    // GRDB's own words for a text that goes on with another statement are about its API.
    if message.contains("Multiple statements") { return severalExpressions }
    // What stands behind the expression is not the author's.
    return message.replacing(" in table record", with: "").replacing("\n) FROM record", with: "")
  }
}

private final class NameList {
  var names: Set<String> = []
}

/// What another thread finds out, waited for.
private final class FoundProblem: Sendable {
  private let answer = Mutex<String??>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func set(_ problem: String?) {
    answer.withLock { $0 = problem }
    isThere.signal()
  }

  /// - Returns: the answer; nil when it did not come in time.
  func wait(seconds: Int) -> String?? {
    let end = ContinuousClock.now + .seconds(seconds)
    // A wall clock that is set meanwhile ends the wait before its time.
    while isThere.wait(timeout: .now() + .seconds(seconds)) != .success {
      if ContinuousClock.now >= end { return nil }
    }
    return answer.withLock { $0 }
  }
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
