public import StoreInterface

extension Store {
  /// What a request answers now, and again each time when a commit has changed the answer, whoever made it.
  ///
  ///     for try await largest in store.values(of: request) { show(largest) }
  ///
  /// Answers that nobody has taken are not kept: who is slow gets the newest one next. `FetchDifference` tells two of them apart.
  /// What fetched properties find in other stores is not watched.
  /// - Parameter request: what is wanted: not too much, as each answer is held in memory. It is read from one state, without
  ///   regard to its `batchSize`.
  public func values(of request: ObjectQuery) -> FetchedValues {
    var request = request
    request.batchSize = nil
    return FetchedValues(store: self, request: request)
  }
}

/// The answers to a request, as commits change them. It ends when its task is cancelled.
public struct FetchedValues: AsyncSequence, Sendable {
  fileprivate let store: Store
  fileprivate let request: ObjectQuery

  /// Begins with the present answer.
  public func makeAsyncIterator() -> Iterator { Iterator(store: store, request: request) }

  /// Goes from one answer to the next.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let store: Store
    fileprivate let request: ObjectQuery
    private var follower: HistoryFollower?
    private var last: [Snapshot.Row]?

    fileprivate init(store: Store, request: ObjectQuery) {
      (self.store, self.request) = (store, request)
    }

    /// The next answer that differs from the last one; waits for one. Nil when the task is cancelled.
    ///
    /// - Throws: as `Store.fetch(_:at:)`; `StoreError` also when the store is gone, or another file has taken its place.
    /// - Complexity: a fetch for each commit.
    public mutating func next() async throws -> [Snapshot.Row]? {
      while !Task.isCancelled {
        do {
          let found: [Snapshot.Row]?
          (found, follower) = try await store.answer(to: request, follower)
          if let found, found != last {
            last = found
            return found
          }
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
}

extension Store {
  /// Fetches where there may be a commit since the last look.
  fileprivate func answer(
    to request: ObjectQuery, _ follower: HistoryFollower?
  ) async throws -> ([Snapshot.Row]?, HistoryFollower) {
    try await answering { store in
      var follower = try follower ?? HistoryFollower(store)
      guard try follower.look() else { return (nil, follower) }
      let rows = try follower.reading {
        var rows: [Snapshot.Row] = []
        try store.readRows(request, at: nil) { rows.append($0) }
        return rows
      }
      return (rows, follower)
    }
  }
}
