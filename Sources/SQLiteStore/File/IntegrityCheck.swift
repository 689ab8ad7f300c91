internal import GRDB
internal import GRDBSQLite
internal import SQLiteAccess
internal import StoreInterface

extension Database {
  /// What SQLite's own check of the whole file finds; nothing when it is as it should be.
  ///
  /// - Parameter limit: how many findings there are at most.
  /// - Throws: `StoreError` also where a page could not be read, or memory was short. The check goes on behind such an error,
  ///   and tells of it by its code in the text alone.
  /// - Complexity: O(file).
  package func integrityProblems(limit: Int) throws -> [String] {
    let rows = try RawStatement(self, "PRAGMA integrity_check(\(limit))")
    defer { rows.reset() }
    var problems: [String] = []
    while try rows.step() {
      guard let text = rows.string(0), text != "ok" else { continue }
      if let code = text.firstMatch(of: #/error code=(\d+)/#).flatMap({ Int32($0.1) }),
        [SQLITE_IOERR, SQLITE_NOMEM].contains(code & 0xff)
      {
        throw StoreError(result: code, text: String(cString: sqlite3_errstr(code)))
      }
      problems.append(text)
    }
    return problems
  }
}
