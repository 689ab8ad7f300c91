internal import GRDB
public import ImportModel
internal import SQLiteAccess
public import StoreInterface

extension Store {
  /// Deletes objects by the delete rules of their relationships, in one transaction.
  ///
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - predicate: which of them, as `ObjectQuery.predicate`; nil for all.
  ///   - arguments: the values of the predicate's `?`.
  /// - Returns: what changed. Objects that a rule takes along, or whose links or derived attributes moved, are counted too.
  /// - Throws: `StoreError` when the predicate is refused, or a rule denies the deletion; then nothing is deleted.
  /// - Complexity: O(objects) memory.
  public func delete(
    _ entity: String, where predicate: String?, _ arguments: [Value] = [],
    options: EditOptions = EditOptions()
  ) async throws -> EditReport {
    try await answering {
      try $0.deleteObjects(ObjectQuery(entity, where: predicate, arguments), options)
    }
  }

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
