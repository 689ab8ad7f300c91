public import StoreInterface

/// The six kinds of answer to a request. Each is read from one state of the store, after other programs' changes were
/// made a transaction; a thread of the store's reads.
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
      try $0.assignPendingChanges()
      return try $0.countChanges(request)
    }
  }

  /// The objects that changed, each once, in the order of their first change.
  ///
  /// - Complexity: O(changes) memory.
  public func changedObjects(_ request: HistoryRequest) async throws -> [ObjectID] {
    try await answering { store in
      try store.assignPendingChanges()
      return try store.changedObjects(request)
    }
  }

  /// The transactions without their changes.
  public func transactions(_ request: HistoryRequest) async throws -> [HistoryTransaction] {
    try await answering { store in
      var transactions: [HistoryTransaction] = []
      try store.assignPendingChanges()
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
      try store.assignPendingChanges()
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
      try store.assignPendingChanges()
      return try store.history(request)
    }
  }
}
