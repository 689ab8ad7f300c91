public import ImportModel
public import StoreInterface

extension Store {
  /// The place after the newest transaction: changes after it are those that come. Other programs' changes are made a
  /// transaction first, where the store can be written.
  public func newestToken() async throws -> HistoryToken {
    try await answering { store in
      try store.assignPendingChanges(readsHistory: false)
      return try store.newestToken()
    }
  }

  /// What the store is and how its imports, readers and history are, in one state of it.
  public func status() async throws -> StoreStatus {
    try await answering { try $0.status() }
  }

  /// The newest runs of imports, the newest first.
  ///
  /// - Parameters:
  ///   - pipeline: of this pipeline alone, by its name; nil for all.
  ///   - limit: how many at most.
  public func runs(of pipeline: String? = nil, limit: Int = 20) async throws -> [RunRecord] {
    try await answering { try $0.runs(of: pipeline, limit: limit) }
  }

  /// What happened to an object, as far as history is kept, the oldest change first.
  ///
  /// - Throws: `StoreError` when there is no such entity, or nothing is known of such an object.
  public func log(of entity: String, _ object: LoggedObject) async throws -> [ObjectChange] {
    try await answering { try $0.log(of: entity, object) }
  }

  /// Checks everything: the file, the schema, history, links and each derived attribute.
  ///
  /// - Returns: what is wrong, and what is only to be known; see `Finding.isTrue`.
  /// - Throws: `StoreError` when the store cannot be read.
  /// - Complexity: O(n log n) in the store's objects, links and changes; O(findings) memory.
  public func verify() async throws -> [Finding] {
    try await answering { store in
      var findings: [Finding] = []
      try store.verify { findings.append($0) }
      return findings
    }
  }

  /// Restores triggers and indexes, and computes all derived attributes again.
  ///
  /// - Returns: the values that were not true.
  /// - Throws: `StoreError` when the store cannot be written.
  /// - Complexity: O(n log n) in the store's objects and links; O(findings) memory.
  @discardableResult
  public func rebuild() async throws -> [Finding] {
    try await writing { store in
      var findings: [Finding] = []
      try store.rebuild { findings.append($0) }
      return findings
    }
  }

  /// The store's tables, indexes and triggers as SQL with comments.
  public func schemaText() async throws -> String {
    try await answering { try $0.schemaText() }
  }

  /// Copies the store with its history, as it is at one moment, into a file; imports go on meanwhile. An earlier backup of the same
  /// store is replaced in one step, and no other file.
  ///
  /// - Returns: the copy's newest token.
  /// - Throws: `StoreError` when the file is something else or cannot be written; then it is as it was.
  @discardableResult
  public func backUp(to file: String) async throws -> HistoryToken {
    try await answering { try $0.backUp(to: file) }
  }

  /// Writes the objects, without history, as an SQLite file of their own; as `snapshot(of:_:)`.
  ///
  /// - Parameters:
  ///   - entities: which entities; empty for all.
  ///   - file: the copy; an earlier snapshot there is replaced.
  /// - Throws: `StoreError` when there is something else in the file's place, or it cannot be written.
  @discardableResult
  public func writeSnapshot(of entities: [String] = [], to file: String) async throws -> Snapshot {
    try await answering { try $0.writeSnapshot(of: entities, to: file) }
  }
}

// MARK: Rejected records

extension Store {
  /// The rejected records that the store keeps, in the order in which they first came.
  ///
  /// - Parameters:
  ///   - pipeline: those of one pipeline, by its name; nil for all.
  ///   - run: those that this run, or a later one, rejected; nil for all.
  /// - Complexity: O(rejected records) memory.
  public func rejects(of pipeline: String? = nil, run: Int64? = nil) async throws -> [KeptReject] {
    try await answering { store in
      var kept: [KeptReject] = []
      try store.readRejects(RejectFilter(run: run, pipeline: pipeline)) { kept.append($0) }
      return kept
    }
  }

  /// Takes kept rejected records out of the store, their bytes too.
  ///
  /// - Parameters:
  ///   - pipeline: as `rejects(of:run:)`.
  ///   - run: as `rejects(of:run:)`.
  ///   - lockWait: how long to wait for an import, and for other writers.
  /// - Returns: how many there were.
  @discardableResult
  public func eraseRejects(
    of pipeline: String? = nil, run: Int64? = nil, lockWait: Duration = .seconds(10)
  ) async throws -> Int {
    try await writing(waiting: lockWait) {
      try $0.eraseRejects(RejectFilter(run: run, pipeline: pipeline), lockWait: lockWait / .seconds(1))
    }
  }
}

// MARK: The model

extension Store {
  /// What a migration to a pipeline's model would do, and what it would leave. Nothing is changed.
  ///
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - dropping: what is to be dropped: `Entity` or `Entity.attribute`, by the names that the store has.
  /// - Throws: `PipelineError` for a pipeline with problems; `StoreError` for a name that the store does not have.
  public func migrationPlan(for pipeline: Pipeline, dropping: [String] = []) async throws -> [MigrationStep] {
    try await answering { try $0.migrationPlan(for: pipeline, dropping: dropping) }
  }

  /// Makes the store's model fit a pipeline, and drops what is named.
  ///
  /// Imports do so too, as far as nothing is lost. New derived attributes of large tables are filled in steps between which
  /// other programs may write; all else is one transaction.
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - dropping: as `migrationPlan(for:dropping:)`.
  ///   - lockWait: how long to wait for an import, and for other writers.
  ///   - progress: told which part of new derived attributes is filled, from 0 to 1, where that takes steps.
  /// - Returns: what was done.
  /// - Throws: as `migrationPlan(for:dropping:)`, and `StoreError.Code.modelChange` where a step is a conflict.
  @discardableResult
  public func migrate(
    to pipeline: Pipeline, dropping: [String] = [], lockWait: Duration = .seconds(10),
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> [MigrationStep] {
    try await writing(waiting: lockWait) {
      try $0.migrate(pipeline, dropping: dropping, lockWait: lockWait / .seconds(1), progress: progress)
    }
  }
}

// MARK: Trials

extension Store {
  /// Says what an import would do: runs it on a copy of the store, which is deleted; on a server in a transaction that is rolled
  /// back.
  ///
  /// - Parameters:
  ///   - pipeline: how records become objects.
  ///   - sources: as `run(_:on:options:)`. They are read to their end.
  ///   - options: limits, patience and what is told meanwhile.
  /// - Returns: the report, without a token; `isTrial` is true.
  /// - Throws: as `run(_:on:options:)`.
  /// - Complexity: that of the import, and of a file O(store) in time and in room among the temporary files.
  public func tryRun(
    _ pipeline: Pipeline, on sources: [ImportSource], options: ImportOptions = ImportOptions()
  ) async throws(ImportError) -> ImportReport {
    try await onThread(pipeline, options) { [path = path] options in
      try StoreAddress(path).trying(creation: .never) { copy in
        try copy.open(for: pipeline, lockWait: pipeline.settings.lockWait)
          .run(pipeline, on: sources, options: options)
      }
    }
  }
}
