internal import GRDB
package import ImportModel
internal import RowExpressions
internal import SQLiteAccess
package import StoreInterface

extension ObjectQuery {
  /// Sees that the predicate is an expression of SQLite's over the model, and can do nothing else: for a store of another
  /// engine, whose predicates mean what SQLite's mean. SQLite is asked over tables without rows.
  ///
  /// - Throws: `StoreError` for names, mistakes and values as a fetch from SQLite would.
  package func checkPredicate(_ model: Model) throws {
    guard predicate != nil || !arguments.isEmpty else { return }
    let plan = try FetchPlan(ObjectQuery(entity, where: predicate, arguments), model, readsKeys: false)
    try DatabaseQueue.withoutRows(plan.tree.entities) { db in
      try plan.checkPredicate(db) { "main.\(quoted($0.name))" }
    }
    let places = try PredicateTokens(predicate?.text ?? "").placeCount
    if places != boundValues.count { throw StoreError.wrongCount(places: places, values: boundValues.count) }
  }
}

extension FetchedPlan {
  /// Sees the same of the property's predicate.
  package func check() throws {
    try DatabaseQueue.withoutRows(entities) { try check($0) }
  }
}

extension DatabaseQueue {
  /// Hands over a database that knows the functions of expressions, with tables without rows.
  fileprivate static func withoutRows(_ entities: [Entity], _ body: (Database) throws -> Void) throws {
    try forExpressions().inDatabase { db in
      for entity in entities {
        let columns =
          ["bolide_id INTEGER PRIMARY KEY"]
          + entity.storedAttributes.map { "\(quoted($0.name)) \($0.type.storage.sql)" }
          + entity.toOneRelationships.map { "\(quoted($0.column)) INTEGER" }
        try db.run("CREATE TABLE \(quoted(entity.name))(\(columns.joined(separator: ", ")))")
      }
      try body(db)
    }
  }
}

extension PredicateTokens {
  /// The largest number of a value's place, as SQLite counts them.
  fileprivate var placeCount: Int {
    tokens.reduce(0) { largest, token in
      guard case .parameter(let text) = token else { return largest }
      return max(largest, Int(text.dropFirst()) ?? largest + 1)
    }
  }
}
