public import StoreInterface
internal import Synchronization

/// A view of the store that is pinned to one state while imports continue, until its last reference is released.
///
/// While a state is pinned the write-ahead log cannot be emptied, so keep a generation only briefly. `bolide status` lists
/// pinned states, and an import that exceeds its `wal-limit` ends with an error that names this program.
public final class QueryGeneration: Sendable {
  private struct Pin {
    var state: any StatePin
    var since = ContinuousClock.now
  }

  private let engine: any StoreEngine
  private let names: NameChecks
  private let pin: Mutex<Pin>
  /// A pinned state has one connection.
  private let calls = CallQueue(limit: 1)

  init(_ engine: any StoreEngine, _ names: NameChecks) throws {
    (self.engine, self.names) = (engine, names)
    pin = Mutex(Pin(state: try engine.pinState(at: nil)))
  }

  /// The place in history that is seen: the changes after it lead on.
  public var token: HistoryToken { pin.withLock { $0.state.token } }

  /// How long it has been pinned to its state.
  public var age: Duration { pin.withLock { $0.since.duration(to: .now) } }

  /// The objects that a request asks for, in the pinned state.
  ///
  /// - Throws: `StoreError` when the request cannot be met.
  public func fetch(_ request: ObjectQuery) async throws -> [Snapshot.Row] {
    let state = pin.withLock { $0.state }
    return try await calls.run { try state.rows(request) }
  }

  /// The objects that a request asks for, in the pinned state, as a type of one's own.
  ///
  /// - Throws: as `Store.fetch(_:as:at:)`.
  public func fetch<Object: Decodable & Sendable>(
    _ request: ObjectQuery, as type: Object.Type
  ) async throws -> [Object] {
    let state = pin.withLock { $0.state }
    return try await calls.run { [engine, names] in
      try names.check(type, request, in: engine)
      let decoder = RowDecoder()
      return try state.rows(request).map { try decoder.decode(type, from: $0) }
    }
  }

  /// How many objects a request asks for, in the pinned state.
  ///
  /// - Throws: as `fetch(_:)`.
  public func count(_ request: ObjectQuery) async throws -> Int {
    let state = pin.withLock { $0.state }
    return try await calls.run { try state.count(request) }
  }

  /// Goes on to the newest state.
  ///
  /// - Returns: its place in history.
  @discardableResult
  public func advance() async throws -> HistoryToken {
    try await calls.run { [self] in
      let newest = Pin(state: try engine.pinState(at: nil))
      pin.withLock { $0 = newest }
      return newest.state.token
    }
  }

  /// Goes on to the state at a token, and no further: a reader that has taken in the changes up to there sees what they
  /// lead to, also when the store is ahead.
  ///
  /// - Throws: `StoreError` when the token is not a place of the store's history, or comes before the pinned state.
  /// - Complexity: where the store is ahead, each fetch takes also O(changes after the token).
  public func advance(to token: HistoryToken) async throws {
    try await calls.run { [self] in
      let next = Pin(state: try engine.pinState(at: token))
      try pin.withLock { pin in
        guard token >= pin.state.token, token.inside == nil else {
          throw StoreError.doesNotLeadOn(token, from: pin.state.token, engine.path)
        }
        pin = next
      }
    }
  }
}
