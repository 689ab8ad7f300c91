package import ImportModel
package import StoreInterface

// What is said of fetched properties when they are read.

extension StoreError {
  /// The same of a property's own predicate, order or destination.
  package func of(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    var error = StoreError(code, at: file, "\(owner.name).\(property.name): \(reason)", hint: hint, remedy)
    error.engineText = engineText
    return error
  }

  // MARK: Requests

  static func fetched(_ name: String, of entity: Entity) -> StoreError {
    refused(
      "'\(name)' of \(entity.name) is a fetched property, which cannot be part of a path, a "
        + "predicate or a sort key")
  }

  package static func noFetchedProperty(_ name: String, of entity: Entity) -> StoreError {
    let known = entity.fetchedProperties.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    return refused(
      "\(entity.name) has no fetched property '\(name)'\(meant)",
      meant.isEmpty && !known.isEmpty ? "It has \(known.joined(separator: ", "))." : nil)
  }

  static func nothingToBring(_ name: String, of entity: Entity) -> StoreError {
    let known =
      entity.relationships.filter { $0.kind != .toMany }.map(\.name) + entity.fetchedProperties.map(\.name)
    let meant = Suggestion.question(for: name, among: known)
    return refused(
      "\(entity.name) has no relationship or fetched property '\(name)'\(meant)",
      meant.isEmpty && !known.isEmpty ? "It has \(known.joined(separator: ", "))." : nil)
  }

  package static func otherFolder(_ path: String, _ name: String) -> StoreError {
    StoreError(
      .badRequest, at: path, "a fetched property refers to this store, which is in another folder",
      hint: "Allow it by its path.", .attach(name, path: path))
  }

  package static func onlyPresent(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    refused(
      "\(owner.name).\(property.name) is fetched from another store; a past or pinned state includes "
        + "one store only"
    )
  }

  // MARK: Predicates

  static let placeInProperty = refused(
    "the predicate of a fetched property cannot use '?'; name the value in 'info', as in "
      + "$FETCHED_PROPERTY.name"
  )

  static func unknownVariable(_ name: String) -> StoreError {
    refused("the predicate contains '\(name)'; supported are $FETCH_SOURCE and $FETCHED_PROPERTY")
  }

  static func noUserInfo(_ name: String, of property: FetchedProperty) -> StoreError {
    let known = property.userInfo.keys.sorted()
    if name.isEmpty {
      return refused("$FETCHED_PROPERTY needs the name of a value of 'info', as in $FETCHED_PROPERTY.name")
    }
    let meant = Suggestion.question(for: name, among: known)
    return refused("the 'info' of '\(property.name)' has no '\(name)'\(meant)")
  }

  // MARK: Other stores

  package static func noOtherStore(_ path: String, _ name: String, _ owner: Entity) -> StoreError {
    StoreError(
      .cannotOpen, at: path,
      "no such store, and fetched properties of \(owner.name) refer to it",
      hint: "Import into it first, or set its path.", .attach(name, path: nil))
  }

  package static func noStoreToReplace(_ name: String, of entity: Entity, among names: [String]) -> StoreError
  {
    let meant = Suggestion.question(for: name, among: names)
    return refused("no fetched property of \(entity.name) refers to a store '\(name)'\(meant)")
  }

  // MARK: Answers

  package static func findsSeveral(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    StoreError(
      .guarded,
      "\(owner.name).\(property.name) has several objects for one \(owner.name) (key: "
        + "\(owner.key.listed)), and allows \(property.cardinality == .one ? "one" : "at most one")",
      hint: "Allow many, set a limit and sort keys, or correct the rows.")
  }

  package static func findsNone(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    StoreError(
      .guarded,
      "\(owner.name).\(property.name) has no object for one \(owner.name) (key: "
        + "\(owner.key.listed)), and requires one",
      hint: "List such objects.", .dangling(property.name))
  }

  package static func changingOwners(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    refused(
      "\(owner.name).\(property.name) cannot be fetched: the request's predicate is not deterministic",
      "Remove random() and the current time from the predicate.")
  }

  // MARK: Migrations

  /// - Parameter stored: which of the two the pipeline does not declare.
  package static func nameTaken(
    _ name: String, _ fetched: String, of entity: Entity, stored: String
  ) -> StoreError {
    StoreError(
      .modelChange, "\(entity.name) has '\(name)', which conflicts with the fetched property '\(fetched)'",
      hint: "Rename the one in the pipeline, or drop the other.", .drop(["\(entity.name).\(stored)"]))
  }

  package static func lostName(_ name: String, _ error: StoreError) -> StoreError {
    StoreError(
      .modelChange,
      "\(name), which the pipeline does not declare, could no longer be fetched: \(error.message)",
      hint: "Declare it in the pipeline, or drop it.", .drop([name]))
  }
}
