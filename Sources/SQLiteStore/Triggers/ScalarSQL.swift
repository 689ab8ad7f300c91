internal import ImportModel
internal import SQLiteAccess

/// The derived attributes of an object's own that triggers write at once: from the clock, and copies over one hop.
struct ScalarSQL {
  private let entity: Entity
  private let number: Int64
  private let own: [DerivedNode]
  /// Copies that other objects have of this one's attributes.
  private let copies: [(node: DerivedNode, path: DerivedPath)]

  init(_ entity: Entity, _ plan: DerivedPlan, _ numbers: PropertyNumbers) {
    self.entity = entity
    number = numbers.entity(entity.name)
    own = plan.scalars(of: entity).filter(\.isKeptAtOnce)
    copies = plan.paths(by: entity).filter { $0.node.isKeptAtOnce }.map { ($0.node, $0.path) }
  }

  var inserted: [String] {
    deriving(own.isEmpty ? [] : update(own, when: nil))
  }

  var updated: [String] {
    var statements: [String] = []
    let clocks = own.filter { $0.path == nil }
    if !clocks.isEmpty {
      let columns =
        entity.writableAttributes.filter { !$0.isVolatile }.map(\.name)
        + entity.toOneRelationships.map(\.column)
      statements += update(clocks, when: columns.map(Triggers.isChanged).joined(separator: " OR "))
    }
    let paths = own.filter { $0.path != nil }
    if !paths.isEmpty {
      let differs = paths.map { "\(quoted($0.attribute.name)) IS NOT \(value($0))" }
      statements += update(paths, when: differs.joined(separator: " OR "))
    }
    statements += copies.flatMap { node, path in
      let (copy, source) = (quoted(node.attribute.name), quoted(path.attribute.name))
      let isChanged = Triggers.isChanged(path.attribute.name)
      let isMeant =
        "\(quoted(path.hops[0].relationship.column)) = NEW.bolide_id AND \(copy) IS NOT NEW.\(source)"
      let table = quoted(node.entity.name)
      return [
        "UPDATE \(table) SET \(copy) = NEW.\(source) WHERE \(isChanged) AND \(isMeant)",
        ForeignSQL.check(node.entity, "\(isChanged) AND EXISTS (SELECT 1 FROM \(table) WHERE \(isMeant))"),
      ]
    }
    return deriving(statements)
  }

  private func deriving(_ statements: [String]) -> [String] {
    statements.isEmpty
      ? []
      : [ForeignSQL.begin(number, "NEW.bolide_id")] + statements + [ForeignSQL.end(number, "NEW.bolide_id")]
  }

  private func update(_ nodes: [DerivedNode], when condition: String?) -> [String] {
    let table = quoted(entity.name)
    let assignments = nodes.map { "\(quoted($0.attribute.name)) = \(value($0))" }.joined(separator: ", ")
    let isMeant = "bolide_id = NEW.bolide_id" + (condition.map { " AND (\($0))" } ?? "")
    return [
      "UPDATE \(table) SET \(assignments) WHERE \(isMeant)",
      ForeignSQL.check(entity, "changes() = 0 AND EXISTS (SELECT 1 FROM \(table) WHERE \(isMeant))"),
    ]
  }

  private func value(_ node: DerivedNode) -> String {
    if let path = node.path { return path.value { "NEW.\(quoted($0))" } }
    let seconds =
      switch node.attribute.precision {
      case .seconds: "%S"
      case .milliseconds: "%f"
      case .microseconds: "%f000"
      }
    return "strftime('%Y-%m-%dT%H:%M:\(seconds)Z', 'now')"
  }
}
