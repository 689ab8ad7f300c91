package import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// The tables that a fetch reads: its entity's, and one for each to-one path that is followed.
///
/// The objects of a to-many relationship that a predicate asks about are a query within the query, with a tree of their own
/// in the same list of nodes.
package final class JoinTree {
  /// A table, under a name of its own: two paths may lead to the same entity.
  package struct Node {
    package let entity: Entity
    /// The node where its tree begins: 0 for the fetched objects.
    let root: Int
    /// What joins its objects to those before; nil where a tree begins.
    let condition: String?
    var next: [String: Int] = [:]
  }

  /// A stored property at the end of a path.
  package struct Property {
    let name: String
    /// Nil for an object id.
    package let type: AttributeType?
    /// The column, with its table.
    package let sql: String
    /// Where the path has led to.
    let node: Int
    /// For a to-one relationship, its name and where it leads to.
    let relationship: Relationship?
  }

  package private(set) var nodes: [Node]
  private let model: Model
  let dialect: SQLDialect

  /// - Throws: `StoreError` when the model has no such entity.
  package init(_ entity: String, _ model: Model, _ dialect: SQLDialect = .sqlite) throws(StoreError) {
    guard let entity = model.entity(named: entity) else { throw .noEntity(entity, in: model) }
    (self.model, self.dialect) = (model, dialect)
    nodes = [Node(entity: entity, root: 0, condition: nil)]
  }

  /// A node's table, as the query names it. No table of the store has such a name.
  package static func alias(_ node: Int) -> String { "bolide_\(node)" }

  /// The object ids of a node.
  package static func id(_ node: Int) -> String { "\(alias(node)).bolide_id" }

  /// The entities of all nodes, each once.
  package var entities: [Entity] {
    nodes.reduce(into: []) { if !$0.contains($1.entity) { $0.append($1.entity) } }
  }

  /// The tables of a tree with their joins, for `FROM`.
  ///
  /// - Parameters:
  ///   - root: where the tree begins.
  ///   - source: what stands for an entity's table.
  ///   - isScanned: whether no index finds the fetched objects.
  package func from(_ source: (Entity) -> String, root: Int = 0, isScanned: Bool = false) -> String {
    nodes.enumerated().filter { $1.root == root }.map { index, node in
      let table =
        "\(source(node.entity)) AS \(Self.alias(index))" + (isScanned && index == 0 ? " NOT INDEXED" : "")
      return node.condition.map { "LEFT JOIN \(table) ON \($0)" } ?? table
    }.joined(separator: "\n")
  }

  // MARK: Names

  /// Whether a node's entity has something of that name.
  package func knows(_ name: String, of node: Int = 0) -> Bool {
    let (entity, name) = (nodes[node].entity, name.caseFolded)
    return entity.attributes.contains { $0.name.caseFolded == name }
      || entity.relationships.contains { $0.name.caseFolded == name }
  }

  /// The parts of a name or path, as a request writes it.
  package func path(_ text: String) -> [String] {
    knows(text) ? [text] : text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  /// The property at the end of a path.
  package func property(at path: [String], from node: Int = 0) throws(StoreError) -> Property {
    try property(path.last ?? "", of: end(of: path, from: node))
  }

  /// The node that the last part of a path is looked for in.
  private func end(of path: [String], from node: Int) throws(StoreError) -> Int {
    var node = node
    for name in path.dropLast() { node = try follow(name, from: node) }
    return node
  }

  /// Begins a tree of the objects at the end of a path, whose last part is a to-many relationship.
  ///
  /// - Parameter word: what asks for them, for messages.
  /// - Returns: where the tree begins, the node of the objects, and what ties the tree to its owner.
  package func begin(
    at path: [String], from node: Int, for word: String
  ) throws(StoreError) -> (root: Int, objects: Int, link: String) {
    let owner = try end(of: path, from: node)
    let (entity, name) = (nodes[owner].entity, path.last ?? "")
    guard
      let relationship = entity.relationships.first(where: { $0.name.caseFolded == name.caseFolded }),
      relationship.kind == .toMany, let many = model.toMany(relationship)
    else { throw .notToMany(name, of: entity, for: word) }
    let root = nodes.count
    nodes.append(Node(entity: many.holder, root: root, condition: nil))
    let link = "\(Self.alias(root)).\(quoted(many.toOne.column)) = \(Self.id(owner))"
    guard let onward = many.onward else { return (root, root, link) }
    return (root, try follow(onward.name, from: root), link)
  }

  /// The node that a to-one or has-one relationship leads to.
  func follow(_ name: String, from node: Int) throws(StoreError) -> Int {
    let property = try property(name, of: node)
    guard let relationship = property.relationship,
      let destination = model.entity(named: relationship.destination)
    else { throw .noWay(over: name, of: nodes[node].entity) }
    if let next = nodes[node].next[relationship.name] { return next }
    return join(relationship, destination, to: node) { "\(Self.id($0)) = \(property.sql)" }
  }

  private func join(
    _ relationship: Relationship, _ destination: Entity, to node: Int, on condition: (Int) -> String
  ) -> Int {
    let next = nodes.count
    nodes.append(Node(entity: destination, root: nodes[node].root, condition: condition(next)))
    nodes[node].next[relationship.name] = next
    return next
  }

  /// The node of the one object that belongs to each of another node.
  private func one(_ relationship: Relationship, of node: Int) throws(StoreError) -> Int {
    if let next = nodes[node].next[relationship.name] { return next }
    guard let one = model.toMany(relationship) else {
      throw .toMany(relationship.name, of: nodes[node].entity)
    }
    return join(relationship, one.destination, to: node) {
      "\(Self.alias($0)).\(quoted(one.toOne.column)) = \(Self.id(node))"
    }
  }

  /// A stored property of a node. Case does not count, as in SQL.
  func property(_ name: String, of node: Int) throws(StoreError) -> Property {
    let (entity, folded) = (nodes[node].entity, name.caseFolded)
    func property(_ name: String, _ column: String, _ type: AttributeType?, _ relationship: Relationship?)
      -> Property
    {
      Property(
        name: name, type: type, sql: dialect.column("\(Self.alias(node)).\(quoted(column))", type),
        node: node,
        relationship: relationship)
    }
    if let attribute = entity.attributes.first(where: { $0.name.caseFolded == folded }) {
      if attribute.isTransient { throw .transientProperty(attribute.name, of: entity) }
      return property(attribute.name, attribute.name, attribute.type, nil)
    }
    if let relationship = entity.relationships.first(where: { $0.name.caseFolded == folded }) {
      if relationship.kind == .toMany { throw .toMany(relationship.name, of: entity) }
      if relationship.kind == .hasOne {
        let id = Self.id(try one(relationship, of: node))
        return Property(name: relationship.name, type: nil, sql: id, node: node, relationship: relationship)
      }
      return property(relationship.name, relationship.column, nil, relationship)
    }
    if let relationship = entity.toOneRelationships.first(where: { $0.column.caseFolded == folded }) {
      return property(relationship.column, relationship.column, nil, nil)
    }
    if let fetched = entity.fetchedProperty(named: name) { throw .fetched(fetched.name, of: entity) }
    guard folded == "bolide_id" else { throw .noProperty(name, of: entity) }
    return property("bolide_id", "bolide_id", nil, nil)
  }
}
