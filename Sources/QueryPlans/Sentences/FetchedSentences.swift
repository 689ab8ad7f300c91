package import ImportModel
package import StoreInterface

// What is said of fetched properties when they are read.

extension StoreError {
  /// The same of a property's own predicate, order or destination.
  package func of(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    StoreError(code, "\(owner.name).\(property.name): \(message)", hint: hint)
  }

  // MARK: Requests

  static func fetched(_ name: String, of entity: Entity) -> StoreError {
    refused(
      "'\(name)' of \(entity.name) is a fetched property: it is brought along as a whole, and is no part of a path, a "
        + "predicate or an order")
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
      meant.isEmpty && !known.isEmpty ? "It can bring along \(known.joined(separator: ", "))." : nil)
  }

  package static func otherFolder(_ path: String, _ name: String) -> StoreError {
    refused(
      "\(path): a fetched property leads to this store, which is in another folder",
      "If that is meant, name it: --attach \(name)=\(path)")
  }

  package static func onlyPresent(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    refused(
      "\(owner.name).\(property.name) is fetched from another store, and a past or pinned state is one store's alone"
    )
  }

  // MARK: Predicates

  static let placeInProperty = refused(
    "the predicate of a fetched property has no '?'; a value has a name in 'info', as in $FETCHED_PROPERTY.name"
  )

  static func unknownVariable(_ name: String) -> StoreError {
    refused("the predicate has '\(name)'; there are $FETCH_SOURCE and $FETCHED_PROPERTY")
  }

  static func noUserInfo(_ name: String, of property: FetchedProperty) -> StoreError {
    let known = property.userInfo.keys.sorted()
    if name.isEmpty { return refused("$FETCHED_PROPERTY is no value; name one of its 'info' behind a dot") }
    let meant = Suggestion.question(for: name, among: known)
    return refused("the 'info' of '\(property.name)' has no '\(name)'\(meant)")
  }

  // MARK: Other stores

  package static func noOtherStore(_ path: String, _ name: String, _ owner: Entity) -> StoreError {
    StoreError(
      .cannotOpen,
      "\(path): there is no such store, and \(owner.name) has fetched properties that lead to it",
      hint: "Import into it first, or say where it is: --attach \(name)=PATH")
  }

  package static func noStoreToReplace(_ name: String, of entity: Entity, among names: [String]) -> StoreError
  {
    let meant = Suggestion.question(for: name, among: names)
    return refused("no fetched property of \(entity.name) is in a store '\(name)'\(meant)")
  }

  // MARK: Answers

  package static func findsSeveral(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    StoreError(
      .guarded,
      "\(owner.name).\(property.name) finds several objects for one \(owner.name) (key: \(owner.key.listed)), "
        + "and may find \(property.cardinality == .one ? "one" : "one at most")",
      hint: "Let it find many, give it a limit and an order, or mend the rows.")
  }

  package static func findsNone(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    StoreError(
      .guarded,
      "\(owner.name).\(property.name) finds nothing for one \(owner.name) (key: \(owner.key.listed)), and must find one",
      hint: "List such objects with --dangling \(property.name).")
  }

  package static func changingOwners(_ property: FetchedProperty, of owner: Entity) -> StoreError {
    refused(
      "\(owner.name).\(property.name) cannot be fetched: the request's predicate gives another answer each time",
      "Leave random() and the present time out of it.")
  }

  // MARK: Migrations

  package static func nameTaken(_ name: String, _ fetched: String, of entity: Entity) -> StoreError {
    StoreError(
      .modelChange, "\(entity.name) has '\(name)' and cannot have the fetched property '\(fetched)' too",
      hint: "Rename the one in the pipeline, or drop the other with `bolide migrate --drop`.")
  }

  package static func lostName(_ name: String, _ error: StoreError) -> StoreError {
    StoreError(
      .modelChange, "\(name), which the pipeline does not name, would be fetched in vain: \(error.message)",
      hint: "Name it in the pipeline as it is to be, or drop it with `bolide migrate --drop`.")
  }
}
