package import GRDB
package import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// A fetched property as SQL: what it finds for all objects of a fetch at once.
///
///     SELECT destination's columns, owner's id
///     FROM (the fetch's own query) AS bolide_owner JOIN destination … WHERE predicate
///     ORDER BY the fetch's order, owner's id, the property's order, destination's id
///
/// The rows come in the owners' order, so that they can be read along with them.
package struct FetchedPlan {
  package let property: FetchedProperty
  /// The entity that has the property.
  package let owner: Entity
  /// The destination's part. Its aliases are hidden from the owners' query, and that one's from it.
  package let plan: FetchPlan
  package let variables: FetchVariables
  /// Where the destination's tables are, as SQL names the file.
  private let schema: String

  /// - Parameters:
  ///   - tree: of the owners' fetch.
  ///   - model: the destination's.
  ///   - readsKeys: whether the keys of found objects are read.
  ///   - dialect: of the engine that runs the query; the predicate is SQLite's, and another engine's property is without it.
  /// - Throws: `StoreError` when the models do not have what the property names.
  package init(
    _ property: FetchedProperty, of tree: JoinTree, _ model: Model, schema: String = "main",
    readsKeys: Bool, _ dialect: SQLDialect = .sqlite
  ) throws(StoreError) {
    (self.property, self.schema) = (property, schema)
    owner = tree.nodes[0].entity
    variables = FetchVariables(property, of: tree)
    var request = ObjectQuery(property.destination, where: property.predicate.map { .init(text: $0) })
    request.sort = property.sort.map(ObjectQuery.SortKey.init(text:))
    plan = try FetchPlan(request, model, readsKeys: readsKeys, dialect, variables)
  }

  /// The entities of the owners' store that are read.
  package var entities: [Entity] { schema == "main" ? plan.tree.entities : [] }

  /// Sees that the predicate is an expression and can do nothing else.
  package func check(_ db: Database) throws {
    try plan.checkPredicate(db) { "\(schema).\(quoted($0.name))" }
  }

  /// The query for all owners. The owner's id comes behind the columns.
  ///
  /// - Parameters:
  ///   - owners: gives the fetch's own query, with these columns.
  ///   - order: the fetch's order, without the id.
  ///   - source: what stands for the table of an entity of the owners' store.
  package func query(
    _ owners: ([String]) -> String, _ order: [(sql: String, isAscending: Bool)], _ source: (Entity) -> String
  ) -> String {
    let name = FetchVariables.owner
    let keys = order.enumerated().map { "\($1.sql) AS bolide_k\($0)" }
    let columns = (plan.columns + ["\(name).bolide_id"]).joined(separator: ", ")
    let first = order.enumerated().map { "\(name).bolide_k\($0)\($1.isAscending ? "" : " DESC")" }
    let places = (first + ["\(name).bolide_id", plan.orderText]).joined(separator: ", ")
    return "SELECT \(columns) \(join(owners(ownColumns + keys), source))\nORDER BY \(places)"
  }

  /// What holds for the owners for which nothing is found. It stands in the fetch's own query.
  ///
  /// Set-wise: a soft link seldom has an index, and asking for each owner would read the destination each time.
  package func dangling(_ tree: JoinTree, _ source: (Entity) -> String) -> String {
    let owners = "SELECT \(ownColumns.joined(separator: ", ")) FROM \(tree.from(source))"
    return "\(JoinTree.id(0)) NOT IN (SELECT \(FetchVariables.owner).bolide_id \(join(owners, source)))"
  }

  /// What the owners' query has to give.
  package var ownColumns: [String] {
    ["\(JoinTree.id(0)) AS bolide_id"]
      + variables.sources.enumerated().map { "\($1) AS \(FetchVariables.source($0))" }
  }

  private func join(_ owners: String, _ source: (Entity) -> String) -> String {
    let source = { schema == "main" ? source($0) : "\(schema).\(quoted($0.name))" }
    return """
      FROM (\(owners)) AS \(FetchVariables.owner)
      JOIN \(plan.tree.from(source))
      WHERE \(plan.predicate?.sql(source) ?? "1")
      """
  }
}

extension ObjectQuery.SortKey {
  /// A name, with `-` before it where the largest come first.
  package init(text: String) {
    self = text.hasPrefix("-") ? .init(String(text.dropFirst()), ascending: false) : .init(text)
  }
}
