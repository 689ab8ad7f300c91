package import GRDB
package import ImportModel
package import StoreInterface

/// A request as SQL: checked against the model, not yet run.
package struct FetchPlan {
  /// What is read, and where it ends up in a row.
  package var shape: RowLayout
  /// The tables that are read.
  package let tree: JoinTree
  /// The predicate over the tables' columns; nil for all objects.
  package let predicate: PredicateSQL?
  /// What is sorted by, without the object id that comes last.
  package let order: [(sql: String, isAscending: Bool)]
  /// The columns that are read.
  package let columns: [String]

  /// - Parameters:
  ///   - readsKeys: whether the keys of objects are read whatever is asked for.
  ///   - variables: of a fetched property, whose request this is.
  /// - Throws: `StoreError` when the model does not have what the request names.
  package init(
    _ request: ObjectQuery, _ model: Model, readsKeys: Bool, _ variables: FetchVariables? = nil
  ) throws(StoreError) {
    if let limit = request.limit, limit < 0 { throw .negativeLimit }
    if request.offset < 0 { throw .negativeOffset }
    if let size = request.batchSize, size < 1 { throw .emptyBatch }
    // Which `?` is whose cannot be told.
    if request.predicate?.values.isEmpty == false, !request.arguments.isEmpty { throw .valuesTwice }
    let tree = try JoinTree(request.entity, model)
    var columns = FetchColumns(tree, readsKeys: readsKeys)
    shape = try columns.shape(of: 0, try Projection(request, tree))
    if let text = request.predicate?.text {
      predicate = try PredicateSQL(text, tree, variables)
    } else {
      predicate = nil
    }
    var order: [(sql: String, isAscending: Bool)] = []
    for key in request.sort {
      order.append((try tree.property(at: tree.path(key.name)).sql, key.isAscending))
    }
    (self.tree, self.order, self.columns) = (tree, order, columns.list)
  }

  /// The order of the answer. The object id makes it a whole one.
  package var orderText: String {
    (order.map { $0.sql + ($0.isAscending ? "" : " DESC") } + [JoinTree.id(0)]).joined(separator: ", ")
  }

  /// Sees that the predicate is an expression and can do nothing else, where there is one.
  ///
  /// - Parameter source: what stands for an entity's table.
  /// - Throws: `StoreError`.
  package func checkPredicate(_ db: Database, _ source: (Entity) -> String) throws {
    for query in predicate?.parts(source) ?? [] {
      try FetchGuard.check(
        db, query.sql, reading: Set(tree.entities.map(\.name)), for: query.entity)
    }
  }

  /// A query for the request's objects, without order and limits.
  ///
  /// - Parameters:
  ///   - columns: what is read.
  ///   - further: what must hold beside the predicate.
  ///   - isScanned: whether no index finds the objects.
  ///   - source: what stands for an entity's table.
  package func query(
    _ columns: [String], and further: [String?] = [], isScanned: Bool = false, _ source: (Entity) -> String
  ) -> String {
    let conditions = ([predicate?.sql(source)] + further).compactMap { $0.map { "(\($0))" } }
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(tree.from(source, isScanned: isScanned))
      \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      """
  }
}

/// What is asked for of an object and of those that are brought along.
private struct Projection {
  /// All properties, and not only those named.
  var isWhole = false
  var names: [String] = []
  var related: [String: Projection] = [:]

  init() {}

  init(_ request: ObjectQuery, _ tree: JoinTree) throws(StoreError) {
    isWhole = request.properties.isEmpty
    for text in request.properties {
      let path = tree.path(text)
      let property = try tree.property(at: path)
      try add(path.dropLast(), tree, from: 0) { $0.add(property.name) }
    }
    let entity = tree.nodes[0].entity
    for text in request.related where entity.fetchedProperty(named: text) == nil {
      guard tree.knows(text) || text.contains(".") else { throw .nothingToBring(text, of: entity) }
      try add(tree.path(text)[...], tree, from: 0, isWhole: true) { _ in }
    }
  }

  private mutating func add(_ name: String) {
    if !names.contains(name) { names.append(name) }
  }

  /// Wishes for the objects on a path.
  private mutating func add(
    _ path: ArraySlice<String>, _ tree: JoinTree, from node: Int, isWhole: Bool = false,
    _ end: (inout Projection) -> Void
  ) throws(StoreError) {
    guard let first = path.first else { return end(&self) }
    let name = try tree.property(first, of: node).name
    let next = try tree.follow(name, from: node)
    add(name)
    var wish = related[name] ?? Projection()
    if isWhole { wish.isWhole = true }
    try wish.add(path.dropFirst(), tree, from: next, isWhole: isWhole, end)
    related[name] = wish
  }
}

/// The columns that a fetch reads, each once.
private struct FetchColumns {
  private(set) var list: [String] = []
  private let tree: JoinTree
  private let readsKeys: Bool

  init(_ tree: JoinTree, readsKeys: Bool) {
    (self.tree, self.readsKeys) = (tree, readsKeys)
  }

  mutating func shape(of node: Int, _ wish: Projection) throws(StoreError) -> RowLayout {
    let entity = tree.nodes[node].entity
    var shape = RowLayout(entity: entity.name, id: cell(JoinTree.id(node)))
    let all = ["bolide_id"] + entity.storedAttributes.map(\.name) + entity.toOneRelationships.map(\.name)
    // A has-one relationship has no column: it comes only when it is named.
    for name in wish.isWhole ? all + wish.names.filter({ !all.contains($0) }) : wish.names {
      shape.members.append(try member(name, of: node, wish.related[name]))
    }
    if readsKeys { for name in entity.key { shape.key.append(try member(name, of: node, nil)) } }
    return shape
  }

  private mutating func member(_ name: String, of node: Int, _ wish: Projection?) throws(StoreError)
    -> RowLayout.Member
  {
    let property = try tree.property(name, of: node)
    let value = cell(property.sql)
    let related: RowLayout? =
      if let wish { try shape(of: try tree.follow(name, from: node), wish) } else { nil }
    return RowLayout.Member(name: property.name, type: property.type, cell: value, related: related)
  }

  private mutating func cell(_ sql: String) -> Int {
    // The object id is written in two ways, and a column stands in quotes.
    let sql = sql.replacing("\"bolide_id\"", with: "bolide_id")
    if let index = list.firstIndex(of: sql) { return index }
    list.append(sql)
    return list.count - 1
  }
}
