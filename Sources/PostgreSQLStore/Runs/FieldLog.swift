internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// What runs read in fields: in `bolide_run_field` those of attributes, in `bolide_field` those that the pipeline's file does not
/// name.
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
  /// - Parameter names: of the properties that the records' entity has in the store, or had.
  func memory(_ names: Set<String>) throws -> FieldMemory {
    let runs = try connection.run(
      "SELECT FROM bolide_run WHERE pipeline = $1 AND outcome = $2 LIMIT 1",
      [.text(pipeline), .text(RunOutcome.good)])
    guard runs.count == 1 else { return FieldMemory() }
    let fields = try connection.run(
      "SELECT name, added FROM bolide_field WHERE pipeline = $1 ORDER BY run, name COLLATE \"C\"",
      [.text(pipeline)])
    let used = try connection.run(
      """
      SELECT entity, attribute, field, records, present, nulls, to_char(ended, \(SystemTables.instant))
      FROM (\(Self.lastPresent)) AS l
      """, [.text(pipeline)])
    var memory = FieldMemory(
      unused: Set((0..<fields.count).map { fields.text($0, 0) }.flatMap { [$0, $0.withNull] }),
      used: (0..<used.count).map { (Self.count(used, $0), used.optionalText($0, 6) ?? "") },
      added: try (0..<fields.count).compactMap { fields.optionalText($0, 1) }.map {
        try JSONDecoder().decode(AddedField.self, from: Data($0.utf8))
      })
    memory.names = names
    return memory
  }

  /// Writes what a run read, and forgets what is too old.
  ///
  /// - Parameters:
  ///   - entity: the records'.
  ///   - isGood: whether the run is: only a good one decides what becomes of fields.
  func write(_ fields: FieldsRead, run: Int64, of entity: String, isGood: Bool) throws {
    let fields = fields.kept(isGood: isGood)
    if !fields.unused.isEmpty {
      let added = Dictionary(fields.added.map { ($0.key, $0) }) { first, _ in first }
      let names = fields.unused.sorted()
      try connection.run(
        """
        INSERT INTO bolide_field(pipeline, name, run, entity, attribute, added)
        SELECT $1, name, \(run), CASE WHEN attribute IS NOT NULL THEN $2 END, attribute, added
        FROM unnest($3::text[], $4::text[], $5::text[]) AS f(name, attribute, added) ON CONFLICT DO NOTHING
        """,
        [
          .text(pipeline), .text(entity), .texts(names.map(\.withoutNull)),
          .texts(names.map { added[$0]?.attribute.name }),
          .texts(
            try names.map { name in
              try added[name].map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            }),
        ])
    }
    let counts = fields.counts.filter { $0.records > 0 }
    if counts.isEmpty { return }
    for settled in fields.settled {
      try connection.run(
        """
        DELETE FROM bolide_run_field AS f USING bolide_run AS r
        WHERE r.run = f.run AND r.pipeline = $1 AND (f.entity, f.attribute, f.field) = ($2, $3, $4)
        """,
        [pipeline, settled.entity, settled.attribute, settled.field.withoutNull].map(Parameter.text))
    }
    for count in counts {
      try connection.run(
        "INSERT INTO bolide_run_field VALUES (\(run), $1, $2, $3, $4, $5, $6)",
        [count.entity, count.attribute, count.field.withoutNull].map(Parameter.text)
          + [count.records, count.present, count.nulls].map { Parameter.integer(Int64($0)) })
    }
    try connection.run(
      """
      DELETE FROM bolide_run_field
      WHERE run IN (SELECT run FROM bolide_run WHERE pipeline = $1 ORDER BY run DESC OFFSET \(Self.keptRuns))
        AND (run, entity, attribute, field) NOT IN (SELECT run, entity, attribute, field FROM (\(Self.lastPresent)) AS l)
      """, [.text(pipeline)])
  }

  /// Forgets the attributes of added fields that are dropped: the fields stay known, and are not added again.
  static func drop(_ connection: PostgreSQLConnection, entity: String, attribute: String?) throws {
    try connection.run(
      """
      UPDATE bolide_field SET entity = NULL, attribute = NULL, added = NULL
      WHERE entity = $1 AND attribute = coalesce($2, attribute)
      """, [.text(entity), .text(attribute)])
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
