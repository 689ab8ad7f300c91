package import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

extension SQLiteEngine {
  /// Whether a file has a store's tables and says nothing of its format.
  package static func isUnmarked(_ db: Database, schema: String = "main") throws -> Bool {
    try db.value("PRAGMA \(schema).application_id") == .integer(0)
      && db.value("PRAGMA \(schema).user_version") == .integer(0)
      && db.value("SELECT 1 FROM \(schema).sqlite_schema WHERE type = 'table' AND name = 'bolide_store'")
        == .integer(1)
  }

  /// Gives a store its write-ahead log, without which readers and imports wait for each other. Another program may have taken
  /// it away; it stays so while anybody reads.
  package static func takeLog(_ db: Database) throws {
    do {
      try db.run("PRAGMA journal_mode = WAL")
    } catch let error as StoreError where error.code == .busy {}
  }

  /// Sees that a file is a store of the format that this version reads.
  ///
  /// - Parameter schema: which of the connection's files.
  package static func checkFormat(_ db: Database, _ path: String, schema: String = "main") throws {
    let mark = try db.value("PRAGMA \(schema).application_id")
    guard mark == .integer(StoreSchema.applicationID) else {
      throw try isUnmarked(db, schema: schema) ? StoreError.unmarked(path) : StoreError.notAStore(path)
    }
    guard case .integer(let format) = try db.value("PRAGMA \(schema).user_version"),
      format <= StoreSchema.format
    else {
      throw StoreError.newerFormat(path)
    }
    guard format == StoreSchema.format else { throw StoreError.olderFormat(format, path) }
    // Every text is read as it lies in the file.
    guard try db.value("PRAGMA \(schema).encoding") == .text("UTF-8") else {
      throw StoreError.foreignSchema("its texts are not UTF-8")
    }
  }
}
