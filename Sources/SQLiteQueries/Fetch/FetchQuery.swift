internal import GRDB
internal import ImportModel
internal import QueryPlans
internal import SQLiteAccess
internal import StoreInterface

/// A request's statements, ready to be run in one state of the store.
struct FetchQuery {
  let request: ObjectQuery
  let plan: FetchPlan
  /// What SQL calls the file.
  var schema = "main"
  /// The fetched properties that are brought along.
  let fetched: [FetchedPlan]
  /// The one that must find nothing.
  let dangling: FetchedPlan?
  /// The tables of the past; nil for those of now.
  var past: AsOfTables?
  /// Behind which object the answer begins.
  var place: KeysetCursor?
  /// How objects in the order of their ids are found.
  var access = Access.planned

  /// The entities of the store that are read, each once.
  var entities: [Entity] {
    (fetched + [dangling].compactMap { $0 }).reduce(into: plan.tree.entities) { all, plan in
      all += plan.entities.filter { !all.contains($0) }
    }
  }

  /// What stands for an entity's table.
  func source(_ entity: Entity) -> String { past?.source(entity) ?? "\(schema).\(quoted(entity.name))" }

  /// The query for some columns of the objects, in any order and without limits.
  func text(_ columns: [String]) -> String {
    let further = [
      dangling?.dangling(plan.tree, source),
      place?.condition(plan, from: request.boundValues.count + 1),
    ]
    return plan.query(columns, and: further, isScanned: access == .scanned, source)
  }

  /// The query for some columns of the objects, in the request's order and within its limits.
  func sorted(_ columns: [String]) -> String {
    // SQLite goes through the table for the order of ids, and not for that of an expression.
    var sql = "\(text(columns)) ORDER BY \(access == .searched ? "+" : "")\(plan.orderText)"
    // With any limit, SQLite keeps the first rows in a tree; without, its sorter takes half the time.
    if request.limit != nil || request.offset > 0 {
      sql += " LIMIT \(request.limit ?? -1) OFFSET \(request.offset)"
    }
    return sql
  }

  /// Compiles a statement that has the query in it, and binds the request's values.
  func statement(_ sql: String, _ db: Database) throws -> RawStatement {
    let statement = try RawStatement(db, sql)
    let places = statement.parameterCount - (place?.count ?? 0)
    guard places == request.boundValues.count else {
      throw StoreError.wrongCount(places: places, values: request.boundValues.count)
    }
    statement.bind(request.boundValues)
    place?.bind(to: statement, from: request.boundValues.count + 1)
    return statement
  }

  /// Goes on to the next row. An expression can fail for the values of one object, as JSON that is none.
  func step(_ statement: RawStatement) throws(StoreError) -> Bool {
    do {
      return try statement.step()
    } catch {
      guard error.code == .other, plan.predicate != nil || dangling?.plan.predicate != nil else {
        throw error
      }
      throw StoreError.predicateFails(error.engineText ?? error.reason)
    }
  }
}
