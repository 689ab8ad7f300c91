internal import ImportModel

/// Reads the fetched properties of a pipeline file.
enum FetchedFile {
  static let cardinalities: [(word: String, choice: FetchedProperty.Cardinality)] = [
    ("one", .one), ("optional", .optional), ("many", .many),
  ]

  /// The fetched properties under the key `fetched`.
  static func properties(_ part: YAMLPart, _ reader: inout YAMLReader) -> [FetchedProperty] {
    guard let entries = reader.entries(of: part) else { return [] }
    return entries.compactMap { name, part in
      guard let property = property(named: name, part, &reader) else {
        reader.leaveUnread(part.path)
        return nil
      }
      return property
    }
  }

  private static func property(
    named name: String, _ part: YAMLPart, _ reader: inout YAMLReader
  ) -> FetchedProperty? {
    guard let settings = reader.settings(of: part, allowed: .fetched) else { return nil }
    guard let entity = settings["entity"] else {
      reader.report(.fetchedWithoutEntity(name), at: part.place)
      return nil
    }
    guard let destination = reader.text(entity) else { return nil }
    var property = FetchedProperty(name: name, destination: destination)
    property.predicate = settings["where"].flatMap { reader.text($0) }
    property.sort = settings["sort"].flatMap { reader.texts($0) } ?? []
    property.limit = settings["limit"].flatMap { reader.number($0, in: 1...Int(Int32.max)) }
    property.store = settings["store"].flatMap { reader.text($0) }
    if let finds = settings["finds"] {
      property.cardinality = reader.choice(finds, among: cardinalities) ?? .many
    }
    if let info = settings["info"], let entries = reader.entries(of: info) {
      for (name, part) in entries {
        guard let text = reader.text(part, emptyAllowed: true) else { continue }
        property.userInfo[name] = value(text, isPlain: part.isPlain)
      }
    }
    return property
  }

  /// No attribute says the type: an unquoted number is one, and `true` and `false` are as in the store.
  private static func value(_ text: String, isPlain: Bool) -> Value {
    guard isPlain else { return .text(text) }
    if let truth = ["true": 1, "false": 0][text] { return .integer(Int64(truth)) }
    if let number = Int64(text), String(number) == text { return .integer(number) }
    if text.wholeMatch(of: #/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/#) != nil,
      let number = Double(text), number.isFinite
    {
      return .real(number)
    }
    return .text(text)
  }
}
