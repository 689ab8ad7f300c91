internal import ImportInput
internal import SQLiteStore

/// The versions of Bolide and of the system's libraries that do the work.
package enum LibraryVersions {
  /// `bolide 0.1.0 (SQLite 3.40.1, zlib 1.2.13)`
  package static var tool: String {
    "bolide 0.1.0 (SQLite \(SQLiteEngine.sqliteVersion), zlib \(Zlib.version))"
  }
}
