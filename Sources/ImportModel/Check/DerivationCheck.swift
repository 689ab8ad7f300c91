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
      list.add(
        "'\(name.attribute)' is derived from itself: \(cycle.map(\.text).joined(separator: " from "))",
        at: place.derivedPart)
      return
    }
    guard let type = model.type(of: derivation, in: place.entity), type != place.attribute.type else {
      return
    }
    if derivation == .now, case .date = place.attribute.type { return }
    list.add(
      "'\(name.attribute)' is derived and comes out as \(type.name), not \(place.attribute.type.name): "
        + "leave the type out",
      at: place.part + ["type"])
  }

  // MARK: Aggregates

  private static func check(
    _ aggregate: Derivation.Aggregate, _ place: Derived, _ list: inout ProblemList
  ) -> Bool {
    let (entity, over, pipeline) = (place.entity, aggregate.relationship, place.pipeline)
    guard let relationship = entity.relationship(named: over) else {
      let toMany = entity.relationships.filter { $0.kind == .toMany }.map(\.name)
      let ending = Suggestion.ending(for: over, among: toMany, plural: "its to-many relationships are")
      list.add(
        "\(entity.title) has no relationship '\(over)' to derive '\(place.attribute.name)' over\(ending)",
        at: place.derivedPart, restingOn: [pipeline.part(of: entity.name, relationship: over)])
      return false
    }
    guard relationship.kind == .toMany else {
      list.add(
        "'\(place.attribute.name)' is derived over '\(over)', which is to-one: it needs a to-many relationship",
        at: place.derivedPart)
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
      let plural = function.isArithmetic ? "its numbers are" : "its numbers, dates and days are"
      let ending = Suggestion.ending(for: name, among: fitting, plural: plural)
      list.add(
        "\(children.name) has no attribute '\(name)' \(function.purpose)\(ending)", at: place.derivedPart,
        restingOn: [part])
      return false
    }
    let type = place.pipeline.model.type(of: child, in: children)
    let reason: String? =
      if child.isTransient {
        "it is transient, so the store would not know it"
      } else if !takes(type) {
        "it is \(type.named), not a \(function.isArithmetic ? "number" : "number, a date or a day")"
      } else {
        nil
      }
    guard let reason else { return true }
    list.add(
      "'\(place.attribute.name)' cannot \(function.verb) '\(name)': \(reason)", at: place.derivedPart,
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
        let toOne = entity.toOneRelationships.map(\.name)
        let ending = Suggestion.ending(for: hop, among: toOne, plural: "its to-one relationships are")
        list.add(
          "\(entity.title) has no relationship '\(hop)' to derive '\(name)' along\(ending)",
          at: place.derivedPart, restingOn: [pipeline.part(of: entity.name, relationship: hop)])
        return false
      }
      guard relationship.kind == .toOne else {
        list.add(
          "'\(name)' is derived along '\(hop)', which is to-many: a path follows to-one relationships, "
            + "and what is to-many needs an operator at the end",
          at: place.derivedPart)
        return false
      }
      guard let next = pipeline.model.entity(named: relationship.destination) else { return false }
      entity = next
    }
    let last = path.last ?? ""
    let part = pipeline.part(of: entity.name, attribute: last)
    guard let source = entity.attribute(named: last) else {
      let ending = Suggestion.ending(
        for: last, among: entity.attributes.map(\.name), plural: "its attributes are")
      list.add(
        "\(entity.title) has no attribute '\(last)' to derive '\(name)' from\(ending)", at: place.derivedPart,
        restingOn: [part])
      return false
    }
    let type = pipeline.model.type(of: source, in: entity)
    let reason: String? =
      if source.isTransient {
        "it is transient, so the store would not know it"
      } else if let folding, type != .string {
        "it is \(type.named), and \(folding.rawValue) is for strings"
      } else {
        nil
      }
    guard let reason else { return true }
    list.add(
      "'\(name)' cannot be derived from '\(last)': \(reason)", at: place.derivedPart, restingOn: [part])
    return false
  }
}

extension Derivation.Function {
  /// Whether it needs numbers, and not only an order.
  fileprivate var isArithmetic: Bool { self == .sum || self == .average }

  fileprivate var verb: String {
    switch self {
    case .count: "count"
    case .sum: "sum"
    case .min: "take the minimum of"
    case .max: "take the maximum of"
    case .average: "average"
    }
  }

  fileprivate var purpose: String {
    switch self {
    case .min: "to take the minimum of"
    case .max: "to take the maximum of"
    default: "to \(verb)"
    }
  }
}
