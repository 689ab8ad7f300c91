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
    refused("'\(name)' of \(entity.name) is transient, and not stored")
  }

  package static func toMany(_ name: String, of entity: Entity) -> StoreError {
    refused(
      "'\(name)' of \(entity.name) is to-many; a fetch follows to-one relationships only",
      "A predicate can ask about its objects: any(\(name), …), all(\(name), …), none(\(name), …), count(\(name))."
    )
  }

  package static func notToMany(_ name: String, of entity: Entity, for word: String) -> StoreError {
    let known = entity.relationships.filter { $0.kind == .toMany }.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    let hint =
      known.isEmpty
      ? "\(entity.name) has no to-many relationship." : "\(entity.name) has \(known.joined(separator: ", "))."
    return refused(
      "'\(name)' of \(entity.name) is not a to-many relationship, which \(word) requires\(meant)",
      meant.isEmpty ? hint : nil)
  }

  package static func relationshipMissing(_ word: String) -> StoreError {
    refused(
      "'\(word)' in the predicate requires a to-many relationship",
      "Write \(word)(RELATIONSHIP, CONDITION).")
  }

  package static func conditionMissing(_ path: String) -> StoreError {
    refused(
      "'all' in the predicate requires a condition", "Write all(\(path), CONDITION).")
  }

  package static func tooDeep(_ most: Int) -> StoreError {
    refused("the predicate has any, all, none or count within each other more than \(most) deep")
  }

  package static func noWay(over name: String, of entity: Entity) -> StoreError {
    refused("'\(name)' of \(entity.name) is an attribute, not a relationship")
  }

  // MARK: Predicates

  package static let valueMissing = refused("the predicate ends where a value is expected")

  package static let emptyPredicate = refused("the predicate is empty")

  package static func predicateEnds(within part: String) -> StoreError {
    refused("the predicate ends within \(part)")
  }

  package static func strangeCharacter(_ character: Unicode.Scalar) -> StoreError {
    refused("the predicate contains the character '\(character)', which is not part of SQL")
  }

  package static func namedParameter(_ name: String) -> StoreError {
    refused("the predicate contains the parameter '\(name)'; write ? for a value")
  }

  package static let closesTooMuch = refused("the predicate has a ) without its (")

  package static func subquery(_ word: String) -> StoreError {
    refused(
      "the predicate contains a subquery at '\(word)'; use any(…), all(…), none(…) or count(…) for related objects"
    )
  }

  package static let tableAfterIn = refused("the predicate has IN without a list; write IN (1, 2, 3)")

  package static func reachesOut(_ what: String, from entity: String) -> StoreError {
    refused("the predicate refers to more than \(entity) and its to-one paths (\(what))")
  }

  package static func noExpression(over entity: String, _ reason: String) -> StoreError {
    refused(
      "the predicate is not a valid expression over \(entity) (\(reason))",
      "Write one SQL expression over the entity's attributes and to-one paths, such as magnitude > 5.")
  }

  package static func predicateFails(_ reason: String) -> StoreError {
    refused("the predicate fails (\(reason))")
  }

  package static func wrongCount(places: Int, values: Int) -> StoreError {
    refused(
      "the predicate has \(places) \(places == 1 ? "parameter" : "parameters"), and \(values) "
        + "\(values == 1 ? "value was" : "values were") given"
    )
  }

  package static let valuesTwice = refused(
    "the predicate has interpolated values, and others were given beside it",
    "Interpolate all values, or write ? for all.")

  // MARK: Groups

  package static let distinctGroups = refused("distinct rows cannot be grouped: groups are distinct")

  package static let distinctObjects = refused(
    "distinct rows require the names of properties: no object is the same as another")

  package static let groupsBring = refused(
    "a fetch of groups can neither include related objects nor be in batches",
    "Group by a path, such as group.year.")

  package static let differenceOfGroups = refused("the difference of a fetch is about objects, not groups")

  package static func neitherGroupedNorComputed(_ name: String) -> StoreError {
    refused(
      "'\(name)' is neither grouped by nor an aggregate of the fetch",
      name.contains("(")
        ? "Add it to the aggregates." : "Group by it, or take an aggregate of it, such as max(\(name)).")
  }

  package static func nameTwice(_ name: String) -> StoreError {
    refused(
      name.isEmpty ? "an aggregate has no name" : "two columns of the fetch have the name '\(name)'",
      "Give the aggregate another name: count as NAME.")
  }

  package static func aggregateOfNothing(_ function: Derivation.Function) -> StoreError {
    refused("\(function.rawValue) requires an attribute", "Write \(function.rawValue)(NAME).")
  }

  package static func cannotAggregate(
    _ path: String, of entity: Entity, _ type: AttributeType?, _ function: Derivation.Function
  ) -> StoreError {
    let wanted =
      function == .sum || function == .average ? "a number" : "a number, a text, a date or a day"
    return refused(
      "\(function.rawValue) requires \(wanted), and '\(path)' of \(entity.name) is "
        + (type?.named ?? "an object id"),
      "count(\(path)) counts those that are not null.")
  }

  // MARK: Numbers and places

  package static let negativeLimit = refused("the limit must be at least 0")
  package static let negativeOffset = refused("the offset must be at least 0")
  package static let emptyBatch = refused("the batch size must be at least 1")

  package static func insideTransaction(_ token: HistoryToken) -> StoreError {
    refused("the token \(token) is inside a transaction; a state is between transactions")
  }
}
