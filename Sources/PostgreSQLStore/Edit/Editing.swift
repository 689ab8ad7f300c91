internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

extension PostgreSQLEngine {
  /// Changes rows with plain SQL, as one transaction of history that names its author. Derived attributes are refreshed in it.
  ///
  /// The triggers do all that they do for any other program; what others have changed before is theirs.
  /// - Parameter body: an error takes everything back; where another writer was faster it is run again.
  /// - Returns: what `body` says, and what changed.
  func editing<Result>(
    _ options: EditOptions, _ body: (StoredObjects) throws -> Result
  ) throws -> (Result, EditReport) {
    if !options.isTrial { try restoreTriggers() }
    let wait = options.lockWait.map { $0 / .seconds(1) } ?? lockWait
    // What is asked for may be derived.
    for case .pending(_, values: 1..., .rowsLocked) in try assignPendingChanges(
      readsHistory: false, waiting: wait)
    { throw PostgreSQLError(state: "55P03", text: "marked objects are locked").error(path) }
    let outcome = try session { connection in
      try address.repeating {
        let stored = try StoredModel(connection, address)
        let transaction = WriteTransaction(connection: connection, stored: stored)
        return try connection.inTransaction(isTrial: options.isTrial) {
          try connection.limitLockWait(wait)
          try transaction.keepModel()
          let result: Result
          do {
            result = try body(StoredObjects(connection: connection, stored: stored, path: path))
          } catch let error as StoreError {
            throw error.about(path)
          }
          try transaction.begin()
          try MarkedObjects(connection: connection, stored: stored).refresh()
          try transaction.forgetUnchanged()
          var report = EditReport(counts: try EditReport.counts(connection, stored))
          if !options.isTrial {
            report.token = try transaction.end(author: options.author, pipeline: nil, run: nil)
          }
          return (result, report)
        }
      }
    }
    StoreCall.current?.settle()
    return outcome
  }
}

extension WriteTransaction {
  /// Takes out of the transaction's history the objects that have changed and are again what they were before it: owners, of whose rows
  /// some came and others went.
  fileprivate func forgetUnchanged() throws {
    for entity in stored.model.entities where !entity.derivedAttributes.isEmpty {
      let present = entity.properties.map {
        let text = $0.type.stored.historyText(ofColumn: "t.\(quoted($0.column))")
        return "WHEN \(stored.number(of: $0.name, in: entity)) THEN \(text)"
      }
      try connection.run(
        """
        DELETE FROM bolide_change AS c USING \(quoted(entity.name)) AS t
        WHERE c.transaction = \(SystemTables.ownTransaction(stored.schema)) AND c.entity = \(stored.number(of: entity))
          AND c.kind = 2 AND c.last_seq IS NOT NULL AND c.erased IS NULL AND t.bolide_id = c.id
          AND c.previous = ARRAY(
            SELECT CASE p \(present.joined(separator: " ")) END
            FROM unnest(c.properties) WITH ORDINALITY AS u(p, o) ORDER BY o)
        """)
    }
  }
}

extension EditReport {
  /// What the open transaction has done to how many objects.
  fileprivate static func counts(_ connection: PostgreSQLConnection, _ stored: StoredModel) throws -> [Count]
  {
    let found = try connection.run(
      """
      SELECT c.entity, count(*) FILTER (WHERE c.kind = 1), count(*) FILTER (WHERE c.kind = 2),
        count(*) FILTER (WHERE c.kind = 3)
      FROM bolide_change AS c WHERE c.transaction = \(SystemTables.ownTransaction(stored.schema)) GROUP BY c.entity
      """)
    let rows = Dictionary((0..<found.count).map { (found.integer($0, 0), $0) }) { first, _ in first }
    return stored.model.entities.compactMap { entity in
      guard let row = rows[stored.number(of: entity)] else { return nil }
      return Count(
        entity: entity.name, inserted: Int(found.integer(row, 1)), updated: Int(found.integer(row, 2)),
        deleted: Int(found.integer(row, 3)))
    }
  }
}
