internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func status() throws -> StoreStatus {
    let readers = try namedReaders()
    return try reading { connection, stored in
      let drift = try TableDrift(connection).error(stored.model)
      let entities = try stored.model.entities.map { entity in
        StoreStatus.Count(
          entity: entity.name,
          rows: try connection.run("SELECT count(*) FROM \(quoted(entity.name))").integer(0, 0))
      }
      let history = try connection.run(
        """
        SELECT count(*), coalesce(sum(changes), 0)::bigint, to_char(min(at), \(SystemTables.instant)),
          \(PendingChanges.changes), \(PendingChanges.marks),
          (SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class
            WHERE relnamespace = \(SystemTables.namespace) AND relkind = 'r'),
          (SELECT to_char(created, \(SystemTables.instant)) FROM bolide_store),
          (SELECT to_char(max(since), \(SystemTables.instant)) FROM bolide_model)
        FROM bolide_transaction
        """)
      let pipelines = try PipelineRuns(connection, stored, address.schema).all()
      return StoreStatus(
        path: path, created: history.text(0, 6), modelVersion: stored.version, modelSince: history.text(0, 7),
        entities: entities, pipelines: pipelines, token: try Positions(connection, stored, path).newest,
        transactions: history.integer(0, 0), changes: history.integer(0, 1),
        historySince: history.optionalText(0, 2), readers: readers, schemaError: drift?.about(path),
        upkeep: try drift == nil
          ? LostParts(connection, stored.model).added(to: LostTriggers(connection, stored).report)
          : RepairReport(),
        pendingChanges: history.integer(0, 3), dirtyOwners: history.integer(0, 4),
        nullTotals: try drift == nil ? NullTotals(connection, stored) : NullTotals(),
        openErasures: 0, bytes: history.integer(0, 5), walBytes: nil, hasLog: true,
        holder: pipelines.lazy.compactMap(\.holder).first, pins: [])
    }
  }

  package func runs(of pipeline: String?, limit: Int) throws -> [RunRecord] {
    try reading { connection, stored in
      let runs = PipelineRuns(connection, stored, address.schema)
      let newest = try Dictionary(runs.newestRuns()) { first, _ in first }
      return try runs.runs("WHERE $1::text IS NULL OR pipeline = $1", [.text(pipeline)], limit: limit).map {
        name, run, reverted in
        try RunRecord(
          pipeline: name, run: run, reverted: reverted,
          isAtWork: run.isAtWork(newest: newest[name] ?? run.number),
          fields: FieldLog.counts(connection, run: run.number))
      }
    }
  }
}

/// What is kept of imports.
struct PipelineRuns {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let schema: String

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, _ schema: String) {
    (self.connection, self.stored, self.schema) = (connection, stored, schema)
  }

  /// Each pipeline with the number of its newest run, a replay too: of runs without an end only that one can be at work.
  func newestRuns() throws -> [(name: String, run: Int64)] {
    let rows = try connection.run(
      "SELECT pipeline, max(run) FROM bolide_run GROUP BY pipeline ORDER BY pipeline")
    return (0..<rows.count).map { (rows.text($0, 0), rows.integer($0, 1)) }
  }

  /// Whether a run is at work just now.
  func isAtWork(_ run: Int64) throws -> Bool {
    guard let (pipeline, found, _) = try runs("WHERE run = \(run)", [], limit: 1).first else { return false }
    let newest = try newestRuns().first { $0.name == pipeline }
    return found.isAtWork(newest: newest?.run ?? run) == true
  }

  /// Each pipeline with its latest runs.
  func all() throws -> [PipelineStatus] {
    try newestRuns().map { name, run in
      func newest(_ condition: String) throws -> PipelineStatus.Run? {
        try runs("WHERE pipeline = $1 AND \(condition)", [.text(name)], limit: 1).first?.run
      }
      // A replay is no new input: it counts while it is at work, or where there is no other run.
      let replay = "input = '\(RunOutcome.replay)' AND bytes = 0"
      let last = try newest("NOT (\(replay) AND outcome IS NOT NULL)") ?? newest("true")
      var status = PipelineStatus(neverRun: name, maxAge: last?.maxAge)
      status.lastRun = last
      status.lastGoodRun = try newest("outcome = '\(RunOutcome.good)' AND NOT (\(replay))")
      status.missing = try Presence.missing(connection, pipeline: name, stored)
      status.lastChange = try newest("last_number IS NOT NULL")
      status.openRejects = try connection.run(
        "SELECT count(*) FROM bolide_reject WHERE pipeline = $1", [.text(name)]
      ).integer(0, 0)
      status.isAtWork = last.flatMap { $0.isAtWork(newest: run) } ?? false
      return status
    }
  }

  /// Runs, the newest first, each with its pipeline.
  func runs(
    _ condition: String, _ parameters: [Parameter], limit: Int
  ) throws -> [(pipeline: String, run: PipelineStatus.Run, reverted: Int64?)] {
    let counts = RunLog.counts.map { "r.\($0)" }.joined(separator: ", ")
    let rows = try connection.run(
      """
      SELECT r.run, r.pipeline, r.input, to_char(r.started, \(SystemTables.instant)),
        to_char(r.ended, \(SystemTables.instant)), r.outcome, r.max_age,
        extract(epoch FROM r.ended - r.started)::double precision,
        extract(epoch FROM coalesce(r.ended, r.started))::double precision,
        extract(epoch FROM now() - coalesce(r.ended, r.started))::double precision,
        r.unkept, r.chunks, r.bytes, r.last_number, t.nonce, l.pid, r.missing, r.gone, r.same_as, r.reverted,
        r.skipped, \(counts)
      FROM (SELECT * FROM bolide_run \(condition) ORDER BY run DESC LIMIT \(limit)) AS r
      LEFT JOIN bolide_transaction AS t ON t.number = r.last_number
      LEFT JOIN pg_locks AS l ON l.locktype = 'advisory' AND l.granted AND l.classid = \(SystemTables.lockClass)
        AND l.objid = hashtext(\(literal(schema)) || '/pipeline/' || r.pipeline)::bigint & 4294967295
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      ORDER BY r.run DESC
      """, parameters)
    return try (0..<rows.count).map { row in
      var progress = RunProgress()
      progress.counts = ChunkCounts(rows, row, from: 21)
      (progress.unkept, progress.chunks) = (Int(rows.integer(row, 10)), Int(rows.integer(row, 11)))
      (progress.bytes, progress.gone) = (Int(rows.integer(row, 12)), Int(rows.integer(row, 17)))
      progress.missing = rows.optionalInteger(row, 16).map(Int.init)
      (progress.sameAs, progress.skipped) = (rows.optionalInteger(row, 18), Int(rows.integer(row, 20)))
      if let number = rows.optionalInteger(row, 13) {
        progress.token = HistoryToken(
          store: stored.id, number: number, nonce: rows.optionalText(row, 14) ?? HistoryToken.noNonce)
      }
      progress.children = try children(ofRun: rows.integer(row, 0))
      let ended = rows.optionalText(row, 4)
      return (
        rows.text(row, 1),
        PipelineStatus.Run(
          number: rows.integer(row, 0), input: rows.text(row, 2), started: rows.text(row, 3), ended: ended,
          outcome: rows.optionalText(row, 5), progress: progress,
          seconds: ended == nil ? nil : rows.real(row, 7), time: rows.real(row, 8), age: rows.real(row, 9),
          maxAge: rows.isNull(row, 6) ? nil : rows.real(row, 6), process: rows.integer(row, 15),
          isAlive: ended == nil ? !rows.isNull(row, 15) : nil), rows.optionalInteger(row, 19)
      )
    }
  }

  /// The counts of a run's lists of children.
  func children(ofRun run: Int64) throws -> [ChildCounts] {
    let rows = try connection.run(
      """
      SELECT entity, are_links, \(RunLog.counts.joined(separator: ", ")) FROM bolide_run_child
      WHERE run = \(run) ORDER BY place
      """)
    return (0..<rows.count).map { row in
      var children = ChildCounts(rows.text(row, 0), areLinks: rows.integer(row, 1) != 0)
      children.counts = ChunkCounts(rows, row, from: 2)
      return children
    }
  }
}
