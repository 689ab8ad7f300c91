internal import Foundation
package import GRDB
internal import GRDBSQLite
internal import SQLiteAccess
internal import StoreInterface

/// A file's size in bytes; 0 when there is none. By name: closing a descriptor would drop SQLite's locks.
package func fileSize(_ path: String) -> Int64 {
  var status = stat()
  return stat(path, &status) == 0 ? Int64(status.st_size) : 0
}

/// The store's write-ahead log, which grows as long as a reader needs its oldest pages.
///
/// SQLite copies it into the store by itself and begins it anew when nobody reads from it. The file never shrinks by
/// that: a large one was pinned once, or held a large transaction.
package struct WriteAheadLog {
  private let path: String
  /// How large it may grow, in bytes.
  private let limit: Int

  package init(store: String, limit: Int) {
    path = store + "-wal"
    self.limit = limit
  }

  /// Keeps it within the limit, between two transactions; waits as long as the connection waits for a lock.
  ///
  /// - Throws: `StoreError.walLimit` when readers keep it from being emptied.
  func hold(_ db: Database) throws {
    guard fileSize(path) > limit, !empty(db) else { return }
    throw StoreError.walLimit(megabytes: fileSize(path) >> 20, Self.programs(using: path))
  }

  /// Empties it, unless somebody reads or writes.
  ///
  /// - Returns: whether it is empty now.
  @discardableResult
  package func empty(_ db: Database) -> Bool {
    // Before it: what is committed in between need not be in the main file.
    let newest = try? HistoryPositions(db).newest()
    let isEmpty = (try? Self.copyBack(db)) != nil
    if isEmpty, let newest { LastTokenFile(db)?.writeCheckpointed(newest) }
    return isEmpty
  }

  /// Copies all of it into the main file, and empties it.
  static func copyBack(_ db: Database) throws {
    let connection = db.sqliteConnection
    guard sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK else {
      throw StoreError(connection: connection)
    }
  }

  /// Other programs that have the file open, as far as the system tells: `python3 (process 4711)`.
  private static func programs(using path: String) -> String? {
    let files = FileManager.default
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    let target = String(cString: real)
    var names: [String] = []
    for process in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let id = Int32(process), id != getpid() else { continue }
      let descriptors = "/proc/\(process)/fd"
      let isUser = (try? files.contentsOfDirectory(atPath: descriptors))?.contains {
        (try? files.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == target
      }
      guard isUser == true else { continue }
      let name = (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)) ?? ""
      names.append("\(name.trimmingCharacters(in: .newlines)) (process \(process))")
    }
    return names.isEmpty ? nil : names.prefix(3).joined(separator: ", ")
  }
}
