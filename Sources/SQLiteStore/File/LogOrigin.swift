internal import CSQLiteShims
internal import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Sees that a write-ahead log is that of the file beside it, before SQLite copies it over that file: after a crash a log is
/// left, and whoever puts an older file in the store's place may forget it.
enum LogOrigin {
  /// - Throws: `StoreError.unsafeFile` where the main file by itself is older than it was known to be.
  static func check(of path: String) throws(StoreError) {
    let store = Journals.realPath(path)
    // An interrupted transaction without a log is SQLite's to roll back.
    guard fileSize(store + "-wal") > 0, access(store + "-journal", F_OK) != 0, access(store, W_OK) == 0,
      case .token(let kept) = try LastTokenFile(store: path).readCheckpointed(), isOlder(store, than: kept)
    else { return }
    throw .logOfAnother(path)
  }

  /// Whether nobody has the store open, and its main file alone is of a time before a token.
  private static func isOlder(_ store: String, than kept: HistoryToken) -> Bool {
    // SQLite would delete the log of an empty file.
    if fileSize(store) == 0 { return true }
    var connection: OpaquePointer?
    defer { sqlite3_close_v2(connection) }
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
    // While somebody has the store open, its lock is not to be had, nor may its main file be closed here: the system would
    // take this process's other locks on it away.
    guard sqlite3_open_v2(StoreLocation.writing(store), &connection, flags, nil) == SQLITE_OK,
      bolide_keep_log(connection) == SQLITE_OK,
      sqlite3_exec(
        connection, "PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema", nil, nil, nil)
        == SQLITE_OK
    else { return false }
    do {
      return try DatabaseQueue(path: StoreLocation.unwritten(store), configuration: Connection.reading).read {
        guard try $0.value("SELECT 1 FROM sqlite_schema WHERE name = 'bolide_store'") != .null else {
          return true
        }
        let isAnother =
          try HistoryPositions($0).store != kept.store || BackupRestoreDetector.isForeign(kept, $0)
        // A crash while the log was copied leaves a file that is whole only together with it.
        return try isAnother && $0.integrityProblems(limit: 1).isEmpty
      }
    } catch {
      return false
    }
  }
}
