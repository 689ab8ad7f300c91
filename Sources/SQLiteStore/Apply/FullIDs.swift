internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

extension Database {
  /// Says that an entity has no id left for a new object, where SQLite says that the disk is full.
  package func naming<Result>(fullIDsOf entity: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.code == .full {
      let last = try? value("SELECT seq FROM sqlite_sequence WHERE name = ?", .text(entity))
      throw last == .integer(.max) ? StoreError.noIDLeft(entity) : error
    }
  }
}
