internal import GRDB
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

extension SQLiteEngine {
  /// Takes rejected records out of the store: their bytes too, from the file and from the write-ahead log.
  ///
  /// - Parameters:
  ///   - filter: which of them.
  ///   - lockWait: how long to wait for an import, in seconds.
  /// - Returns: how many there were.
  /// - Throws: `StoreError`; also when they are gone and a reader keeps the write-ahead log from being emptied.
  /// - Complexity: O(rejected records).
  package func eraseRejects(_ filter: RejectFilter, lockWait: Double) throws -> Int {
    let lock = try StoreLock(store: path, pipeline: "bolide rejects", wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    let count = try writing(waiting: lockWait, isCancelled: { false }) { db in
      let texts = try RejectTexts(db, key: SipHash.Key(db))
      let delete = try RawStatement(
        db, "DELETE FROM bolide_reject WHERE \(RejectFilter.condition) RETURNING text, around")
      delete.bind(filter)
      var count = 0
      try db.inTransaction(.immediate) {
        count = try texts.removeTexts(of: delete)
        return .commit
      }
      StoreCall.current?.settle()
      return count
    }
    // Most reads end within seconds.
    let isEmpty = try writing(waiting: min(lockWait, 5), isCancelled: { false }) { db in
      WriteAheadLog(store: path, limit: 0).empty(db)
    }
    guard isEmpty else { throw StoreError.erasedButLogged(path) }
    return count
  }
}

extension RejectFilter {
  static let condition =
    "(?1 IS NULL OR ?1 BETWEEN first_run AND last_run) AND (?2 IS NULL OR ?2 = pipeline)"
}

extension RawStatement {
  /// Binds what the filter's condition asks for.
  func bind(_ filter: RejectFilter) {
    if let run = filter.run { bind(run, at: 1) } else { bindNull(at: 1) }
    bind(filter.pipeline, at: 2)
  }
}
