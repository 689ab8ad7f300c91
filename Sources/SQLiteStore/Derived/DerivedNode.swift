package import ImportModel
internal import RowExpressions

/// A derived attribute of a store's model: what it reads, and how it is kept true.
package struct DerivedNode {
  /// What it is computed from. A copy over a has-one relationship is the largest value of one object at most.
  enum Source {
    /// The clock.
    case clock
    /// One attribute at the end of a path.
    case path(DerivedPath)
    /// The objects of a to-many relationship.
    case children(DerivedChildren)
  }

  package let entity: Entity
  package let attribute: Attribute
  /// The number by which `bolide_dirty` and history know it.
  package let property: Int64
  /// What it reads has a lower rank.
  let rank: Int
  let source: Source

  /// The path of one that is no aggregate.
  var path: DerivedPath? {
    if case .path(let path) = source { path } else { nil }
  }

  var children: DerivedChildren? {
    if case .children(let children) = source { children } else { nil }
  }

  /// Whether it is the object's own: from the clock, or along a path.
  var isScalar: Bool { children == nil }

  /// Whether nothing but the clock tells it.
  var isFromClock: Bool { path == nil && children == nil }

  /// Whether another one is what it reads.
  func reads(_ other: DerivedNode) -> Bool {
    switch source {
    case .clock: false
    case .path(let path):
      path.attribute.name == other.attribute.name
        && path.entity(after: path.hops.count, from: entity).name == other.entity.name
    case .children(let children):
      children.attribute?.name == other.attribute.name && children.objects.name == other.entity.name
    }
  }

  /// Whether triggers write it at once; the others wait in `bolide_dirty`.
  var isKeptAtOnce: Bool {
    switch source {
    case .clock: true
    case .path(let path): path.folding == nil && path.hops.count < 2 && path.attribute.derivation == nil
    case .children(let children):
      !children.readsThroughLinks && children.filter == nil && children.attribute?.derivation == nil
        && (children.function == .count || children.function == .sum)
    }
  }
}

/// The way from an object along to-one relationships to the attribute of another, or to one of its own.
struct DerivedPath {
  let hops: [(relationship: Relationship, destination: Entity)]
  let attribute: Attribute
  let folding: TextFolding?

  /// The entity after so many hops.
  func entity(after count: Int, from start: Entity) -> Entity {
    count == 0 ? start : hops[count - 1].destination
  }
}

/// The objects that an aggregate runs over, and what it takes of them.
struct DerivedChildren {
  /// The entity whose rows hold the owner's id: that of the objects, or the one of their links.
  let entity: Entity
  /// Its relationship to the owner.
  let toOne: Relationship
  /// Where the rows are links, their relationship to the objects, and the objects' entity.
  let onward: (relationship: Relationship, entity: Entity)?
  let function: Derivation.Function
  /// The attribute; nil for a count.
  let attribute: Attribute?
  let filter: String?
  /// The attributes that the filter reads.
  let filterAttributes: [String]

  /// The entity of the objects.
  var objects: Entity { onward?.entity ?? entity }

  /// Whether something is read of objects that links lead to. To count links, they are enough.
  var readsThroughLinks: Bool { onward != nil && (attribute != nil || filter != nil) }

  /// The stored attributes that are read of an object: a change of one of them is a change of the aggregate.
  var readAttributes: [String] {
    [attribute].compactMap(\.self).filter { $0.derivation == nil }.map(\.name) + filterAttributes
  }
}

/// The derived attributes of a model, those that are read before those that read them.
package struct DerivedPlan {
  package let nodes: [DerivedNode]

  /// - Parameter nodes: those of lower rank first.
  init(nodes: [DerivedNode]) { self.nodes = nodes }

  package init(_ model: Model, _ numbers: PropertyNumbers) throws {
    var nodes: [DerivedNode] = []
    for entity in model.entities {
      let columns = numbers.columns(of: entity)
      for attribute in entity.derivedAttributes {
        guard let derivation = attribute.derivation,
          let source = try Self.source(derivation, entity, model),
          let property = columns.first(where: { $0.name == attribute.name })?.number
        else { continue }
        let rank = model.rank(of: DerivedName(entity: entity.name, attribute: attribute.name))
        nodes.append(
          DerivedNode(entity: entity, attribute: attribute, property: property, rank: rank, source: source))
      }
    }
    self.nodes = nodes.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element)
  }

  /// The nodes that are an entity's own attributes and no aggregates.
  func scalars(of entity: Entity) -> [DerivedNode] {
    nodes.filter { $0.isScalar && $0.entity.name == entity.name }
  }

  /// The paths that come by an entity after some hops, or end there.
  func paths(by entity: Entity) -> [(node: DerivedNode, path: DerivedPath, hop: Int)] {
    nodes.flatMap { node -> [(DerivedNode, DerivedPath, Int)] in
      guard let path = node.path, !path.hops.isEmpty else { return [] }
      return (1...path.hops.count).filter { path.hops[$0 - 1].destination.name == entity.name }
        .map { (node, path, $0) }
    }
  }

  /// The aggregates over an entity's rows, which are the objects or their links.
  func aggregates(over entity: Entity) -> [(node: DerivedNode, children: DerivedChildren)] {
    nodes.compactMap { node in
      guard let children = node.children, children.entity.name == entity.name else { return nil }
      return (node, children)
    }
  }

  /// The aggregates that read an entity's objects through links.
  func aggregates(throughLinksTo entity: Entity) -> [(node: DerivedNode, children: DerivedChildren)] {
    nodes.compactMap { node in
      guard let children = node.children, children.readsThroughLinks, children.objects.name == entity.name
      else {
        return nil
      }
      return (node, children)
    }
  }

  private static func source(
    _ derivation: Derivation, _ entity: Entity, _ model: Model
  ) throws -> DerivedNode.Source? {
    switch derivation {
    case .now: return .clock
    case .copy(let path), .folded(_, let path):
      if let (_, one, attribute) = model.copyOfOne(along: path, from: entity) {
        return .children(
          DerivedChildren(
            entity: one.holder, toOne: one.toOne, onward: nil, function: .max, attribute: attribute,
            filter: nil,
            filterAttributes: []))
      }
      guard let (_, attribute) = model.source(of: derivation, in: entity),
        let hops = model.hops(along: path, from: entity)
      else { return nil }
      var folding: TextFolding?
      if case .folded(let wanted, _) = derivation { folding = wanted }
      return .path(DerivedPath(hops: hops, attribute: attribute, folding: folding))
    case .aggregate(let aggregate):
      guard let relationship = entity.relationship(named: aggregate.relationship),
        let toMany = model.toMany(relationship)
      else { return nil }
      let objects = toMany.destination
      let used =
        try aggregate.filter.map { try ExpressionCheck(objects.filterable).attributes(usedBy: $0) } ?? []
      return .children(
        DerivedChildren(
          entity: toMany.holder, toOne: toMany.toOne, onward: toMany.onward.map { ($0, objects) },
          function: aggregate.function,
          attribute: aggregate.attribute.flatMap { objects.attribute(named: $0) },
          filter: try aggregate.filter.map { try DecimalNumbers.numbers(in: $0, of: objects.filterable) },
          filterAttributes: used.sorted()))
    }
  }
}

extension Attribute {
  /// The columns behind a derived one's own, with their types.
  ///
  /// A sum of reals is the first of four parts, the others are there: null for the last where four do not hold it, and
  /// it is computed anew with each change; see `ExactSum`. An average has the number of values and all parts of their sum.
  var hiddenColumns: [(name: String, type: StorageClass)] {
    let parts = (2...4).map { (name: "bolide_\(name)_\($0)", type: StorageClass.real) }
    return switch derivation?.aggregate?.function {
    case .sum where type.storage == .real: parts
    case .average: [("bolide_\(name)_count", .integer), ("bolide_\(name)_sum", .real)] + parts
    default: []
    }
  }

  /// Whether it is a sum in parts.
  var hasParts: Bool { isTotal && type.storage == .real }

  /// Whether it is a count: never null.
  var isCount: Bool { derivation?.aggregate?.function == .count }
}
