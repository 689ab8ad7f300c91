/// A derived attribute of an entity of a model.
package struct DerivedName: Sendable, Hashable {
  /// The entity.
  package var entity: String
  /// The attribute.
  package var attribute: String

  package init(entity: String, attribute: String) {
    self.entity = entity
    self.attribute = attribute
  }

  /// `Region.total`.
  package var text: String { "\(entity).\(attribute)" }
}

extension Model {
  /// The attribute that a derivation reads, and its entity; nil when it reads none, or leads nowhere.
  package func source(of derivation: Derivation, in entity: Entity) -> (entity: Entity, attribute: Attribute)?
  {
    switch derivation {
    case .aggregate(let aggregate):
      guard let relationship = entity.relationship(named: aggregate.relationship),
        let objects = toMany(relationship)?.destination,
        let attribute = aggregate.attribute.flatMap({ objects.attribute(named: $0) })
      else { return nil }
      return (objects, attribute)
    case .copy(let path), .folded(_, let path):
      if let (_, one, attribute) = copyOfOne(along: path, from: entity) {
        return (one.destination, attribute)
      }
      guard let hops = hops(along: path, from: entity) else { return nil }
      let place = hops.last?.destination ?? entity
      guard let attribute = path.last.flatMap({ place.attribute(named: $0) }) else { return nil }
      return (place, attribute)
    case .now: return nil
    }
  }

  /// The to-one relationships of a path, each with where it leads; nil when one leads nowhere.
  ///
  /// - Parameter path: it ends with an attribute.
  package func hops(
    along path: [String], from entity: Entity
  ) -> [(relationship: Relationship, destination: Entity)]? {
    var hops: [(relationship: Relationship, destination: Entity)] = []
    for name in path.dropLast() {
      let place = hops.last?.destination ?? entity
      guard let relationship = place.relationship(named: name), relationship.kind == .toOne,
        let next = self.entity(named: relationship.destination)
      else { return nil }
      hops.append((relationship, next))
    }
    return hops
  }

  /// The type of an attribute's values, also of a derived one that leads nowhere.
  package func type(of attribute: Attribute, in entity: Entity) -> AttributeType {
    guard let derivation = attribute.derivation, derivation != .now else { return attribute.type }
    return type(of: derivation, in: entity) ?? attribute.type
  }

  /// The type of a derivation's values; nil when it leads nowhere.
  ///
  /// A count and a sum of whole numbers have 64 bits, a sum of decimals keeps their scale, a sum of real numbers and every
  /// average is a double; the others have the type of what they read.
  package func type(of derivation: Derivation, in entity: Entity) -> AttributeType? {
    type(of: derivation, in: entity, following: [])
  }

  private func type(
    of derivation: Derivation, in entity: Entity, following passed: Set<DerivedName>
  ) -> AttributeType? {
    switch derivation {
    case .now: return .date(precision: .seconds)
    case .folded: return .string
    case .aggregate(let aggregate) where aggregate.function == .count: return .integer64
    case .aggregate, .copy: break
    }
    guard let (place, attribute) = source(of: derivation, in: entity) else { return nil }
    var type = attribute.type
    if let further = attribute.derivation, further != .now {
      let name = DerivedName(entity: place.name, attribute: attribute.name)
      guard !passed.contains(name),
        let known = self.type(of: further, in: place, following: passed.union([name]))
      else { return nil }
      type = known
    }
    switch derivation.aggregate?.function {
    case .average: return .double
    case .sum:
      switch type {
      case .integer16, .integer32, .integer64: return .integer64
      case .decimal: return type
      case .float, .double: return .double
      default: return nil
      }
    default: return type
    }
  }

  /// The derived attribute that another one reads, if it reads one.
  package func dependency(of name: DerivedName) -> DerivedName? {
    guard let entity = entity(named: name.entity),
      let derivation = entity.attribute(named: name.attribute)?.derivation,
      let (place, attribute) = source(of: derivation, in: entity), attribute.derivation != nil
    else { return nil }
    return DerivedName(entity: place.name, attribute: attribute.name)
  }

  /// The way from a derived attribute back to itself; nil when there is none.
  func cycle(from name: DerivedName) -> [DerivedName]? {
    // Each reads one other at most, so the way is a line.
    var way = [name]
    while let next = dependency(of: way[way.count - 1]) {
      if next == name { return way + [next] }
      if way.contains(next) { return nil }
      way.append(next)
    }
    return nil
  }

  /// How many derived attributes stand between one and what is stored: what it reads has a lower rank.
  ///
  /// - Complexity: O(rank). The model has no cycle.
  package func rank(of name: DerivedName) -> Int {
    var (rank, place) = (0, name)
    while let next = dependency(of: place) { (rank, place) = (rank + 1, next) }
    return rank
  }
}
