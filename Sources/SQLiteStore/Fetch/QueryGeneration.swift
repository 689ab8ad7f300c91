internal import GRDB
public import StoreInterface
internal import Synchronization

/// A view of the store that is pinned to one state while imports go on, as long as somebody holds it.
///
/// While it is pinned the write-ahead log cannot be emptied: keep it for a page of answers, not for a day. `bolide status`
/// tells of it, and an import that meets its `wal-limit` ends and names this program.
public final class QueryGeneration: Sendable {
  private struct Pin {
    /// A connection with an open read transaction.
    var snapshot: DatabaseSnapshot
    /// The state that is seen.
    var token: HistoryToken
    /// Whether that is an older state than the transaction's own.
    var isPast: Bool
    var since = ContinuousClock.now
    /// Tells others of it.
    var file: PinFile?

    init(_ store: Store, at token: HistoryToken? = nil, check: (Database) throws -> Void = { _ in }) throws {
      let (snapshot, newest) = try store.sealedSnapshot()
      try store.naming { try snapshot.read(check) }
      self.snapshot = snapshot
      self.token = token ?? newest
      isPast = self.token != newest
      file = PinFile(store: store.path, token: self.token)
    }
  }

  private let store: Store
  private let pin: Mutex<Pin>

  init(_ store: Store) throws {
    self.store = store
    pin = Mutex(try Pin(store))
  }

  /// The place in history that is seen: the changes after it lead on.
  public var token: HistoryToken { pin.withLock { $0.token } }

  /// How long it has been pinned to its state.
  public var age: Duration { pin.withLock { $0.since.duration(to: .now) } }

  /// The objects that a request asks for, in the pinned state.
  ///
  /// - Throws: `StoreError` when the request cannot be met.
  public func fetch(_ request: ObjectQuery) async throws -> [Snapshot.Row] {
    try await reading { try $0.fetch(request, at: $1, path: $2) }
  }

  /// How many objects a request asks for, in the pinned state.
  ///
  /// - Throws: as `fetch(_:)`.
  public func count(_ request: ObjectQuery) async throws -> Int {
    try await reading { try FetchReading($0, path: $2).count(request, at: $1) }
  }

  private func reading<Answer: Sendable>(
    _ body: @escaping @Sendable (Database, HistoryToken?, String) throws -> Answer
  ) async throws -> Answer {
    let pin = pin.withLock { $0 }
    return try await store.answering { store in
      try store.naming {
        try pin.snapshot.read { try body($0, pin.isPast ? pin.token : nil, store.path) }
      }
    }
  }

  /// Goes on to the newest state.
  ///
  /// - Returns: its place in history.
  @discardableResult
  public func advance() async throws -> HistoryToken {
    try await store.answering { store in
      let newest = try Pin(store)
      self.pin.withLock { $0 = newest }
      return newest.token
    }
  }

  /// Goes on to the state at a token, and no further: a reader that has taken in the changes up to there sees what they
  /// lead to, also when the store is ahead.
  ///
  /// - Throws: `StoreError` when the token is not a place of the store's history, or comes before the pinned state.
  /// - Complexity: where the store is ahead, each fetch takes also O(changes after the token).
  public func advance(to token: HistoryToken) async throws {
    try await store.answering { store in
      let next = try Pin(store, at: token) { try HistoryPlaces($0).check(token, path: store.path) }
      try self.pin.withLock { pin in
        guard token >= pin.token, token.inside == nil else {
          throw StoreError.doesNotLeadOn(token, from: pin.token, store.path)
        }
        pin = next
      }
    }
  }
}

extension Store {
  /// A view that is pinned to the newest state.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  public func pin() async throws -> QueryGeneration {
    try await answering { try QueryGeneration($0) }
  }

  /// Runs something with a view that is pinned to the newest state.
  public func pinned<Result>(_ body: (QueryGeneration) async throws -> Result) async throws -> Result {
    try await body(pin())
  }
}
