package import ImportModel
package import PlainStore
import StoreInterface

/// The model as the plain store knows it.
extension PlainModel {
  /// - Parameter reject: makes the error for what the plain store does not have.
  init(_ model: Model, reject: (String) -> StoreError) throws {
    self.init()
    entities = try model.entities.map { entity in
      var plain = PlainEntity(
        name: entity.name, key: entity.key,
        attributes: try entity.attributes.map { try PlainAttribute($0, reject: reject) })
      plain.unique = entity.uniquenessConstraints
      plain.isJoin = entity.attributes.isEmpty && entity.key.count == 2
      plain.relationships = entity.relationships.map { relationship in
        let join = model.toMany(relationship).flatMap { $0.onward == nil ? nil : $0.holder.name }
        return PlainRelationship(relationship, join: join)
      }
      return plain
    }
  }
}

extension PlainRelationship {
  fileprivate init(_ relationship: Relationship, join: String?) {
    let kind: Kind =
      switch relationship.kind {
      case .toOne: .toOne
      case .hasOne: .hasOne
      case .toMany: join == nil ? .toMany : .manyToMany
      }
    self.init(
      name: relationship.name, kind: kind, destination: relationship.destination,
      inverse: relationship.inverse, rule: Rule(rawValue: relationship.deleteRule.rawValue) ?? .nullify)
    self.join = join
  }
}

extension PlainAttribute {
  fileprivate init(_ attribute: Attribute, reject: (String) -> StoreError) throws {
    let kind: Kind =
      switch attribute.type {
      case .integer16: .integer16
      case .integer32: .integer32
      case .integer64: .integer64
      case .double: .double
      case .float: .float
      case .decimal(let scale): .decimal(scale)
      case .string: .string
      case .boolean: .boolean
      case .date(.seconds): .date
      case .date: .instant
      case .day: .day
      case .uuid: .uuid
      case .binary: .binary
      case .json: .json
      }
    self.init(name: attribute.name, kind: kind)
    isRequired = attribute.isRequired
    isTransient = attribute.isTransient
    isVolatile = attribute.isVolatile
    initial = attribute.defaultValue.map { PlainValue($0) }
    derivation = try attribute.derivation.map { try PlainDerivation($0, reject: reject) }
  }
}

extension PlainDerivation {
  fileprivate init(_ derivation: Derivation, reject: (String) -> StoreError) throws {
    switch derivation {
    case .now: self = .now
    case .copy(let path): self = .copy(path)
    case .folded(let folding, let path):
      guard let plain = Folding(rawValue: folding.rawValue) else { throw reject(folding.rawValue) }
      self = .folded(plain, path)
    case .aggregate(let aggregate):
      guard let function = Function(rawValue: aggregate.function.rawValue) else {
        throw reject(aggregate.function.rawValue)
      }
      self = .aggregate(
        function, over: aggregate.relationship, of: aggregate.attribute,
        where: try aggregate.filter.map { filter in
          guard let plain = PlainFilter(filter) else { throw reject("the filter '\(filter)'") }
          return plain
        })
    }
  }
}

extension PlainFilter {
  /// Reads `attribute < number`, `attribute = 'text'`, `attribute IS NULL` and the like; nil for anything else.
  fileprivate init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3 else { return nil }
    switch (words[1].uppercased(), words[2].uppercased()) {
    case ("IS", "NULL"): self.init(words[0], .isNull)
    case ("IS", "NOT NULL"): self.init(words[0], .isNotNull)
    default:
      let comparisons: [String: Comparison] = ["<": .less, "=": .equal, ">": .greater]
      guard let comparison = comparisons[words[1]], let value = PlainValue(literal: words[2]) else {
        return nil
      }
      self.init(words[0], comparison, value)
    }
  }
}

extension PlainValue {
  fileprivate init?(literal text: String) {
    if let number = Int64(text) {
      self = .whole(number)
    } else if let number = Double(text) {
      self = .real(number)
    } else if text.count > 1, text.hasPrefix("'"), text.hasSuffix("'") {
      self = .text(String(text.dropFirst().dropLast()).replacing("''", with: "'"))
    } else {
      return nil
    }
  }

  package init(_ value: Value) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .whole(number)
    case .real(let number): self = .real(number)
    case .text(let text): self = .text(text)
    case .blob(let bytes): self = .bytes(bytes)
    }
  }

  package var value: Value {
    switch self {
    case .null, .beyond: .null
    case .whole(let number): .integer(number)
    case .real(let number): .real(number)
    case .text(let text): .text(text)
    case .bytes(let bytes): .blob(bytes)
    }
  }
}
