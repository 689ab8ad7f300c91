extension Store {
  /// The transactions after a token, in commit order; then those that come, whoever makes them.
  ///
  /// Other programs' changes are sealed as soon as they are seen. The sequence ends when its task is cancelled.
  /// - Parameter token: the place to go on from; nil for the beginning.
  public func transactions(after token: HistoryToken? = nil) -> HistoryTransactions {
    HistoryTransactions(store: self, token: token)
  }
}

/// Transactions as they are committed. Keep the newest one's token: it is the place to go on from.
///
/// Each transaction is read whole, with its changes, from one state of the store.
public struct HistoryTransactions: AsyncSequence, Sendable {
  fileprivate let store: Store
  fileprivate let token: HistoryToken?

  /// Begins at the sequence's token.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, token: token)
  }

  /// Goes from one transaction to the next.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let store: Store
    fileprivate var token: HistoryToken?

    /// The next transaction; waits for one. Nil when the task is cancelled.
    ///
    /// - Throws: `StoreError` when the token is not one of the store's history, or reading fails.
    public mutating func next() async throws -> HistoryTransaction? {
      while !Task.isCancelled {
        if let transaction = try await store.transaction(after: token) {
          token = transaction.token
          return transaction
        }
        // A look costs microseconds; a commit is seen well within 50 ms.
        try? await Task.sleep(for: .milliseconds(20))
      }
      return nil
    }
  }
}

extension Store {
  /// Reads the transaction after a token, off the calling task's thread; nil when there is none yet.
  fileprivate func transaction(after token: HistoryToken?) async throws -> HistoryTransaction? {
    try await answering { store in
      try store.sealWherePossible()
      var request = HistoryRequest(after: token)
      request.transactionLimit = 1
      return try store.history(request).first
    }
  }
}
