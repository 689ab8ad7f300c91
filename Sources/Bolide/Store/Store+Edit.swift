public import ImportModel
public import StoreInterface

extension Store {
  /// Inserts an object, in one transaction. Derived attributes follow.
  ///
  /// - Parameters:
  ///   - entity: the object's entity.
  ///   - values: its attributes; the others have their defaults.
  ///   - links: the objects that it leads to, by relationship: each by its key, or nil for none.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: the new object, and what changed.
  /// - Throws: `StoreError` when a name is rejected, a value is not of its attribute's type or breaks a rule of it
  ///   (`constraint`), there is an object with the key (`keyExists`), or none that a link names. Nothing is changed then.
  /// - Complexity: O(log n) in the entity's objects, and what derived attributes cost.
  @discardableResult
  public func insert(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?] = [:],
    options: EditOptions = EditOptions()
  ) async throws -> (object: ObjectID, report: EditReport) {
    try await writing(waiting: options.lockWait) {
      try $0.writeObject(entity, values, links: links, .insert, options)
    }
  }

  /// Gives the object with a key other values, or inserts it, in one transaction. Derived attributes follow.
  ///
  /// - Parameters:
  ///   - entity: the object's entity.
  ///   - values: the key, and the attributes that change; a new object's others have their defaults.
  ///   - links: as for `insert`. Links that are not named stay.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: the object, and what changed: nothing where it has the values already.
  /// - Throws: as `insert`, without `keyExists`.
  /// - Complexity: as `insert`.
  @discardableResult
  public func upsert(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?] = [:],
    options: EditOptions = EditOptions()
  ) async throws -> (object: ObjectID, report: EditReport) {
    try await writing(waiting: options.lockWait) {
      try $0.writeObject(entity, values, links: links, .upsert, options)
    }
  }

  /// Gives objects other values, in one transaction. Derived attributes follow.
  ///
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - predicate: which of them, as `ObjectQuery.predicate`; `.all` for all.
  ///   - values: the attributes that change, also those of the key.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: what changed. An object that has the values already is not changed.
  /// - Throws: as `insert`; also when the predicate is rejected.
  /// - Complexity: O(objects) memory.
  @discardableResult
  public func update(
    _ entity: String, where predicate: ObjectQuery.Predicate, set values: ObjectValues,
    options: EditOptions = EditOptions()
  ) async throws -> EditReport {
    try await writing(waiting: options.lockWait) {
      try $0.updateObjects(ObjectQuery(entity, where: predicate), values, options)
    }
  }

  /// Deletes objects by the delete rules of their relationships, in one transaction.
  ///
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - predicate: which of them, as `ObjectQuery.predicate`; `.all` for all.
  ///   - arguments: the values of the predicate's `?`.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: what changed. Objects that a rule takes along, or whose links or derived attributes moved, are counted too.
  /// - Throws: `StoreError` when the predicate is rejected, or a rule denies the deletion; then nothing is deleted.
  /// - Complexity: O(objects) memory.
  public func delete(
    _ entity: String, where predicate: ObjectQuery.Predicate, _ arguments: [Value] = [],
    options: EditOptions = EditOptions()
  ) async throws -> EditReport {
    try await writing(waiting: options.lockWait) {
      try $0.deleteObjects(ObjectQuery(entity, where: predicate, arguments), options)
    }
  }

  /// Puts back what a run of an import inserted, updated and deleted, in one transaction: deleted objects return with their
  /// ids and links, and derived attributes follow.
  ///
  /// - Parameters:
  ///   - run: the run's number.
  ///   - force: puts back also rows that somebody changed after the run: as they were before it.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: what changed, and the rows that stay as they are because somebody changed them after the run, or because
  ///   they cannot be put back.
  /// - Throws: `StoreError` when there is no such run, or history does not go back to it.
  /// - Complexity: O(n log n) in the changes since then.
  public func revert(run: Int64, force: Bool = false, options: EditOptions = EditOptions()) async throws
    -> RevertReport
  {
    try await writing(waiting: options.lockWait) { try $0.revert(.run(run), force: force, options) }
  }

  /// Puts back everything that was changed after a token, by whomever, in one transaction.
  ///
  /// - Returns: as `revert(run:)`.
  /// - Throws: `StoreError` when the token is not a place of this store's history.
  /// - Complexity: O(n log n) in the changes since then.
  public func revert(to token: HistoryToken, options: EditOptions = EditOptions()) async throws
    -> RevertReport
  {
    try await writing(waiting: options.lockWait) { try $0.revert(.token(token), force: true, options) }
  }

  /// Erases an object for good, for somebody who asks for that: from rows, history, rejected records, free pages and the
  /// write-ahead log. Objects that its delete rules take along are erased too, also those that they took along earlier.
  ///
  /// Readers see a deletion with the object's id and without its key and values. States of the store before it are refused
  /// where they need them.
  /// - Parameters:
  ///   - entity: the object's entity.
  ///   - object: which one; also one that was deleted, as long as history knows of it.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  ///   - lockWait: how long to wait for a running import.
  /// - Returns: what was erased.
  /// - Throws: `StoreError` when there is no such object, or a rule denies its deletion: then nothing is erased. Also when the
  ///   object is gone, and a reader keeps free pages or the log from being emptied: then call it again later.
  /// - Complexity: O(store), in time and in room on the disk: the file is built anew. On a PostgreSQL server the tables are
  ///   vacuumed; what else keeps the bytes there is for its keeper, see <doc:Servers>.
  public func erase(
    _ entity: String, _ object: LoggedObject, options: EditOptions = EditOptions(),
    lockWait: Duration = .seconds(10)
  ) async throws -> EraseReport {
    try await writing(waiting: options.lockWait) {
      try $0.erase(entity, object, options, lockWait: lockWait / .seconds(1))
    }
  }

  /// Copies objects into another store, in one transaction of that one's, with what they own and all that these lead to.
  ///
  /// What objects own is deleted with them (`on-delete: cascade`); their many-to-many links go along. Objects are known by
  /// their keys: those that are there get this store's values and links, and others are inserted. Attributes that are
  /// derived are computed there. What the other store has more stays.
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - predicate: which of them, as `ObjectQuery.predicate`; `.all` for all.
  ///   - other: the store that gets them. It has the same entities, keys, attributes and relationships.
  ///   - options: who that store's history names as author, whether it is only tried, and how long to wait.
  /// - Returns: what became of the objects there.
  /// - Throws: `StoreError` when the predicate is rejected, or the other store has no place for what is copied
  ///   (`modelChange`) or a rule that it breaks (`constraint`). Nothing is copied then.
  /// - Complexity: O(n log n) in the copied objects, and what derived attributes cost.
  @discardableResult
  public func copy(
    _ entity: String, where predicate: ObjectQuery.Predicate, into other: Store,
    options: EditOptions = EditOptions()
  ) async throws -> CopyReport {
    // A predicate may ask for what is derived, and other programs left to be computed.
    try await answering { _ = try $0.assignPendingChanges(readsHistory: false) }
    return try await other.writing(waiting: options.lockWait) { [engine] in
      try $0.copyObjects(ObjectQuery(entity, where: predicate), from: engine, options)
    }
  }

  /// Links objects to another one, or to none, in one transaction. Derived attributes of both ends follow.
  ///
  /// A to-one link replaces the present one. A many-to-many link is added. A one-to-one relationship may be named at either
  /// end: the object that was linked before is unlinked.
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - relationship: its relationship; a one-to-many one is linked at its to-one end.
  ///   - predicate: which objects, as `ObjectQuery.predicate`; `.all` for all.
  ///   - arguments: the values of the predicate's `?`.
  ///   - key: the key of the object that they lead to; nil for none, which takes all their links away.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: what changed. An object that has the link already is not changed.
  /// - Throws: `StoreError` when a name or the predicate is rejected, there is no object with the key, or several objects
  ///   are to share one place.
  /// - Complexity: O(objects) memory.
  public func link(
    _ entity: String, _ relationship: String, where predicate: ObjectQuery.Predicate,
    _ arguments: [Value] = [],
    to key: [String: Value]?, options: EditOptions = EditOptions()
  ) async throws -> EditReport {
    let edit = key.map(LinkEdit.to) ?? .toNone
    return try await writing(waiting: options.lockWait) {
      try $0.linkObjects(ObjectQuery(entity, where: predicate, arguments), relationship, edit, options)
    }
  }

  /// Unlinks objects from another object, in one transaction. Derived attributes of both ends are updated.
  ///
  /// - Parameters:
  ///   - entity: the objects' entity.
  ///   - relationship: its relationship; a one-to-many one is linked at its to-one end.
  ///   - predicate: which objects, as `ObjectQuery.predicate`; `.all` for all.
  ///   - arguments: the values of the predicate's `?`.
  ///   - key: the key of the object that they lead to no more.
  ///   - options: who the history names as author, whether it is only tried, and how long to wait.
  /// - Returns: what changed. An object that has no such link is not changed.
  /// - Throws: as `link`.
  /// - Complexity: O(objects) memory.
  public func unlink(
    _ entity: String, _ relationship: String, where predicate: ObjectQuery.Predicate,
    _ arguments: [Value] = [],
    from key: [String: Value], options: EditOptions = EditOptions()
  ) async throws -> EditReport {
    try await writing(waiting: options.lockWait) {
      try $0.linkObjects(ObjectQuery(entity, where: predicate, arguments), relationship, .from(key), options)
    }
  }
}
