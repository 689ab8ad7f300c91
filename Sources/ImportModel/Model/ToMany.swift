/// Where a to-many or has-one relationship leads, and which rows hold its links.
package struct ToMany: Sendable, Hashable {
  /// The entity of the objects that it leads to.
  package let destination: Entity
  /// The entity whose rows hold the owner's object id: the destination, or of a many-to-many relationship the join entity.
  package let holder: Entity
  /// The holder's relationship to the owner.
  package let toOne: Relationship
  /// A join entity's relationship to the destination; nil where the destination holds the links itself.
  package let onward: Relationship?
}

// A many-to-many relationship is declared at both its ends, and kept as an entity between them:
//
//     Post: tags: { to-many: Tag, inverse: posts }     →   Post_tags: key [posts, tags],
//     Tag:  posts: { to-many: Post, inverse: tags }          posts: { to-one: Post }, tags: { to-one: Tag }
//
// To the store it is an entity like any other, so history, triggers, cascades and snapshots know no third kind.
extension Model {
  /// What holds a to-many or has-one relationship; nil when its other end is not declared.
  package func toMany(_ relationship: Relationship) -> ToMany? {
    guard let inverse = relationship.inverse, let destination = entity(named: relationship.destination),
      let back = destination.relationship(named: inverse)
    else { return nil }
    switch (relationship.kind, back.kind) {
    case (.toMany, .toOne), (.hasOne, .toOne):
      return ToMany(destination: destination, holder: destination, toOne: back, onward: nil)
    case (.toMany, .toMany):
      let join = Entity(joining: relationship, back)
      guard let toOne = join.relationship(named: inverse),
        let onward = join.relationship(named: relationship.name)
      else { return nil }
      return ToMany(destination: destination, holder: join, toOne: toOne, onward: onward)
    default: return nil
    }
  }

  /// Whether no two objects lead to the same one by a to-one relationship: its inverse is has-one.
  package func isOneToOne(_ toOne: Relationship) -> Bool {
    guard toOne.kind == .toOne, let inverse = toOne.inverse else { return false }
    return entity(named: toOne.destination)?.relationship(named: inverse)?.kind == .hasOne
  }

  /// An attribute of the one object that a has-one relationship leads to, as the path of a copy names it.
  ///
  /// - Returns: nil for every other path.
  package func copyOfOne(
    along path: [String], from entity: Entity
  ) -> (relationship: Relationship, one: ToMany, attribute: Attribute)? {
    guard path.count == 2, let relationship = entity.relationship(named: path[0]),
      relationship.kind == .hasOne, let one = toMany(relationship),
      let attribute = one.destination.attribute(named: path[1])
    else { return nil }
    return (relationship, one, attribute)
  }

  /// The end of each many-to-many relationship that its table is named after, with its entity and what holds its links.
  package var joins: [(owner: Entity, end: Relationship, toMany: ToMany)] {
    entities.flatMap { owner in
      owner.relationships.compactMap { end in
        guard let toMany = toMany(end), toMany.holder.name == "\(owner.name)_\(end.name)",
          toMany.onward != nil
        else { return nil }
        return (owner, end, toMany)
      }
    }
  }

  /// The model with its join entities behind the others: what a store keeps.
  package var withJoins: Model {
    Model(entities: entities + joins.map(\.toMany.holder))
  }

  /// What the deletion of an owner does to the rows that lead to it by a to-one relationship: the owner's end says it.
  ///
  /// Rows whose key holds the link cannot stay without it: they go.
  package func deleteRule(of toOne: Relationship, in entity: Entity) -> Relationship.DeleteRule {
    guard let inverse = toOne.inverse,
      let end = self.entity(named: toOne.destination)?.relationship(named: inverse)
    else { return .nullify }
    return end.deleteRule == .nullify && entity.key.contains(toOne.name) ? .cascade : end.deleteRule
  }
}

extension Entity {
  /// The join entity between two to-many relationships that are each other's inverse: the same in whichever order.
  fileprivate init(joining one: Relationship, _ other: Relationship) {
    // A relationship starts where its inverse leads to.
    let isFirst = (other.destination, one.name) <= (one.destination, other.name)
    let (first, second) = isFirst ? (one, other) : (other, one)
    self.init(
      name: "\(second.destination)_\(first.name)", key: [second.name, first.name], attributes: [],
      relationships: [
        Relationship(name: second.name, kind: .toOne, destination: second.destination, inverse: first.name),
        Relationship(name: first.name, kind: .toOne, destination: first.destination, inverse: second.name),
      ])
  }
}
