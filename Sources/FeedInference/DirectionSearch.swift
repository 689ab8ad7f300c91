internal import FeedReading
internal import ImportModel

/// The four directions that a place's coordinates have.
struct Compass: OptionSet {
  let rawValue: UInt8

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  static let north = Compass(rawValue: 1)
  static let south = Compass(rawValue: 2)
  static let east = Compass(rawValue: 4)
  static let west = Compass(rawValue: 8)
  static let latitude: Compass = [.north, .south]
  static let longitude: Compass = [.east, .west]

  /// The direction of a capital letter.
  init?(_ letter: UInt8) {
    switch letter {
    case UInt8(ascii: "N"): self = .north
    case UInt8(ascii: "S"): self = .south
    case UInt8(ascii: "E"): self = .east
    case UInt8(ascii: "W"): self = .west
    default: return nil
    }
  }

  /// The letters of an axis, the positive one first; nil for directions of both axes.
  var letters: (plus: String, minus: String)? {
    if isEmpty { return nil }
    if isSubset(of: .latitude) { return ("N", "S") }
    return isSubset(of: .longitude) ? ("E", "W") : nil
  }
}

/// Finds coordinates that say their sign with a letter, and puts the signed number beside them.
///
///     lat 22.0, lat-dir S    →  latitude -22.0
///     lat 22.0S              →  latitude -22.0
enum DirectionSearch {
  /// - Parameter columns: what was seen of each attribute.
  static func apply(to draft: inout PipelineDraft, _ columns: [ColumnValues]) {
    var computed: [DraftAttribute] = []
    var names = Set(draft.attributes.map { $0.name.lowercased() })
    func add(_ expression: String, for attribute: DraftAttribute) {
      var name = signedName(attribute.name)
      while !names.insert(name.lowercased()).inserted { name += "Signed" }
      computed.append(DraftAttribute(signed: name, expression, of: attribute))
    }
    for (index, values) in columns.enumerated() where values.isText {
      guard let letters = values.compass.letters else { continue }
      if values.directions + values.emptyTexts == values.texts, values.directions > 0 {
        guard let number = partner(of: index, in: draft.attributes, columns) else { continue }
        let (value, direction) = (quoted(draft.attributes[number].name), quoted(draft.attributes[index].name))
        draft.attributes[number].use(oneOf: [])
        if draft.attributes[number].choice.type == .string { draft.attributes[number].choice.type = .double }
        draft.attributes[index].use(oneOf: [letters.plus, letters.minus])
        if values.emptyTexts > 0 { draft.attributes[index].missing = [""] }
        draft.checks.append("(\(value) IS NULL) = (\(direction) IS NULL)")
        add(
          "CASE \(direction) WHEN '\(letters.plus)' THEN \(value) WHEN '\(letters.minus)' THEN -\(value) END",
          for: draft.attributes[number])
      } else if values.numbersWithDirection + values.emptyTexts == values.texts,
        values.numbersWithDirection > 0
      {
        let text = quoted(draft.attributes[index].name)
        draft.attributes[index].use(oneOf: [])
        if values.emptyTexts > 0 { draft.attributes[index].missing = [""] }
        // A text without its letter becomes one that is no number, and its record is rejected.
        add(
          "CASE substr(\(text), -1) WHEN '\(letters.plus)' THEN '' WHEN '\(letters.minus)' THEN '-' ELSE '?' END "
            + "|| substr(\(text), 1, length(\(text)) - 1)", for: draft.attributes[index])
      }
    }
    draft.attributes += computed
  }

  /// The number that a direction belongs to: its key begins the direction's, as `lat` does `lat-dir`, in the same object.
  private static func partner(of index: Int, in attributes: [DraftAttribute], _ columns: [ColumnValues])
    -> Int?
  {
    let words = NameWords.of(attributes[index].key).map { $0.lowercased() }
    let candidates = attributes.indices.filter { other in
      guard attributes[other].role == .own, attributes[other].depth == attributes[index].depth,
        attributes[other].choice.type == .double || columns[other].candidates.contains(.integer),
        attributes[other].choice.dateForm == nil, columns[other].lowest >= 0,
        attributes[other].count == attributes[index].count - columns[index].emptyTexts
      else { return false }
      let number = NameWords.of(attributes[other].key).map { $0.lowercased() }
      return words.count > number.count && words.starts(with: number)
    }
    return candidates.count == 1 ? candidates[0] : nil
  }

  private static func signedName(_ name: String) -> String {
    switch NameWords.of(name).last?.lowercased() {
    case "lat": String(name.dropLast(3)) + (name.count == 3 ? "latitude" : "Latitude")
    case "lon", "lng": String(name.dropLast(3)) + (name.count == 3 ? "longitude" : "Longitude")
    case "long": String(name.dropLast(4)) + (name.count == 4 ? "longitude" : "Longitude")
    default: name + "Signed"
    }
  }

  /// A name in an expression: SQL has words of its own.
  private static func quoted(_ name: String) -> String {
    let isPlain = name.lowercased().hasPrefix("lat") || name.lowercased().hasPrefix("lon")
    return isPlain && name.allSatisfy { $0.isASCII } ? name : "\"\(name)\""
  }
}

extension ColumnValues {
  /// Whether texts are all it brings.
  fileprivate var isText: Bool { texts > 0 && count == texts }
}

extension DraftAttribute {
  /// A number with its sign.
  fileprivate init(signed name: String, _ expression: String, of attribute: DraftAttribute) {
    self.init(
      name: name, from: "", choice: TypeChoice(.double), key: "", depth: attribute.depth,
      count: attribute.count,
      role: .computed(expression))
  }

  /// Makes it one that an expression uses, and that is not stored.
  fileprivate mutating func use(oneOf: [String]) {
    role = .used(oneOf: oneOf)
    choice.alternative = nil
    choice.notes = []
  }

  /// Whether an expression gives it.
  var isComputed: Bool { if case .computed = role { true } else { false } }
}
