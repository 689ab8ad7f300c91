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
          list.add(
            "'\(attribute.name)' cannot be transient, as no record becomes a \(entity.title)", at: part)
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
      list.add("\(entity.title) has no attributes: declare at least one", at: attributes)
    }
    if entity.key.isEmpty {
      let example = pipeline.inverse(ofChildren: entity.name).map { "[\($0), at]" } ?? "id"
      list.add(
        "\(entity.title) has no key: say which attributes identify an object, as in `key: \(example)`",
        at: part)
    }
    for (index, name) in entity.key.enumerated() {
      let part = part + ["\(index)"]
      if entity.key[..<index].contains(name) {
        list.add("the attribute '\(name)' is in the key twice", at: part)
        continue
      }
      let inverse = pipeline.inverse(ofChildren: entity.name)
      if name == inverse { continue }
      guard let attribute = entity.attribute(named: name) else {
        let names = entity.attributes.map(\.name) + [inverse].compactMap(\.self)
        let ending = Suggestion.ending(for: name, among: names, plural: "the attributes are")
        list.add(
          "the key attribute '\(name)' is not declared in \(entity.title)\(ending)", at: part,
          restingOn: [attributes])
        continue
      }
      if let reason = reasonAgainstKey(attribute) {
        list.add("'\(name)' cannot be in a key: \(reason)", at: part, restingOn: [attributes + [name]])
      }
    }
  }

  private static func reasonAgainstKey(_ attribute: Attribute) -> String? {
    if attribute.derivation != nil { return "the store computes it" }
    if attribute.isTransient { return "it is transient, so the store would not know it" }
    if attribute.isVolatile { return "it is volatile, and a key must not change" }
    if attribute.defaultValue == .null { return "its default is null, and a key is always required" }
    return nil
  }

  // MARK: Derived attributes

  private static func checkDerived(_ attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    let refused: [(isSet: Bool, key: String)] = [
      (attribute.isTransient, "transient"), (attribute.isVolatile, "volatile"),
      (attribute.isRequired, "required"),
      (attribute.defaultValue != nil, "default"), (!attribute.oneOf.isEmpty, "one-of"),
      (attribute.minimum != nil, "min"), (attribute.maximum != nil, "max"),
      (attribute.maximumLength != nil, "max-length"),
    ]
    for (isSet, key) in refused where isSet {
      list.add("'\(key)' and 'derived' exclude each other in '\(attribute.name)'", at: part + [key])
    }
  }

  // MARK: Rules

  private static func checkRules(of attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    let (name, type) = (attribute.name, attribute.type)
    if case .decimal(let scale) = type, !(0...18).contains(scale) {
      list.add("the scale of '\(name)' is \(scale); a decimal keeps 0 to 18 decimals", at: part + ["scale"])
    }
    if !attribute.oneOf.isEmpty, !type.isCountable {
      list.add(
        "'one-of' is for strings and whole numbers, and '\(name)' is \(type.named)", at: part + ["one-of"])
    }
    for (key, limit) in [("min", attribute.minimum), ("max", attribute.maximum)]
    where limit != nil && !type.isOrdered {
      list.add("'\(key)' is for numbers, dates and days, and '\(name)' is \(type.named)", at: part + [key])
    }
    if let length = attribute.maximumLength {
      if !type.hasLength {
        list.add(
          "'max-length' is for strings, json and binary, and '\(name)' is \(type.named)",
          at: part + ["max-length"])
      } else if length < 1 {
        list.add("the max-length of '\(name)' is \(length); the smallest is 1", at: part + ["max-length"])
      }
    }
    if attribute.isRequired, attribute.defaultValue == .null {
      list.add("'\(name)' is required, so its default cannot be null", at: part + ["default"])
    }
    let values = [
      ("default", attribute.defaultValue), ("min", attribute.minimum), ("max", attribute.maximum),
    ]
    for (key, value) in values + attribute.oneOf.map({ ("one-of", $0) }) {
      guard let value, !(value == .null && key == "default"), value.storage != type.storage else { continue }
      list.add("a value of '\(key)' is not what a column of \(type.name) holds", at: part + [key])
    }
    if let minimum = attribute.minimum, let maximum = attribute.maximum, maximum.isLess(than: minimum) {
      list.add("the smallest value of '\(name)' is larger than its largest", at: part + ["min"])
    }
    checkDefault(of: attribute, at: part + ["default"], &list)
  }

  private static func checkDefault(of attribute: Attribute, at part: [String], _ list: inout ProblemList) {
    guard let value = attribute.defaultValue, value != .null else { return }
    if !attribute.oneOf.isEmpty, !attribute.oneOf.contains(value) {
      list.add("the default of '\(attribute.name)' is not among its 'one-of'", at: part)
    }
    let isTooSmall = attribute.minimum.map { value.isLess(than: $0) } ?? false
    let isTooLarge = attribute.maximum.map { $0.isLess(than: value) } ?? false
    if isTooSmall || isTooLarge {
      list.add("the default of '\(attribute.name)' is outside 'min' and 'max'", at: part)
    }
    if case .text(let text) = value, let length = attribute.maximumLength, text.unicodeScalars.count > length
    {
      list.add("the default of '\(attribute.name)' is longer than its 'max-length'", at: part)
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
