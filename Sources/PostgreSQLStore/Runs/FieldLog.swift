internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// What runs read in fields: in `bolide_run_field` those of attributes, in `bolide_field` those that no attribute takes.
struct FieldLog {
  let connection: PostgreSQLConnection
  /// The pipeline's name.
  let pipeline: String

  /// The counts of so many runs of a pipeline are kept, and those of the last good run that had a field.
  private static let keptRuns = 100

  /// For each field the last good run that had it.
  private static let lastPresent = """
    SELECT DISTINCT ON (f.entity, f.attribute, f.field) f.*, r.ended
    FROM bolide_run_field AS f JOIN bolide_run AS r USING (run)
    WHERE r.pipeline = $1 AND r.outcome = '\(RunOutcome.good)' AND f.present > 0
    ORDER BY f.entity, f.attribute, f.field, f.run DESC
    """

  /// What earlier runs met of the fields of the pipeline's records.
  ///
  /// - Parameter entity: the records', as the store has it.
  func memory(_ entity: Entity?) throws -> FieldMemory {
    let runs = try connection.run(
      "SELECT FROM bolide_run WHERE pipeline = $1 AND outcome = $2 LIMIT 1",
      [.text(pipeline), .text(RunOutcome.good)])
    guard runs.count == 1 else { return FieldMemory() }
    let names = try connection.run("SELECT name FROM bolide_field WHERE pipeline = $1", [.text(pipeline)])
    let used = try connection.run(
      """
      SELECT entity, attribute, field, records, present, nulls, to_char(ended, \(SystemTables.instant))
      FROM (\(Self.lastPresent)) AS l
      """, [.text(pipeline)])
    var memory = FieldMemory(
      unused: Set((0..<names.count).map { names.text($0, 0) }),
      used: (0..<used.count).map { (Self.count(used, $0), used.optionalText($0, 6) ?? "") })
    memory.names = Set(entity.map { $0.attributes.map(\.name) + $0.relationships.map(\.name) } ?? [])
    return memory
  }

  /// Writes what a run read, and forgets what is too old.
  ///
  /// - Parameter isGood: whether the run is: only a good one decides what becomes of fields.
  func write(_ fields: FieldsRead, run: Int64, isGood: Bool) throws {
    if !fields.unused.isEmpty {
      try connection.run(
        "INSERT INTO bolide_field(pipeline, name) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING",
        [.text(pipeline), .texts(fields.unused.sorted())])
    }
    let counts = fields.counts.filter { $0.records > 0 }
    if counts.isEmpty { return }
    for settled in isGood ? fields.settled : [] {
      try connection.run(
        """
        DELETE FROM bolide_run_field AS f USING bolide_run AS r
        WHERE r.run = f.run AND r.pipeline = $1 AND (f.entity, f.attribute, f.field) = ($2, $3, $4)
        """, [pipeline, settled.entity, settled.attribute, settled.field].map(Parameter.text))
    }
    for count in counts {
      try connection.run(
        "INSERT INTO bolide_run_field VALUES (\(run), $1, $2, $3, $4, $5, $6)",
        [count.entity, count.attribute, count.field].map(Parameter.text)
          + [count.records, count.present, count.nulls].map { Parameter.integer(Int64($0)) })
    }
    try connection.run(
      """
      DELETE FROM bolide_run_field
      WHERE run IN (SELECT run FROM bolide_run WHERE pipeline = $1 ORDER BY run DESC OFFSET \(Self.keptRuns))
        AND (run, entity, attribute, field) NOT IN (SELECT run, entity, attribute, field FROM (\(Self.lastPresent)) AS l)
      """, [.text(pipeline)])
  }

  /// A run's counts, by entity and attribute.
  static func counts(_ connection: PostgreSQLConnection, run: Int64) throws -> [FieldCount] {
    let rows = try connection.run(
      """
      SELECT entity, attribute, field, records, present, nulls FROM bolide_run_field WHERE run = \(run)
      ORDER BY entity COLLATE "C", attribute COLLATE "C"
      """)
    return (0..<rows.count).map { count(rows, $0) }
  }

  private static func count(_ rows: QueryResult, _ row: Int) -> FieldCount {
    FieldCount(
      entity: rows.text(row, 0), attribute: rows.text(row, 1), field: rows.text(row, 2),
      records: Int(rows.integer(row, 3)), present: Int(rows.integer(row, 4)),
      nulls: Int(rows.integer(row, 5)))
  }
}
