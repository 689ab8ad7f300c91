internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func prune(_ request: PruneRequest) throws -> PruneReport {
    try assignPendingChanges()
    return try prune(seconds: .infinity) { try $0.limit(request) }
  }

  /// Prunes at an import's end as its pipeline wants it, for a quarter of a second at most: the rest is the next import's.
  ///
  /// - Returns: named readers from whom history has gone that they had not seen.
  func pruneBriefly(_ retention: HistoryRetention?) throws -> [String] {
    try prune(seconds: 0.25) { try $0.limit(retention) }.expired
  }

  private func prune(seconds: Double, _ limit: (Pruning) throws -> Pruning.Limit) throws -> PruneReport {
    let clock = ContinuousClock()
    let start = clock.now
    var report = PruneReport()
    var hasMore = true
    while hasMore, start.duration(to: clock.now) / .seconds(1) < seconds {
      try session { connection in
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
