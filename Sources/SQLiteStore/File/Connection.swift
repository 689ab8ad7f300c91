internal import CSQLiteShims
internal import Foundation
package import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface

/// What SQLite is told of each connection to a store. A store may come from anywhere: what its file holds is data, and
/// nothing in it runs that Bolide has not made.
package enum Connection {
  /// The largest row or value, in bytes: four times the largest record.
  private static let maximumLength: Int32 = 256 << 20
  /// The longest statement, in bytes. A trigger names each column of its table several times.
  private static let maximumStatement: Int32 = 16 << 20
  /// How deep an expression may be: SQLite's own limit, which a build of it may have raised.
  private static let maximumDepth: Int32 = 1000

  // Transactions end where they begin. GRDB would end the process at one whose rollback failed too, as without memory.

  /// For a connection that only reads.
  package static var reading: GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    configuration.allowsUnsafeTransactions = true
    // One for each thread that a store reads on, and some for its imports.
    configuration.maximumReaderCount = 16
    configuration.busyMode = .callback { tries in
      guard tries < 1000, !StoreCall.isCancelled else { return false }
      usleep(10_000)
      return true
    }
    configuration.prepareDatabase {
      try protect($0)
      endWithCall($0)
      // The name of a column that another program has taken away would be read as a text.
      bolide_refuse_quoted_texts($0.sqliteConnection)
    }
    return configuration
  }

  /// Ends a connection's statements when the call that they are for is cancelled.
  package static func endWithCall(_ db: Database) {
    sqlite3_progress_handler(
      db.sqliteConnection, LockTimeout.steps, { _ in StoreCall.isCancelled ? 1 : 0 }, nil)
  }

  /// For a connection that writes.
  ///
  /// - Parameter trustsSchema: whether triggers of other programs may use virtual tables and unsafe functions.
  static func writing(_ patience: LockTimeout, trustsSchema: Bool) -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .callback { patience.waits($0) }
    configuration.prepareDatabase { db in
      try protect(db, trustsSchema: trustsSchema)
      patience.endStatements(of: db.sqliteConnection)
      try ignoreChecks(db)
      // The page size counts only while the file is empty: WAL cannot change it later.
      try db.runAll("PRAGMA page_size = 16384; PRAGMA synchronous = FULL")
      try keep(ofPagesOf: db)
    }
    return configuration
  }

  /// Keeps so many bytes of a store's pages in memory.
  static func keep(_ bytes: Int = ImportSettings().budget.pageCache, ofPagesOf db: Database) throws {
    try db.run("PRAGMA cache_size = -\(bytes >> 10)")
  }

  /// Makes a connection safe for a file of unknown origin.
  package static func protect(_ db: Database, trustsSchema: Bool = false) throws {
    let connection = db.sqliteConnection
    bolide_defend(connection, 1)
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, maximumLength), (SQLITE_LIMIT_SQL_LENGTH, maximumStatement),
      (SQLITE_LIMIT_EXPR_DEPTH, maximumDepth), (SQLITE_LIMIT_ATTACHED, 0),
    ] {
      sqlite3_limit(connection, limit, value)
    }
    try db.runAll("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF")
    if trustsSchema { try db.runAll("PRAGMA trusted_schema = ON") }
    try TextFunctions.add(to: db)
    try DecimalNumbers.add(to: db)
    try AggregateFunctions.add(to: db)
  }

  /// What Bolide writes it has converted itself: the tables' CHECKs are for other programs.
  package static func ignoreChecks(_ db: Database) throws {
    try db.run("PRAGMA ignore_check_constraints = ON")
  }

  /// Lets a connection write `sqlite_schema` while `body` runs, and reads the schema anew.
  static func writingSchema(of db: Database, _ body: () throws -> Void) throws {
    let connection = db.sqliteConnection
    bolide_defend(connection, 0)
    defer { bolide_defend(connection, 1) }
    try db.run("PRAGMA writable_schema = ON")
    let result = Result { try body() }
    try db.run("PRAGMA writable_schema = RESET")
    // Other connections, and statements that were made before, read it anew too.
    let version = try db.integer("PRAGMA schema_version")
    try db.run("PRAGMA schema_version = \(version + 1)")
    try result.get()
  }

  /// Lets a connection have further files while `body` runs; at all other times it has its own alone.
  package static func attaching<Result>(_ count: Int, to db: Database, _ body: () throws -> Result) rethrows
    -> Result
  {
    sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, Int32(count))
    defer { sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_ATTACHED, 0) }
    return try body()
  }
}
