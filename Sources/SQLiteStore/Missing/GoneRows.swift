package import GRDB
internal import ImportModel
package import SQLiteAccess
package import StoreInterface
internal import TypedRows

/// Deletes or marks the rows that a full feed has no more, as another program would: with the triggers on.
struct GoneRows {
  /// Rows of one entity.
  struct Rows {
    let entity: Entity
    /// Those that are gone.
    let ids: [Int64]
    /// How many the run has met.
    let seen: Int
  }

  let policy: GonePolicy
  let entity: Entity

  /// - Parameters:
  ///   - gone: the rows that are gone, by entity; children come before their parents.
  ///   - returned: rows of the records that were gone, and are not.
  ///   - now: the present instant, as `timestamp()` gives it.
  /// - Returns: how many rows were deleted or marked.
  /// - Throws: `StoreError` when a delete rule denies it.
  func treat(
    _ db: Database, gone: [Rows], returned: [Int64], now: String
  ) throws -> Int {
    switch policy {
    case .keep: return 0
    case .delete:
      for rows in gone { try db.delete(rows.ids, of: rows.entity.name) }
      return gone.reduce(0) { $0 + $1.ids.count }
    case .mark(let name):
      guard let attribute = entity.attribute(named: name) else { return 0 }
      let (table, column) = (quoted(entity.name), quoted(name))
      let marked: Value
      let cleared: Value
      if case .date(let precision) = attribute.type {
        (marked, cleared) = (.text(precision.instant(now)), .null)
      } else {
        (marked, cleared) = (.integer(1), .integer(0))
      }
      // Since when it is gone is told by the first import that did not see it.
      let isUnmarked = cleared == .null ? "IS NULL" : "IS NOT ?1"
      let mark = try RawStatement(
        db, "UPDATE \(table) SET \(column) = ?1 WHERE bolide_id = ?2 AND \(column) \(isUnmarked)")
      let clear = try RawStatement(
        db, "UPDATE \(table) SET \(column) = ?1 WHERE bolide_id = ?2 AND \(column) IS NOT ?1")
      for id in returned {
        clear.bind([cleared, .integer(id)])
        try clear.run()
      }
      var count = 0
      for id in gone.first(where: { $0.entity.name == entity.name })?.ids ?? [] {
        mark.bind([marked, .integer(id)])
        try mark.run()
        count += db.changesCount
      }
      return count
    }
  }
}

extension Database {
  /// Deletes objects of one entity: one that another denies, behind that one.
  ///
  /// - Throws: `StoreError` when a rule denies it, and where another program's trigger keeps one of them.
  package func delete(_ ids: [Int64], of entity: String) throws {
    let find = try RawStatement(self, "SELECT 1 FROM \(quoted(entity)) WHERE bolide_id = ?")
    let delete = try RawStatement(self, "DELETE FROM \(quoted(entity)) WHERE bolide_id = ?")
    var left = ids
    while !left.isEmpty {
      var denied: [Int64] = []
      for id in left {
        delete.bind(id, at: 1)
        guard try delete.runs(unless: \.isOfDenial) else {
          denied.append(id)
          continue
        }
        if changesCount == 0, try find.finds(id) { throw StoreError.rowsKept(entity) }
      }
      if denied.count == left.count { throw StoreError.deletionDenied(entity) }
      left = denied
    }
  }
}

extension RawStatement {
  /// Whether a query of one id has a row.
  package func finds(_ id: Int64) throws -> Bool {
    bind(id, at: 1)
    defer { reset() }
    return try step()
  }

  /// Runs a statement that a rule of the model may deny.
  ///
  /// - Parameter isDenied: which error says so.
  /// - Returns: whether none did.
  package func runs(
    unless isDenied: (StoreError) -> Bool = { $0.code == .constraint && !$0.isOfKeptRows }
  ) throws(StoreError) -> Bool {
    do {
      try run()
    } catch {
      guard isDenied(error) else { throw error }
      return false
    }
    return true
  }

  /// Runs a statement that a rule of the model may deny.
  package func run(denied: StoreError) throws(StoreError) {
    do {
      try run()
    } catch {
      throw error.code == .constraint && !error.isOfKeptRows ? denied : error
    }
  }
}

extension StoreError {
  /// Whether a rule of the model denies a deletion, as SQLite says it, and the triggers after it.
  fileprivate var isOfDenial: Bool {
    code == .constraint && reason.contains("(FOREIGN KEY constraint failed")
  }
}
