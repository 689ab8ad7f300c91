internal import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// What the next import by a pipeline would do to the store's model, and what it would leave. Nothing is changed.
  ///
  /// The two models are compared; whether the rows take what they agree on is tried on a copy among the temporary files.
  /// - Parameter dropping: what `migrate` would be told to drop.
  /// - Throws: as `migrate`, except for conflicts, which are steps here.
  /// - Complexity: O(store) where there is anything to do.
  package func migrationPlan(for pipeline: Pipeline, dropping: [String] = []) throws -> [MigrationStep] {
    try Self.check(pipeline)
    let (update, conflicts, leftovers) = try reading { db in
      let stored = try ModelRecord(db)
      try SchemaDrift(db, stored.model).check()
      let update = try ModelUpdate(stored: stored, declared: pipeline, dropping: dropping)
      return (update, try update.conflicts(in: db), update.leftovers(of: pipeline))
    }
    var steps = update.steps(conflicts)
    if !update.isEmpty, !steps.contains(where: { $0.kind == .conflict }) {
      let folder = try MemoryFolder(in: MemoryFolder.temporary)
      defer { withExtendedLifetime(folder) {} }
      try copy(to: folder.store)
      do {
        _ = try SQLiteEngine(reading: folder.store).migrate(pipeline, dropping: dropping)
      } catch let error as StoreError {
        steps.append(.conflict(error.file == folder.store ? error.reason : error.message))
      }
    }
    return steps + leftovers
  }

  /// Makes a store's model fit a pipeline, and drops what is named, in one transaction; new derived attributes of large tables
  /// are filled before it.
  ///
  /// - Parameters:
  ///   - dropping: `Entity`, `Entity.attribute` or an index's name, as the store calls them. Values are lost with them.
  ///   - lockWait: how long to wait for an import, in seconds.
  ///   - progress: told which part of new derived attributes is filled, from 0 to 1, where that takes steps.
  /// - Returns: what was done; nothing when the model fitted.
  /// - Throws: `PipelineError` when the pipeline has problems, or says `was` of what never was; `StoreError` when the two
  ///   models do not agree, or something that stays needs what is to be dropped. Nothing is changed then.
  /// - Complexity: as the changes; derived attributes are computed for all their objects.
  package func migrate(
    _ pipeline: Pipeline, dropping: [String] = [], lockWait: Double = 600,
    progress: (Double) -> Void = { _ in }
  ) throws -> [MigrationStep] {
    try Self.check(pipeline)
    let lock = try StoreLock(store: path, pipeline: pipeline.name, wait: lockWait)
    defer { withExtendedLifetime(lock) {} }
    return try writing(waiting: lockWait, isCancelled: { false }) { db in
      func update() throws -> ModelUpdate {
        let update = try ModelUpdate(stored: ModelRecord(db), declared: pipeline, dropping: dropping)
        try update.checkConflicts(db)
        return update
      }
      // The update makes all triggers anew: that some were missing would never be noticed.
      _ = try TriggerMaintenance.restore(db, model: ModelRecord(db).model)
      if try update().isEmpty && UnfinishedColumns(db).begun(by: pipeline).isEmpty { return [] }
      try ColumnFilling(db, for: pipeline, dropping: dropping).run(progress: progress)
      var steps: [MigrationStep] = []
      try db.inTransaction(.immediate) {
        // Another process may have been here in between.
        let update = try update()
        steps = update.steps()
        try update.apply(db)
        return .commit
      }
      return steps
    }
  }
}
