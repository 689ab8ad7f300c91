package import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  package func fieldMemory(of pipeline: Pipeline) throws -> FieldMemory {
    // On the writer: an import opens no other connection for it.
    try writing { db in
      let runs = try RawStatement(db, "SELECT 1 FROM bolide_run WHERE pipeline = ? AND outcome = ? LIMIT 1")
      runs.bind([.text(pipeline.name), .text(RunOutcome.good)])
      defer { runs.reset() }
      guard try runs.step() else { return FieldMemory() }
      let rows = try RawStatement(
        db, "SELECT name, added FROM bolide_field WHERE pipeline = ? ORDER BY run, name")
      rows.bind(pipeline.name, at: 1)
      var memory = FieldMemory(unused: [], used: try FieldLog.lastPresent(db, pipeline.name))
      memory.names = try ModelRecord(db).names(of: pipeline.entity)
      while try rows.step() {
        memory.unused?.insert(rows.string(0) ?? "")
        if let added = rows.string(1) { memory.added.append(try ModelRecord.decode(AddedField.self, added)) }
      }
      return memory
    }
  }
}

/// What runs read in the fields of attributes, in `bolide_run_field`.
package enum FieldLog {
  /// The counts of so many runs of a pipeline are kept, and those of the last good run that had a field.
  private static let keptRuns = 100

  /// The counts of good runs that had a field.
  private static let good = """
    FROM bolide_run_field JOIN bolide_run USING (run)
    WHERE pipeline = ?1 AND outcome = '\(RunOutcome.good)' AND present > 0
    """

  static func lastPresent(_ db: Database, _ pipeline: String) throws -> [(count: FieldCount, ended: String)] {
    // With `max`, SQLite takes the other columns from the same row.
    let rows = try RawStatement(
      db,
      """
      SELECT entity, attribute, field, records, present, nulls, ended, max(run) \(good)
      GROUP BY entity, attribute, field
      """)
    rows.bind(pipeline, at: 1)
    var found: [(FieldCount, String)] = []
    while try rows.step() { found.append((count(rows), rows.string(6) ?? "")) }
    return found
  }

  /// Writes what a run read, and forgets what is too old.
  ///
  /// - Parameter isGood: whether the run is: only a good one decides what becomes of fields.
  static func write(
    _ db: Database, _ fields: FieldsRead, run: Int64, of pipeline: Pipeline, isGood: Bool
  ) throws {
    let fields = fields.kept(isGood: isGood)
    let pipelineName = pipeline.name
    if !fields.unused.isEmpty {
      let added = Dictionary(fields.added.map { ($0.key, $0) }) { first, _ in first }
      let insert = try RawStatement(db, "INSERT OR IGNORE INTO bolide_field VALUES (?, ?, ?, ?, ?, ?)")
      for name in fields.unused {
        let added = added[name]
        insert.bind(
          [.text(pipelineName), .text(name), .integer(run)]
            + (try added.map {
              [.text(pipeline.entity), .text($0.attribute.name), .text(try ModelRecord.encode($0))]
            } ?? [.null, .null, .null]))
        try insert.run()
      }
    }
    let counts = fields.counts.filter { $0.records > 0 }
    if counts.isEmpty { return }
    for settled in fields.settled {
      try db.run(
        """
        DELETE FROM bolide_run_field WHERE (entity, attribute, field) = (?, ?, ?)
        AND run IN (SELECT run FROM bolide_run WHERE pipeline = ?)
        """, .text(settled.entity), .text(settled.attribute), .text(settled.field), .text(pipelineName))
    }
    let insert = try RawStatement(db, "INSERT INTO bolide_run_field VALUES (?, ?, ?, ?, ?, ?, ?)")
    for count in counts {
      insert.bind(
        [.integer(run), .text(count.entity), .text(count.attribute), .text(count.field)]
          + [count.records, count.present, count.nulls].map { .integer(Int64($0)) })
      try insert.run()
    }
    try db.run(
      """
      DELETE FROM bolide_run_field
      WHERE run IN (SELECT run FROM bolide_run WHERE pipeline = ?1 ORDER BY run DESC LIMIT -1 OFFSET \(keptRuns))
      AND (run, entity, attribute, field) NOT IN (
        SELECT max(run), entity, attribute, field \(good) GROUP BY entity, attribute, field)
      """, .text(pipelineName))
  }

  /// Forgets the attributes of added fields that are dropped: the fields stay known, and are not added again.
  static func drop(_ db: Database, entity: String, attribute: String?) throws {
    try db.run(
      """
      UPDATE bolide_field SET entity = NULL, attribute = NULL, added = NULL
      WHERE entity = ?1 AND attribute = ifnull(?2, attribute)
      """, .text(entity), attribute.map(Value.text) ?? .null)
  }

  /// A run's counts, by entity and attribute.
  package static func counts(_ db: Database, run: Int64) throws -> [FieldCount] {
    let rows = try RawStatement(
      db,
      """
      SELECT entity, attribute, field, records, present, nulls FROM bolide_run_field WHERE run = \(run)
      ORDER BY entity, attribute
      """)
    var counts: [FieldCount] = []
    while try rows.step() { counts.append(count(rows)) }
    return counts
  }

  private static func count(_ rows: RawStatement) -> FieldCount {
    FieldCount(
      entity: rows.string(0) ?? "", attribute: rows.string(1) ?? "", field: rows.string(2) ?? "",
      records: Int(rows.integer(3)), present: Int(rows.integer(4)), nulls: Int(rows.integer(5)))
  }
}
