internal import GRDB
internal import ImportModel
internal import ObjectEdits
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
        // Rows come back in any order; the commit sees that every link leads somewhere.
        try db.run("PRAGMA defer_foreign_keys = ON")
        return try RevertAttempt(db, model, scope, past, numbers, force: force).revert(model, force: force)
      }
      return RevertReport(edit: edit, left: left)
    }
  }
}
