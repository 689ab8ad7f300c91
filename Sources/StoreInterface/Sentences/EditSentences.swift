package import ImportModel

// Why an edit is refused, in words.

extension StoreError {
  package static func deletionDenied(_ entity: String) -> StoreError {
    StoreError(
      .guarded,
      "a row of \(entity), or one that goes with it, has others that deny its deletion: nothing is deleted",
      hint: "Delete those first, or say another `on-delete` in the model.")
  }

  package static func noRelationship(_ name: String, of entity: Entity) -> StoreError {
    let known = entity.relationships.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    return StoreError(
      .badRequest, "\(entity.name) has no relationship '\(name)'\(meant)",
      hint: known.isEmpty || !meant.isEmpty ? nil : "It has \(known.joined(separator: ", ")).")
  }

  package static func linkAtOtherEnd(_ relationship: Relationship, of entity: Entity) -> StoreError {
    StoreError(
      .badRequest,
      "'\(relationship.name)' of \(entity.name) leads to many objects; a link is made at its to-one end",
      hint: relationship.inverse.map { "Say `bolide link STORE \(relationship.destination) \($0)`." })
  }

  package static func linkOfSeveral(_ count: Int, _ entity: Entity, _ relationship: Relationship)
    -> StoreError
  {
    StoreError(
      .guarded,
      "'\(relationship.name)' of \(entity.name) is one-to-one, and \(count) objects are to be linked to one \(relationship.destination): nothing is linked",
      hint: "Say which one of them.")
  }

  package static func linkDenied(_ entity: Entity, _ relationship: Relationship) -> StoreError {
    StoreError(
      .guarded, "a rule of \(entity.name) forbids this '\(relationship.name)': nothing is linked",
      hint: "A required relationship leads somewhere, and a key with a relationship in it stays unique.")
  }

  package static func keyOf(_ entity: Entity) -> StoreError {
    StoreError(
      .badRequest, "an object of \(entity.name) is named by its key, \(entity.key.listed)",
      hint: "Give \(entity.key.map { "\($0)=…" }.listed).")
  }

  package static func notAValue(_ name: String, _ expected: String) -> StoreError {
    StoreError(.badRequest, "'\(name)' expects \(expected)")
  }

  package static func noSuchObject(_ entity: Entity, hint: String?) -> StoreError {
    StoreError(.guarded, "there is no \(entity.name) with this key: nothing is changed", hint: hint)
  }
}
