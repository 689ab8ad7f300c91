extension Model {
  /// Gives an entity another name, and all that names it.
  package mutating func renameEntity(_ old: String, to new: String) {
    for index in entities.indices {
      if entities[index].name == old { entities[index].name = new }
      for place in entities[index].relationships.indices
      where entities[index].relationships[place].destination == old {
        entities[index].relationships[place].destination = new
      }
      // Those of another store have its names.
      for place in entities[index].fetchedProperties.indices
      where entities[index].fetchedProperties[place].destination == old
        && entities[index].fetchedProperties[place].store == nil
      {
        entities[index].fetchedProperties[place].destination = new
      }
    }
  }

  /// Gives an attribute or a relationship another name, and all that names it: key, constraints, indexes, inverses,
  /// derivations.
  ///
  /// - Parameter rewrite: gives a filter over an entity's attributes with the new name in place of the old one.
  package mutating func renameProperty(
    _ old: String, of entity: String, to new: String, inFilters rewrite: (String, Entity) throws -> String
  ) rethrows {
    let before = self
    for index in entities.indices {
      for place in entities[index].attributes.indices {
        guard let derivation = entities[index].attributes[place].derivation else { continue }
        entities[index].attributes[place].derivation = try before.renaming(
          old, of: entity, to: new, in: derivation, of: before.entities[index], rewrite)
      }
      for place in entities[index].relationships.indices {
        let relationship = entities[index].relationships[place]
        if relationship.destination == entity, relationship.inverse == old {
          entities[index].relationships[place].inverse = new
        }
      }
      if entities[index].name == entity { entities[index].renameProperty(old, to: new) }
    }
  }

  private func renaming(
    _ old: String, of entity: String, to new: String, in derivation: Derivation, of owner: Entity,
    _ rewrite: (String, Entity) throws -> String
  ) rethrows -> Derivation {
    func renamed(_ name: String, of place: Entity?) -> String {
      place?.name == entity && name == old ? new : name
    }
    func renamed(_ path: [String]) -> [String] {
      var place: Entity? = owner
      return path.map { name in
        defer { place = place?.relationship(named: name).flatMap { self.entity(named: $0.destination) } }
        return renamed(name, of: place)
      }
    }
    switch derivation {
    case .now: return derivation
    case .copy(let path): return .copy(path: renamed(path))
    case .folded(let folding, let path): return .folded(folding, path: renamed(path))
    case .aggregate(var aggregate):
      let child = owner.relationship(named: aggregate.relationship).flatMap(toMany)?.destination
      aggregate.relationship = renamed(aggregate.relationship, of: owner)
      aggregate.attribute = aggregate.attribute.map { renamed($0, of: child) }
      if let filter = aggregate.filter, let child, child.name == entity {
        aggregate.filter = try rewrite(filter, child)
      }
      return .aggregate(aggregate)
    }
  }
}

extension Entity {
  fileprivate mutating func renameProperty(_ old: String, to new: String) {
    for index in attributes.indices where attributes[index].name == old { attributes[index].name = new }
    for index in relationships.indices where relationships[index].name == old {
      relationships[index].name = new
    }
    key = key.map { $0 == old ? new : $0 }
    uniquenessConstraints = uniquenessConstraints.map { $0.map { $0 == old ? new : $0 } }
    indexes = indexes.map { $0.map { $0 == old ? new : $0 } }
  }
}
