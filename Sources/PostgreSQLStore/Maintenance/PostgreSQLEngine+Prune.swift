internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func prune(_ request: PruneRequest) throws -> PruneReport {
    try assignPendingChanges()
    return try request.run { start in
      try reading { try Positions($0, $1, path).number(start) }
    } prune: {
      try prune($0)
    }
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
    seconds: Double = .infinity, repeats: Bool = false, _ limit: (Pruning) throws -> PruneLimit
  ) throws -> PruneReport {
    let clock = ContinuousClock()
    let start = clock.now
    var report = PruneReport()
    var hasMore = true
    while hasMore, start.duration(to: clock.now) / .seconds(1) < seconds {
      try session(repeats: repeats) { connection in
        let stored = try StoredModel(connection, address)
        try connection.inTransaction {
          // A delivery that is under way has its reader.
          try connection.limitLockWait(seconds.isFinite ? seconds : lockWait)
          // Nobody numbers meanwhile, and no reader comes back to what goes.
          try connection.run(SystemTables.lock(address.schema))
          let pruning = Pruning(
            connection: connection, positions: try Positions(connection, stored, path))
          // Asked each time: a reader may have come, and must not lose what it was just given.
          hasMore = try report.take(limit(pruning), from: pruning)
        }
      }
    }
    return report
  }

  /// The server's own business: autovacuum.
  package func vacuum() throws {}

  /// The server's own business, too.
  package func backUp(to file: String) throws -> HistoryToken { throw StoreError.noBackup(path) }
}
