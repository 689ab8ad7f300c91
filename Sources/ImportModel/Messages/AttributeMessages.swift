// What is said of attributes: keys and constraints, types and rules, sources.

extension Message {
  // MARK: Keys and constraints

  static func noAttributes(_ entity: Entity) -> Message {
    Message("\(entity.title) has no attributes: declare at least one")
  }

  static func noKey(_ entity: Entity, example: String) -> Message {
    Message(
      "\(entity.title) has no key: name the attributes that identify an object, as in `key: \(example)`")
  }

  static func twiceInKey(_ name: String) -> Message {
    Message("the attribute '\(name)' is in the key twice")
  }

  static func undeclaredInKey(_ name: String, of entity: Entity, among names: [String]) -> Message {
    let ending = Suggestion.ending(for: name, among: names, plural: "the attributes are")
    return Message("the key attribute '\(name)' is not declared in \(entity.title)\(ending)")
  }

  static func notInKey(_ name: String, _ reason: Reason) -> Message {
    Message("'\(name)' cannot be in a key: \(reason.text)")
  }

  static func emptyConstraint(_ entity: Entity) -> Message {
    Message("a constraint of \(entity.title) names no attribute")
  }

  static func keyIsUnique(_ entity: Entity) -> Message {
    Message("the key of \(entity.title) is always unique: remove it from 'unique'")
  }

  static func constraintTwice(_ constraint: [String]) -> Message {
    Message("the constraint on \(constraint.listed) is declared twice")
  }

  static func twiceInConstraint(_ name: String) -> Message {
    Message("the attribute '\(name)' is in the constraint twice")
  }

  static func undeclaredUnique(_ name: String, of entity: Entity) -> Message {
    let ending = Suggestion.ending(
      for: name, among: entity.attributes.map(\.name), plural: "the attributes are")
    return Message("the unique attribute '\(name)' is not declared in \(entity.title)\(ending)")
  }

  static func notUnique(_ name: String, _ reason: Reason) -> Message {
    Message("'\(name)' cannot be unique: \(reason.text)")
  }

  static func notNewer(_ name: String, _ reason: Reason) -> Message {
    Message("'\(name)' cannot be used by 'update-if-newer': \(reason.text)")
  }

  // MARK: Rules

  static func transientWithoutRecords(_ name: String, of entity: Entity) -> Message {
    Message("'\(name)' cannot be transient: no record becomes a \(entity.title)")
  }

  static func excludesDerived(_ key: String, _ name: String) -> Message {
    Message("'\(name)' has both '\(key)' and 'derived': remove one")
  }

  static func scaleOutOfRange(_ name: String, _ scale: Int) -> Message {
    Message("the scale of '\(name)' is \(scale): it must be from 0 to 18")
  }

  static func uncountable(_ name: String, _ type: AttributeType) -> Message {
    Message("'one-of' is for strings and whole numbers, and '\(name)' is \(type.named)")
  }

  static func unordered(_ key: String, _ name: String, _ type: AttributeType) -> Message {
    Message("'\(key)' is for numbers, dates and days, and '\(name)' is \(type.named)")
  }

  static func withoutLength(_ name: String, _ type: AttributeType) -> Message {
    Message("'max-length' is for strings, json and binary, and '\(name)' is \(type.named)")
  }

  static func lengthTooSmall(_ name: String, _ length: Int) -> Message {
    Message("the max-length of '\(name)' is \(length): it must be at least 1")
  }

  static func withoutPattern(_ name: String, _ type: AttributeType) -> Message {
    Message("'pattern' is for strings, and '\(name)' is \(type.named)")
  }

  /// - Parameter reason: what stops the regular expression from being read, or from being matched in one pass.
  static func unreadablePattern(_ name: String, _ reason: String) -> Message {
    Message("the pattern of '\(name)' cannot be used: \(reason)")
  }

  static func requiredWithNull(_ name: String) -> Message {
    Message("'\(name)' is required, so its default cannot be null")
  }

  static func otherStorage(_ key: String, of name: String, _ type: AttributeType) -> Message {
    Message("a value of '\(key)' of '\(name)' is not a valid \(type.name)")
  }

  static func notFinite(_ key: String, _ name: String) -> Message {
    Message("a value of '\(key)' of '\(name)' is NaN or an infinity, which JSON cannot represent")
  }

  static func emptyRange(_ name: String) -> Message {
    Message("the 'min' of '\(name)' is greater than its 'max'")
  }

  static func defaultNotAllowed(_ name: String) -> Message {
    Message("the default of '\(name)' is not among its 'one-of'")
  }

  static func defaultOutOfRange(_ name: String) -> Message {
    Message("the default of '\(name)' is outside 'min' and 'max'")
  }

  static func defaultTooLong(_ name: String) -> Message {
    Message("the default of '\(name)' is longer than its 'max-length'")
  }

  static func defaultUnlikePattern(_ name: String) -> Message {
    Message("the default of '\(name)' does not match its 'pattern'")
  }

  // MARK: Sources

  static func noSuchAttribute(_ name: String, of entity: Entity) -> Message {
    let ending = Suggestion.ending(
      for: name, among: entity.attributes.map(\.name), plural: "the attributes are")
    return Message("there is no attribute '\(name)' in \(entity.title)\(ending)")
  }

  static func twoSources(_ name: String) -> Message { Message("the attribute '\(name)' has two sources") }

  static func keyWithoutSource(_ name: String) -> Message {
    Message("the key attribute '\(name)' has no source in the record")
  }

  static func requiredWithoutSource(_ name: String) -> Message {
    Message("the required attribute '\(name)' has neither a source nor a default")
  }

  static func sourceOfDerived(_ name: String) -> Message {
    Message("'\(name)' is derived, and cannot have a source")
  }

  static func emptySource(_ name: String) -> Message { Message("the source path of '\(name)' is empty") }
  static func emptyExpression(_ name: String) -> Message { Message("the expression of '\(name)' is empty") }

  static let emptyCheck = Message("a check is empty")

  static func noEpoch(_ name: String, _ type: AttributeType) -> Message {
    Message("'epoch' is for dates, and '\(name)' is \(type.named)")
  }

  static func noFormat(_ name: String, _ type: AttributeType) -> Message {
    Message("'format' is for dates and days, and '\(name)' is \(type.named)")
  }

  static func noZone(_ name: String, _ type: AttributeType) -> Message {
    Message("'zone' is for dates, and '\(name)' is \(type.named)")
  }

  /// - Parameter reason: what stops the format from being read, or from having one reading.
  static func unreadableFormat(_ name: String, _ reason: String) -> Message {
    Message("the format of '\(name)' cannot be used: \(reason)")
  }

  static func unknownZone(_ zone: String, of name: String) -> Message {
    let question = Suggestion.question(for: zone, among: ZoneNames.all)
    let hint = question.isEmpty ? "; a zone is UTC or has a name such as Europe/Berlin" : question
    return Message("unknown time zone '\(zone)' of '\(name)'\(hint)")
  }
}

extension Reason {
  static let volatileKey = Reason("it is volatile, and a key must not change")
  static let keyWithNull = Reason("its default is null, and a key is always required")
  static let volatile = Reason("it is volatile, so its stored value may be outdated")
  static let uniqueWithNull = Reason("its default is null, and a unique attribute is always required")
  static let optional = Reason("it is not required, and nulls are never equal")
  static let partOfKey = Reason("it is part of the key, and never changes")
  static let withoutSource = Reason("it has no source in the record")

  static func unordered(_ type: AttributeType) -> Reason {
    Reason("it is \(type.named), not a number, a date or a day")
  }
}

extension AttributeType {
  /// How a value is written in a pipeline file; for messages.
  package var writtenForm: String {
    switch self {
    case .integer16: "a whole number from -32768 to 32767"
    case .integer32: "a whole number from -2147483648 to 2147483647"
    case .integer64: "a whole number from -9223372036854775808 to 9223372036854775807"
    case .double, .float: "a number such as 0.25"
    case .decimal(let scale): "a number with at most \(scale) decimals"
    case .boolean: "true or false"
    case .string: "a text"
    case .date(let precision): "an instant such as \(precision.instant("2026-05-12T03:14:07.250Z"))"
    case .day: "a day such as 2026-05-12"
    case .uuid: "a UUID in lower case, such as 6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01"
    case .binary, .json: "no value at all: \(name) attributes have neither defaults nor limits"
    }
  }
}
