internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
internal import StoreInterface

/// What a fetched property finds for all objects of a fetch at once, as PostgreSQL's SQL; see `FetchedPlan`.
struct FoundStatement {
  /// The property's plan, without its predicate.
  let plan: FetchedPlan
  /// The types of what is read, by cell. The owner's id comes behind them.
  let types: [AttributeType]
  private let property: FetchedProperty
  private let path: String
  /// The predicate; nil for all objects of the destination.
  private var condition: String?

  /// - Parameter tree: of the owners' fetch; gets the tables that the predicate asks about.
  /// - Throws: `StoreError` when the property cannot be fetched.
  init(
    _ property: FetchedProperty, of tree: JoinTree, _ model: Model, readsKeys: Bool, _ path: String
  ) throws {
    (self.property, self.path) = (property, path)
    let owner = tree.nodes[0].entity
    guard property.store == nil else { throw StoreError.ofOtherStore(property, of: owner, path) }
    do {
      try FetchedPlan(property, of: JoinTree(owner.name, model), model, readsKeys: false).check()
      var rest = property
      rest.predicate = nil
      plan = try FetchedPlan(rest, of: tree, model, readsKeys: readsKeys, .postgreSQL)
    } catch let error as StoreError {
      throw error.of(property, of: owner)
    }
    types = plan.plan.shape.types(plan.plan.columns.count)
    try translate { quoted($0.name) }
  }

  /// Translates the predicate.
  ///
  /// - Parameter source: what stands for an entity's table.
  mutating func translate(_ source: @escaping (Entity) -> String) throws {
    guard let predicate = property.predicate else { return }
    do {
      let scope = ConditionSQL.Scope.tree(plan.plan.tree, node: 0, source: source)
      condition = try ConditionSQL.sql(predicate, in: scope, plan.variables)
    } catch let error as Untranslated {
      throw StoreError.untranslated(error.what, path).of(property, of: plan.owner)
    } catch let error as StoreError {
      throw error.of(property, of: plan.owner)
    }
  }

  /// The query for all owners, in their order.
  ///
  /// - Parameters:
  ///   - owners: gives the fetch's own query, with these columns.
  ///   - order: the fetch's order, without the id.
  ///   - source: what stands for an entity's table.
  func text(
    _ owners: ([String]) -> String, _ order: [(sql: String, isAscending: Bool)], _ source: (Entity) -> String
  ) -> String {
    let name = FetchVariables.owner
    let keys = order.enumerated().map { "\($1.sql) AS bolide_k\($0)" }
    let columns = zip(types, plan.plan.columns).map { $0.result(ofColumn: $1) } + ["\(name).bolide_id"]
    let places = order.enumerated().map {
      "\(name).bolide_k\($0) \($1.isAscending ? "NULLS FIRST" : "DESC NULLS LAST")"
    }
    let all = places + ["\(name).bolide_id"] + plan.plan.serverOrder
    return """
      SELECT \(columns.joined(separator: ", ")) FROM (\(owners(plan.ownColumns + keys))) AS \(name)
      CROSS JOIN \(destination(source))
      ORDER BY \(all.joined(separator: ", "))
      """
  }

  /// What holds for the owners for which nothing is found. It stands in the fetch's own query.
  ///
  /// It says what `FetchedPlan.dangling` says. The server joins the owners of which something is found, each once; joined
  /// with all that is found, they would be asked for one by one as long as the server knows nothing of the tables.
  func dangling(_ tree: JoinTree, _ source: (Entity) -> String) -> String {
    """
    NOT EXISTS (SELECT FROM (
      SELECT \(FetchVariables.owner).bolide_id AS id
      FROM (SELECT \(plan.ownColumns.joined(separator: ", ")) FROM \(tree.from(source))) AS \(FetchVariables.owner)
      WHERE EXISTS (SELECT FROM \(destination(source)))
    ) AS bolide_found WHERE bolide_found.id = \(JoinTree.id(0)))
    """
  }

  /// The destination's tables, and what they have to meet.
  private func destination(_ source: (Entity) -> String) -> String {
    plan.plan.tree.from(source) + (condition.map { "\nWHERE \($0)" } ?? "")
  }

  /// A predicate can fail for the values of two objects, as a sum that is too large.
  func run<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as PostgreSQLError where condition != nil && error.state.hasPrefix("22") {
      throw StoreError.predicateFails(error.text).of(property, of: plan.owner).about(path)
    }
  }

  /// Whether its predicate can fail.
  var hasPredicate: Bool { condition != nil }
}
