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

extension Database {
  /// Deletes objects of one entity.
  ///
  /// - Throws: `StoreError` when a rule denies it.
  func delete(_ ids: [Int64], of entity: String) throws {
    let delete = try RawStatement(self, "DELETE FROM \(quoted(entity)) WHERE bolide_id = ?")
    for id in ids {
      delete.bind(id, at: 1)
      try delete.run(denied: .deletionDenied(entity))
    }
  }
}

extension RawStatement {
  /// Runs a statement that a rule of the model may deny.
  func run(denied: StoreError) throws(StoreError) {
    do {
      try run()
    } catch {
      throw error.code == .constraint ? denied : error
    }
  }
}
