package import ImportModel

// Why an edit is refused, in words.

extension StoreError {
  package static func deletionDenied(_ entity: String) -> StoreError {
    StoreError(
      .guarded,
      "a row of \(entity), or of its dependents, has related objects that deny its deletion: nothing "
        + "is deleted",
      hint: "Delete those objects first, or set another `on-delete` rule in the model.")
  }

  package static func noRun(_ run: Int64, _ path: String) -> StoreError {
    StoreError(.badRequest, at: path, "there is no run \(run)", hint: "List the runs.", .runs)
  }

  package static func runAtWork(_ run: Int64, _ path: String) -> StoreError {
    StoreError(
      .locked, at: path, "run \(run) is at work: what it writes from now on would not be reverted",
      hint: "Stop it, or wait for its end.")
  }

  package static func prunedRun(_ run: Int64, through number: Int64, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, at: path,
      "run \(run) cannot be reverted: history is pruned through transaction \(number), and does not contain all of its "
        + "changes",
      hint: "Import a good input: it updates the rows that differ.")
  }

  package static func gapSince(run: Int64, _ number: Int64, _ path: String) -> StoreError {
    StoreError(
      .tokenExpired, at: path,
      "run \(run) cannot be reverted: history has a gap at transaction \(number), and does not contain all changes since",
      hint: "Import a good input: it updates the rows that differ.")
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
      "'\(relationship.name)' of \(entity.name) is to-many; link from its to-one end",
      hint: relationship.inverse.map { _ in "Link from the other end." },
      relationship.inverse.map { .link(entity: relationship.destination, relationship: $0) })
  }

  package static func linkOfSeveral(_ count: Int, _ entity: Entity, _ relationship: Relationship)
    -> StoreError
  {
    StoreError(
      .guarded,
      "'\(relationship.name)' of \(entity.name) is one-to-one, and \(count) objects are to be linked to one \(relationship.destination): nothing is linked",
      hint: "Select one of them.")
  }

  package static func linkDenied(_ entity: Entity, _ relationship: Relationship) -> StoreError {
    StoreError(
      .guarded, "the link '\(relationship.name)' violates a constraint of \(entity.name): nothing is linked",
      hint: "A required relationship cannot be null, and a key that contains a relationship must be unique.")
  }

  package static func keyOf(_ entity: Entity) -> StoreError {
    StoreError(
      .badRequest, "an object of \(entity.name) is named by its key, \(entity.key.listed)",
      hint: "Use \(entity.key.map { "\($0)=…" }.listed).")
  }

  package static func notAValue(_ name: String, _ expected: String) -> StoreError {
    StoreError(.badRequest, "'\(name)' expects \(expected)")
  }

  package static func neverSuchObject(_ entity: Entity) -> StoreError {
    StoreError(
      .badRequest, "there is no \(entity.name) with this key, and history knows of none",
      hint: "The object's key is \(entity.key.listed).")
  }

  /// - Parameter time: when it was erased.
  package static func erasedAlready(_ entity: Entity, _ id: Int64, _ time: String) -> StoreError {
    StoreError(.badRequest, "\(entity.name) \(id) was erased at \(time): there is nothing left to erase")
  }

  /// - Parameters:
  ///   - isObject: whether it was erased itself, and not copies of an erased object's values.
  ///   - time: when that was.
  package static func erasedState(
    of entity: String, _ id: Int64, isObject: Bool, _ time: String?, before token: HistoryToken,
    _ path: String
  ) -> StoreError {
    let when = time.map { " at \($0)" } ?? ""
    let what = isObject ? "was erased\(when)" : "had values of an object that was erased\(when)"
    return StoreError(
      .tokenExpired, at: path, "\(entity) \(id) \(what): its state at \(token) is no longer known",
      hint: "Use a token after the erasure, or query the present state.")
  }

  /// - Parameter reason: what prevents it; nil for a reader.
  package static func erasureIncomplete(_ path: String, code: Code = .busy, _ reason: String? = nil)
    -> StoreError
  {
    StoreError(
      code, at: path,
      "the object is erased from rows and history, but its values may still be in free pages and in the write-ahead "
        + "log: \(reason ?? "a reader prevents overwriting them")",
      hint: "Run the same command again\(reason == nil ? " when the long read has ended" : "").")
  }

  package static func noSuchObject(_ entity: Entity, hint: String?) -> StoreError {
    StoreError(.guarded, "there is no \(entity.name) with this key: nothing was changed", hint: hint)
  }

  /// - Parameter reason: as an import says why it rejects a record.
  package static func valueRefused(_ entity: Entity, _ reason: String) -> StoreError {
    StoreError(.constraint, "\(entity.name) cannot have these values: \(reason): nothing was changed")
  }

  package static func valuesTaken(_ entity: Entity) -> StoreError {
    StoreError(
      .constraint,
      "another \(entity.name) has the same key or the same unique values: nothing was changed")
  }

  package static func keyTaken(_ entity: Entity) -> StoreError {
    StoreError(
      .keyExists, "there is a \(entity.name) with this key already: nothing was changed",
      hint: "Use `upsert` to change it.")
  }

  package static func notWritable(_ name: String, of entity: Entity) -> StoreError {
    guard let attribute = entity.attribute(named: name) else {
      if entity.relationship(named: name) != nil {
        return StoreError(
          .badRequest, "'\(name)' of \(entity.name) is a relationship",
          hint: "Link objects with `links`, or with `link`.")
      }
      let known = entity.writableAttributes.map(\.name)
      let meant = Suggestion.question(for: name, among: known)
      return StoreError(
        .badRequest, "\(entity.name) has no attribute '\(name)'\(meant)",
        hint: meant.isEmpty ? "It has \(known.joined(separator: ", "))." : nil)
    }
    return StoreError(
      .badRequest,
      attribute.derivation == nil
        ? "'\(name)' of \(entity.name) is transient: it is not stored"
        : "'\(name)' of \(entity.name) is derived: the store computes it")
  }
}
