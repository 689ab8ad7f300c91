/// Checks the constraints that an entity has besides its key.
enum UniqueCheck {
  /// Books what is wrong with the constraints of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      let part = pipeline.part(of: entity.name) + ["unique"]
      var seen: Set<Set<String>> = [Set(entity.key)]
      for (index, constraint) in entity.uniquenessConstraints.enumerated() {
        let part = part + ["\(index)"]
        if constraint.isEmpty { list.add(.emptyConstraint(entity), at: part) }
        for (index, name) in constraint.enumerated() {
          check(name, constraint[..<index], of: entity, pipeline, at: part + ["\(index)"], &list)
        }
        guard !constraint.isEmpty, !seen.insert(Set(constraint)).inserted else { continue }
        list.add(
          Set(constraint) == Set(entity.key) ? .keyIsUnique(entity) : .constraintTwice(constraint), at: part)
      }
    }
    checkOwners(pipeline, &list)
  }

  private static func check(
    _ name: String, _ before: ArraySlice<String>, of entity: Entity, _ pipeline: Pipeline, at part: [String],
    _ list: inout ProblemList
  ) {
    let attributes = pipeline.part(of: entity.name) + ["attributes"]
    guard !before.contains(name) else {
      return list.add(.twiceInConstraint(name), at: part)
    }
    guard let attribute = entity.attribute(named: name) else {
      return list.add(.undeclaredUnique(name, of: entity), at: part, restingOn: [attributes])
    }
    guard let reason = reason(against: attribute) else { return }
    list.add(.notUnique(name, reason), at: part, restingOn: [attributes + [name]])
  }

  private static func reason(against attribute: Attribute) -> Reason? {
    if attribute.derivation != nil { return .computed }
    if attribute.isTransient { return .transient }
    if attribute.isVolatile { return .volatile }
    if attribute.defaultValue == .null { return .uniqueWithNull }
    if !attribute.isRequired { return .optional }
    return nil
  }

  /// A link makes owners of their key alone: with the same defaults, the second would clash with the first.
  private static func checkOwners(_ pipeline: Pipeline, _ list: inout ProblemList) {
    guard let entity = pipeline.model.entity(named: pipeline.entity) else { return }
    for link in pipeline.links {
      guard let destination = entity.relationship(named: link.relationship)?.destination,
        let owner = pipeline.model.entity(named: destination)
      else { continue }
      for constraint in owner.uniquenessConstraints where !Set(constraint).isSuperset(of: owner.key) {
        list.add(
          .linkMakesTheSame(owner, constraint), at: ["link", link.relationship],
          restingOn: [pipeline.part(of: owner.name) + ["unique"]])
      }
    }
  }
}
