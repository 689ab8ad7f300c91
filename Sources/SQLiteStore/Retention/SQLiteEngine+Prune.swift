internal import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  /// Takes the oldest transactions out of history, on the calling thread.
  package func prune(_ request: PruneRequest) throws -> PruneReport {
    try assignPending()
    return try request.run { start in
      try reading { try HistoryPositions($0).start(start, path: path).number }
    } prune: {
      try prune($0)
    }
  }

  /// Prunes what a pipeline's rules let go, for a moment, and waits for nobody; the next import goes on.
  ///
  /// - Returns: the readers that have expired by it.
  func pruneBriefly(_ retention: HistoryRetention?) throws -> [String] {
    do {
      return try prune(seconds: 0.25, lockWait: 0) { try $0.limit(retention) }.expired
    } catch let error as StoreError where error.code == .busy {
      return []
    }
  }

  /// Gives the space that is free inside the file back to the system. Writers wait meanwhile.
  ///
  /// - Complexity: O(store), in time and in room on the disk.
  package func vacuum() throws {
    try writing { db in
      // It builds the new file as one that is attached.
      try Connection.attaching(1, to: db) { try db.run("VACUUM") }
      try db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  private func prune(
    seconds: Double = .infinity, lockWait: Double = 10, _ limit: (Pruning) throws -> PruneLimit
  ) throws -> PruneReport {
    let clock = ContinuousClock()
    let start = clock.now
    // What is not taken out of the tables yet is the next pruning's.
    func hasTime() -> Bool {
      start.duration(to: clock.now) / .seconds(1) < seconds && StoreCall.current?.wasCancelled != true
    }
    var report = PruneReport()
    var hasMore = true
    while hasMore, hasTime() {
      try step(lockWait) { pruning in
        // Asked each time: a reader may have come, and must not lose what it was just given.
        hasMore = try report.take(limit(pruning), from: pruning)
      }
    }
    hasMore = true
    while hasMore, hasTime() { try step(lockWait) { hasMore = try $0.removeChanges() } }
    try StoreCall.check()
    return report
  }

  private func step(_ lockWait: Double, _ body: (Pruning) throws -> Void) throws {
    try writing(waiting: lockWait, isCancelled: { false }) { db in
      try db.inTransaction(.immediate) {
        try body(Pruning(db))
        return .commit
      }
      StoreCall.current?.settle()
    }
  }
}
