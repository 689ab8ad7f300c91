package import ImportModel

/// An engine that refuses, by its name, what it does not implement. One that implements all is a `StoreEngine` and no
/// `PartialEngine`: then the compiler finds what is missing.
package protocol PartialEngine: StoreEngine {}

extension PartialEngine {
  private func lacks(_ what: String) -> StoreError { .unsupported(what, by: Self.engineName, path) }

  package func close() throws {}

  // MARK: Inputs: it reads each one

  package func digestsOfUnchanged(_ pipeline: Pipeline, size: Int, rules: [UInt8]) -> Set<[UInt8]> { [] }

  package func recordUnchanged(
    _ pipeline: Pipeline, input: String, _ identity: InputIdentity
  ) -> (run: Int64, progress: RunProgress)? { nil }

  // MARK: History

  /// By reading them.
  package func countChanges(_ request: HistoryRequest) throws -> Int {
    var count = 0
    try readHistory(request) { _ in
      count += 1
    } commit: { _ in
    }
    return count
  }

  package func watchCommits() throws -> any CommitWatch { throw lacks("watching for commits") }
  package func endWriting() {}
  package func prune(_ request: PruneRequest) throws -> PruneReport { throw lacks("pruning") }
  package func vacuum() throws { throw lacks("vacuuming") }

  // MARK: Readers

  package func namedReaders() throws -> [Reader] { throw lacks("named readers") }
  package func place(ofReader name: String) throws -> HistoryToken { throw lacks("named readers") }
  package func checkWritable() throws {}
  package func lock(reader name: String) throws -> any ConsumerLock { throw lacks("named readers") }
  package func addReader(_ name: String, from start: Reader.Start) throws { throw lacks("named readers") }
  package func acknowledge(_ token: HistoryToken, by name: String) throws { throw lacks("named readers") }
  package func acknowledge(_ token: HistoryToken, by name: String, from start: HistoryToken) throws {
    throw lacks("named readers")
  }
  package func begin(_ name: String, at token: HistoryToken) throws { throw lacks("named readers") }
  package func resetReader(_ name: String, to start: Reader.Start) throws { throw lacks("named readers") }
  package func dropReader(_ name: String) throws { throw lacks("named readers") }
  package func deliver(
    to name: String, limit: Int?, _ body: (HistoryTransaction, any TransactionConnection) throws -> Void
  ) throws -> HistoryToken? {
    throw lacks("named readers")
  }

  // MARK: Queries

  package func exampleRow(of request: ObjectQuery) throws -> Snapshot.Row { throw lacks("typed rows") }
  package func readCells(
    _ request: ObjectQuery, at token: HistoryToken?, begin: (RowLayout) throws -> Void,
    row: (any FetchedRow) throws -> Void
  ) throws {
    throw lacks("fetching cells")
  }
  package func difference(
    of request: ObjectQuery, from older: HistoryToken, to newer: HistoryToken
  ) throws -> FetchDifference {
    throw lacks("comparing answers")
  }
  package func pinState(at token: HistoryToken?) throws -> any StatePin { throw lacks("pinning a state") }
  package func openRows(_ request: ObjectQuery, at token: HistoryToken?) throws -> any RowPages {
    throw lacks("pages of rows")
  }
  package func openSnapshot(of entities: [String]) throws -> (Snapshot, any RowPages) {
    throw lacks("pages of rows")
  }
  package func writeSnapshot(of entities: [String], to file: String) throws -> Snapshot {
    throw lacks("snapshot files")
  }

  // MARK: Maintenance

  package func rowTrends(steps: Int) throws -> [RowTrend] { throw lacks("counting rows over time") }
  package var readingNote: ReadingNote? { nil }
  package func status() throws -> StoreStatus { throw lacks("status") }
  package func verify(_ found: @escaping (Finding) throws -> Void) throws { throw lacks("verifying") }
  package func rebuild(_ found: (Finding) throws -> Void) throws { throw lacks("rebuilding") }
  package func schemaText() throws -> String { throw lacks("a schema as text") }
  package func readRejects(_ filter: RejectFilter, _ body: (KeptReject) throws -> Void) throws {
    throw lacks("listing rejected records")
  }
  package func rejects(_ filter: RejectFilter, after number: Int64) throws -> [KeptReject] {
    throw lacks("listing rejected records")
  }
  package func unkeptRejects(
    _ filter: RejectFilter
  ) throws -> [(pipeline: String, run: Int64, count: Int64)] {
    throw lacks("listing rejected records")
  }
  package func eraseRejects(_ filter: RejectFilter, lockWait: Double) throws -> Int {
    throw lacks("erasing rejected records")
  }
  package func readMissing(of pipeline: String?, _ body: (MissingRow) throws -> Void) throws -> MissingRows {
    throw lacks("missing rows")
  }
  package func deleteMissing(
    of pipeline: String?, noMoreThan share: Double
  ) throws -> (MissingRows, HistoryToken?) {
    throw lacks("missing rows")
  }
  package func mergeMissing(of pipeline: String?) throws -> (MissingRows, HistoryToken?) {
    throw lacks("missing rows")
  }
  package func runs(of pipeline: String?, limit: Int) throws -> [RunRecord] { throw lacks("a list of runs") }
  package func log(of entity: String, _ object: LoggedObject) throws -> [ObjectChange] {
    throw lacks("the log of an object")
  }
  package func writeObject(
    _ entity: String, _ values: ObjectValues, links: [String: ObjectValues?], _ kind: ObjectWrite,
    _ options: EditOptions
  ) throws -> (object: ObjectID, report: EditReport) {
    throw lacks("editing")
  }
  package func updateObjects(
    _ request: ObjectQuery, _ values: ObjectValues, _ options: EditOptions
  ) throws -> EditReport {
    throw lacks("editing")
  }
  package func deleteObjects(_ request: ObjectQuery, _ options: EditOptions) throws -> EditReport {
    throw lacks("deleting objects")
  }
  package func revert(_ target: RevertTarget, force: Bool, _ options: EditOptions) throws -> RevertReport {
    throw lacks("reverting")
  }
  package func erase(
    _ entity: String, _ object: LoggedObject, _ options: EditOptions, lockWait: Double
  ) throws -> EraseReport {
    throw lacks("erasing objects")
  }
  package func linkObjects(
    _ request: ObjectQuery, _ relationship: String, _ edit: LinkEdit, _ options: EditOptions
  ) throws -> EditReport {
    throw lacks("linking objects")
  }
  package func copyObjects(
    _ request: ObjectQuery, from source: any StoreEngine, _ options: EditOptions
  ) throws -> CopyReport {
    throw lacks("copying objects")
  }
  package func readCopies<Result>(_ body: (any CopySource) throws -> Result) throws -> Result {
    throw lacks("copying objects")
  }
  package func key(
    of relationship: String, from entity: String, _ texts: [String: String]
  ) throws -> [String: Value] {
    throw lacks("linking objects")
  }
  package func migrationPlan(for pipeline: Pipeline, dropping: [String]) throws -> [MigrationStep] {
    throw lacks("migrating")
  }
  package func migrate(
    _ pipeline: Pipeline, dropping: [String], lockWait: Double, progress: (Double) -> Void
  ) throws -> [MigrationStep] {
    throw lacks("migrating")
  }
  package func backUp(to file: String) throws -> HistoryToken { throw lacks("backups") }
  package func copy(to file: String) throws { throw lacks("copies") }
}
