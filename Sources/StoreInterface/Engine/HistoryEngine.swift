/// What a reader of history needs of a store.
package protocol HistoryEngine: EngineIdentity {
  /// Makes a transaction of other programs' changes that are in none, where that is possible.
  ///
  /// - Parameters:
  ///   - readsHistory: whether the answer is about history. Then nothing may hide a gap.
  ///   - seconds: how long to wait for another program before what is committed is read as it is.
  /// - Returns: what could not be done; empty where every change has a transaction.
  @discardableResult
  func assignPendingChanges(readsHistory: Bool, waiting seconds: Double) throws -> [ReadingNote]

  /// The place after the newest transaction.
  func newestToken() throws -> HistoryToken

  /// Checks that history goes back to its beginning.
  ///
  /// - Throws: `StoreError.tokenExpired` where transactions were pruned.
  func checkBeginning() throws

  /// Reads history in commit order, from one state of the store.
  ///
  /// - Parameters:
  ///   - change: called for each change; a transaction's changes come before its end.
  ///   - commit: called at each transaction's end, and at a page's end inside one.
  /// - Throws: `StoreError` when the start is not a place of this store's history, and what the closures throw.
  func readHistory(
    _ request: HistoryRequest, change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws

  /// How many changes a request has.
  func countChanges(_ request: HistoryRequest) throws -> Int

  /// Begins to watch for commits, whoever makes them.
  func watchCommits() throws -> any CommitWatch

  /// Gives up what only a writer needs, until something is written again: for a program that only waits.
  func endWriting()

  /// Takes the oldest transactions out of history.
  func prune(_ request: PruneRequest) throws -> PruneReport

  /// Gives freed room back to the system.
  func vacuum() throws
}

/// Tells whether anybody has committed to a store since it was asked last.
package protocol CommitWatch: Sendable {
  /// Whether there may be a new commit. Ask first and read then: what comes in between is told the next time.
  ///
  /// - Throws: as `check()`.
  func hasCommit() throws -> Bool

  /// - Throws: `StoreError` when the store is gone or is another one by now.
  func check() throws(StoreError)
}

extension HistoryEngine {
  /// As `assignPendingChanges(readsHistory:waiting:)`, with a second's wait.
  @discardableResult
  package func assignPendingChanges(readsHistory: Bool = true) throws -> [ReadingNote] {
    try assignPendingChanges(readsHistory: readsHistory, waiting: 1)
  }

  /// The transactions of a request with their changes.
  package func history(_ request: HistoryRequest) throws -> [HistoryTransaction] {
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
}

extension HistoryEngine {
  /// The objects that changed, each once, in the order of their first change.
  ///
  /// - Complexity: O(changes) memory.
  package func changedObjects(_ request: HistoryRequest) throws -> [ObjectID] {
    var (seen, objects): (Set<ObjectID>, [ObjectID]) = ([], [])
    try readHistory(request) { change in
      let object = ObjectID(entity: change.entity, id: change.id)
      if seen.insert(object).inserted { objects.append(object) }
    } commit: { _ in
    }
    return objects
  }
}
