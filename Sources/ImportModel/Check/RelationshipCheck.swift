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
        list.add("the to-many relationship '\(name)' needs 'inverse', the relationship back", at: part)
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
    guard back.kind == relationship.kind else { return }
    if relationship.kind == .toMany, relationship.deleteRule == .cascade {
      list.add(
        "a \(destination.name) may belong to other objects too, so 'cascade' is not supported between two to-many ends: "
          + "leave it out, and the links go, or say `deny`",
        at: pipeline.part(of: entity.name, relationship: name) + ["on-delete"])
    }
    // Said once, at the end that comes first.
    guard (entity.name, name) <= (destination.name, inverse) else { return }
    if relationship.kind == .toOne {
      list.add(
        "'\(name)' and its inverse '\(inverse)' are both to-one, which is not supported: "
          + "one end is to-many and one to-one",
        at: part)
    } else if name.caseFolded == inverse.caseFolded {
      list.add(
        "'\(name)' and its inverse '\(inverse)' need different names: the table of their links has a column for each",
        at: part)
    }
  }
}
