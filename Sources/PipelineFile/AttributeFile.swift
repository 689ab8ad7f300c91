internal import ImportModel
internal import TypedRows

/// Reads one attribute of a pipeline file: what it is, and where its value comes from.
struct AttributeFile {
  /// The reader of the whole file.
  var reader: YAMLReader
  /// What the attribute was called before.
  private(set) var was: String?
  /// Where the value comes from; nil for one that no record brings.
  private(set) var field: Field?

  private let part: YAMLPart
  private let name: String
  private let entity: String
  private let bringsRecords: Bool

  /// Makes the reader of an attribute.
  ///
  /// - Parameter bringsRecords: whether its entity is the one that records become.
  init(_ reader: YAMLReader, _ part: YAMLPart, named name: String, of entity: String, bringsRecords: Bool) {
    self.reader = reader
    self.part = part
    self.name = name
    self.entity = entity
    self.bringsRecords = bringsRecords
  }

  static let epochs: [(word: String, choice: DateForm)] = [
    ("seconds", .epochSeconds), ("milliseconds", .epochMilliseconds),
  ]
  static let formats: [(word: String, choice: DateForm)] = [
    ("day-first", .dayFirst), ("month-first", .monthFirst),
  ]

  /// The keys that speak of records.
  private static let sourceKeys = ["from", "value", "missing", "epoch", "format", "zone"]

  /// The attribute.
  ///
  /// One that cannot be read stands in as a text, and is booked as not read.
  mutating func attribute() -> Attribute {
    var attribute = Attribute(name: name, type: .string)
    if !part.isMapping {
      if bringsRecords { field = Field(name) }
      guard !part.isEmpty else {
        reportNoType()
        return attribute
      }
      if let type = namedType(part), let complete = scaled(type, [:]) { attribute.type = complete }
      return attribute
    }
    guard let settings = reader.settings(of: part, allowed: .attribute) else { return attribute }
    attribute.derivation = settings["derived"].flatMap { derivation($0, settings["where"]) }
    was = settings["was"].flatMap { reader.text($0) }
    if let type = type(settings) { attribute.type = type }
    if settings["derived"] == nil {
      refuse(["where"], in: settings, because: .notDerived(name))
      readField(settings)
    } else {
      refuse(Self.sourceKeys, in: settings, because: .noSource(name))
    }
    readRules(settings, into: &attribute)
    return attribute
  }

  // MARK: Type

  /// The type of the settings; nil for one that could not be read or follows from a derivation.
  private mutating func type(_ settings: [String: YAMLPart]) -> AttributeType? {
    guard let setting = settings["type"] else {
      if settings["derived"] == nil {
        reportNoType()
      } else {
        refuse(["scale", "precision"], in: settings, because: .typeFollows)
      }
      return nil
    }
    guard let type = namedType(setting) else { return nil }
    return scaled(type, settings)
  }

  private mutating func namedType(_ part: YAMLPart) -> AttributeType? {
    guard let text = reader.text(part) else {
      reader.leaveUnread(self.part.path)
      return nil
    }
    if let type = AttributeType(name: text) { return type }
    reader.report(.unknownType(text), at: part.placeOfValue)
    reader.leaveUnread(self.part.path)
    return nil
  }

  /// The type with the settings that belong to it.
  private mutating func scaled(_ type: AttributeType, _ settings: [String: YAMLPart]) -> AttributeType? {
    var type = type
    if case .decimal = type {
      guard let scale = settings["scale"] else {
        reader.report(.decimalWithoutScale, at: part.place)
        reader.leaveUnread(part.path)
        return nil
      }
      guard let scale = reader.number(scale, in: 0...18) else {
        reader.leaveUnread(part.path)
        return nil
      }
      type = .decimal(scale: scale)
    } else {
      refuse(["scale"], in: settings, because: .onlyDecimal)
    }
    if case .date = type {
      let choices = DatePrecision.allCases.map { ($0.rawValue, $0) }
      if let precision = settings["precision"].flatMap({ reader.choice($0, among: choices) }) {
        type = .date(precision: precision)
      }
    } else {
      refuse(["precision"], in: settings, because: .onlyDate)
    }
    return type
  }

  private mutating func reportNoType() {
    reader.report(.noType(name), at: part.place)
    reader.leaveUnread(part.path)
  }

  private mutating func derivation(_ setting: YAMLPart, _ filter: YAMLPart?) -> Derivation? {
    let condition = filter.flatMap { reader.text($0) }
    guard let text = reader.text(setting), (condition == nil) == (filter == nil) else {
      reader.leaveUnread(part.path)
      return nil
    }
    do {
      return try Derivation(parsing: text, where: condition)
    } catch {
      reader.report(Message(error.message), at: setting.place)
      reader.leaveUnread(part.path)
      return nil
    }
  }

  // MARK: Source

  private mutating func readField(_ settings: [String: YAMLPart]) {
    guard bringsRecords else {
      let keys = Self.sourceKeys + ["transient"]
      refuse(keys, in: settings, because: .noRecords(entity))
      return
    }
    var field = Field(name)
    if let from = settings["from"].flatMap({ reader.text($0) }) { field.source = .path(from) }
    if let value = settings["value"] {
      if settings["from"] != nil {
        reader.report(.fromAndValue, at: value.place)
      } else if let expression = reader.text(value) {
        field.source = .expression(expression)
      }
    }
    if let missing = settings["missing"] { field.missing = reader.texts(missing, emptyAllowed: true) ?? [] }
    if let epoch = settings["epoch"] {
      field.dateForm = reader.choice(
        epoch, among: Self.epochs)
    }
    if let format = settings["format"] {
      if settings["epoch"] != nil {
        reader.report(.epochAndFormat, at: format.place)
      } else {
        field.dateForm = reader.text(format).map { text in
          Self.formats.first { $0.word == text }?.choice ?? .pattern(text)
        }
      }
    }
    field.zone = settings["zone"].flatMap { reader.text($0) }
    self.field = field
  }

  // MARK: Rules

  private mutating func readRules(_ settings: [String: YAMLPart], into attribute: inout Attribute) {
    if let flag = settings["required"].flatMap({ reader.boolean($0) }) { attribute.isRequired = flag }
    if bringsRecords, let flag = settings["transient"].flatMap({ reader.boolean($0) }) {
      attribute.isTransient = flag
    }
    if let flag = settings["volatile"].flatMap({ reader.boolean($0) }) { attribute.isVolatile = flag }
    attribute.cutsFractions = settings["precision"] != nil && attribute.derivation == nil
    if let length = settings["max-length"].flatMap({ reader.number($0, in: 1...Int.max) }) {
      attribute.maximumLength = length
    }
    if let pattern = settings["pattern"].flatMap({ reader.text($0) }) { attribute.pattern = pattern }
    if let text = settings["description"].flatMap({ reader.text($0) }) { attribute.description = text }
    // Without its type, what a value means is not known.
    guard !reader.unread.contains(part.path), attribute.derivation == nil else {
      refuseRulesOfValues(settings, attribute)
      return
    }
    if let setting = settings["default"] {
      attribute.defaultValue = setting.isNull ? .null : value(setting, as: attribute.type)
    }
    if let setting = settings["min"] { attribute.minimum = value(setting, as: attribute.type) }
    if let setting = settings["max"] { attribute.maximum = value(setting, as: attribute.type) }
    if let setting = settings["one-of"] {
      attribute.oneOf = reader.elements(of: setting).compactMap { value($0, as: attribute.type) }
    }
  }

  private mutating func refuseRulesOfValues(_ settings: [String: YAMLPart], _ attribute: Attribute) {
    guard attribute.derivation != nil else { return }
    refuse(["default", "min", "max", "one-of"], in: settings, because: .computed(name))
  }

  private mutating func value(_ part: YAMLPart, as type: AttributeType) -> Value? {
    guard let text = reader.text(part, emptyAllowed: true) else { return nil }
    let value = Value(text, as: type)
    if value == nil { reader.report(.notAValue(text, type), at: part.place) }
    return value
  }

  private mutating func refuse(_ keys: [String], in settings: [String: YAMLPart], because reason: Reason) {
    for key in keys {
      guard let setting = settings[key] else { continue }
      reader.report(.meaningless(key, reason), at: setting.place)
    }
  }
}
