package import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  /// For how many seconds a plan waits for those who use the tables.
  private static let planWait = 10.0

  /// What the next import by a pipeline would do to the store's model, and what it would leave. Nothing is changed.
  ///
  /// The two models are compared; whether the rows take what they agree on is tried in a transaction that is taken back. It locks the
  /// tables meanwhile; whoever may not write does without.
  package func migrationPlan(for pipeline: Pipeline, dropping: [String]) throws -> [MigrationStep] {
    try Self.check(pipeline)
    return try session { connection in
      let fit = SchemaFit(connection: connection, address: address)
      let stored = try StoredModel(connection, address)
      try TableDrift(connection).check(stored.model)
      let update = try ModelUpdate(stored: stored.record, declared: pipeline, dropping: dropping)
      var steps = update.steps(try fit.conflicts(of: update))
      if !update.isEmpty, !steps.contains(where: { $0.kind == .conflict }), !connection.isStandby {
        do {
          _ = try fit.migrate(pipeline, dropping: dropping, lockWait: Self.planWait, isTrial: true)
        } catch let error as StoreError {
          steps.append(.conflict(error.file == address.shown ? error.reason : error.message))
        } catch let error as PostgreSQLError {
          guard !error.isReadOnly, !error.isRefusal else { return steps + update.leftovers(of: pipeline) }
          guard error.error(address.shown).code == .other else { throw error }
          steps.append(.conflict(error.error(address.shown).reason))
        }
      }
      return steps + update.leftovers(of: pipeline)
    }
  }

  package func migrate(
    _ pipeline: Pipeline, dropping: [String], lockWait: Double, progress: (Double) -> Void
  ) throws -> [MigrationStep] {
    try Self.check(pipeline)
    let lock = try lock(forPipeline: pipeline.name, waiting: lockWait)
    defer { withExtendedLifetime(lock) {} }
    return try session { connection in
      try SchemaFit(connection: connection, address: address).migrate(
        pipeline, dropping: dropping, lockWait: lockWait)
    }
  }

  private static func check(_ pipeline: Pipeline) throws(PipelineError) {
    let problems = pipeline.problems()
    guard problems.isEmpty else { throw PipelineError(problems: problems) }
  }
}
