public import StoreInterface

extension Store {
  /// The transactions after a token, in commit order; then those that come, whoever makes them.
  ///
  /// Other programs' changes get a transaction as soon as they are seen. The sequence ends when its task is cancelled.
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
    private var follower: HistoryFollower?
    /// Whether there may be a transaction that was not handed over.
    private var mayHaveMore = true

    fileprivate init(store: Store, token: HistoryToken?) {
      self.store = store
      self.token = token
    }

    /// The next transaction; waits for one. Nil when the task is cancelled.
    ///
    /// - Throws: `StoreError` when the token is not one of the store's history, reading fails, the store is gone, or
    ///   another file has taken its place.
    public mutating func next() async throws -> HistoryTransaction? {
      while !Task.isCancelled {
        let found: HistoryTransaction?
        do {
          (found, follower, mayHaveMore) = try await store.transaction(after: token, follower, mayHaveMore)
        } catch is CancellationError {
          return nil
        }
        if let found {
          token = found.token
          return found
        }
        do {
          try await Task.sleep(for: HistoryFollower.pause)
        } catch {
          return nil
        }
      }
      return nil
    }
  }
}

extension Store {
  /// Looks for the transaction after a token, off the calling task's thread; nil when there is none yet.
  ///
  /// - Parameter mayHaveMore: whether there may be one of which the follower has told.
  /// - Returns: and whether there may be another one.
  fileprivate func transaction(
    after token: HistoryToken?, _ follower: HistoryFollower?, _ mayHaveMore: Bool
  ) async throws -> (HistoryTransaction?, HistoryFollower, Bool) {
    try await answering { store in
      var follower = try follower ?? HistoryFollower(store)
      guard try follower.look() || mayHaveMore else { return (nil, follower, false) }
      var request = HistoryRequest(after: token)
      request.transactionLimit = 1
      let found = try follower.reading { try store.history(request).first }
      return (found, follower, found != nil)
    }
  }
}
