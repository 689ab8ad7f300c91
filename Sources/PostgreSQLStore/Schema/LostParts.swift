internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Keys, constraints and indexes that another program has dropped: without them two objects may have one key, an object none, or a link may
/// lead nowhere.
struct LostParts {
  /// What is to be made anew, in the order in which one needs another.
  private let parts: [(entity: Entity, part: EntityTable.Part)]

  init(_ connection: PostgreSQLConnection, _ model: Model) throws {
    let tables = model.entities.map { EntityTable(entity: $0, model: model) }
    let all =
      tables.flatMap { table in (table.notNulls + table.keys).map { (entity: table.entity, part: $0) } }
      + tables.flatMap { table in table.parts.map { (entity: table.entity, part: $0) } }
    // A key goes by its columns, as the server has given it its name.
    let lost = try connection.run(
      """
      SELECT w.place
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w(relation, name, kind, place)
      WHERE NOT CASE w.kind WHEN 'index' THEN EXISTS (
          SELECT FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid
          WHERE indrelid = to_regclass(w.relation) AND relname = w.name AND indisvalid)
        WHEN 'notNull' THEN EXISTS (
          SELECT FROM pg_attribute WHERE attrelid = to_regclass(w.relation) AND attname = w.name AND attnotnull)
        WHEN 'key' THEN EXISTS (
          SELECT FROM pg_constraint AS c WHERE conrelid = to_regclass(w.relation) AND contype IN ('p', 'u') AND NOT condeferrable
            AND w.name = (SELECT string_agg('"' || replace(attname, '"', '""') || '"', ', ' ORDER BY place)
              FROM unnest(conkey) WITH ORDINALITY AS k(number, place)
              JOIN pg_attribute ON attrelid = conrelid AND attnum = k.number))
        ELSE EXISTS (
          SELECT FROM pg_constraint
          WHERE conrelid = to_regclass(w.relation) AND conname = w.name AND convalidated) END
      ORDER BY w.place
      """,
      [
        .texts(all.map { quoted($0.entity.name) }), .texts(all.map(\.part.name)),
        .texts(all.map(\.part.kind.rawValue)),
      ])
    parts = (0..<lost.count).map { all[Int(lost.integer($0, 0)) - 1] }
  }

  var isEmpty: Bool { parts.isEmpty }

  /// A report with a sentence for each.
  func added(to report: RepairReport) -> RepairReport {
    var report = report
    report.indexes += parts.map { RepairReport.lost($0.part, of: $0.entity.name) }
    return report
  }

  /// The first without which false rows may come.
  var firstRule: String? {
    parts.first { $0.part.kind != .index }.map { RepairReport.lost($0.part, of: $0.entity.name) }
  }

  /// Makes them anew.
  ///
  /// - Throws: `StoreError` where rows do not allow one.
  func restore(_ connection: PostgreSQLConnection) throws {
    for (entity, part) in parts {
      // One that is not valid has its name.
      if !part.removal.isEmpty { try connection.run(part.removal) }
      do {
        try connection.run(part.creation)
      } catch let error as PostgreSQLError where error.state.hasPrefix(PostgreSQLError.constraint) {
        throw StoreError.rowsAgainst(RepairReport.lost(part, of: entity.name))
      }
    }
  }

  /// Tells objects that a lost key or constraint would not have let in.
  func check(_ connection: PostgreSQLConnection, _ found: (Finding) throws -> Void) throws {
    for (entity, part) in parts {
      if part.kind == .notNull { try checkNulls(connection, entity, part.name, found) }
      guard let columns = part.unique else { continue }
      let list = columns.map(quoted).joined(separator: ", ")
      let twins = try connection.run(
        """
        SELECT bolide_id FROM (SELECT bolide_id, row_number() OVER (PARTITION BY \(list) ORDER BY bolide_id) AS place
          FROM \(quoted(entity.name)) WHERE num_nulls(\(list)) = 0) AS t
        WHERE place > 1 ORDER BY bolide_id LIMIT 100
        """)
      for row in 0..<twins.count { try found(.twin(entity.name, twins.integer(row, 0), columns)) }
    }
  }

  private func checkNulls(
    _ connection: PostgreSQLConnection, _ entity: Entity, _ column: String, _ found: (Finding) throws -> Void
  ) throws {
    let nulls = try connection.run(
      """
      SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(quoted(column)) IS NULL ORDER BY bolide_id LIMIT 100
      """)
    for row in 0..<nulls.count { try found(.isNull(entity.name, nulls.integer(row, 0), column)) }
  }
}
