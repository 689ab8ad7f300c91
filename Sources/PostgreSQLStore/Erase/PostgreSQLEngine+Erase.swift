internal import ImportModel
internal import ModelMerging
internal import ObjectEdits
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  /// Takes an object out of rows, history and rejected records in one transaction. What the server keeps of rows that are no more, in
  /// its files, its log and elsewhere, is the server's: its tables are vacuumed, as far as the user may.
  ///
  /// - Complexity: O(history), and the vacuuming of the tables.
  package func erase(
    _ entity: String, _ object: LoggedObject, _ options: EditOptions, lockWait: Double
  ) throws -> EraseReport {
    // An import that is running, a replay too, keeps the texts of rejected records in mind.
    let locks = options.isTrial ? [] : try lockPipelines(waiting: lockWait)
    defer { withExtendedLifetime(locks) {} }
    var (report, edit) = try editing(options) { try erase(entity, object, $0) }
    report.edit = edit
    if !options.isTrial { try vacuum(report) }
    return report
  }

  private func erase(
    _ name: String, _ object: LoggedObject, _ objects: StoredObjects
  ) throws -> EraseReport {
    let (connection, stored) = (objects.connection, objects.stored)
    guard let entity = stored.model.entity(named: name) else {
      throw StoreError.noEntity(name, in: stored.model)
    }
    try objects.keepOthersAway(address.schema)
    let ids = try ObjectLog(connection: connection, stored: stored, entity: entity).erasable(object)
    guard !ids.isEmpty else {
      guard case .id(let id) = object, let time = try ErasedState.time(connection, stored, entity, id) else {
        throw StoreError.neverSuchObject(entity)
      }
      throw StoreError.erasedAlready(entity, id, time)
    }
    try objects.delete(ids, of: entity.name)
    // What derived attributes were before is history, too.
    try WriteTransaction(connection: connection, stored: stored).begin()
    try MarkedObjects(connection: connection, stored: stored).refresh()
    var report = EraseReport(edit: EditReport(counts: []))
    try Erasure(StoredHistory(connection: connection, stored: stored), stored.model, entity, ids).run(&report)
    return report
  }

  /// Keeps imports of all pipelines away. One that is running is waited for, with no lock of the others.
  func lockPipelines(waiting seconds: Double) throws -> [AdvisoryLock] {
    try address.telling {
      let session = try take()
      let found = try session.run("SELECT DISTINCT pipeline FROM bolide_run ORDER BY pipeline")
      let deadline = ContinuousClock.now + .seconds(min(seconds, 1e9))
      while true {
        do {
          // Where one is not to be had, the session lets go of them all.
          return try (0..<found.count).map {
            try AdvisoryLock(session, address, "pipeline", found.text($0, 0))
          }
        } catch let error as StoreError where error.code == .locked && ContinuousClock.now < deadline {
          try session.run("SELECT pg_sleep(0.1)")
        }
      }
    }
  }

  /// Has the server forget rows that are no more, and samples of values that it has for its plans.
  private func vacuum(_ report: EraseReport) throws {
    let changed = Set(report.edit.counts.map(\.entity)).union(report.objects.map(\.entity))
    do {
      try session { connection in
        if connection.isTrial { return }
        let own = try connection.run(
          """
          SELECT relname FROM pg_class WHERE relnamespace = \(SystemTables.namespace) AND relkind = 'r'
            AND relname = ANY ($1) AND pg_has_role(relowner, 'USAGE') ORDER BY relname
          """, [.texts(changed.union(["bolide_change", "bolide_reject"]))])
        for row in 0..<own.count { try connection.run("VACUUM (ANALYZE) \(quoted(own.text(row, 0)))") }
      }
    } catch let error as StoreError {
      throw StoreError.notVacuumed(path, code: error.code, error.reason)
    }
  }
}
