internal import ImportInput
internal import SQLiteStore

/// The system's libraries that do the work.
package enum LibraryVersions {
  /// `SQLite 3.40.1, zlib 1.2.13`
  package static var text: String { "SQLite \(SQLiteEngine.sqliteVersion), zlib \(Zlib.version)" }
}
