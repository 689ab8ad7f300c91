package import GRDB
internal import GRDBSQLite
package import StoreInterface

extension Database {
  /// What computes a function of SQL: its context, how many arguments there are, and these.
  package typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  /// Makes the connection know a function of SQL that gives the same for the same arguments.
  ///
  /// - Throws: `StoreError` where SQLite has no memory for it: a statement would say that there is no such function.
  package func add(
    function name: String, arguments count: Int32, _ function: @escaping Function
  ) throws(StoreError) {
    let result = sqlite3_create_function_v2(
      sqliteConnection, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function, nil, nil, nil)
    guard result == SQLITE_OK else { throw StoreError(connection: sqliteConnection) }
  }

  /// Makes the connection know a function of SQL that is computed of many rows.
  ///
  /// - Parameters:
  ///   - step: called for each row.
  ///   - end: called once a group that was begun, also where the statement is left before its end.
  /// - Throws: `StoreError` where SQLite has no memory for it.
  package func add(
    aggregate name: String, arguments count: Int32, _ step: @escaping Function,
    _ end: @escaping @convention(c) (OpaquePointer?) -> Void
  ) throws(StoreError) {
    let result = sqlite3_create_function_v2(
      sqliteConnection, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil, step, end, nil)
    guard result == SQLITE_OK else { throw StoreError(connection: sqliteConnection) }
  }
}
