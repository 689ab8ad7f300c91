package import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  /// Makes one transaction of the changes that other programs have made since the last one.
  ///
  /// - Parameters:
  ///   - restoringTriggers: whether missing triggers are restored first, so that no reader passes over what they missed.
  ///   - seconds: how long to wait for another program's lock; nil for as long as always.
  ///   - isCancelled: asked while waiting.
  /// - Returns: its token, or nil when no change was pending.
  @discardableResult
  package func assignPending(
    restoringTriggers: Bool = true, waiting seconds: Double? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> HistoryToken? {
    try writing(waiting: seconds, isCancelled: isCancelled) {
      try Self.prepareToWrite($0, restoringTriggers: restoringTriggers).token
    }
  }

  /// Does what every writer does first, not inside a transaction: sees whether the file was restored from a backup, restores
  /// triggers, refreshes derived attributes that other programs have marked, and makes one transaction of their changes.
  ///
  /// - Returns: the stored model, and the token of that transaction; nil when no change was pending.
  package static func prepareToWrite(
    _ db: Database, restoringTriggers: Bool = true
  ) throws -> (model: Model, token: HistoryToken?) {
    let model = try ModelRecord(db).model
    if restoringTriggers {
      _ = try TriggerMaintenance.restore(db, model: model)
    } else {
      try Triggers.silenced(db) { try BackupRestoreDetector.run(db) }
    }
    try DerivedRefresh.run(db, model: model)
    // The look costs nothing; only what there is to assign takes the write lock.
    guard try hasPendingChanges(db) else { return (model, nil) }
    var token: HistoryToken?
    try Triggers.silenced(db) {
      try db.inTransaction(.immediate) {
        token = try HistoryWriter(db).begin()
        return .commit
      }
    }
    return (model, token)
  }

  package static func hasPendingChanges(_ db: Database) throws -> Bool {
    try db.value("SELECT \(ChangeNumbers.made) > \(ChangeNumbers.assigned)") == .integer(1)
  }
}
