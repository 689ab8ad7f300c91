package import GRDB
internal import GRDBSQLite
internal import SQLiteAccess
internal import StoreInterface

extension DatabaseQueue {
  /// A private database in memory on which a pipeline's expressions run.
  ///
  /// No value is longer than a record may be: `zeroblob(1000000000)` is an error, and not a gigabyte.
  package static func forExpressions() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, 64 << 20)
      sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, 0)
      try DateCalls.addGuard(to: db)
      try DecimalNumbers.add(to: db)
    }
    do {
      return try DatabaseQueue(configuration: configuration)
    } catch let error as DatabaseError {
      throw StoreError(error)
    }
  }
}
