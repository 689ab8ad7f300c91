internal import ImportModel

// What is said of a pipeline file's form: YAML, keys and the values under them.

extension Message {
  // MARK: YAML

  static let emptyFile = Message("the file is empty; its first line is `bolide: 1`")

  static func fileTooLarge(_ size: Int) -> Message {
    Message("the file has \(size) bytes; the maximum is \(YAMLDocument.maximumSize) (1 MiB)")
  }

  static let secondDocument = Message("a second document begins here; a pipeline file has one")

  /// - Parameter context: what the parser was reading, where that began on another line.
  static func notYAML(_ problem: String, within context: (text: String, line: Int)? = nil) -> Message {
    let begun = context.map { " (\($0.text), begun on line \($0.line))" } ?? ""
    return Message("this is not YAML: \(problem)\(begun)")
  }

  static func tooManyParts(_ limit: Int) -> Message {
    Message("the file has more than \(limit) parts after its aliases are expanded; use fewer aliases")
  }

  static let keyNotText = Message("a key is plain text")
  static let mergeKey = Message("merge keys ('<<') are not supported; write the keys out")

  /// - Parameter line: where the first one stands, if that is known.
  static func keyTwice(_ name: String, firstOn line: Int? = nil) -> Message {
    Message("the key '\(name)' is duplicated" + (line.map { "; the first is on line \($0)" } ?? ""))
  }

  static func unknownKey(_ name: String, among allowed: [String]) -> Message {
    Message(
      "unknown key '\(name)'" + Suggestion.ending(for: name, among: allowed, plural: "allowed here are"))
  }

  // MARK: Values; a subject is a key in quotes

  static func notAMapping(_ subject: String) -> Message {
    Message("\(subject) is a mapping: names, each with a colon and a value")
  }

  static func emptyText(_ subject: String) -> Message { Message("\(subject) is empty") }

  static func notAText(_ subject: String) -> Message {
    Message("\(subject) is one text, not a list or a mapping")
  }

  static func notANumber(_ subject: String, in range: ClosedRange<Int>, _ text: String) -> Message {
    let end = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
    return Message("\(subject) is a whole number from \(range.lowerBound)\(end), not '\(text)'")
  }

  static func notAChoice(_ subject: String, among words: [String], _ text: String) -> Message {
    let list =
      words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
    return Message("\(subject) is \(list), not '\(text)'")
  }

  static func notOfForm(_ subject: String, _ form: Reason, _ text: String) -> Message {
    Message("\(subject) is \(form.text), not '\(text)'")
  }

  static func notAValue(_ text: String, _ type: AttributeType) -> Message {
    Message("'\(text)' is not a valid \(type.name): expected \(type.writtenForm)")
  }

  // MARK: Attributes

  static func unknownType(_ text: String) -> Message {
    let ending = Suggestion.ending(for: text, among: AttributeType.names, plural: "the types are")
    return Message("unknown type '\(text)'\(ending)")
  }

  static func noType(_ name: String) -> Message {
    let types = AttributeType.names.joined(separator: ", ")
    return Message("the attribute '\(name)' has no type; the types are \(types)")
  }

  static let decimalWithoutScale = Message(
    "a decimal needs 'scale', the number of its decimals, from 0 to 18")
  static let fromAndValue = Message("an attribute has either 'from' or 'value', not both")
  static let epochAndFormat = Message("a date has either 'epoch' or 'format', not both")

  static func meaningless(_ key: String, _ reason: Reason) -> Message {
    Message("'\(key)' has no meaning here, as \(reason.text)")
  }

  // MARK: Entities

  static func mainEntityAgain(_ name: String) -> Message {
    Message("the entity '\(name)' is the entity of the records: declare it at the top of the file only")
  }

  static func noDestination(_ name: String) -> Message {
    Message(
      "the relationship '\(name)' needs one of 'to-many', 'has-one' and 'to-one', with its "
        + "destination entity"
    )
  }

  // MARK: Children

  static func childrenUnderRelationships(_ name: String) -> Message {
    Message("the relationship '\(name)' is also declared under 'relationships': declare it here only")
  }

  static func childrenWithoutEntity(_ name: String) -> Message {
    Message("the children '\(name)' need 'entity', the entity of their rows")
  }

  static func childrenOfSameEntity(_ entity: String) -> Message {
    Message("'\(entity)' is the entity of the records: children need another entity")
  }

  static func entityOfOtherChildren(_ entity: String) -> Message {
    Message("the entity '\(entity)' is used by other children: each list of children needs its own")
  }

  static func childrenUnderEntities(_ entity: String) -> Message {
    Message("the entity '\(entity)' is also declared under 'entities': declare it here only")
  }

  static func childrenWithoutInverse(_ name: String, example: String) -> Message {
    Message("the children '\(name)' need 'inverse', the relationship back, as in `inverse: \(example)`")
  }
}

extension Reason {
  // Why a key has no meaning.
  static func notDerived(_ name: String) -> Reason { Reason("'\(name)' is not derived") }
  static func computed(_ name: String) -> Reason { Reason("'\(name)' is derived") }
  static func noSource(_ name: String) -> Reason { Reason("'\(name)' is derived, and cannot have a source") }
  static let typeFollows = Reason("the type of a derived attribute is inferred")
  static let onlyDecimal = Reason("only a decimal has a scale")
  static let onlyDate = Reason("only a date has a precision")

  static func noRecords(_ entity: String) -> Reason {
    Reason("no record becomes a \(entity): only links and other programs insert them")
  }

  // The forms of settings.
  static let rejectLimit = Reason("a number of records or a share such as 2%")
  static let share = Reason("a share such as 5%")
  static let delimiter = Reason("one character between cells such as ';'")
  static let waitTime = Reason("a time such as 30s or 10m, at most 10000y")
  static let textSize = Reason("a size such as 64KiB or 8MiB")
  static let memory = Reason("a size from 48MiB to 4GiB")
  static let logSize = Reason("a size such as 256MiB or 1GiB")
  static let inputSize = Reason("a size such as 500MB or 2GiB")
  static let age = Reason("an age such as 90m, 26h or 2d, at most 10000y")
  static let retention = Reason("a time such as 90d, at most 10000y, or forever")
  static let historySize = Reason("a size such as 256 MB")
}
