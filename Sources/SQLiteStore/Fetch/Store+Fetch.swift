internal import GRDB

extension Store {
  /// The objects that a request asks for, as they are now or as they were at a token.
  ///
  /// Rows that history does not know to have changed since the token are read as they are. A property that the model got
  /// later is null in what was deleted before, and has its present value elsewhere.
  /// - Parameters:
  ///   - request: what is wanted.
  ///   - token: the place in history; nil for now.
  /// - Throws: `StoreError` when the token is not a place of the store's history or has expired, or the request cannot
  ///   be met.
  /// - Complexity: that of the query; for a past state also O(changes since), in time and in temporary room.
  public func fetch(_ request: FetchRequest, at token: HistoryToken? = nil) async throws -> [Snapshot.Row] {
    try await answering { store in
      try store.reading { try $0.fetch(request, at: token, path: store.path) }
    }
  }

  /// One change an object between two places of history: what turns the older state into the newer one.
  ///
  /// - Throws: `StoreError` when a token is not a place of the store's history, has expired, or is the older one.
  public func changes(from older: HistoryToken, to newer: HistoryToken) async throws -> [HistoryChange] {
    var request = HistoryRequest(after: older)
    request.through = newer
    request.isNet = true
    return try await changes(request)
  }

  /// What happened to a fetch's answer between two places of history: which objects came, went and moved, and which of
  /// those that stayed have other values.
  ///
  /// - Throws: as `fetch(_:at:)` and `changes(from:to:)`.
  /// - Complexity: two fetches of past states, and O(n log n) for n objects in the answers.
  public func difference(
    of request: FetchRequest, from older: HistoryToken, to newer: HistoryToken
  ) async throws -> FetchDifference {
    try await answering { try $0.difference(of: request, from: older, to: newer) }
  }

  /// What happened to a fetch's answer, on the calling thread.
  func difference(
    of request: FetchRequest, from older: HistoryToken, to newer: HistoryToken
  ) throws -> FetchDifference {
    try reading { db in
      let fetch = try FetchReading(db, path: path)
      let before = try fetch.ids(request, at: older)
      var between = HistoryRequest(after: older)
      between.through = newer
      between.isNet = true
      between.entities = [request.entity]
      between.kinds = [.update]
      var changed: [Int64: [String]] = [:]
      try HistoryReading(db, between, path: path).run {
        changed[$0.id] = $0.previous.map(\.name)
      } commit: { _ in
      }
      return try FetchDifference(
        request.entity, from: before, to: fetch.ids(request, at: newer), changed: changed)
    }
  }
}

extension Database {
  /// A fetch's answer, in the caller's read transaction.
  func fetch(_ request: FetchRequest, at token: HistoryToken?, path: String) throws -> [Snapshot.Row] {
    var rows: [Snapshot.Row] = []
    try FetchReading(self, path: path).rows(request, at: token) { rows.append($0) }
    return rows
  }
}
