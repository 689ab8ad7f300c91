package import ImportModel

/// What the keeper of a store needs of it.
package protocol MaintenanceEngine: EngineIdentity {
  /// What the store is and how its imports are.
  func status() throws -> StoreStatus

  /// The newest runs, the newest first.
  ///
  /// - Parameter pipeline: of this pipeline alone, by its name; nil for all.
  func runs(of pipeline: String?, limit: Int) throws -> [RunRecord]

  /// By how many rows entities grew over the newest part of history, in so many steps; entities without a new or a deleted
  /// row in it are left out.
  func rowTrends(steps: Int) throws -> [RowTrend]

  /// What happened to an object, as far as history is kept, the oldest change first.
  func log(of entity: String, _ object: LoggedObject) throws -> [ObjectChange]

  /// What whoever only reads should know of the place where the store is: something beside the file that is not the store's,
  /// a server that is a standby.
  var readingNote: ReadingNote? { get throws }

  /// Checks everything, and hands over what is wrong.
  func verify(_ found: @escaping (Finding) throws -> Void) throws

  /// Computes all derived attributes again, and hands over what was not true.
  func rebuild(_ found: (Finding) throws -> Void) throws

  /// The store's model.
  func model() throws -> Model

  /// The store's schema as text.
  func schemaText() throws -> String

  // MARK: Rejected records

  /// Hands over the kept rejected records in the order in which they first came.
  func readRejects(_ filter: RejectFilter, _ body: (KeptReject) throws -> Void) throws

  /// The next rejected records in that order: so many that their texts fit into memory; none at the end.
  ///
  /// - Parameter number: behind which one; 0 for the beginning.
  func rejects(_ filter: RejectFilter, after number: Int64) throws -> [KeptReject]

  /// How many rejected records are not kept: of a run, or of the newest run of each pipeline that has such.
  func unkeptRejects(_ filter: RejectFilter) throws -> [(pipeline: String, run: Int64, count: Int64)]

  /// Takes rejected records out of the store, their bytes too.
  ///
  /// - Parameter lockWait: how long to wait for an import, in seconds.
  /// - Returns: how many there were.
  func eraseRejects(_ filter: RejectFilter, lockWait: Double) throws -> Int

  // MARK: Missing rows

  /// Hands over the rows that a pipeline with a full feed brought once, and that its last complete run did not see, by entity
  /// and id.
  ///
  /// - Parameter pipeline: the pipeline's name; nil for the store's only one with a full feed.
  /// - Returns: what they are missing from, without the rows.
  @discardableResult
  func readMissing(of pipeline: String?, _ body: (MissingRow) throws -> Void) throws -> MissingRows

  /// Deletes the missing rows, unless more than a share of the pipeline's rows is missing.
  func deleteMissing(of pipeline: String?, noMoreThan share: Double) throws -> (MissingRows, HistoryToken?)

  /// Gives missing rows that came back under another key that key.
  func mergeMissing(of pipeline: String?) throws -> (MissingRows, HistoryToken?)

  // MARK: Edits

  /// Writes an object, with links to others by their keys; nil leads nowhere.
  func writeObject(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite,
    _ options: EditOptions
  ) throws -> (object: ObjectID, report: EditReport)

  /// Gives the objects of a request other values.
  func updateObjects(_ request: ObjectQuery, _ values: ObjectValues, _ options: EditOptions) throws
    -> EditReport

  /// Deletes the objects of a request.
  func deleteObjects(_ request: ObjectQuery, _ options: EditOptions) throws -> EditReport

  /// Puts back what a run, or everybody since a token, has changed.
  ///
  /// - Parameter force: also rows that somebody changed after the run.
  func revert(_ target: RevertTarget, force: Bool, _ options: EditOptions) throws -> RevertReport

  /// Takes an object out of the store, its history and its rejected records, their bytes too.
  ///
  /// - Parameter lockWait: how long to wait for an import, in seconds.
  func erase(_ entity: String, _ object: LoggedObject, _ options: EditOptions, lockWait: Double) throws
    -> EraseReport

  /// Changes the links of a request's objects.
  func linkObjects(
    _ request: ObjectQuery, _ relationship: String, _ edit: LinkEdit, _ options: EditOptions
  ) throws -> EditReport

  /// Copies the objects of a request to another store into this one, with what they own and all that these lead to.
  func copyObjects(
    _ request: ObjectQuery, from source: any StoreEngine, _ options: EditOptions
  ) throws -> CopyReport

  /// Reads from one state what another store copies.
  func readCopies<Result>(_ body: (any CopySource) throws -> Result) throws -> Result

  /// A key as texts, each read as its attribute's type wants it.
  func key(of relationship: String, from entity: String, _ texts: [String: String]) throws -> [String: Value]

  // MARK: The model

  /// What a migration would do to the store's model, and what it would leave.
  func migrationPlan(for pipeline: Pipeline, dropping: [String]) throws -> [MigrationStep]

  /// Makes a store's model fit a pipeline, and drops what is named, in one transaction.
  ///
  /// - Parameters:
  ///   - dropping: `Entity` or `Entity.attribute`, as the store calls them.
  ///   - lockWait: how long to wait for an import, in seconds.
  ///   - progress: told which part of new derived attributes is filled, from 0 to 1, where that takes steps.
  func migrate(
    _ pipeline: Pipeline, dropping: [String], lockWait: Double, progress: (Double) -> Void
  ) throws -> [MigrationStep]

  // MARK: Copies

  /// Copies the store, history and all, as it is at one moment into a file.
  ///
  /// - Returns: its newest token.
  func backUp(to file: String) throws -> HistoryToken

  /// Copies the store into a file, for a trial.
  func copy(to file: String) throws
}
