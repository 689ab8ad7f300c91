/// Checks the attributes that are derived: where their paths lead, and what stands there.
enum DerivationCheck {
  /// Books what is wrong with the derivations of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    for entity in pipeline.model.entities {
      for attribute in entity.attributes {
        guard let derivation = attribute.derivation else { continue }
        let place = Derived(entity: entity, attribute: attribute, pipeline: pipeline)
        let isSound: Bool
        switch derivation {
        case .aggregate(let aggregate): isSound = check(aggregate, place, &list)
        case .copy(let path): isSound = check(path, nil, place, &list)
        case .folded(let folding, let path): isSound = check(path, folding, place, &list)
        case .now: isSound = true
        }
        if isSound { checkWay(derivation, place, &list) }
      }
    }
  }

  /// The attribute in question.
  private struct Derived {
    let entity: Entity
    let attribute: Attribute
    let pipeline: Pipeline

    var part: [String] { pipeline.part(of: entity.name, attribute: attribute.name) }
    var derivedPart: [String] { part + ["derived"] }
  }

  /// No attribute is derived from itself, and its type is what comes out.
  private static func checkWay(_ derivation: Derivation, _ place: Derived, _ list: inout ProblemList) {
    let model = place.pipeline.model
    let name = DerivedName(entity: place.entity.name, attribute: place.attribute.name)
    if let cycle = model.cycle(from: name) {
      list.add(.circular(name.attribute, cycle), at: place.derivedPart)
      return
    }
    guard let type = model.type(of: derivation, in: place.entity), type != place.attribute.type else {
      return
    }
    if derivation == .now, case .date = place.attribute.type { return }
    list.add(
      .otherType(name.attribute, type, not: place.attribute.type), at: place.part + ["type"])
  }

  // MARK: Aggregates

  private static func check(
    _ aggregate: Derivation.Aggregate, _ place: Derived, _ list: inout ProblemList
  ) -> Bool {
    let (entity, over, pipeline) = (place.entity, aggregate.relationship, place.pipeline)
    guard let relationship = entity.relationship(named: over) else {
      list.add(
        .nothingToDeriveOver(over, of: entity, place.attribute.name), at: place.derivedPart,
        restingOn: [pipeline.part(of: entity.name, relationship: over)])
      return false
    }
    guard relationship.kind != .toOne else {
      list.add(.derivedOverToOne(place.attribute.name, over), at: place.derivedPart)
      return false
    }
    // Without the other end, the relationship's own sentence says enough.
    guard let children = pipeline.model.toMany(relationship)?.destination else { return false }
    guard let name = aggregate.attribute else { return true }
    return check(name, of: children, aggregate.function, place, &list)
  }

  private static func check(
    _ name: String, of children: Entity, _ function: Derivation.Function, _ place: Derived,
    _ list: inout ProblemList
  ) -> Bool {
    let part = place.pipeline.part(of: children.name, attribute: name)
    let takes: (AttributeType) -> Bool = function.isArithmetic ? \.isNumeric : \.isOrdered
    guard let child = children.attribute(named: name) else {
      let fitting = children.attributes.filter { takes($0.type) }.map(\.name)
      list.add(
        .nothingToAggregate(name, of: children, function, among: fitting), at: place.derivedPart,
        restingOn: [part])
      return false
    }
    let type = place.pipeline.model.type(of: child, in: children)
    let reason: Reason? =
      if child.isTransient {
        .transient
      } else if !takes(type) {
        .notTaken(type, by: function)
      } else {
        nil
      }
    guard let reason else { return true }
    list.add(
      .cannotAggregate(place.attribute.name, function, name, reason), at: place.derivedPart,
      restingOn: [part])
    return false
  }

  // MARK: Paths

  private static func check(
    _ path: [String], _ folding: TextFolding?, _ place: Derived, _ list: inout ProblemList
  ) -> Bool {
    let (pipeline, name) = (place.pipeline, place.attribute.name)
    var entity = place.entity
    for hop in path.dropLast() {
      guard let relationship = entity.relationship(named: hop) else {
        list.add(
          .nothingToDeriveAlong(hop, of: entity, name), at: place.derivedPart,
          restingOn: [pipeline.part(of: entity.name, relationship: hop)])
        return false
      }
      guard relationship.kind != .toMany else {
        list.add(.derivedAlongToMany(name, hop), at: place.derivedPart)
        return false
      }
      if relationship.kind == .hasOne, path.count > 2 || folding != nil {
        list.add(.derivedAlongHasOne(name, hop), at: place.derivedPart)
        return false
      }
      guard let next = pipeline.model.entity(named: relationship.destination) else { return false }
      entity = next
    }
    let last = path.last ?? ""
    let part = pipeline.part(of: entity.name, attribute: last)
    guard let source = entity.attribute(named: last) else {
      list.add(
        .nothingToDeriveFrom(last, of: entity, name), at: place.derivedPart, restingOn: [part])
      return false
    }
    let type = pipeline.model.type(of: source, in: entity)
    let reason: Reason? =
      if source.isTransient {
        .transient
      } else if let folding, type != .string {
        .notFolded(type, by: folding)
      } else {
        nil
      }
    guard let reason else { return true }
    list.add(.cannotDerive(name, from: last, reason), at: place.derivedPart, restingOn: [part])
    return false
  }
}
