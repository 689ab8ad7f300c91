package import GRDB
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  /// Reads from a state in which every change has a transaction: what a token says and what the rows are is one.
  ///
  /// - Parameters:
  ///   - connection: the one to read by; nil for one of the store's own.
  ///   - readsHistory: as `assignPendingChanges(readsHistory:)`.
  package func assignedReading(
    by connection: DatabaseQueue? = nil, readsHistory: Bool = true, _ body: (Database) throws -> Void
  ) throws {
    func read(_ body: (Database) throws -> Void?) throws -> Void? {
      if let connection { try naming { try connection.read(body) } } else { try reading(body) }
    }
    try retryingUntilAssigned(readsHistory: readsHistory) { canAssign -> Void? in
      try read { db -> Void? in
        guard try !canAssign || !Self.hasPendingChanges(db) else { return nil }
        return try body(db)
      }
    }
  }

  /// A connection that stays in such a state, and the state's place.
  ///
  /// - Parameter readsHistory: as `assignPendingChanges(readsHistory:)`.
  package func assignedSnapshot(readsHistory: Bool = true) throws -> (DatabaseSnapshot, HistoryToken) {
    try retryingUntilAssigned(readsHistory: readsHistory) { canAssign in
      let snapshot = try makeSnapshot()
      return try naming {
        try snapshot.read { db in
          guard try !canAssign || !Self.hasPendingChanges(db) else { return nil }
          return (snapshot, try HistoryPositions(db).newest())
        }
      }
    }
  }

  /// Assigns what is pending, and tries again while other programs write in between. Where nobody can assign it, their changes will be told again.
  ///
  /// - Parameter body: gives nil for another try; it is told whether pending changes can be assigned.
  package func retryingUntilAssigned<Result>(
    readsHistory: Bool = true, _ body: (Bool) throws -> Result?
  ) throws -> Result {
    for _ in 0..<100 {
      let canAssign = try assignPendingChanges(readsHistory: readsHistory).allSatisfy(\.isComplete)
      if let result = try body(canAssign) { return result }
    }
    throw StoreError.neverQuiet(path)
  }
}
