/// Checks the relationships of a model, and the attributes that are derived over them.
enum RelationshipCheck {
  /// Books what is wrong with the relationships and derivations of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      for relationship in entity.relationships { check(relationship, of: entity, pipeline, &list) }
      for attribute in entity.attributes {
        if let derivation = attribute.derivation {
          check(derivation, of: attribute, in: entity, pipeline, &list)
        }
      }
    }
  }

  // MARK: Relationships

  private static func check(
    _ relationship: Relationship, of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList
  ) {
    let name = relationship.name
    let part = pipeline.part(of: entity.name, relationship: name)
    if relationship.kind == .toOne, relationship.deleteRule != .nullify {
      list.add(
        "'on-delete' belongs to the to-many end of a relationship, and '\(name)' is to-one",
        at: part + ["on-delete"])
    }
    guard let destination = pipeline.model.entity(named: relationship.destination) else {
      let names = pipeline.model.entities.map(\.name)
      let ending = Suggestion.ending(for: relationship.destination, among: names, plural: "the entities are")
      let destination = part + [relationship.kind == .toOne ? "to-one" : "to-many"]
      list.add(
        "the relationship '\(name)' leads to '\(relationship.destination)', which is not declared\(ending)",
        at: destination, restingOn: [["entity"], pipeline.part(of: relationship.destination)])
      return
    }
    guard let inverse = relationship.inverse else {
      if relationship.kind == .toMany {
        list.add("the to-many relationship '\(name)' needs 'inverse', the to-one relationship back", at: part)
      }
      return
    }
    check(relationship, of: entity, inverse: inverse, in: destination, pipeline, &list)
  }

  private static func check(
    _ relationship: Relationship, of entity: Entity, inverse: String, in destination: Entity,
    _ pipeline: Pipeline,
    _ list: inout ProblemList
  ) {
    let name = relationship.name
    let part = pipeline.part(of: entity.name, relationship: name) + ["inverse"]
    let inversePart = pipeline.part(of: destination.name, relationship: inverse)
    guard let back = destination.relationship(named: inverse) else {
      let ending = Suggestion.ending(
        for: inverse, among: destination.relationships.map(\.name), plural: "its relationships are")
      list.add(
        "the inverse of '\(name)' is not declared: \(destination.name) has no '\(inverse)'\(ending)",
        at: part, restingOn: [inversePart])
      return
    }
    guard back.destination == entity.name else {
      list.add(
        "'\(inverse)' cannot be the inverse of '\(name)': it leads to \(back.destination), "
          + "not to \(entity.title)",
        at: part, restingOn: [inversePart])
      return
    }
    guard back.inverse == name else {
      list.add(
        back.inverse.map { "'\(inverse)' cannot be the inverse of '\(name)': its own inverse is '\($0)'" }
          ?? "'\(inverse)' cannot be the inverse of '\(name)': it must say `inverse: \(name)` too",
        at: part, restingOn: [inversePart])
      return
    }
    // Said once, at the end that comes first.
    if back.kind == relationship.kind, (entity.name, name) <= (destination.name, inverse) {
      let kind = back.kind == .toOne ? "to-one" : "to-many"
      list.add(
        "'\(name)' and its inverse '\(inverse)' are both \(kind), which is not supported: "
          + "one end is to-many and one to-one",
        at: part)
    }
  }

  // MARK: Derivations

  private static func check(
    _ derivation: Derivation, of attribute: Attribute, in entity: Entity, _ pipeline: Pipeline,
    _ list: inout ProblemList
  ) {
    let part = pipeline.part(of: entity.name, attribute: attribute.name)
    let over = derivation.relationship
    let overPart = pipeline.part(of: entity.name, relationship: over)
    guard let relationship = entity.relationship(named: over) else {
      let toMany = entity.relationships.filter { $0.kind == .toMany }.map(\.name)
      let ending = Suggestion.ending(for: over, among: toMany, plural: "its to-many relationships are")
      list.add(
        "\(entity.title) has no relationship '\(over)' to derive '\(attribute.name)' over\(ending)",
        at: part + ["derived"], restingOn: [overPart])
      return
    }
    guard relationship.kind == .toMany else {
      list.add(
        "'\(attribute.name)' is derived over '\(over)', which is to-one: it needs a to-many relationship",
        at: part + ["derived"])
      return
    }
    // Without the other end, the relationship's own sentence says enough.
    guard let children = pipeline.model.children(of: relationship)?.entity else { return }
    if case .sum(_, let summand) = derivation {
      let isSound = check(summand, in: children, summedBy: attribute, at: part + ["derived"], pipeline, &list)
      guard isSound else { return }
    }
    if let type = pipeline.model.type(of: derivation, in: entity), type != attribute.type {
      list.add(
        "'\(attribute.name)' is derived and comes out as \(type.name), not \(attribute.type.name): "
          + "leave the type out",
        at: part + ["type"])
    }
  }

  private static func check(
    _ summand: String, in children: Entity, summedBy attribute: Attribute, at part: [String],
    _ pipeline: Pipeline,
    _ list: inout ProblemList
  ) -> Bool {
    let summandPart = pipeline.part(of: children.name, attribute: summand)
    guard let child = children.attribute(named: summand) else {
      let numbers = children.attributes.filter(\.type.isNumeric).map(\.name)
      let ending = Suggestion.ending(for: summand, among: numbers, plural: "its numbers are")
      list.add(
        "\(children.name) has no attribute '\(summand)' to sum\(ending)", at: part, restingOn: [summandPart])
      return false
    }
    let reason: String? =
      if child.derivation != nil {
        "it is derived itself"
      } else if child.isTransient {
        "it is transient, so the store would not know it"
      } else if !child.type.isNumeric {
        "it is \(child.type.named), not a number"
      } else {
        nil
      }
    guard let reason else { return true }
    list.add("'\(attribute.name)' cannot sum '\(summand)': \(reason)", at: part, restingOn: [summandPart])
    return false
  }
}

extension Model {
  /// The type of a derivation's values; nil when it leads nowhere.
  ///
  /// A count and a sum of whole numbers have 64 bits, a sum of decimals keeps their scale, and a sum of real
  /// numbers is a double.
  package func type(of derivation: Derivation, in entity: Entity) -> AttributeType? {
    guard case .sum(let over, let summand) = derivation else { return .integer64 }
    guard let relationship = entity.relationship(named: over),
      let children = children(of: relationship)?.entity,
      let type = children.attribute(named: summand)?.type
    else { return nil }
    switch type {
    case .integer16, .integer32, .integer64: return .integer64
    case .decimal: return type
    case .float, .double: return .double
    default: return nil
    }
  }
}
