internal import GRDB
internal import ImportModel
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Takes an object out of rows, history and rejected records in one transaction, and its bytes out of the store's files.
  ///
  /// Free pages, and free space inside pages, may hold what it had at any time: nothing tells which, so the file is built
  /// anew.
  /// - Complexity: O(store), in time and in room on the disk.
  package func erase(
    _ entity: String, _ object: LoggedObject, _ options: EditOptions, lockWait: Double
  ) throws -> EraseReport {
    // An import that is running keeps the texts of rejected records in mind.
    let lock =
      try options.isTrial
      ? nil : StoreLock(store: path, pipeline: "bolide erase", wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    var (report, edit) = try naming {
      try editing(options, isKept: { !$0.objects.isEmpty }) { db, model in
        // What nobody keeps true may have the object's values longer than its rows.
        try UnfinishedColumns.drop(db)
        return try db.erase(model, entity, object)
      }
    }
    report.edit = edit
    if !options.isTrial { try emptyFreePages(lockWait: lockWait) }
    return report
  }

  /// - Throws: `StoreError.erasureIncomplete`; the next erasure tries again.
  private func emptyFreePages(lockWait: Double) throws {
    // Most reads end within seconds.
    func emptyLog() throws {
      let isEmpty = try writing(waiting: min(lockWait, 5), isCancelled: { false }) { db in
        WriteAheadLog(store: path, limit: 0).empty(db)
      }
      guard isEmpty else { throw StoreError.erasureIncomplete(path) }
    }
    // Before the file is built anew, which goes into the log as a whole.
    try emptyLog()
    do {
      try vacuum()
    } catch let error as StoreError {
      throw StoreError.erasureIncomplete(path, code: error.code, error.reason)
    }
    try emptyLog()
    try writing { try $0.run("DELETE FROM bolide_erasure") }
  }
}

extension Database {
  /// Erasures after which the free pages and the log were not emptied yet.
  var openErasures: Int64 {
    get throws { try integer("SELECT count(*) FROM bolide_erasure") }
  }

  /// - Returns: without objects where there is nothing but an earlier erasure to be completed.
  fileprivate func erase(_ model: Model, _ name: String, _ object: LoggedObject) throws -> EraseReport {
    var report = EraseReport(edit: EditReport(counts: []))
    guard let entity = model.entity(named: name) else { throw StoreError.noEntity(name, in: model) }
    let numbers = try PropertyNumbers(self, model: model, creating: false)
    let ids = try ObjectLog(self, entity, numbers).erasable(object)
    guard !ids.isEmpty else {
      guard try openErasures > 0 else {
        throw try StoreError.nothingToErase(self, entity, numbers, object)
      }
      return report
    }
    try delete(ids, of: entity.name)
    // What derived attributes were before is history, too.
    try SQLiteEngine.refreshDerived(self, model)
    // What was pruned may still be in the file.
    try Pruning.removeAllChanges(self)
    let history = try StoredHistory(self, numbers)
    try Erasure(history, model, entity, ids).run(&report)
    for erased in report.objects { try forgetSamples(of: erased.entity) }
    // Copies that a trigger makes of rows, and which nothing needs once its statement has ended.
    for entity in model.entities { try ReplacedRows.forget(self, entity) }
    try run("INSERT INTO bolide_erasure(number) VALUES (?)", .integer(history.transaction))
    return report
  }

  /// Takes out what another program's `ANALYZE` has copied from the indexes of a table.
  private func forgetSamples(of entity: String) throws {
    guard try value("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'") != .null else { return }
    try run("DELETE FROM sqlite_stat4 WHERE tbl = ? COLLATE NOCASE", .text(entity))
  }
}

extension StoreError {
  fileprivate static func nothingToErase(
    _ db: Database, _ entity: Entity, _ numbers: PropertyNumbers, _ object: LoggedObject
  ) throws -> StoreError {
    guard case .id(let id) = object,
      let time = try ErasedValues.time(db, entity: numbers.entity(entity.name), id: id)
    else { return .neverSuchObject(entity) }
    return .erasedAlready(entity, id, time)
  }
}
