public import StoreInterface

extension Store {
  /// The transactions after a token, in commit order; then those that come, whoever makes them.
  ///
  /// Other programs' changes get a transaction as soon as they are seen. The sequence ends when its task is cancelled. It throws
  /// `StoreError` with the code `tokenExpired` where transactions behind its place were pruned.
  /// - Parameter token: the place to go on from; nil for the beginning of history. For the oldest transaction that is kept,
  ///   follow `HistoryRequest(from: .beginning)`.
  public func transactions(after token: HistoryToken? = nil) -> HistoryTransactions {
    transactions(following: HistoryRequest(following: token))
  }

  /// The transactions that a request asks for, in commit order; then those that come, whoever makes them. They have the changes
  /// that the request wants, with the objects' rows where it says so.
  ///
  /// - Parameter request: its `end`, `limit` and `isNet` have no meaning here.
  public func transactions(following request: HistoryRequest) -> HistoryTransactions {
    var request = request
    (request.end, request.limit, request.isNet, request.transactionLimit) = (nil, nil, false, 1)
    return HistoryTransactions(store: self, request: request)
  }
}

extension HistoryRequest {
  /// What comes after a token; nil for the beginning, from which nothing may have been pruned.
  init(following token: HistoryToken?) { self.init(from: token.map(Start.token) ?? .transaction(0)) }
}

/// Transactions as they are committed. Keep the newest one's token: it is the place to go on from.
///
/// Each transaction is read whole, with its changes, from one state of the store.
public struct HistoryTransactions: AsyncSequence, Sendable {
  fileprivate let store: Store
  fileprivate let request: HistoryRequest

  /// Begins at the request's start.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, request: request)
  }

  /// Goes from one transaction to the next.
  public struct Iterator: AsyncIteratorProtocol {
    let store: Store
    private var request: HistoryRequest
    private var place: Place?

    fileprivate init(store: Store, request: HistoryRequest) {
      (self.store, self.request) = (store, request)
    }

    /// The next transaction; waits for one. Nil when the task is cancelled.
    ///
    /// - Throws: `StoreError` when the start is not a place of the store's history, reading fails, the store is gone, or
    ///   another file has taken its place.
    public mutating func next() async throws -> HistoryTransaction? {
      while !Task.isCancelled {
        do {
          let found: HistoryTransaction?
          (found, place) = try await store.answering(call: nil) { [request, place] store in
            var place = try place ?? Place(follower: HistoryFollower(store), request: request)
            return (try place.next(in: store), place)
          }
          if let found { return found }
          try await Task.sleep(for: HistoryFollower.pause)
        } catch is CancellationError {
          return nil
        } catch {
          store.context.tellOfEnd(error)
          throw error
        }
      }
      return nil
    }
  }

  /// How far a sequence has come.
  private struct Place {
    var follower: HistoryFollower
    var request: HistoryRequest
    /// Whether there may be a transaction of which the follower has told.
    var mayHaveMore = true

    mutating func next(in store: any StoreEngine) throws -> HistoryTransaction? {
      guard try follower.look() || mayHaveMore else { return nil }
      guard let newest = try follower.reading({ try store.newestToken() }) else { return nil }
      while true {
        guard let read = try follower.reading({ try store.history(request).first }) else { return nil }
        guard let found = read else { break }
        request.start = .token(found.token)
        mayHaveMore = true
        // Of one that has nothing of what is wanted the request tells too.
        if !found.changes.isEmpty || request.isUnfiltered { return found }
      }
      mayHaveMore = false
      // What comes up to there is not wanted, and is not read again.
      if request.start == .beginning { request.start = .token(newest) }
      return nil
    }
  }
}
