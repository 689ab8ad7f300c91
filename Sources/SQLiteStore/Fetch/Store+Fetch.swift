internal import GRDB
internal import ImportModel
public import StoreInterface

extension Store {
  /// The objects that a request asks for, as they are now or as they were at a token.
  ///
  /// Rows that history does not know to have changed since the token are read as they are. A property that the model got
  /// later is null in what was deleted before, and has its present value elsewhere. Before the present is read, derived
  /// attributes that other programs' writes left to be computed are, where the store can be written.
  /// - Parameters:
  ///   - request: what is wanted.
  ///   - token: the place in history; nil for now.
  /// - Throws: `StoreError` when the token is not a place of the store's history or has expired, or the request cannot
  ///   be met.
  /// - Complexity: that of the query; for a past state also O(changes since), in time and in temporary room.
  public func fetch(_ request: ObjectQuery, at token: HistoryToken? = nil) async throws -> [Snapshot.Row] {
    try await answering { store in
      var rows: [Snapshot.Row] = []
      try store.readFetch(request, at: token) { rows.append($0) }
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
  ///   - row: called for each object, on a thread of its own.
  /// - Throws: as `fetch(_:at:)`, and what the closure throws.
  public func fetch(
    _ request: ObjectQuery, at token: HistoryToken? = nil,
    _ row: @escaping @Sendable (Snapshot.Row) throws -> Void
  ) async throws {
    try await answering { try $0.readFetch(request, at: token, row) }
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
    request.through = newer
    request.isNet = true
    return try await changes(request)
  }

  /// What happened to a fetch's answer between two places of history: which objects came, went and moved, and which of
  /// those that stayed have other values of their own.
  ///
  /// - Throws: as `fetch(_:at:)` and `changes(from:to:)`.
  /// - Complexity: two fetches of past states, and O(n log n) for n objects in the answers.
  public func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
  ) async throws -> FetchDifference {
    try await answering { try $0.difference(of: request, from: older, to: newer) }
  }

  // MARK: On the calling thread

  /// Hands over the objects, in batches where the request says so.
  func readFetch(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    guard let size = request.batchSize else {
      return try settledReading(request, at: token) { try $1.rows(request, at: token, body) }
    }
    let joined = try joinedStores(for: request, at: token)
    var rest = request.limit
    var place: FetchPlace?
    repeat {
      var rows: [Snapshot.Row] = []
      let count = min(size, rest ?? size)
      try settledReading(joined, at: token) {
        (rows, place) = try $1.batch(request, at: token, behind: place, size: count)
      }
      try rows.forEach(body)
      rest? -= rows.count
    } while place != nil && rest != 0
  }

  /// Hands over the objects' cells from one state, behind what they are.
  ///
  /// - Parameters:
  ///   - begin: called once, before the first row.
  ///   - row: called for each object; the cells are valid during the call.
  package func readCells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (FetchShape) throws -> Void,
    row: (FetchedCells) throws -> Void
  ) throws {
    let joined = try joinedStores(for: request, at: token)
    try settledReading(joined, at: token) { db, fetch in
      let pin = PinFile(store: path, token: try token ?? HistoryPlaces(db).newest())
      let others = try joined?.pins()
      defer { withExtendedLifetime((pin, others)) {} }
      try fetch.cells(request, at: token, begin: begin, row)
    }
  }

  /// How many objects a request asks for.
  package func readCount(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    var count = 0
    try settledReading(request, at: token) { count = try $1.count(request, at: token) }
    return count
  }

  private func settledReading(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Database, FetchReading) throws -> Void
  ) throws {
    try settledReading(joinedStores(for: request, at: token), at: token, body)
  }

  /// Reads from a state in which derived attributes are true. For a past state history knows them.
  private func settledReading(
    _ joined: JoinedStores?, at token: HistoryToken?, _ body: (Database, FetchReading) throws -> Void
  ) throws {
    func answer(_ db: Database) throws { try body(db, FetchReading(db, path: path, joined)) }
    if let joined { return try joined.reading(answer) }
    if token == nil { try sealedReading(readsHistory: false, answer) } else { try reading(answer) }
  }

  /// A connection to this store and to those that a request's fetched properties lead to; nil where there are none.
  private func joinedStores(for request: ObjectQuery, at token: HistoryToken?) throws -> JoinedStores? {
    let names = request.related + [request.dangling].compactMap { $0 }
    guard token == nil, !names.isEmpty || !request.stores.isEmpty,
      let entity = try reading({ try StoredModel($0).model.entity(named: request.entity) })
    else { return nil }
    return try JoinedStores(
      self, entity, names.compactMap(entity.fetchedProperty(named:)), instead: request.stores)
  }

  /// What happened to a fetch's answer, on the calling thread.
  func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
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
  func fetch(_ request: ObjectQuery, at token: HistoryToken?, path: String) throws -> [Snapshot.Row] {
    var rows: [Snapshot.Row] = []
    try FetchReading(self, path: path).rows(request, at: token) { rows.append($0) }
    return rows
  }
}
