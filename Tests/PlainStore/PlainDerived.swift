extension PlainStore {
  /// Computes every derived attribute anew, save the times, which are the caller's.
  package mutating func derive() {
    var done: Set<String> = []
    let all = model.entities.flatMap { entity in
      entity.attributes.compactMap { attribute in attribute.derivation.map { (entity, attribute.name, $0) } }
    }
    for (entity, name, derivation) in all {
      if case .now = derivation { done.insert("\(entity.name).\(name)") }
    }
    // What another one is derived from comes first.
    while true {
      let next = all.filter { entity, name, derivation in
        guard !done.contains("\(entity.name).\(name)") else { return false }
        guard let (place, read) = source(derivation, entity), place.attribute(read)?.derivation != nil else {
          return true
        }
        return done.contains("\(place.name).\(read)")
      }
      if next.isEmpty { break }
      for (entity, name, derivation) in next {
        for id in ids(entity.name) {
          let value = value(derivation, entity, id)
          objects[entity.name]?[id]?.values[name] = value
        }
        done.insert("\(entity.name).\(name)")
      }
    }
    precondition(done.count == all.count, "a derived attribute follows from itself")
  }

  /// The attribute that a derivation reads.
  private func source(_ derivation: PlainDerivation, _ entity: PlainEntity) -> (PlainEntity, String)? {
    switch derivation {
    case .now: return nil
    case .aggregate(_, let over, let name, _):
      guard let name, let relationship = entity.relationship(over) else { return nil }
      return (model[relationship.destination], name)
    case .copy(let path), .folded(_, let path):
      var place = entity
      for hop in path.dropLast() {
        guard let relationship = place.relationship(hop) else { return nil }
        place = model[relationship.destination]
      }
      return path.last.map { (place, $0) }
    }
  }

  private func value(_ derivation: PlainDerivation, _ entity: PlainEntity, _ id: Int) -> PlainValue {
    switch derivation {
    case .now: return .null
    case .copy(let path): return follow(path, entity, id)
    case .folded(let folding, let path):
      guard case .text(let text) = follow(path, entity, id) else { return .null }
      return .text(folding.apply(text))
    case .aggregate(let function, let over, let name, let filter):
      guard let relationship = entity.relationship(over) else { return .null }
      let members = many(relationship, of: id).filter { filter?.takes($0) ?? true }
      guard let name else { return .whole(Int64(members.count)) }
      let attribute = model[relationship.destination].attribute(name)
      return function.apply(members.map { $0[name] }, attribute?.kind ?? .integer64)
    }
  }

  private func follow(_ path: [String], _ entity: PlainEntity, _ id: Int) -> PlainValue {
    var (entity, id) = (entity, id)
    for hop in path.dropLast() {
      guard let relationship = entity.relationship(hop) else { return .null }
      let next =
        relationship.kind == .hasOne
        ? manyIDs(relationship, of: id).first : object(entity.name, id)?.links[hop]
      guard let next else { return .null }
      (entity, id) = (model[relationship.destination], next)
    }
    return object(entity.name, id)?[path.last ?? ""] ?? .null
  }

  private func many(_ relationship: PlainRelationship, of id: Int) -> [PlainObject] {
    manyIDs(relationship, of: id).compactMap { object(relationship.destination, $0) }
  }

  /// The objects that a to-many or has-one relationship leads to.
  package func manyIDs(_ relationship: PlainRelationship, of id: Int) -> [Int] {
    guard let inverse = relationship.inverse else { return [] }
    if let join = relationship.join {
      return (objects[join] ?? [:]).values.filter { $0.links[inverse] == id }
        .compactMap { $0.links[relationship.name] }
    }
    return (objects[relationship.destination] ?? [:]).filter { $0.value.links[inverse] == id }.map(\.key)
  }
}

extension PlainDerivation.Function {
  /// An aggregate of some values; nulls take no part.
  func apply(_ all: [PlainValue], _ kind: PlainAttribute.Kind) -> PlainValue {
    let values = all.filter { !$0.isNull }
    if values.contains(.beyond) { return .beyond }
    switch self {
    case .count: return .whole(Int64(values.count))
    case .min: return values.min { $0.isLess(than: $1) } ?? .null
    case .max: return values.max { $0.isLess(than: $1) } ?? .null
    case .sum:
      let total = ExactNumber(values)
      if kind == .double || kind == .float { return total.rounded().map { .real($0) } ?? .beyond }
      return total.whole.map { .whole($0) } ?? .beyond
    case .average:
      guard !values.isEmpty else { return .null }
      var unit: Int64 = 1
      if case .decimal(let scale) = kind { for _ in 0..<scale { unit *= 10 } }
      return ExactNumber(values).rounded(dividedBy: Int64(values.count) * unit).map { .real($0) } ?? .beyond
    }
  }
}

extension ExactNumber {
  fileprivate init(_ values: [PlainValue]) {
    self.init()
    for value in values {
      switch value {
      case .whole(let number): add(number)
      case .real(let number): add(number)
      default: break
      }
    }
  }
}

extension PlainDerivation.Folding {
  /// The letters that texts of this model may have besides ASCII's, without their marks.
  private static let plain: [Unicode.Scalar: String] = [
    "Å": "a", "å": "a", "é": "e", "É": "e", "ö": "o", "Ö": "o", "Ç": "c", "ç": "c", "Ş": "s", "ş": "s",
    "Ñ": "n", "ñ": "n", "Ú": "u", "ú": "u",
    "Ω": "ω", "ω": "ω",
    "\u{301}": "", "\u{30a}": "",
  ]

  func apply(_ text: String) -> String {
    switch self {
    case .uppercase: return text.uppercased()
    case .lowercase: return text.lowercased()
    case .canonical:
      return text.unicodeScalars.map { Self.plain[$0] ?? String($0).lowercased() }.joined()
    }
  }
}
