internal import ImportModel
public import StoreInterface

extension Store {
  /// The objects that a request asks for, as they are now or as they were at a token.
  ///
  /// Rows without a change in history since the token are read as they are now. A property that was added to the model
  /// after the token is null in objects deleted before it was added, and has its present value in others. A fetch of the
  /// present first recomputes derived attributes that other programs left out of date, if the store can be written.
  /// - Parameters:
  ///   - request: what is wanted.
  ///   - token: the place in history; nil for now.
  /// - Throws: `StoreError` when the token is not a place of the store's history or has expired, or the request cannot
  ///   be met.
  /// - Complexity: that of the query; for a past state also O(changes since), in time and in temporary room.
  public func fetch(_ request: ObjectQuery, at token: HistoryToken? = nil) async throws -> [Snapshot.Row] {
    try await answering { store in
      var rows: [Snapshot.Row] = []
      try store.readRows(request, at: token) { rows.append($0) }
      return rows
    }
  }

  /// Hands over the objects that a request asks for one by one, in constant memory.
  ///
  /// - Parameters:
  ///   - request: what is wanted. With a `batchSize` the store is not read while objects are handed over: the closure may
  ///     take its time and may write. Without one it reads from one state, and the write-ahead log cannot be emptied
  ///     meanwhile.
  ///   - token: the place in history; nil for now.
  ///   - row: called for each object, on a thread of the store's.
  /// - Throws: as `fetch(_:at:)`, and what the closure throws.
  public func fetch(
    _ request: ObjectQuery, at token: HistoryToken? = nil,
    _ row: @escaping @Sendable (Snapshot.Row) throws -> Void
  ) async throws {
    try await answering { store in
      try store.readRows(request, at: token) {
        try StoreCall.check()
        try row($0)
      }
    }
  }

  /// The objects that a request asks for, as a type of one's own; see `Snapshot.Row.decode(as:)`.
  ///
  ///     let fireballs = try await store.fetch(request, as: Fireball.self)
  ///
  /// - Throws: as `fetch(_:at:)`; `StoreError` too when the type has a property that the objects have not, before any is
  ///   read, or another type of value, and what the type's own `init(from:)` throws.
  /// - Complexity: as `fetch(_:at:)`.
  public func fetch<Object: Decodable & Sendable>(
    _ request: ObjectQuery, as type: Object.Type, at token: HistoryToken? = nil
  ) async throws -> [Object] {
    try await answering { [names] store in
      try names.check(type, request, in: store)
      let decoder = RowDecoder()
      var objects: [Object] = []
      try store.readRows(request, at: token) { objects.append(try decoder.decode(type, from: $0)) }
      return objects
    }
  }

  /// How many objects a request asks for.
  ///
  /// - Throws: as `fetch(_:at:)`.
  public func count(_ request: ObjectQuery, at token: HistoryToken? = nil) async throws -> Int {
    try await answering { try $0.readCount(request, at: token) }
  }

  /// One change an object between two places of history: what turns the older state into the newer one.
  ///
  /// - Throws: `StoreError` when a token is not a place of the store's history, has expired, or is the older one.
  public func changes(from older: HistoryToken, to newer: HistoryToken) async throws -> [HistoryChange] {
    var request = HistoryRequest(after: older)
    request.end = .token(newer)
    request.isNet = true
    return try await changes(request)
  }

  /// The difference between a fetch's results at two tokens: objects that were inserted, removed or moved, and remaining
  /// objects with other values.
  ///
  /// - Throws: as `fetch(_:at:)` and `changes(from:to:)`.
  /// - Complexity: two fetches of past states, and O(n log n) for n objects in the answers.
  public func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
  ) async throws -> FetchDifference {
    try await answering { try $0.difference(of: request, from: older, to: newer) }
  }

  /// A view that is pinned to the newest state.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  public func pin() async throws -> QueryGeneration {
    try await answering { [names] in try QueryGeneration($0, names) }
  }

  /// Runs something with a view that is pinned to the newest state.
  public func pinned<Result>(_ body: (QueryGeneration) async throws -> Result) async throws -> Result {
    try await body(pin())
  }
}
