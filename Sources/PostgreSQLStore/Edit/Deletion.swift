internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

extension PostgreSQLConnection {
  /// Deletes objects of one entity, and what its delete rules take along.
  ///
  /// - Returns: how many, without what was taken along.
  /// - Throws: `StoreError` where a rule denies it, or another program's trigger keeps one of them.
  @discardableResult
  func delete(_ ids: [Int64], of entity: String, in model: Model) throws -> Int {
    do {
      return try deleteRows(ids, of: entity, in: model)
    } catch let error as PostgreSQLError where error.state.hasPrefix(PostgreSQLError.constraint) {
      throw StoreError.deletionDenied(entity)
    }
  }

  /// The same for whoever goes on where a rule denies it. Rules that deny are asked behind the deletion: the server asks them row by row,
  /// when what stands in the way may be about to go.
  ///
  /// - Throws: `PostgreSQLError` of a constraint where a rule denies it.
  @discardableResult
  func deleteRows(_ ids: [Int64], of entity: String, in model: Model) throws -> Int {
    let names = EntityTable.denials(model).map(quoted).joined(separator: ", ")
    if !names.isEmpty { try run("SET CONSTRAINTS \(names) DEFERRED") }
    let deleted = try run("DELETE FROM \(quoted(entity)) WHERE bolide_id = ANY ($1)", [.integers(ids)])
    if deleted.affected < ids.count { try checkAreGone(ids, of: entity) }
    if !names.isEmpty { try run("SET CONSTRAINTS \(names) IMMEDIATE") }
    return deleted.affected
  }

  /// Sees that a statement met fewer objects than it was given because the others are not there.
  func checkAreGone(_ ids: [Int64], of entity: String) throws {
    let there = try run(
      "SELECT FROM \(quoted(entity)) WHERE bolide_id = ANY ($1) LIMIT 1", [.integers(ids)])
    if there.count > 0 { throw StoreError.rowsKept(entity) }
  }
}
