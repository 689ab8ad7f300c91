internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

extension SQLiteEngine {
  /// Marks a store that came through SQL text, as the `sqlite3` shell's `.dump` and `.recover` write it, as a store again: the
  /// text leaves out what tells that it is one.
  ///
  /// - Returns: whether it had to be.
  /// - Throws: `StoreError` where its tables are not a store's, or it cannot be written.
  package static func adopt(_ path: String) throws -> Bool {
    guard FileFacts(path)?.isRegular == true else { return false }
    let queue = try Self.open(path, LockTimeout(seconds: 10), false)
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
}
