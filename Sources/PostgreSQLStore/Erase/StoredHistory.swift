internal import ImportModel
internal import ModelMerging
internal import ObjectEdits
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// History and rejected records, inside the transaction of an erasure.
struct StoredHistory: ErasableHistory {
  let connection: PostgreSQLConnection
  let stored: StoredModel

  func number(of property: String, in entity: Entity) -> Int64? {
    let number = stored.number(of: property, in: entity)
    return number == 0 ? nil : number
  }

  func droppedDerived() -> [Int64] { stored.record.dropped.filter(\.isDerived).map(\.property) }

  // MARK: Reading

  func deleted(
    _ holder: Entity, _ relationship: Relationship, with owners: Set<Int64>
  ) throws -> Set<Int64> {
    try ids(
      """
      SELECT c.id FROM bolide_change AS c
      WHERE c.entity = \(stored.number(of: holder)) AND c.kind = 3 AND \(before(relationship, holder)) = ANY ($1)
        AND NOT EXISTS (SELECT FROM \(quoted(holder.name)) AS t WHERE t.bolide_id = c.id)
      """, owners)
  }

  func readValues(
    of entity: Entity, _ ids: Set<Int64>, _ body: (_ id: Int64, _ before: [Int64: Value]) throws -> Void
  ) throws {
    try connection.each(
      """
      SELECT \(StoredChange.columns) FROM bolide_change AS c LEFT JOIN bolide_transaction AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity)) AND c.id = ANY ($1) AND c.properties <> '{}'
      ORDER BY c.id, t.number DESC NULLS FIRST, c.seq DESC
      """, [.integers(ids)]
    ) { row in
      guard let change = StoredChange(row, 0, from: 0) else { return }
      try body(change.id, change.numberedValues(entity, stored))
    }
  }

  func holders(
    _ entity: Entity, _ relationship: Relationship, of objects: Set<Int64>
  ) throws -> Set<Int64> {
    try ids(
      """
      SELECT bolide_id FROM \(quoted(entity.name)) WHERE \(quoted(relationship.column)) = ANY ($1)
      UNION SELECT c.id FROM bolide_change AS c
      WHERE c.entity = \(stored.number(of: entity)) AND \(before(relationship, entity)) = ANY ($1)
      """, objects)
  }

  func targets(_ entity: Entity, _ relationship: Relationship, of rows: Set<Int64>) throws -> Set<Int64> {
    let (column, before) = (quoted(relationship.column), before(relationship, entity))
    return try ids(
      """
      SELECT \(column) FROM \(quoted(entity.name)) WHERE bolide_id = ANY ($1) AND \(column) IS NOT NULL
      UNION SELECT \(before) FROM bolide_change AS c
      WHERE c.entity = \(stored.number(of: entity)) AND c.id = ANY ($1) AND \(before) IS NOT NULL
      """, rows)
  }

  func keys(of entity: Entity, _ ids: Set<Int64>) throws -> Set<[Value]> {
    let rows = try PresentRows(connection, stored, entity, ids: ids.sorted())
    return Set(ids.map { rows.lastKey(of: $0).map(\.value) })
  }

  /// The id that a change `c` kept of a relationship; null where it kept none.
  private func before(_ relationship: Relationship, _ entity: Entity) -> String {
    "c.previous[array_position(c.properties, \(stored.number(of: relationship.name, in: entity)))]::bigint"
  }

  private func ids(_ query: String, _ of: Set<Int64>) throws -> Set<Int64> {
    let found = try connection.run(query, [.integers(of)])
    return Set((0..<found.count).map { found.integer($0, 0) })
  }

  // MARK: Erasing

  func eraseValues(of entity: Entity, _ ids: Set<Int64>) throws {
    try connection.run(
      """
      UPDATE bolide_change SET properties = '{}', previous = '{}', erased = ARRAY[\(StoredChange.all)],
        erased_by = bolide_transaction_id()
      WHERE entity = \(stored.number(of: entity)) AND id = ANY ($1) AND kind <> 1
        AND erased IS DISTINCT FROM ARRAY[\(StoredChange.all)]
      """, [.integers(ids)])
  }

  func eraseValues(
    of property: Int64, _ objects: (entity: Entity, ids: Set<Int64>)?, where isErased: (Value) -> Bool
  ) throws -> Int {
    var changes: [(transaction: Int64, entity: Int64, id: Int64)] = []
    let condition = objects.map { "AND c.entity = \(stored.number(of: $0.entity)) AND c.id = ANY ($1)" }
    try connection.each(
      """
      SELECT c.transaction, c.entity, c.id, c.previous[array_position(c.properties, \(property))]
      FROM bolide_change AS c WHERE \(property) = ANY (c.properties) \(condition ?? "")
      """, objects.map { [.integers($0.ids)] } ?? []
    ) { row in
      let value = stored.value(ofHistory: row.optionalText(0, 3), property, in: objects?.entity)
      if let value, isErased(value) {
        changes.append((row.integer(0, 0), row.integer(0, 1), row.integer(0, 2)))
      }
    }
    if changes.isEmpty { return 0 }
    return try connection.run(
      """
      UPDATE bolide_change AS c SET (properties, previous) = (
          SELECT coalesce(array_agg(u.property ORDER BY u.place), '{}'), coalesce(array_agg(u.text ORDER BY u.place), '{}')
          FROM unnest(c.properties, c.previous) WITH ORDINALITY AS u(property, text, place)
          WHERE u.property <> \(property)),
        erased = array_append(c.erased, \(property)), erased_by = bolide_transaction_id()
      FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS x(transaction, entity, id)
      WHERE c.transaction = x.transaction AND c.entity = x.entity AND c.id = x.id
      """,
      [
        .integers(changes.map(\.transaction)), .integers(changes.map(\.entity)),
        .integers(changes.map(\.id)),
      ]
    ).affected
  }

  func digestKey() -> SipHash.Key { stored.digestKey }

  func removeRejects(_ keys: [Int64], of entity: Entity) throws -> Int {
    try connection.run(
      "DELETE FROM bolide_reject AS x WHERE x.key = ANY ($2) AND \(Self.mayBeOf)",
      [.text(entity.name), .integers(keys)]
    ).affected
  }

  func unclearRejects(_ owners: [Int64], of entity: Entity) throws -> Set<Int64> {
    let found = try connection.run(
      """
      SELECT x.reject FROM bolide_reject AS x WHERE (x.key IS NULL OR x.key = ANY ($2)) AND x.text IS NOT NULL
        AND \(Self.mayBeOf)
      """, [.text(entity.name), .integers(owners)])
    return Set((0..<found.count).map { found.integer($0, 0) })
  }

  /// Whether a reject's pipeline has read the entity, as far as its runs have noted what they read.
  private static let mayBeOf = """
    (SELECT count(*) = 0 OR bool_or(lower(f.entity) = lower($1)) FROM bolide_run AS r
    JOIN bolide_run_field AS f ON f.run = r.run WHERE r.pipeline = x.pipeline)
    """
}
