/// Checks the attributes of a model: keys, and the rules that attributes set for their values.
enum AttributeCheck {
  /// Books what is wrong with the attributes of a pipeline's model.
  static func run(_ pipeline: Pipeline, _ list: inout ProblemList) {
    let knowsRecords = pipeline.model.entity(named: pipeline.entity) != nil
    for entity in pipeline.model.entities {
      checkKey(of: entity, pipeline, &list)
      for attribute in entity.attributes {
        let part = pipeline.part(of: entity.name, attribute: attribute.name)
        if attribute.derivation == nil {
          checkRules(of: attribute, at: part, &list)
        } else {
          checkDerived(attribute, at: part, &list)
        }
        if attribute.isTransient, attribute.derivation == nil, knowsRecords,
          !pipeline.bringsRecords(entity.name)
        {
          list.add(.transientWithoutRecords(attribute.name, of: entity), at: part)
        }
      }
    }
  }

  // MARK: Keys

  private static func checkKey(of entity: Entity, _ pipeline: Pipeline, _ list: inout ProblemList) {
    let attributes = pipeline.part(of: entity.name) + ["attributes"]
    let part = pipeline.part(of: entity.name) + ["key"]
    // A pipeline that names no entity has a greater worry.
    guard !entity.name.isEmpty else { return }
    if entity.attributes.isEmpty {
      list.add(.noAttributes(entity), at: attributes)
    }
    if entity.key.isEmpty {
      let example = pipeline.inverse(ofChildren: entity.name).map { "[\($0), at]" } ?? "id"
      list.add(.noKey(entity, example: example), at: part)
    }
    for (index, name) in entity.key.enumerated() {
      let part = part + ["\(index)"]
      if entity.key[..<index].contains(name) {
        list.add(.twiceInKey(name), at: part)
        continue
      }
      let inverse = pipeline.inverse(ofChildren: entity.name)
      if name == inverse { continue }
      // Of a model that was kept, nobody says any more which entity is whose children.
      if pipeline.entity.isEmpty, entity.relationship(named: name)?.kind == .toOne { continue }
      guard let attribute = entity.attribute(named: name) else {
        let names = entity.attributes.map(\.name) + [inverse].compactMap(\.self)
        list.add(.undeclaredInKey(name, of: entity, among: names), at: part, restingOn: [attributes])
        continue
      }
      if let reason = reasonAgainstKey(attribute) {
        list.add(.notInKey(name, reason), at: part, restingOn: [attributes + [name]])
      }
    }
  }

  private static func reasonAgainstKey(_ attribute: Attribute) -> Reason? {
    if attribute.derivation != nil { return .computed }
    if attribute.isTransient { return .transient }
    if attribute.isVolatile { return .volatileKey }
    if attribute.defaultValue == .null { return .keyWithNull }
    return nil
  }

  // MARK: Derived attributes

  private static func checkDerived(_ attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    let refused: [(isSet: Bool, key: String)] = [
      (attribute.isTransient, "transient"), (attribute.isVolatile, "volatile"),
      (attribute.isRequired, "required"),
      (attribute.defaultValue != nil, "default"), (!attribute.oneOf.isEmpty, "one-of"),
      (attribute.minimum != nil, "min"), (attribute.maximum != nil, "max"),
      (attribute.maximumLength != nil, "max-length"), (attribute.pattern != nil, "pattern"),
    ]
    for (isSet, key) in refused where isSet {
      list.add(.excludesDerived(key, attribute.name), at: part + [key])
    }
  }

  // MARK: Rules

  private static func checkRules(of attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    let (name, type) = (attribute.name, attribute.type)
    if case .decimal(let scale) = type, !(0...18).contains(scale) {
      list.add(.scaleOutOfRange(name, scale), at: part + ["scale"])
    }
    if !attribute.oneOf.isEmpty, !type.isCountable {
      list.add(.uncountable(name, type), at: part + ["one-of"])
    }
    for (key, limit) in [("min", attribute.minimum), ("max", attribute.maximum)]
    where limit != nil && !type.isOrdered {
      list.add(.unordered(key, name, type), at: part + [key])
    }
    if let length = attribute.maximumLength {
      if !type.hasLength {
        list.add(.withoutLength(name, type), at: part + ["max-length"])
      } else if length < 1 {
        list.add(.lengthTooSmall(name, length), at: part + ["max-length"])
      }
    }
    checkPattern(of: attribute, at: part, &list)
    if attribute.isRequired, attribute.defaultValue == .null {
      list.add(.requiredWithNull(name), at: part + ["default"])
    }
    let values = [
      ("default", attribute.defaultValue), ("min", attribute.minimum), ("max", attribute.maximum),
    ]
    for (key, value) in values + attribute.oneOf.map({ ("one-of", $0) }) {
      if case .real(let number) = value, !number.isFinite {
        list.add(.notFinite(key, name), at: part + [key])
      }
      guard let value, !(value == .null && key == "default"), value.storage != type.storage else { continue }
      list.add(.otherStorage(key, of: name, type), at: part + [key])
    }
    if let minimum = attribute.minimum, let maximum = attribute.maximum, maximum.isLess(than: minimum) {
      list.add(.emptyRange(name), at: part + ["min"])
    }
    checkDefault(of: attribute, at: part + ["default"], &list)
  }

  private static func checkPattern(of attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    guard let text = attribute.pattern else { return }
    guard attribute.type == .string else {
      return list.add(.withoutPattern(attribute.name, attribute.type), at: part + ["pattern"])
    }
    do {
      let pattern = try TextPattern(text)
      guard case .text(let value) = attribute.defaultValue, !pattern.matches(value) else { return }
      list.add(.defaultUnlikePattern(attribute.name), at: part + ["default"])
    } catch {
      list.add(.unreadablePattern(attribute.name, error.reason), at: part + ["pattern"])
    }
  }

  private static func checkDefault(of attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    guard let value = attribute.defaultValue, value != .null else { return }
    if !attribute.oneOf.isEmpty, !attribute.oneOf.contains(value) {
      list.add(.defaultNotAllowed(attribute.name), at: part)
    }
    let isTooSmall = attribute.minimum.map { value.isLess(than: $0) } ?? false
    let isTooLarge = attribute.maximum.map { $0.isLess(than: value) } ?? false
    if isTooSmall || isTooLarge {
      list.add(.defaultOutOfRange(attribute.name), at: part)
    }
    if case .text(let text) = value, let length = attribute.maximumLength, text.unicodeScalars.count > length
    {
      list.add(.defaultTooLong(attribute.name), at: part)
    }
  }
}

extension AttributeType {
  /// Whether a list of allowed values has a meaning.
  fileprivate var isCountable: Bool {
    switch self {
    case .string, .integer16, .integer32, .integer64: true
    default: false
    }
  }

  /// Whether a smallest and a largest value have a meaning.
  var isOrdered: Bool {
    switch self {
    case .date, .day: true
    default: isNumeric
    }
  }

  /// Whether a longest value has a meaning.
  fileprivate var hasLength: Bool {
    switch self {
    case .string, .json, .binary: true
    default: false
    }
  }
}

extension Value {
  /// How the value lies in a column; nil for null.
  fileprivate var storage: StorageClass? {
    switch self {
    case .null: nil
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }

  /// Whether the value comes before another of its kind.
  ///
  /// Values of different kinds have no order here.
  fileprivate func isLess(than other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.real(let a), .real(let b)): a < b
    case (.text(let a), .text(let b)): a < b
    default: false
    }
  }
}
