internal import GRDB
internal import ImportModel

extension Store {
  /// How the store is.
  ///
  /// - Complexity: O(rows), since it counts them, and O(runs).
  package func status() throws -> StoreStatus {
    let holder = StoreLock.holder(of: path)
    return try reading { db in
      let places = try HistoryPlaces(db)
      let model = try SchemaUpdate.storedModel(db) ?? Model()
      func text(_ sql: String) throws -> String? {
        if case .text(let text) = try db.value(sql) { text } else { nil }
      }
      return StoreStatus(
        path: path,
        created: try text("SELECT created FROM bolide_store") ?? "",
        modelVersion: try db.integer("SELECT max(version) FROM bolide_model"),
        modelSince: try text("SELECT since FROM bolide_model ORDER BY version DESC LIMIT 1") ?? "",
        entities: try model.entities.map {
          .init(entity: $0.name, rows: try db.integer("SELECT count(*) FROM \(quoted($0.name))"))
        },
        pipelines: try PipelineStatus.all(db, atWork: holder?.pipeline),
        token: try places.newest(),
        transactions: try db.integer("SELECT count(*) FROM bolide_transaction"),
        changes: try db.integer(
          "SELECT ifnull(sum(inserted + updated + deleted), 0) FROM bolide_transaction"),
        historySince: try text("SELECT at FROM bolide_transaction ORDER BY number LIMIT 1"),
        readers: try ReaderTable(db, path: path).all(),
        unsealedChanges: try db.integer(
          "SELECT ifnull(sum(last - first + 1), 0) FROM bolide_change WHERE change > \(ChangeNumbers.sealed)"),
        dirtyOwners: try db.integer("SELECT count(*) FROM bolide_dirty"),
        bytes: fileSize(path), walBytes: fileSize(path + "-wal"), holder: holder,
        pins: PinFile.all(of: path))
    }
  }
}

extension PipelineStatus {
  /// The pipelines that have run, by name.
  fileprivate static func all(_ db: Database, atWork: String?) throws -> [PipelineStatus] {
    let runs = try RawStatement(
      db,
      """
      SELECT pipeline, max(run),
        max(run) FILTER (WHERE outcome = ?1 AND NOT (input = ?2 AND bytes = 0)),
        max(run) FILTER (WHERE last_transaction IS NOT NULL),
        (SELECT count(*) FROM bolide_reject AS r WHERE r.pipeline = bolide_run.pipeline)
      FROM bolide_run GROUP BY pipeline ORDER BY pipeline
      """)
    runs.bind(RunLog.good, at: 1)
    runs.bind(RunLog.replay, at: 2)
    var all: [PipelineStatus] = []
    while try runs.step() {
      var status = PipelineStatus(neverRun: runs.string(0) ?? "", maxAge: nil)
      func run(_ column: Int32) throws -> Run? {
        runs.isNull(column) ? nil : try Run(db, runs.integer(column))
      }
      status.lastRun = try run(1)
      status.lastGoodRun = try run(2)
      status.lastChange = try run(3)
      status.openRejects = runs.integer(4)
      status.maxAge = status.lastRun?.maxAge
      status.isAtWork = status.name == atWork
      all.append(status)
    }
    return all
  }
}

extension PipelineStatus.Run {
  fileprivate init?(_ db: Database, _ number: Int64) throws {
    let row = try RawStatement(
      db,
      """
      SELECT run, input, started, ended, outcome, round((julianday(ended) - julianday(started)) * 86400, 3),
        round((julianday(ifnull(ended, started)) - 2440587.5) * 86400, 3),
        round((julianday('now') - julianday(ifnull(ended, started))) * 86400, 3), max_age,
        \(ChunkCounts.columns), chunks, bytes, same_as, missing
      FROM bolide_run WHERE run = \(number)
      """)
    defer { row.reset() }
    guard try row.step() else { return nil }
    self.number = row.integer(0)
    input = row.string(1) ?? ""
    started = row.string(2) ?? ""
    ended = row.string(3)
    outcome = row.string(4)
    seconds = row.isNull(5) ? nil : max(0, row.real(5))
    time = row.real(6)
    age = max(0, row.real(7))
    maxAge = row.isNull(8) ? nil : row.real(8)
    progress = RunProgress()
    progress.counts = ChunkCounts(row, from: 9)
    progress.chunks = Int(row.integer(18))
    progress.bytes = Int(row.integer(19))
    progress.sameAs = row.isNull(20) ? nil : row.integer(20)
    progress.missing = row.isNull(21) ? nil : Int(row.integer(21))
    progress.children = try ChildCounts.all(db, run: number)
  }
}
