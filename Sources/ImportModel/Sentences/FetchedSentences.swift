// What is said of fetched properties.

extension Sentence {
  package static func fetchedWithoutEntity(_ name: String) -> Sentence {
    Sentence("the fetched property '\(name)' needs 'entity', the entity of its objects")
  }

  static func fetchedWithoutName(_ entity: Entity) -> Sentence {
    Sentence("a fetched property of \(entity.title) has no name")
  }

  static let fetchedNameWithNull = Sentence("the name of a fetched property contains the character U+0000")

  static func fetchedTwice(_ name: String, after other: String) -> Sentence {
    other == name
      ? Sentence("the fetched property '\(name)' is declared twice")
      : Sentence("the fetched properties '\(other)' and '\(name)' differ by case only: rename one")
  }

  static func fetchedAlso(_ name: String, _ kind: Reason, of entity: Entity) -> Sentence {
    Sentence("'\(name)' is a fetched property and \(kind.text) of \(entity.title): rename one")
  }

  static func fetchedLimit(_ name: String) -> Sentence {
    Sentence("the limit of the fetched property '\(name)' is at least 1")
  }

  static let fetchedStoreWithNull = Sentence("the store of a fetched property contains the character U+0000")

  static func fetchesNothing(_ property: FetchedProperty, _ model: Model) -> Sentence {
    let ending = Suggestion.ending(
      for: property.destination, among: model.entities.map(\.name), plural: "the entities are")
    return Sentence(
      "the entity '\(property.destination)' of the fetched property '\(property.name)' is not declared"
        + ending)
  }
}

extension Reason {
  static let anAttribute = Reason("an attribute")
  static let aRelationship = Reason("a relationship")
  static func aColumn(of relationship: Relationship) -> Reason {
    Reason("the column of '\(relationship.name)'")
  }
  static let theObjectID = Reason("the object id")
}
