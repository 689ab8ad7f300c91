internal import Dispatch
public import StoreInterface

/// The six kinds of answer to a request. Each is read from one state of the store, after other programs' changes were
/// made a transaction; the calling task waits, and one of Dispatch's threads reads.
///
/// All throw `StoreError` when the request's start is not a place of the store's history.
extension Store {
  /// Whether there is any such change.
  public func hasChanges(_ request: HistoryRequest) async throws -> Bool {
    var request = request
    if !request.isNet { request.limit = 1 }
    return try await changeCount(request) > 0
  }

  /// How many such changes there are.
  public func changeCount(_ request: HistoryRequest) async throws -> Int {
    try await answering {
      try $0.sealWherePossible()
      return try $0.countChanges(request)
    }
  }

  /// The objects that changed, each once, in the order of their first change.
  ///
  /// - Complexity: O(changes) memory.
  public func changedObjects(_ request: HistoryRequest) async throws -> [ObjectID] {
    try await answering { store in
      var (seen, objects): (Set<ObjectID>, [ObjectID]) = ([], [])
      try store.sealWherePossible()
      try store.readHistory(request) { change in
        let object = ObjectID(entity: change.entity, id: change.id)
        if seen.insert(object).inserted { objects.append(object) }
      } commit: { _ in
      }
      return objects
    }
  }

  /// The transactions without their changes.
  public func transactions(_ request: HistoryRequest) async throws -> [HistoryTransaction] {
    try await answering { store in
      var transactions: [HistoryTransaction] = []
      try store.sealWherePossible()
      try store.readHistory(request) { _ in
      } commit: {
        transactions.append($0)
      }
      return transactions
    }
  }

  /// The changes without their transactions.
  ///
  /// - Complexity: O(changes) memory.
  public func changes(_ request: HistoryRequest) async throws -> [HistoryChange] {
    try await answering { store in
      var changes: [HistoryChange] = []
      try store.sealWherePossible()
      try store.readHistory(request) {
        changes.append($0)
      } commit: { _ in
      }
      return changes
    }
  }

  /// The transactions with their changes.
  ///
  /// - Complexity: O(changes) memory.
  public func history(_ request: HistoryRequest) async throws -> [HistoryTransaction] {
    try await answering { store in
      try store.sealWherePossible()
      return try store.history(request)
    }
  }
}

extension Store {
  /// Runs something on a thread where waiting is allowed.
  func answering<Answer: Sendable>(_ body: @escaping @Sendable (Store) throws -> Answer) async throws
    -> Answer
  {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// The transactions with their changes, on the calling thread.
  func history(_ request: HistoryRequest) throws -> [HistoryTransaction] {
    var (transactions, changes): ([HistoryTransaction], [HistoryChange]) = ([], [])
    try readHistory(request) {
      changes.append($0)
    } commit: { transaction in
      var transaction = transaction
      transaction.changes = changes
      transactions.append(transaction)
      changes.removeAll()
    }
    return transactions
  }

  /// How many changes a request has, on the calling thread.
  package func countChanges(_ request: HistoryRequest) throws -> Int {
    if request.isUnfiltered, !request.isNet, request.limit == nil, !request.start.isInside {
      return try reading { try HistoryReading($0, request, path: path).count() }
    }
    var count = 0
    try readHistory(request) { _ in
      count += 1
    } commit: { _ in
    }
    return count
  }
}

extension HistoryRequest.Start {
  /// Whether it is a place inside a transaction.
  var isInside: Bool {
    if case .token(let token) = self { token.inside != nil } else { false }
  }
}
