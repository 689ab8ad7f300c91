public import StoreInterface

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

  /// How often the iterator looks for a commit. A look costs microseconds.
  package static let pause = Duration.milliseconds(10)

  /// Goes from one transaction to the next.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let store: Store
    fileprivate var token: HistoryToken?
    private var watch: (any CommitWatch)?
    /// Whether there may be a transaction that was not handed over.
    private var mayHaveMore = true
    /// Whether there may be changes of other programs that are in no transaction yet.
    private var mayHaveUnsealed = true

    fileprivate init(store: Store, token: HistoryToken?) {
      self.store = store
      self.token = token
    }

    /// The next transaction; waits for one. Nil when the task is cancelled.
    ///
    /// - Throws: `StoreError` when the token is not one of the store's history, reading fails, the store is gone, or
    ///   another file has taken its place.
    public mutating func next() async throws -> HistoryTransaction? {
      let watch = try self.watch ?? store.engine.watchCommits()
      self.watch = watch
      while !Task.isCancelled {
        if try watch.hasCommit() { (mayHaveMore, mayHaveUnsealed) = (true, true) }
        if mayHaveMore {
          let transaction: HistoryTransaction?
          do {
            (transaction, mayHaveUnsealed) = try await store.transaction(
              after: token, sealing: mayHaveUnsealed)
          } catch {
            try watch.check()
            throw error
          }
          if let transaction {
            token = transaction.token
            return transaction
          }
          mayHaveMore = mayHaveUnsealed
        }
        do {
          try await Task.sleep(for: HistoryTransactions.pause)
        } catch {
          return nil
        }
      }
      return nil
    }
  }
}

extension Store {
  /// Reads the transaction after a token, off the calling task's thread; nil when there is none yet. Tells whether another
  /// program kept its changes from being sealed.
  fileprivate func transaction(
    after token: HistoryToken?, sealing: Bool
  ) async throws -> (HistoryTransaction?, isPending: Bool) {
    try await answering { store in
      let isPending =
        try sealing && store.assignPendingChanges(readsHistory: true, waiting: 0).contains(where: \.isPassing)
      var request = HistoryRequest(after: token)
      request.transactionLimit = 1
      return (try store.history(request).first, isPending)
    }
  }
}
