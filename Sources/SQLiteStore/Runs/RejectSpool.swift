internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// The rejected records of an atomic import, kept beside its transaction: what is rolled back takes its rejects along.
///
/// A temporary database without a name, in memory while it is small and then on disk; it goes with the process.
final class RejectSpool {
  private let queue: DatabaseQueue
  private let log: RejectLog
  private let pipeline: String

  init(pipeline: String, run: Int64, key: SipHash.Key) throws {
    self.pipeline = pipeline
    queue = try DatabaseQueue(path: "")
    log = try queue.inDatabase { db in
      try db.runAll("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")
      try db.runAll(StoreSchema.rejectSQL)
      return try RejectLog(db, pipeline: pipeline, run: run, key: key, bounds: RejectBounds())
    }
  }

  func write(_ reject: RejectedRecord) throws {
    try queue.inDatabase { _ in try log.write(reject) }
  }

  /// Writes everything to the store's own log.
  func copy(to store: RejectLog) throws {
    try queue.inDatabase { db in
      let rows = try RawStatement(db, "\(KeptReject.query) ORDER BY reject")
      while try rows.step() {
        let kept = KeptReject(rows)
        try store.write(kept.reject, times: kept.times)
      }
    }
  }
}
