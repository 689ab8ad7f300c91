internal import Foundation
internal import ImportModel

/// Where history has copies of some objects' values: as earlier values of derived attributes of objects that are, or ever
/// were, linked to them.
///
/// A sum, an average or an extreme is such a copy where it is the value of one object.
struct DerivedCopies<History: ErasableHistory> {
  /// Values of one attribute that are copies, and whose.
  private struct Copies {
    let property: Int64
    /// Nil where nobody knows any more what the attribute was computed from: all objects'.
    let objects: (entity: Entity, ids: Set<Int64>)?
    let values: Set<Value>
  }

  /// What an attribute may have copied: from which objects, or into which, and what.
  private struct Spread {
    var objects: Set<Int64> = []
    var values: Set<Value> = []
  }

  private let history: History
  private var copies: [Copies] = []

  /// Finds where there may be copies, from the links that history still has.
  ///
  /// - Parameters:
  ///   - objects: the ids of the objects, by entity.
  ///   - values: what they ever had, by property.
  init(
    _ history: History, _ model: Model, _ objects: [String: Set<Int64>], _ values: [Int64: Set<Value>]
  ) throws {
    self.history = history
    var spreads: [Int64: Spread] = [:]
    // What is read comes before what reads it.
    for derived in DerivedReading.all(model) {
      let (entity, attribute) = derived.source
      guard let read = history.number(of: attribute.name, in: entity),
        let property = history.number(of: derived.attribute.name, in: derived.entity)
      else { continue }
      let spread = spreads[read] ?? Spread()
      let own = values[read] ?? []
      let taken = Set(own.union(spread.values).compactMap { derived.copied($0) })
      let sources = own.isEmpty ? spread.objects : spread.objects.union(objects[entity.name] ?? [])
      guard !taken.isEmpty, !sources.isEmpty else { continue }
      let readers = try derived.readers(of: sources, history).subtracting(objects[derived.entity.name] ?? [])
      spreads[property, default: Spread()].objects.formUnion(readers)
      spreads[property, default: Spread()].values.formUnion(taken)
      copies.append(Copies(property: property, objects: (derived.entity, readers), values: taken))
    }
    let dropped = try history.droppedDerived()
    if dropped.isEmpty { return }
    let all = values.values.reduce(into: Set<Value>()) { all, values in
      for value in values where value != .null { all.formUnion(value.spellings) }
    }
    copies += dropped.map { Copies(property: $0, objects: nil, values: all) }
  }

  /// Takes the copies out of history.
  ///
  /// - Returns: how many there were.
  /// - Complexity: O(history) for each derived attribute that reads an attribute of the objects'.
  func erase() throws -> Int {
    try copies.reduce(0) { count, one in
      try count
        + history.eraseValues(of: one.property, one.objects) { one.values.contains($0.comparable) }
    }
  }
}

/// A derived attribute that may be a copy of one value: of which attribute, and which way leads there.
private struct DerivedReading {
  private enum Way {
    /// Over to-one relationships, each with the entity that has it.
    case path([(entity: Entity, relationship: Relationship)])
    /// From rows that lead to the object. Where these are links, to the objects behind them.
    case rows(Entity, Relationship, onward: Relationship?)
  }

  let entity: Entity
  let attribute: Attribute
  /// What it reads.
  let source: (entity: Entity, attribute: Attribute)
  private let way: Way

  /// All of a model, those that are read before those that read them.
  static func all(_ model: Model) -> [DerivedReading] {
    let all = model.entities.flatMap { entity in
      entity.derivedAttributes.compactMap { attribute -> (rank: Int, reading: DerivedReading)? in
        let name = DerivedName(entity: entity.name, attribute: attribute.name)
        return DerivedReading(attribute, entity, model).map { (model.rank(of: name), $0) }
      }
    }
    return all.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element.reading)
  }

  /// Nil for a count and a time.
  private init?(_ attribute: Attribute, _ entity: Entity, _ model: Model) {
    (self.entity, self.attribute) = (entity, attribute)
    guard let derivation = attribute.derivation else { return nil }
    if let path = derivation.path, let (_, one, source) = model.copyOfOne(along: path, from: entity) {
      self.source = (one.destination, source)
      way = .rows(one.holder, one.toOne, onward: nil)
      return
    }
    guard let source = model.source(of: derivation, in: entity) else { return nil }
    self.source = source
    if let aggregate = derivation.aggregate {
      guard let toMany = entity.relationship(named: aggregate.relationship).flatMap(model.toMany) else {
        return nil
      }
      way = .rows(toMany.holder, toMany.toOne, onward: toMany.onward)
    } else {
      guard let hops = derivation.path.flatMap({ model.hops(along: $0, from: entity) }) else { return nil }
      let places = [entity] + hops.map(\.destination)
      way = .path(zip(places, hops).map { ($0, $1.relationship) })
    }
  }

  /// What it makes of one value; nil for null.
  func copied(_ value: Value) -> Value? {
    switch value {
    case .null: return nil
    case .text(let text):
      guard case .folded(let folding, _)? = attribute.derivation else { return value }
      return .text(folding.apply(text))
    case .integer(let units):
      guard attribute.derivation?.aggregate?.function == .average,
        case .decimal(let scale) = source.attribute.type
      else { return value.comparable }
      return Value.real(Double(units) / pow(10, Double(scale))).comparable
    case .real, .blob: return value.comparable
    }
  }

  /// The objects whose attribute is, or ever was, computed from some objects.
  func readers(of sources: Set<Int64>, _ history: some ErasableHistory) throws -> Set<Int64> {
    switch way {
    case .path(let hops):
      try hops.reversed().reduce(sources) { try history.holders($1.entity, $1.relationship, of: $0) }
    case .rows(let entity, let toOne, let onward):
      try history.targets(
        entity, toOne, of: onward.map { try history.holders(entity, $0, of: sources) } ?? sources)
    }
  }
}

extension Value {
  /// Equal numbers are one value.
  fileprivate var comparable: Value {
    if case .real(let number) = self, let whole = Int64(exactly: number) { .integer(whole) } else { self }
  }

  /// What a copy of it may be.
  fileprivate var spellings: [Value] {
    guard case .text(let text) = self else { return [comparable] }
    return [self] + TextFolding.allCases.map { .text($0.apply(text)) }
  }
}
