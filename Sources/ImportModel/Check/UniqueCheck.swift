/// Checks the constraints that an entity has besides its key.
enum UniqueCheck {
  /// Books what is wrong with the constraints of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      let part = pipeline.part(of: entity.name) + ["unique"]
      var seen: Set<Set<String>> = [Set(entity.key)]
      for (index, constraint) in entity.uniquenessConstraints.enumerated() {
        let part = part + ["\(index)"]
        if constraint.isEmpty { list.add("a constraint of \(entity.title) names no attribute", at: part) }
        for (index, name) in constraint.enumerated() {
          check(name, constraint[..<index], of: entity, pipeline, at: part + ["\(index)"], &list)
        }
        guard !constraint.isEmpty, !seen.insert(Set(constraint)).inserted else { continue }
        list.add(
          Set(constraint) == Set(entity.key)
            ? "the key of \(entity.title) is unique anyway: leave it out of 'unique'"
            : "the constraint on \(constraint.listed) is declared twice",
          at: part)
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
      return list.add("the attribute '\(name)' is in the constraint twice", at: part)
    }
    guard let attribute = entity.attribute(named: name) else {
      let ending = Suggestion.ending(
        for: name, among: entity.attributes.map(\.name), plural: "the attributes are")
      return list.add(
        "the unique attribute '\(name)' is not declared in \(entity.title)\(ending)", at: part,
        restingOn: [attributes])
    }
    guard let reason = reason(against: attribute) else { return }
    list.add("'\(name)' cannot be unique: \(reason)", at: part, restingOn: [attributes + [name]])
  }

  private static func reason(against attribute: Attribute) -> String? {
    if attribute.derivation != nil { return "the store computes it" }
    if attribute.isTransient { return "it is transient, so the store would not know it" }
    if attribute.isVolatile { return "it is volatile, so the store may hold an older value" }
    if attribute.defaultValue == .null {
      return "its default is null, and a unique attribute is always required"
    }
    if !attribute.isRequired { return "it is not required, and nulls are never equal" }
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
          "a link makes a \(owner.name) of its key alone, and \(constraint.listed) would be the same in all of them",
          at: ["link", link.relationship], restingOn: [pipeline.part(of: owner.name) + ["unique"]])
      }
    }
  }
}

extension [String] {
  /// `a`, `a and b`, `a, b and c`.
  package var listed: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
