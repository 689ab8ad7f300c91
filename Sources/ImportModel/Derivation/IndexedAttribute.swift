/// An attribute whose values stand in an index, as they are or in other spellings.
package struct IndexedAttribute: Sendable {
  package let name: String
  package let type: AttributeType
  /// What is done to a value on its way into the index, first to last.
  package let foldings: [TextFolding]
}

extension Model {
  /// The attributes of an entity, not derived themselves, whose values declared indexes hold: also those of what is derived from them, of
  /// other entities too. For each index, those that come from the same object stand together.
  package func indexedAttributes(of entity: Entity) -> [[IndexedAttribute]] {
    entities.flatMap { holder in
      holder.indexes.flatMap { names -> [[IndexedAttribute]] in
        let origins = names.compactMap { holder.attribute(named: $0).flatMap { origin(of: $0, in: holder) } }
          .filter { $0.entity.name == entity.name }
        let own = origins.filter(\.isOfObject).map(\.attribute)
        let others = origins.filter { !$0.isOfObject }.map { [$0.attribute] }
        return own.isEmpty ? others : [own] + others
      }
    }
  }

  /// Where an attribute's values come from, and whether from the object itself; nil where they are counted or come from the clock.
  private func origin(
    of attribute: Attribute, in entity: Entity
  ) -> (entity: Entity, attribute: IndexedAttribute, isOfObject: Bool)? {
    var place = (entity: entity, attribute: attribute)
    var foldings: [TextFolding] = []
    var isOfObject = true
    while let derivation = place.attribute.derivation {
      if case .folded(let folding, _) = derivation { foldings.append(folding) }
      isOfObject = isOfObject && derivation.path?.count == 1
      guard let source = source(of: derivation, in: place.entity) else { return nil }
      place = source
    }
    let indexed = IndexedAttribute(
      name: place.attribute.name, type: place.attribute.type, foldings: foldings.reversed())
    return (place.entity, indexed, isOfObject)
  }
}
