package import ImportModel

// Why a fetch is refused, in words. The store's path is put before each.

extension StoreError {
  /// A request that cannot be met.
  package static func refused(_ message: String, _ hint: String? = nil) -> StoreError {
    StoreError(.badRequest, message, hint: hint)
  }

  // MARK: Names

  package static func noEntity(_ name: String, in model: Model) -> StoreError {
    refused(
      "the store has no entity '\(name)'", "It has \(model.entities.map(\.name).joined(separator: ", ")).")
  }

  package static func noProperty(_ name: String, of entity: Entity) -> StoreError {
    let known =
      entity.storedAttributes.map(\.name) + entity.relationships.filter { $0.kind != .toMany }.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    return refused(
      "\(entity.name) has no attribute or relationship '\(name)'\(meant)",
      meant.isEmpty ? "It has \(known.joined(separator: ", "))." : nil)
  }

  package static func transientProperty(_ name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) is not stored: a transient attribute lives during an import only")
  }

  package static func toMany(_ name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) leads to many objects; a fetch follows to-one relationships")
  }

  package static func noWay(over name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) is an attribute and leads to no object")
  }

  // MARK: Predicates

  package static let valueMissing = refused("the predicate ends where a value is expected")

  package static let emptyPredicate = refused("the predicate is empty")

  package static func predicateEnds(within part: String) -> StoreError {
    refused("the predicate ends within \(part)")
  }

  package static func strangeCharacter(_ character: Unicode.Scalar) -> StoreError {
    refused("the predicate has the character '\(character)', which is in no expression")
  }

  package static func namedParameter(_ name: String) -> StoreError {
    refused("the predicate has '\(name)'; the place of a value is written ?")
  }

  package static let closesTooMuch = refused("the predicate closes a parenthesis that it has not opened")

  package static func subquery(_ word: String) -> StoreError {
    refused("the predicate has a subquery at '\(word)'; it can ask for attributes and to-one paths only")
  }

  package static let tableAfterIn = refused("the predicate has IN without a list; write IN (1, 2, 3)")

  package static func reachesOut(_ what: String, from entity: String) -> StoreError {
    refused("the predicate reaches beyond \(entity) and its to-one paths (\(what))")
  }

  package static func noExpression(over entity: String, _ reason: String) -> StoreError {
    refused(
      "the predicate is no expression over \(entity) (\(reason))",
      "It is one SQL expression over the entity's attributes and to-one paths, such as magnitude > 5.")
  }

  package static func predicateFails(_ reason: String) -> StoreError {
    refused("the predicate fails (\(reason))")
  }

  package static func wrongCount(places: Int, values: Int) -> StoreError {
    refused(
      "the predicate has \(places) \(places == 1 ? "place" : "places") for values, and \(values) \(values == 1 ? "was" : "were") given"
    )
  }

  // MARK: Numbers and places

  package static let negativeLimit = refused("a limit is at least 0")
  package static let negativeOffset = refused("an offset is at least 0")
  package static let emptyBatch = refused("a batch has at least 1 object")

  package static func insideTransaction(_ token: HistoryToken) -> StoreError {
    refused("the token \(token) is inside a transaction, and states stand between them")
  }
}
