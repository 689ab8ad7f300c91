internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// What other programs have made of the tables since Bolide made them.
struct TableDrift {
  private let connection: PostgreSQLConnection

  init(_ connection: PostgreSQLConnection) { self.connection = connection }

  /// The first thing that is not so, of those that `check` looks at.
  func error(_ model: Model) throws -> StoreError? {
    do {
      try check(model)
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  /// Sees that entities' tables have their columns, each of its type and to be written, and share no rows with others.
  /// Other columns are other programs'.
  ///
  /// - Throws: `StoreError` for the first that is not so.
  func check(_ model: Model) throws {
    let columns = model.entities.flatMap { entity in
      entity.columnTypes.map { (entity: entity.name, name: $0.name, type: $0.type) }
    }
    let drifted = try connection.run(
      """
      SELECT w.place, to_regclass(w.relation) IS NOT NULL, format_type(a.atttypid, a.atttypmod),
        a.attidentity = 'a', a.attgenerated <> ''
      FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w(relation, name, type, place)
      LEFT JOIN pg_attribute AS a ON a.attrelid = to_regclass(w.relation) AND a.attname = w.name AND NOT a.attisdropped
      WHERE format_type(a.atttypid, a.atttypmod) IS DISTINCT FROM w.type OR a.attidentity = 'a' OR a.attgenerated <> ''
      ORDER BY w.place LIMIT 1
      """,
      [.texts(columns.map { quoted($0.entity) }), .texts(columns.map(\.name)), .texts(columns.map(\.type))])
    guard drifted.count > 0 else { return try checkKinds(model.entities.map(\.name)) }
    let column = columns[Int(drifted.integer(0, 0)) - 1]
    guard drifted.integer(0, 1) != 0 else { throw StoreError.tableMissing(column.entity) }
    guard let type = drifted.optionalText(0, 2) else {
      throw StoreError.columnMissing(column.name, of: column.entity)
    }
    let isIdentity = drifted.integer(0, 3) != 0
    if isIdentity || drifted.integer(0, 4) != 0 {
      throw StoreError.columnGenerated(column.name, of: column.entity, isIdentity: isIdentity)
    }
    throw StoreError.columnOfOtherType(column.name, of: column.entity, type, was: column.type)
  }

  /// Sees that they are tables of their own, without rules: what changes rows through another one calls no trigger of theirs.
  private func checkKinds(_ entities: [String]) throws {
    let found = try connection.run(
      """
      SELECT w.place, CASE relkind WHEN 'v' THEN 'a view' WHEN 'p' THEN 'a partitioned table' WHEN 'r' THEN NULL
        ELSE 'no table' END, EXISTS (SELECT FROM pg_rewrite WHERE ev_class = c.oid)
      FROM unnest($1::text[]) WITH ORDINALITY AS w(relation, place) JOIN pg_class AS c ON c.oid = to_regclass(w.relation)
      WHERE relkind <> 'r' OR EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhparent, inhrelid))
        OR EXISTS (SELECT FROM pg_rewrite WHERE ev_class = c.oid)
      ORDER BY w.place LIMIT 1
      """, [.texts(entities.map(quoted))])
    guard found.count > 0 else { return }
    let entity = entities[Int(found.integer(0, 0)) - 1]
    throw found.optionalText(0, 1).map { StoreError.otherThanTable(entity, $0) }
      ?? (found.integer(0, 2) != 0 ? .tableWithRule(entity) : .tableShared(entity))
  }
}

extension Entity {
  /// The columns of its table, each with its type as the server writes it.
  fileprivate var columnTypes: [(name: String, type: String)] {
    [("bolide_id", "bigint")]
      + storedAttributes.flatMap { attribute in
        zip(EntityTable.columnNames(attribute), [attribute.type.formatted, "numeric", "bigint"])
          .map { ($0, $1) }
      } + toOneRelationships.map { ($0.column, "bigint") }
  }
}

extension AttributeType {
  fileprivate var formatted: String {
    switch self {
    case .decimal(let scale): "numeric(38,\(scale))"
    case .string: "text"
    case .date(let precision): "timestamp(\(precision.decimals)) with time zone"
    default: column
    }
  }
}
