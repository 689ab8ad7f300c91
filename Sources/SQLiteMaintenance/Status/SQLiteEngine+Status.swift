internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// How the store is.
  ///
  /// - Complexity: O(rows), since it counts them, and O(runs).
  package func status() throws -> StoreStatus {
    try reading { db in
      let positions = try HistoryPositions(db)
      let model = try ModelRecord(db).model
      let tables = try model.entities.filter { try TableColumns(db, $0.name) != nil }
      func text(_ sql: String) throws -> String? {
        if case .text(let text) = try db.value(sql) { text } else { nil }
      }
      let pipelines = try PipelineStatus.all(db)
      return StoreStatus(
        path: path,
        created: try text("SELECT created FROM bolide_store") ?? "",
        modelVersion: try db.integer("SELECT max(version) FROM bolide_model"),
        modelSince: try text("SELECT since FROM bolide_model ORDER BY version DESC LIMIT 1") ?? "",
        entities: try tables.map {
          .init(entity: $0.name, rows: try db.integer("SELECT count(*) FROM \(quoted($0.name))"))
        },
        pipelines: pipelines,
        token: try positions.newest(),
        transactions: try db.integer("SELECT count(*) FROM bolide_transaction"),
        changes: try db.integer(
          "SELECT CAST(total(inserted + updated + deleted) AS INTEGER) FROM bolide_transaction"),
        historySince: try text("SELECT at FROM bolide_transaction ORDER BY number LIMIT 1"),
        readers: try ReaderTable(db, path: path).all(),
        schemaError: try SchemaDrift(db, model).error?.about(path),
        upkeep: try TriggerMaintenance.problems(db, model: model),
        pendingChanges: try ChangeNumbers.pending(db),
        dirtyOwners: try db.integer(
          """
          SELECT count(*) FROM (SELECT DISTINCT entity, hop, object FROM bolide_dirty LEFT JOIN bolide_property USING (property))
          """),
        unfinishedAttributes: try UnfinishedColumns(db).columns.map {
          .init(name: $0.name, pipeline: $0.pipeline)
        },
        nullTotals: try NullTotals(db, model),
        openErasures: try db.openErasures,
        bytes: fileSize(path), walBytes: fileSize(path + "-wal"),
        // SQLite does not look for one where it was told that nobody writes.
        hasLog: try StoreLocation.isUnwritten(location, of: path)
          || db.value("PRAGMA journal_mode") == .text("wal"),
        holder: pipelines.lazy.compactMap(\.holder).first,
        pins: PinFile.all(of: path))
    }
  }
}

extension SQLiteEngine {
  /// The newest runs, the newest first.
  ///
  /// - Complexity: O(runs).
  package func runs(of pipeline: String?, limit: Int) throws -> [RunRecord] {
    try reading { db in
      let rows = try RawStatement(
        db,
        """
        SELECT run, pipeline, reverted, (SELECT max(run) FROM bolide_run) FROM bolide_run
        WHERE pipeline = ifnull(?1, pipeline) ORDER BY run DESC LIMIT ?2
        """)
      rows.bind(pipeline, at: 1)
      rows.bind(limit, at: 2)
      var runs: [RunRecord] = []
      while try rows.step() {
        guard let run = try PipelineStatus.Run(db, rows.integer(0)) else { continue }
        runs.append(
          RunRecord(
            pipeline: rows.string(1) ?? "", run: run, reverted: rows.isNull(2) ? nil : try rows.number(2),
            isAtWork: run.isAtWork(newest: rows.integer(3)),
            fields: try FieldLog.counts(db, run: run.number)))
      }
      return runs
    }
  }
}

extension PipelineStatus {
  /// The pipelines that have run, by name.
  fileprivate static func all(_ db: Database) throws -> [PipelineStatus] {
    let newest = try db.integer("SELECT ifnull(max(run), 0) FROM bolide_run")
    let runs = try RawStatement(
      db,
      """
      SELECT pipeline,
        ifnull(max(run) FILTER (WHERE NOT (input = ?2 AND bytes = 0 AND outcome IS NOT NULL)), max(run)),
        max(run) FILTER (WHERE outcome = ?1 AND NOT (input = ?2 AND bytes = 0)),
        max(run) FILTER (WHERE last_transaction IS NOT NULL),
        (SELECT count(*) FROM bolide_reject AS r WHERE r.pipeline = bolide_run.pipeline)
      FROM bolide_run GROUP BY pipeline ORDER BY pipeline
      """)
    runs.bind(RunOutcome.good, at: 1)
    runs.bind(RunOutcome.replay, at: 2)
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
      status.missing = try PresenceTracker.missing(db, pipeline: status.name)
      status.maxAge = status.lastRun?.maxAge
      if let run = status.lastRun { status.isAtWork = run.isAtWork(newest: newest) }
      all.append(status)
    }
    return all
  }
}

extension PipelineStatus.Run {
  /// Ten thousand years, in seconds: no pipeline says more.
  private static let longestAge = 86_400 * 365.25 * 10_000

  fileprivate init?(_ db: Database, _ number: Int64) throws {
    let row = try RawStatement(
      db,
      """
      SELECT run, input, started, ended, outcome, round((julianday(ended) - julianday(started)) * 86400, 3),
        round((julianday(ifnull(ended, started)) - 2440587.5) * 86400, 3),
        round((julianday(?) - julianday(ifnull(ended, started))) * 86400, 3), max_age,
        chunks, bytes, same_as, missing, process, process_start, boot, unkept, gone, skipped, \(ChunkCounts.columns)
      FROM bolide_run WHERE run = \(number)
      """)
    defer { row.reset() }
    row.bind(timestamp(), at: 1)
    guard try row.step() else { return nil }
    let maxAge = row.isNull(8) ? nil : row.real(8)
    guard maxAge.map({ 0...Self.longestAge ~= $0 }) ?? true else {
      throw StoreError.malformedNumber("max_age")
    }
    self.init(
      number: row.integer(0), input: row.string(1) ?? "", started: row.string(2) ?? "", ended: row.string(3),
      outcome: row.string(4), progress: RunProgress(), seconds: row.isNull(5) ? nil : max(0, row.real(5)),
      time: row.real(6), age: max(0, row.real(7)), maxAge: maxAge, process: row.integer(13),
      isAlive: RunProcess(id: row.integer(13), start: row.string(14), boot: row.string(15)).isAlive)
    progress.chunks = Int(try row.number(9))
    progress.bytes = Int(try row.number(10))
    progress.sameAs = row.isNull(11) ? nil : row.integer(11)
    progress.missing = row.isNull(12) ? nil : Int(try row.number(12))
    progress.unkept = Int(try row.number(16))
    progress.gone = Int(try row.number(17))
    progress.skipped = Int(try row.number(18))
    progress.counts = try ChunkCounts(row, from: 19)
    progress.children = try ChildCounts.all(db, run: number)
  }
}
