// What is said of derived attributes: of the text of a derivation, and of where it leads.

extension Message {
  static func circular(_ name: String, _ cycle: [DerivedName]) -> Message {
    Message("'\(name)' is derived from itself: \(cycle.map(\.text).joined(separator: " from "))")
  }

  static func otherType(_ name: String, _ type: AttributeType, not declared: AttributeType) -> Message {
    Message("'\(name)' is derived as \(type.name), not \(declared.name): remove the type")
  }

  // MARK: Aggregates

  static func nothingToDeriveOver(_ relationship: String, of entity: Entity, _ name: String) -> Message {
    let toMany = entity.relationships.filter { $0.kind != .toOne }.map(\.name)
    let ending = Suggestion.ending(for: relationship, among: toMany, plural: "its to-many relationships are")
    return Message("\(entity.title) has no relationship '\(relationship)' to derive '\(name)' over\(ending)")
  }

  static func derivedOverToOne(_ name: String, _ relationship: String) -> Message {
    Message("'\(name)' is derived over '\(relationship)', which is to-one: it needs a to-many relationship")
  }

  /// - Parameter fitting: the attributes that the function takes.
  static func nothingToAggregate(
    _ name: String, of children: Entity, _ function: Derivation.Function, among fitting: [String]
  ) -> Message {
    let plural = function.isArithmetic ? "its numbers are" : "its numbers, dates and days are"
    let ending = Suggestion.ending(for: name, among: fitting, plural: plural)
    return Message("\(children.name) has no attribute '\(name)' to \(function.verb)\(ending)")
  }

  static func cannotAggregate(
    _ name: String, _ function: Derivation.Function, _ source: String, _ reason: Reason
  ) -> Message {
    Message("'\(name)' cannot \(function.verb) '\(source)': \(reason.text)")
  }

  // MARK: Paths

  static func nothingToDeriveAlong(_ hop: String, of entity: Entity, _ name: String) -> Message {
    let toOne = entity.toOneRelationships.map(\.name)
    let ending = Suggestion.ending(for: hop, among: toOne, plural: "its to-one relationships are")
    return Message("\(entity.title) has no relationship '\(hop)' to derive '\(name)' along\(ending)")
  }

  static func derivedAlongToMany(_ name: String, _ hop: String) -> Message {
    Message(
      "'\(name)' is derived along '\(hop)', which is to-many: a path follows to-one relationships, "
        + "and what is to-many needs an operator at the end")
  }

  static func derivedAlongHasOne(_ name: String, _ hop: String) -> Message {
    Message(
      "'\(name)' is derived along '\(hop)', which is has-one: only a plain copy over it alone is supported, as in "
        + "\(hop).name, and another attribute may be derived from that copy")
  }

  static func nothingToDeriveFrom(_ source: String, of entity: Entity, _ name: String) -> Message {
    let ending = Suggestion.ending(
      for: source, among: entity.attributes.map(\.name), plural: "its attributes are")
    return Message("\(entity.title) has no attribute '\(source)' to derive '\(name)' from\(ending)")
  }

  static func cannotDerive(_ name: String, from source: String, _ reason: Reason) -> Message {
    Message("'\(name)' cannot be derived from '\(source)': \(reason.text)")
  }
}

extension Reason {
  static func notTaken(_ type: AttributeType, by function: Derivation.Function) -> Reason {
    Reason("it is \(type.named), not a \(function.isArithmetic ? "number" : "number, a date or a day")")
  }

  static func notFolded(_ type: AttributeType, by folding: TextFolding) -> Reason {
    Reason("it is \(type.named), and \(folding.rawValue) is for strings")
  }
}

extension Derivation.Function {
  /// Whether it needs numbers, and not only an order.
  var isArithmetic: Bool { self == .sum || self == .average }

  fileprivate var verb: String {
    switch self {
    case .count: "count"
    case .sum: "sum"
    case .min: "take the minimum of"
    case .max: "take the maximum of"
    case .average: "average"
    }
  }
}

// MARK: The text of a derivation

extension DerivationError {
  private static let forms =
    "supported are a path such as group.name, relationship.@count, relationship.attribute.@sum, @min, @max or "
    + "@average, canonical:(path), uppercase:(path), lowercase:(path) and now()"

  static func filterWithoutAggregate(_ text: String) -> DerivationError {
    DerivationError(message: "'where' is for aggregates, and '\(text)' is not one")
  }

  static let argumentOfNow = DerivationError(message: "now() takes no argument")

  static func unsupported(_ name: String) -> DerivationError {
    DerivationError(message: "the derivation '\(name)' is not supported; \(forms)")
  }

  static func withoutColon(_ name: String) -> DerivationError {
    DerivationError(message: "\(name) is written with a colon, as in \(name):(group.name)")
  }

  static func notAPath(_ part: String, in name: String) -> DerivationError {
    DerivationError(message: "\(name) takes a path of names, and '\(part)' is not a name")
  }

  static func operatorInside(_ name: String) -> DerivationError {
    DerivationError(message: "the operator \(name) must come last")
  }

  static let severalOperators = DerivationError(message: "a derivation has one operator, and it comes last")

  static func unsupportedOperator(_ name: String) -> DerivationError {
    let operators = Derivation.Function.allCases.map { "@\($0.rawValue)" }.listed
    return DerivationError(message: "the operator \(name) is not supported; the operators are \(operators)")
  }

  static let countOfAttribute = DerivationError(
    message: "@count follows one to-many relationship, as in fireballs.@count")

  static func operatorAlone(_ name: String) -> DerivationError {
    DerivationError(
      message: "\(name) follows one to-many relationship and one attribute, as in fireballs.energy.\(name)")
  }

  static func emptyName(in path: String) -> DerivationError {
    DerivationError(message: "'\(path)' is not a path: a name is missing beside a dot")
  }
}
