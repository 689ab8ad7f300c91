internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Deletes the objects of a request, on the calling thread.
  package func deleteObjects(_ request: ObjectQuery, _ options: EditOptions) throws -> EditReport {
    try editing(options) { db, _ in
      try db.delete(FetchReading(db, path: path).ids(request, at: nil), of: request.entity)
    }.1
  }
}
