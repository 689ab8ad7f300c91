internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

extension SQLiteEngine {
  /// Marks a store that came through SQL text, as the `sqlite3` shell's `.dump` and `.recover` write it, as a store again: the
  /// text leaves out what tells that it is one.
  ///
  /// - Returns: whether it had to be.
  /// - Throws: `StoreError` where its tables are not a store's, or it cannot be written.
  package static func adopt(_ path: String) throws -> Bool {
    guard FileFacts(path)?.isRegular == true else { return false }
    let queue = try Self.open(path, LockPatience(seconds: 10), false)
    return try naming(path) {
      try queue.inDatabase { db in
        guard try isUnmarked(db) else { return false }
        try db.inTransaction(.immediate) {
          try db.run("PRAGMA application_id = \(StoreSchema.applicationID)")
          try db.run("PRAGMA user_version = \(StoreSchema.format)")
          try ReceivedSchema.check(db, path)
          return .commit
        }
        try takeLog(db)
        return true
      }
    }
  }

  /// Whether a file has a store's tables and says nothing of its format.
  static func isUnmarked(_ db: Database, schema: String = "main") throws -> Bool {
    try db.value("PRAGMA \(schema).application_id") == .integer(0)
      && db.value("PRAGMA \(schema).user_version") == .integer(0)
      && db.value("SELECT 1 FROM \(schema).sqlite_schema WHERE type = 'table' AND name = 'bolide_store'")
        == .integer(1)
  }

  /// Gives a store its write-ahead log, without which readers and imports wait for each other. Another program may have taken
  /// it away; it stays so while anybody reads.
  static func takeLog(_ db: Database) throws {
    do {
      try db.run("PRAGMA journal_mode = WAL")
    } catch let error as StoreError where error.code == .busy {}
  }
}
