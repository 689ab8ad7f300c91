internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func prune(_ request: PruneRequest) throws -> PruneReport {
    try assignPendingChanges()
    return try prune(seconds: .infinity) { try $0.limit(request) }
  }

  /// Prunes at an import's end as its pipeline wants it, for a quarter of a second at most: the rest is the next import's, and all
  /// of it where the server is not to be had, as the import itself is done.
  ///
  /// - Returns: named readers from whom history has gone that they had not seen.
  func pruneBriefly(_ retention: HistoryRetention?) throws -> [String] {
    do {
      // A step that is done again takes no more away than is wanted.
      return try prune(seconds: 0.25, repeats: true) { try $0.limit(retention) }.expired
    } catch let error as StoreError where [.busy, .unreachable].contains(error.code) {
      return []
    }
  }

  private func prune(
    seconds: Double, repeats: Bool = false, _ limit: (Pruning) throws -> Pruning.Limit
  ) throws -> PruneReport {
    let clock = ContinuousClock()
    let start = clock.now
    var report = PruneReport()
    var hasMore = true
    while hasMore, start.duration(to: clock.now) / .seconds(1) < seconds {
      try session(repeats: repeats) { connection in
        let stored = try StoredModel(connection, address)
        try connection.inTransaction {
          // Nobody numbers meanwhile, and no reader comes back to what goes.
          try connection.run(SystemTables.lock(address.schema))
          let pruning = Pruning(
            connection: connection, positions: try Positions(connection, stored, path))
          // Asked each time: a reader may have come, and must not lose what it was just given.
          let limit = try limit(pruning)
          report.holding = limit.holding
          guard let gone = try pruning.raiseFloor(to: limit.number) else { return hasMore = false }
          report.transactions += gone.transactions
          report.changes += gone.changes
          // A reader that has expired is not among them the next time.
          report.expired += limit.released.filter { $0.number < gone.floor }.map(\.name)
        }
      }
    }
    return report
  }

  /// The server's own business: autovacuum.
  package func vacuum() throws {}
}
