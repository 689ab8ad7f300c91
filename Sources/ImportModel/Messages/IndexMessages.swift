// What is said of indexes.

extension Message {
  static func emptyIndex(_ entity: Entity) -> Message {
    Message("an index of \(entity.title) names no attribute")
  }

  static func twiceInIndex(_ name: String) -> Message { Message("'\(name)' is in the index twice") }

  static func indexTwice(_ index: [String]) -> Message {
    Message("the index on \(index.listed) is declared twice")
  }

  static func indexIsThere(_ index: [String], _ reason: Reason) -> Message {
    Message("the index on \(index.listed) exists already, as \(reason.text): remove it from 'index'")
  }

  static func undeclaredInIndex(_ name: String, of entity: Entity) -> Message {
    let names = entity.storedAttributes.map(\.name) + entity.toOneRelationships.map(\.name)
    let ending = Suggestion.ending(for: name, among: names, plural: "an index can name")
    return Message("'\(name)', in an index, is not declared in \(entity.title)\(ending)")
  }

  static func notIndexed(_ name: String, _ reason: Reason) -> Message {
    Message("'\(name)' cannot be in an index: \(reason.text)")
  }
}

extension Reason {
  static let fetched = Reason("it is a fetched property, which has no column")

  /// - Parameter kind: of a relationship whose column is not here.
  static func columnElsewhere(_ kind: Relationship.Kind) -> Reason {
    Reason("it is a \(kind.word) relationship, and only a to-one relationship has a column")
  }

  /// What has the index already; nil where nothing has.
  static func hasIndex(_ index: [String], of entity: Entity) -> Reason? {
    if index == entity.key { return Reason("that of the key") }
    if entity.uniquenessConstraints.contains(index) { return Reason("that of a unique constraint") }
    if entity.toOneRelationships.contains(where: { [$0.name] == index }) {
      return Reason("that of the relationship")
    }
    return nil
  }
}
