internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
package import StoreInterface

extension PostgreSQLEngine {
  package func readRows(
    _ request: ObjectQuery, at token: HistoryToken?, _ body: (Snapshot.Row) throws -> Void
  ) throws {
    guard request.batchSize == nil else {
      let batches = BatchedRows(self, request, at: token)
      while true {
        let rows = try batches.next()
        if rows.isEmpty { return }
        try rows.forEach(body)
      }
    }
    try fetching(at: token) { try $0.rows(request, at: token, body) }
  }

  package func readCells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    row: (any FetchedRow) throws -> Void
  ) throws {
    try fetching(at: token) { try $0.cells(request, at: token, begin: begin, row) }
  }

  package func readCount(_ request: ObjectQuery, at token: HistoryToken?) throws -> Int {
    try fetching(at: token) { try $0.count(request, at: token) }
  }

  package func exampleRow(of request: ObjectQuery) throws -> Snapshot.Row {
    try fetching(at: nil) { fetch in
      let fetched = request.related.filter { fetch.isFetched($0, of: request.entity) }
      var (example, first): (ObjectQuery, Snapshot.Row?) = (request, nil)
      example.limit = 1
      example.related = request.related.filter { !fetched.contains($0) }
      // A group is not made for that: it takes all objects.
      if !request.isGrouped { try fetch.rows(example, at: nil) { first = $0 } }
      var row = try first ?? fetch.statement(example, at: nil, readsKeys: true).plan.shape.madeUpRow
      row.fetched = fetched.map { Snapshot.Row.Fetched(name: $0, rows: []) }
      return row
    }
  }

  package func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
  ) throws -> FetchDifference {
    if request.isGrouped { throw StoreError.differenceOfGroups.about(path) }
    return try reading { connection, stored in
      let fetch = FetchReading(connection, stored, path)
      let history = HistoryReader(connection, stored, path)
      return try FetchDifference(of: request, from: older, to: newer) {
        try fetch.list(request, at: $0)
      } read: { between, change in
        try history.read(between, change: change) { _ in }
      }
    }
  }

  /// Reads from one state, in which derived attributes are true. For a past state history knows them.
  func fetching<Result>(at token: HistoryToken?, _ body: (FetchReading) throws -> Result) throws -> Result {
    if token == nil { try refresh() }
    return try reading { try body(FetchReading($0, $1, path)) }
  }

  /// Computes what other programs left to the next command, where this user may write.
  func refresh() throws {
    let isLeft = try session { connection in
      try connection.run(
        """
        SELECT EXISTS (SELECT FROM bolide_mark) AND NOT pg_is_in_recovery()
          AND has_table_privilege('bolide_store', 'UPDATE')
        """
      ).integer(0, 0) != 0
    }
    if isLeft { try assignPendingChanges(readsHistory: false) }
  }
}
