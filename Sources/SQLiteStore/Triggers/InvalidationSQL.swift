internal import ImportModel
internal import SQLiteAccess

/// A row for `bolide_dirty`, as SQL.
struct Invalidation {
  private let select: String

  /// - Parameters:
  ///   - object: the object's id; null marks nothing.
  ///   - source: where the object comes from, if not from the row that changes.
  init(
    _ property: Int64, hop: Int = 0, _ object: String, from source: String? = nil,
    when condition: String? = nil
  ) {
    select =
      "SELECT \(property) AS property, \(hop) AS hop, \(object) AS object"
      + (source.map { " FROM \($0)" } ?? "")
      + (condition.map { " WHERE \($0)" } ?? "")
  }

  /// The statement that writes marks, those that are not there yet; none for no marks.
  ///
  /// Not OR IGNORE: the policy of the statement that fires the trigger, such as OR FAIL, would replace it. UNION, or reading the
  /// table that is written, would make a temporary table for each row.
  static func insert(_ marks: [Invalidation]) -> [String] {
    guard !marks.isEmpty else { return [] }
    return [
      "INSERT INTO bolide_dirty(property, hop, object) SELECT property, hop, object FROM (\n    "
        + marks.map(\.select).joined(separator: "\n    UNION ALL ")
        + ")\n    WHERE object IS NOT NULL ON CONFLICT DO NOTHING"
    ]
  }
}

/// What the triggers of a table leave in `bolide_dirty` for the next Bolide command.
struct InvalidationSQL {
  private let entity: Entity
  private let plan: DerivedPlan
  private let model: Model

  init(_ entity: Entity, _ plan: DerivedPlan, _ model: Model) {
    self.entity = entity
    self.plan = plan
    self.model = model
  }

  var inserted: [String] {
    var marks = scalars.map { Invalidation($0.property, "NEW.bolide_id") }
    marks += aggregates.map { Invalidation($0.node.property, link($0.children, "NEW")) }
    // A program that leaves foreign keys off may have written children, or whoever leads here, beforehand.
    for case let (node, children?) in plan.nodes.map({ ($0, $0.children) })
    where node.entity.name == entity.name {
      marks.append(
        Invalidation(node.property, "NEW.bolide_id", when: leadsHere(children.entity, children.toOne)))
    }
    for (node, path, hop) in plan.paths(by: entity) {
      let before = path.entity(after: hop - 1, from: node.entity)
      marks.append(
        Invalidation(
          node.property, hop: hop, "NEW.bolide_id", when: leadsHere(before, path.hops[hop - 1].relationship)))
    }
    for (node, children) in throughLinks {
      guard let onward = children.onward else { continue }
      marks.append(
        Invalidation(
          node.property, hop: 1, "NEW.bolide_id", when: leadsHere(children.entity, onward.relationship)))
    }
    return Invalidation.insert(marks)
  }

  var updated: [String] {
    var marks: [Invalidation] = []
    for node in scalars {
      guard let path = node.path else { continue }
      let read = path.hops.first.map(\.relationship.column) ?? path.attribute.name
      guard !path.hops.isEmpty || path.attribute.derivation == nil else { continue }
      marks.append(Invalidation(node.property, "NEW.bolide_id", when: differs([read])))
    }
    for (node, children) in aggregates {
      let changed = differs(
        [children.toOne.column]
          + (children.onward.map { [$0.relationship.column] } ?? children.readAttributes))
      for row in ["OLD", "NEW"] {
        marks.append(Invalidation(node.property, link(children, row), when: changed))
      }
    }
    for (node, path, hop) in plan.paths(by: entity) where !node.isKeptAtOnce {
      let isEnd = hop == path.hops.count
      guard !isEnd || path.attribute.derivation == nil else { continue }
      let read = isEnd ? path.attribute.name : path.hops[hop].relationship.column
      marks.append(Invalidation(node.property, hop: hop, "NEW.bolide_id", when: differs([read])))
    }
    for (node, children) in throughLinks where !children.readAttributes.isEmpty {
      marks.append(
        Invalidation(node.property, hop: 1, "NEW.bolide_id", when: differs(children.readAttributes)))
    }
    return Invalidation.insert(marks)
  }

  var deleted: [String] {
    Invalidation.insert(aggregates.map { Invalidation($0.node.property, link($0.children, "OLD")) })
  }

  /// What reads the entity's own derived attributes.
  var derived: [String] {
    var marks: [Invalidation] = []
    for node in plan.nodes {
      if let path = node.path, path.attribute.derivation != nil,
        path.entity(after: path.hops.count, from: node.entity).name == entity.name
      {
        marks.append(
          Invalidation(
            node.property, hop: path.hops.count, "NEW.bolide_id", when: differs([path.attribute.name])))
      }
      if let children = node.children, let attribute = children.attribute, attribute.derivation != nil,
        children.objects.name == entity.name
      {
        let isLinked = children.onward != nil
        marks.append(
          Invalidation(
            node.property, hop: isLinked ? 1 : 0, isLinked ? "NEW.bolide_id" : link(children, "NEW"),
            when: differs([attribute.name])))
      }
    }
    return Invalidation.insert(marks)
  }

  private var scalars: [DerivedNode] { plan.scalars(of: entity).filter { !$0.isKeptAtOnce } }

  private var aggregates: [(node: DerivedNode, children: DerivedChildren)] {
    plan.aggregates(over: entity).filter { !$0.node.isKeptAtOnce }
  }

  private var throughLinks: [(node: DerivedNode, children: DerivedChildren)] {
    plan.aggregates(throughLinksTo: entity)
  }

  private func link(_ children: DerivedChildren, _ row: String) -> String {
    "\(row).\(quoted(children.toOne.column))"
  }

  private func leadsHere(_ from: Entity, _ relationship: Relationship) -> String {
    "EXISTS (SELECT 1 FROM \(quoted(from.name)) WHERE \(quoted(relationship.column)) = NEW.bolide_id)"
  }

  private func differs(_ columns: [String]) -> String {
    "(" + columns.map(Triggers.isChanged).joined(separator: " OR ") + ")"
  }
}
