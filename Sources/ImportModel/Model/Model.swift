/// The entities of a store: what is kept, under which names and rules.
///
/// A model comes from a pipeline file or is built in code, and is kept in the store too. It is a plain value.
public struct Model: Sendable, Hashable, Codable {
  /// The entities, in the order in which they were declared.
  ///
  /// Names are unique, whatever their case.
  public var entities: [Entity]

  /// Makes a model of the given entities.
  public init(entities: [Entity] = []) {
    self.entities = entities
  }

  /// The entity of that name, if there is one.
  ///
  /// Linear in the number of entities.
  public func entity(named name: String) -> Entity? {
    entities.first { $0.name.isSameName(as: name) }
  }
}

extension Model {
  /// Entities, each behind those that it leads to by some relationships, as far as these do not lead in a circle.
  package func sorted(_ entities: [Entity], behind links: (Entity) -> [Relationship]) -> [Entity] {
    var (order, seen): ([Entity], Set<String>) = ([], [])
    func visit(_ entity: Entity) {
      guard seen.insert(entity.name).inserted else { return }
      links(entity).compactMap { self.entity(named: $0.destination) }.forEach(visit)
      order.append(entity)
    }
    entities.forEach(visit)
    return order
  }

  /// Children before their parents, to which their keys lead.
  package var childrenFirst: [Entity] { sorted(entities, behind: \.keyRelationships).reversed() }
}

extension String {
  /// Whether two names are one to SQLite, which compares bytes: `é` is another name than `e` with an accent behind it.
  package func isSameName(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
