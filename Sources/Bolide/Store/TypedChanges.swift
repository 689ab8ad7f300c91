public import StoreInterface

extension Store {
  /// The changes of an entity's objects after a token, in commit order, with the objects as a type of one's own; then those
  /// that come, whoever makes them.
  ///
  ///     for try await change in store.changes(of: "Fireball", as: Fireball.self, after: saved) { … }
  ///
  /// - Parameters:
  ///   - entity: the entity's name.
  ///   - type: has properties as `Snapshot.Row.decode(as:)` says. A relationship is the other object's id.
  ///   - token: as in `Store.transactions(after:)`.
  public func changes<Object: Decodable & Sendable>(
    of entity: String, as type: Object.Type, after token: HistoryToken? = nil
  ) -> TypedChanges<Object> {
    var request = HistoryRequest(following: token)
    request.entities = [entity]
    request.includesValues = true
    return TypedChanges(transactions: transactions(following: request), entity: entity, id: nil)
  }

  /// The changes of one object; see `changes(of:as:after:)`.
  ///
  /// - Complexity: the changes of the entity's other objects are read, and left out.
  public func changes<Object: Decodable & Sendable>(
    of object: ObjectID, as type: Object.Type, after token: HistoryToken? = nil
  ) -> TypedChanges<Object> {
    var changes = changes(of: object.entity, as: type, after: token)
    changes.id = object.id
    return changes
  }
}

/// What happened to one object in one transaction, with the object as a type of one's own.
public struct TypedChange<Object: Decodable & Sendable>: Sendable {
  /// What happened.
  public let kind: HistoryChange.Kind
  /// The object's id, its table's `bolide_id`.
  public let id: Int64
  /// The object's key; empty when it was erased, or its row vanished without a trace.
  public let key: [HistoryChange.Property]
  /// The object as it was when the change was read: later transactions may have changed it already. Nil when it is gone.
  public let object: Object?
  /// An update's changed properties with the values before it; all that were not null for a delete.
  public let previous: [HistoryChange.Property]
  /// Who wrote it; nil for another program.
  public let author: String?
  /// The place after the change's transaction; nil where more of its changes follow. Who goes on from there gets the
  /// changes of a transaction that was not finished again, and misses none.
  public let token: HistoryToken?

  /// The names of the properties that an update changed; empty for an insert and a delete, which touch every one.
  ///
  /// - Complexity: O(properties).
  public var changed: [String] { kind == .update ? previous.map(\.name) : [] }
}

/// Changes of an entity's objects as they are committed. Keep the newest `token` that is not nil: it is the place to go on
/// from.
///
/// Each transaction is read whole, from one state of the store. The sequence ends when its task is cancelled.
public struct TypedChanges<Object: Decodable & Sendable>: AsyncSequence, Sendable {
  fileprivate let transactions: HistoryTransactions
  fileprivate let entity: String
  /// The only object that is wanted; nil for all.
  fileprivate var id: Int64?

  /// Begins after the token.
  public func makeAsyncIterator() -> Iterator {
    Iterator(transactions: transactions.makeAsyncIterator(), entity: entity, id: id)
  }

  /// Goes from one change to the next.
  public struct Iterator: AsyncIteratorProtocol {
    private var transactions: HistoryTransactions.Iterator
    private let entity: String
    private let id: Int64?
    private let decoder = RowDecoder()
    private var transaction: HistoryTransaction?
    /// The next one of its changes.
    private var place = 0
    private var isChecked = false

    fileprivate init(transactions: HistoryTransactions.Iterator, entity: String, id: Int64?) {
      (self.transactions, self.entity, self.id) = (transactions, entity, id)
    }

    /// The next change; waits for one. Nil when the task is cancelled.
    ///
    /// - Throws: `StoreError` when there is no such entity or the type asks for a name that it has not, the start is not a
    ///   place of the store's history, what follows was pruned before it was read (`tokenExpired`), reading fails, the
    ///   store is gone, or another file has taken its place; and as `Snapshot.Row.decode(as:)` for an object that is none
    ///   of the type.
    /// - Complexity: O(changes), and the memory of the entity's changes in the largest transaction.
    public mutating func next() async throws -> TypedChange<Object>? {
      while !Task.isCancelled {
        if let transaction, place < transaction.changes.count {
          let change = try read(transaction.changes[place], of: transaction)
          place += 1
          return change
        }
        guard try await check(), var found = try await transactions.next() else { return nil }
        if let id { found.changes.removeAll { $0.id != id } }
        (transaction, place) = (found, 0)
      }
      return nil
    }

    /// - Returns: false where the task is cancelled.
    private mutating func check() async throws -> Bool {
      if isChecked { return true }
      do {
        try await transactions.store.answering(call: nil) { [entity, names = transactions.store.names] in
          try names.check(Object.self, ObjectQuery(entity), in: $0)
        }
        isChecked = true
        return true
      } catch is CancellationError {
        return false
      }
    }

    private func read(
      _ change: HistoryChange, of transaction: HistoryTransaction
    ) throws -> TypedChange<Object> {
      let object = try change.values.map { values in
        try decoder.decode(
          Object.self,
          from: Snapshot.Row(entity: change.entity, id: change.id, key: change.key, values: values))
      }
      return TypedChange(
        kind: change.kind, id: change.id, key: change.key, object: object, previous: change.previous,
        author: transaction.author, token: place + 1 == transaction.changes.count ? transaction.token : nil)
    }
  }
}
