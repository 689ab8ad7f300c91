internal import ImportModel

// Why a fetch is refused, in words. The store's path is put before each.

extension StoreError {
  /// A request that cannot be met.
  static func refused(_ message: String, _ hint: String? = nil) -> StoreError {
    StoreError(.badRequest, message, hint: hint)
  }

  // MARK: Names

  static func noEntity(_ name: String, in model: Model) -> StoreError {
    refused(
      "the store has no entity '\(name)'", "It has \(model.entities.map(\.name).joined(separator: ", ")).")
  }

  static func noProperty(_ name: String, of entity: Entity) -> StoreError {
    let known =
      entity.storedAttributes.map(\.name) + entity.relationships.filter { $0.kind != .toMany }.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    return refused(
      "\(entity.name) has no attribute or relationship '\(name)'\(meant)",
      meant.isEmpty ? "It has \(known.joined(separator: ", "))." : nil)
  }

  static func transientProperty(_ name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) is not stored: a transient attribute lives during an import only")
  }

  static func toMany(_ name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) leads to many objects; a fetch follows to-one relationships")
  }

  static func noWay(over name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) is an attribute and leads to no object")
  }

  // MARK: Predicates

  static let valueMissing = refused("the predicate ends where a value is expected")

  static let emptyPredicate = refused("the predicate is empty")

  static func predicateEnds(within part: String) -> StoreError {
    refused("the predicate ends within \(part)")
  }

  static func strangeCharacter(_ character: Unicode.Scalar) -> StoreError {
    refused("the predicate has the character '\(character)', which is in no expression")
  }

  static func namedParameter(_ name: String) -> StoreError {
    refused("the predicate has '\(name)'; the place of a value is written ?")
  }

  static let closesTooMuch = refused("the predicate closes a parenthesis that it has not opened")

  static func subquery(_ word: String) -> StoreError {
    refused("the predicate has a subquery at '\(word)'; it can ask for attributes and to-one paths only")
  }

  static let tableAfterIn = refused("the predicate has IN without a list; write IN (1, 2, 3)")

  static func reachesOut(_ what: String, from entity: String) -> StoreError {
    refused("the predicate reaches beyond \(entity) and its to-one paths (\(what))")
  }

  static func noExpression(over entity: String, _ reason: String) -> StoreError {
    refused(
      "the predicate is no expression over \(entity) (\(reason))",
      "It is one SQL expression over the entity's attributes and to-one paths, such as magnitude > 5.")
  }

  static func predicateFails(_ reason: String) -> StoreError {
    refused("the predicate fails (\(reason))")
  }

  static func wrongCount(places: Int, values: Int) -> StoreError {
    refused(
      "the predicate has \(places) \(places == 1 ? "place" : "places") for values, and \(values) \(values == 1 ? "was" : "were") given"
    )
  }

  // MARK: Numbers and places

  static let negativeLimit = refused("a limit is at least 0")
  static let negativeOffset = refused("an offset is at least 0")
  static let emptyBatch = refused("a batch has at least 1 object")

  static func insideTransaction(_ token: HistoryToken) -> StoreError {
    refused("the token \(token) is inside a transaction, and states stand between them")
  }
}
