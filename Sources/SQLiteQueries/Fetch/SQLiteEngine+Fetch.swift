internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Hands over the objects, in batches where the request says so.
  package func readRows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    guard request.batchSize != nil else {
      return try refreshedReading(request, at: token) { try $1.rows(request, at: token, body) }
    }
    let batches = BatchedRows(self, request, at: token, try joinedStores(for: request, at: token))
    while true {
      let rows = try batches.next()
      if rows.isEmpty { return }
      try rows.forEach(body)
    }
  }

  /// Hands over the objects' cells from one state, behind what they are.
  ///
  /// - Parameters:
  ///   - begin: called once, before the first row.
  ///   - row: called for each object; the cells are valid during the call.
  package func readCells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    row: (any FetchedRow) throws -> Void
  ) throws {
    let joined = try joinedStores(for: request, at: token)
    try refreshedReading(joined, at: token) { db, fetch in
      let pin = PinFile(store: path, token: try token ?? HistoryPositions(db).newest())
      let others = try joined?.pins()
      defer { withExtendedLifetime((pin, others)) {} }
      try fetch.cells(request, at: token, begin: begin, row)
    }
  }

  /// How many objects a request asks for.
  package func readCount(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    var count = 0
    try refreshedReading(request, at: token) { count = try $1.count(request, at: token) }
    return count
  }

  private func refreshedReading(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Database, FetchReading) throws -> Void
  ) throws {
    try refreshedReading(joinedStores(for: request, at: token), at: token, body)
  }

  /// Reads from a state in which derived attributes are true. For a past state history knows them.
  func refreshedReading(
    _ joined: JoinedStores?, at token: HistoryToken?, _ body: (Database, FetchReading) throws -> Void
  ) throws {
    func answer(_ db: Database) throws { try body(db, FetchReading(db, path: path, joined)) }
    if let joined { return try joined.reading(answer) }
    if token == nil { try assignedReading(readsHistory: false, answer) } else { try reading(answer) }
  }

  /// A connection to this store and to those that a request's fetched properties lead to; nil where there are none.
  func joinedStores(for request: ObjectQuery, at token: HistoryToken?) throws -> JoinedStores? {
    let names = request.related + [request.dangling].compactMap { $0 }
    guard token == nil, !names.isEmpty || !request.stores.isEmpty,
      let entity = try reading({ try ModelRecord($0).model.entity(named: request.entity) })
    else { return nil }
    return try JoinedStores(
      self, entity, names.compactMap(entity.fetchedProperty(named:)), for: request)
  }

  package func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
  ) throws -> FetchDifference {
    if request.isGrouped { throw StoreError.differenceOfGroups.about(path) }
    return try reading { db in
      let fetch = try FetchReading(db, path: path)
      return try FetchDifference(of: request, from: older, to: newer) {
        try fetch.list(request, at: $0)
      } read: { between, change in
        try HistoryReading(db, between, path: path).run(change: change) { _ in }
      }
    }
  }
}

extension Database {
  /// A fetch's answer, in the caller's read transaction.
  package func fetch(_ request: ObjectQuery, at token: HistoryToken?, path: String) throws -> [Snapshot.Row] {
    var rows: [Snapshot.Row] = []
    try FetchReading(self, path: path).rows(request, at: token) { rows.append($0) }
    return rows
  }
}
