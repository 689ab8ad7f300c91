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
  /// The section's type, where the request has one: it is what is sorted by first. Nil for an object id.
  package let sectionType: AttributeType?
  /// The columns that are read.
  package let columns: [String]
  /// What the objects are grouped by; nil where the rows are objects.
  package let groups: [String]?

  /// - Parameters:
  ///   - readsKeys: whether the keys of objects are read whatever is asked for.
  ///   - dialect: of the engine that runs the query; the predicate stays SQLite's.
  ///   - variables: of a fetched property, whose request this is.
  /// - Throws: `StoreError` when the model does not have what the request names.
  package init(
    _ request: ObjectQuery, _ model: Model, readsKeys: Bool, _ dialect: SQLDialect = .sqlite,
    _ variables: FetchVariables? = nil
  ) throws(StoreError) {
    if let limit = request.limit, limit < 0 { throw .negativeLimit }
    if request.offset < 0 { throw .negativeOffset }
    if let size = request.batchSize, size < 1 { throw .emptyBatch }
    // Which `?` is whose cannot be told.
    if request.predicate?.values.isEmpty == false, !request.arguments.isEmpty { throw .valuesTwice }
    let tree = try JoinTree(request.entity, model, dialect)
    let groups = try FetchGroups(request, tree)
    var columns = FetchColumns(tree, readsKeys: readsKeys && groups == nil, areGroups: groups != nil)
    shape = try columns.shape(of: 0, try Projection(request, groups?.shown ?? request.properties, tree))
    try groups?.addAggregates(to: &shape) { columns.cell($0) }
    if let text = request.predicate?.text {
      predicate = try PredicateSQL(text, tree, variables)
    } else {
      predicate = nil
    }
    var order: [(sql: String, isAscending: Bool)] = []
    for key in request.sortKeys {
      let sql =
        if let groups { try groups.sql(of: key) } else { try tree.property(at: tree.path(key.name)).sql }
      order.append((sql, key.isAscending))
    }
    sectionType =
      try request.section.map { name throws(StoreError) in
        try tree.property(at: tree.path(name)).type
      } ?? nil
    (self.tree, self.order, self.columns) = (tree, order, columns.list)
    self.groups = groups?.columns
  }

  /// Whether the rows are groups of objects.
  package var isGrouped: Bool { groups != nil }

  /// The id of a row's object; of a group its first one's, and 0 where it has none.
  package var id: String { isGrouped ? "coalesce(min(\(JoinTree.id(0))), 0)" : JoinTree.id(0) }

  /// The order of the answer. The object id makes it a whole one.
  package var orderText: String {
    (order.map { $0.sql + ($0.isAscending ? "" : " DESC") } + (groups ?? []) + [id]).joined(separator: ", ")
  }

  /// What holds for the objects behind one of the answer.
  ///
  /// - Parameters:
  ///   - values: what that one was sorted by, as SQL; nil for null.
  ///   - last: its id, as SQL.
  package func behind(_ values: [String?], _ last: String) -> String {
    // From the last key to the first: behind in this one, or equal in it and behind in the rest.
    var condition = "\(JoinTree.id(0)) > \(last)"
    for (key, value) in zip(order, values).reversed() {
      let sql = key.sql
      // Null comes first, and last in falling order.
      switch (key.isAscending, value) {
      // The first part alone bounds an index.
      case (true, let value?): condition = "\(sql) >= \(value) AND (\(sql) > \(value) OR (\(condition)))"
      case (true, nil): condition = "\(sql) IS NOT NULL OR (\(condition))"
      case (false, let value?):
        condition = "\(sql) < \(value) OR \(sql) IS NULL OR (\(sql) = \(value) AND (\(condition)))"
      case (false, nil): condition = "\(sql) IS NULL AND (\(condition))"
      }
    }
    return condition
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
    let groups = groups ?? []
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(tree.from(source, isScanned: isScanned))
      \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
      \(groups.isEmpty ? "" : "GROUP BY " + groups.joined(separator: ", "))
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

  init(_ request: ObjectQuery, _ properties: [String], _ tree: JoinTree) throws(StoreError) {
    isWhole = properties.isEmpty && !request.isGrouped
    for text in properties {
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
  /// Whether a row is a group: of an object that the grouped values belong to, it has the first one's id.
  private let areGroups: Bool

  init(_ tree: JoinTree, readsKeys: Bool, areGroups: Bool) {
    (self.tree, self.readsKeys, self.areGroups) = (tree, readsKeys, areGroups)
  }

  mutating func shape(of node: Int, _ wish: Projection) throws(StoreError) -> RowLayout {
    let entity = tree.nodes[node].entity
    var shape = RowLayout(entity: entity.name, id: cell(id(JoinTree.id(node), of: node)))
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
    let value = cell(wish == nil ? property.sql : id(property.sql, of: nil))
    let related: RowLayout? =
      if let wish { try shape(of: try tree.follow(name, from: node), wish) } else { nil }
    return RowLayout.Member(name: property.name, type: property.type, cell: value, related: related)
  }

  /// An object id as it is read.
  ///
  /// - Parameter node: whose it is: a group of no objects has none at the root.
  private func id(_ sql: String, of node: Int?) -> String {
    guard areGroups else { return sql }
    return node == 0 ? "coalesce(min(\(sql)), 0)" : "min(\(sql))"
  }

  mutating func cell(_ sql: String) -> Int {
    // The object id is written in two ways, and a column stands in quotes.
    let sql = sql.replacing("\"bolide_id\"", with: "bolide_id")
    if let index = list.firstIndex(of: sql) { return index }
    list.append(sql)
    return list.count - 1
  }
}
