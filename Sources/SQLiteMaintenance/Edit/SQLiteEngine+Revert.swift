internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Puts back what a run, or everybody since a token, inserted, updated and deleted, in one transaction.
  ///
  /// Rows that somebody changed after the run stay as they are, unless `force`; so do those that cannot be put back.
  /// - Complexity: O(n log n) in the changes since then.
  package func revert(
    _ target: RevertTarget, force: Bool, _ options: EditOptions
  ) throws -> RevertReport {
    try naming {
      let (left, edit) = try editing(options) { db, model in
        let scope = try RevertScope(db, target, path: path)
        let numbers = try PropertyNumbers(db, model: model, creating: false)
        try scope.findObjects(numbers, of: model)
        defer { try? db.run("DROP TABLE IF EXISTS \(RevertScope.objects)") }
        let past = try AsOfTables(db, model: model, of: model.entities, after: scope.start)
        defer { past.drop() }
        return try db.revert(model, scope, past, numbers, force: force)
      }
      return RevertReport(edit: edit, left: left)
    }
  }
}

extension Database {
  /// - Returns: the rows that stay as they are.
  fileprivate func revert(
    _ model: Model, _ scope: RevertScope, _ past: AsOfTables, _ numbers: PropertyNumbers, force: Bool
  ) throws -> [LeftRow] {
    // Rows come back in any order; the commit sees that every link leads somewhere.
    try run("PRAGMA defer_foreign_keys = ON")
    let attempt = try RevertAttempt(self, model, past, numbers, force: force)
    var (items, changed) = try attempt.items()
    // What stays is on its way neither out nor in.
    try past.keep(changed.map { ($0.entity, $0.id) })
    var left = try changed.map { try attempt.leftRow($0, .changedSince) }
    for (entity, id, isObject) in past.erased where isObject {
      guard try scope.hasOwn(numbers.entity(model.entities[entity].name), id) else { continue }
      left.append(try attempt.leftRow(RevertAttempt.Item(entity: entity, id: id, action: .insert), .erased))
    }
    while !items.isEmpty {
      try run("SAVEPOINT bolide_revert")
      let failed = try attempt.run(items)
      if failed.isEmpty {
        try run("RELEASE bolide_revert")
        if left.isEmpty { try scope.markRuns() }
        break
      }
      try run("ROLLBACK TO bolide_revert")
      try run("RELEASE bolide_revert")
      left += try failed.map { try attempt.leftRow($0.item, $0.reason) }
      let gone = Set(failed.map(\.item))
      items.removeAll(where: gone.contains)
      try past.keep(gone.map { ($0.entity, $0.id) })
    }
    let order = Dictionary(
      model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    return left.sorted { (order[$0.entity] ?? 0, $0.id) < (order[$1.entity] ?? 0, $1.id) }
  }
}
