// What is said of fetched properties.

extension Message {
  package static func fetchedWithoutEntity(_ name: String) -> Message {
    Message("the fetched property '\(name)' needs 'entity', the entity of its objects")
  }

  static func fetchedWithoutName(_ entity: Entity) -> Message {
    Message("a fetched property of \(entity.title) has no name")
  }

  static let fetchedNameWithNull = Message("the name of a fetched property contains the character U+0000")

  static func fetchedTwice(_ name: String, after other: String) -> Message {
    other == name
      ? Message("the fetched property '\(name)' is declared twice")
      : Message("the fetched properties '\(other)' and '\(name)' differ by case only: rename one")
  }

  static func fetchedAlso(_ name: String, _ kind: Reason, of entity: Entity) -> Message {
    Message("'\(name)' is a fetched property and \(kind.text) of \(entity.title): rename one")
  }

  static func fetchedLimit(_ name: String) -> Message {
    Message("the limit of the fetched property '\(name)' is at least 1")
  }

  static let fetchedStoreWithNull = Message("the store of a fetched property contains the character U+0000")

  static func fetchesNothing(_ property: FetchedProperty, _ model: Model) -> Message {
    let ending = Suggestion.ending(
      for: property.destination, among: model.entities.map(\.name), plural: "the entities are")
    return Message(
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
