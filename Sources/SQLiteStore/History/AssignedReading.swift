package import GRDB
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  /// Reads from a state in which every change has a transaction: what a token says and what the rows are is one.
  ///
  /// - Parameters:
  ///   - connection: the one to read by; nil for one of the store's own.
  ///   - readsHistory: as `assignPendingChanges(readsHistory:)`.
  package func sealedReading(
    by connection: DatabaseQueue? = nil, readsHistory: Bool = true, _ body: (Database) throws -> Void
  ) throws {
    func read(_ body: (Database) throws -> Void?) throws -> Void? {
      if let connection { try naming { try connection.read(body) } } else { try reading(body) }
    }
    try retryingUntilSealed(readsHistory: readsHistory) { canSeal -> Void? in
      try read { db -> Void? in
        guard try !canSeal || !Self.hasUnsealedChanges(db) else { return nil }
        return try body(db)
      }
    }
  }

  /// A connection that stays in such a state, and the state's place.
  package func sealedSnapshot() throws -> (DatabaseSnapshot, HistoryToken) {
    try retryingUntilSealed { canSeal in
      let snapshot = try makeSnapshot()
      return try naming {
        try snapshot.read { db in
          guard try !canSeal || !Self.hasUnsealedChanges(db) else { return nil }
          return (snapshot, try HistoryPositions(db).newest())
        }
      }
    }
  }

  /// Seals and tries again while other programs write in between. Where nobody can seal, their changes will be told again.
  ///
  /// - Parameter body: gives nil for another try; it is told whether changes can be sealed.
  package func retryingUntilSealed<Result>(
    readsHistory: Bool = true, _ body: (Bool) throws -> Result?
  ) throws -> Result {
    for _ in 0..<100 {
      let canSeal = try assignPendingChanges(readsHistory: readsHistory).allSatisfy(\.isComplete)
      if let result = try body(canSeal) { return result }
    }
    throw StoreError.neverQuiet(path)
  }
}
