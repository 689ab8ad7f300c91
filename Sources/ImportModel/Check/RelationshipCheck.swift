/// Checks the relationships of a model.
enum RelationshipCheck {
  /// Books what is wrong with the relationships of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      for relationship in entity.relationships { check(relationship, of: entity, pipeline, &list) }
    }
  }

  // MARK: Relationships

  private static func check(
    _ relationship: Relationship, of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList
  ) {
    let name = relationship.name
    let part = pipeline.part(of: entity.name, relationship: name)
    if relationship.kind == .toOne, relationship.deleteRule != .nullify {
      list.add(.deleteRuleOfToOne(name), at: part + ["on-delete"])
    }
    guard let destination = pipeline.model.entity(named: relationship.destination) else {
      let destination = part + [relationship.kind.word]
      list.add(
        .leadsNowhere(relationship, pipeline.model), at: destination,
        restingOn: [["entity"], pipeline.part(of: relationship.destination)])
      return
    }
    guard let inverse = relationship.inverse else {
      if relationship.kind != .toOne {
        list.add(.withoutInverse(name, relationship.kind), at: part)
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
      list.add(
        .undeclaredInverse(inverse, of: name, in: destination), at: part, restingOn: [inversePart])
      return
    }
    guard back.destination == entity.name else {
      list.add(
        .notInverse(inverse, of: name, .leads(to: back.destination, not: entity)), at: part,
        restingOn: [inversePart])
      return
    }
    guard back.inverse == name else {
      let reason = back.inverse.map(Reason.otherInverse) ?? .mustSayInverse(name)
      list.add(.notInverse(inverse, of: name, reason), at: part, restingOn: [inversePart])
      return
    }
    guard back.kind == relationship.kind else {
      if relationship.kind == .hasOne, back.kind == .toMany { list.add(.oneAndMany(name, inverse), at: part) }
      return
    }
    if relationship.kind == .toMany, relationship.deleteRule == .cascade {
      list.add(
        .cascadeToShared(destination), at: pipeline.part(of: entity.name, relationship: name) + ["on-delete"])
    }
    // Said once, at the end that comes first.
    guard (entity.name, name) <= (destination.name, inverse) else { return }
    if relationship.kind == .toOne {
      list.add(.bothToOne(name, inverse), at: part)
    } else if relationship.kind == .hasOne {
      list.add(.bothHasOne(name, inverse), at: part)
    } else if name.caseFolded == inverse.caseFolded {
      list.add(.sameNamesOfLinks(name, inverse), at: part)
    }
  }
}

extension Relationship.Kind {
  /// The key of a pipeline file that says it.
  var word: String {
    switch self {
    case .toOne: "to-one"
    case .hasOne: "has-one"
    case .toMany: "to-many"
    }
  }
}
