internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface
internal import TypedRows

/// History and rejected records, inside the transaction of an erasure.
struct StoredHistory: ErasableHistory {
  private let db: Database
  private let numbers: PropertyNumbers
  private let rejects: RejectErasure
  /// The number that the transaction will have.
  let transaction: Int64

  init(_ db: Database, _ numbers: PropertyNumbers) throws {
    (self.db, self.numbers) = (db, numbers)
    rejects = try RejectErasure(db)
    transaction = try db.integer(
      "SELECT 1 + ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'bolide_transaction'")
  }

  func number(of property: String, in entity: Entity) -> Int64? {
    numbers.columns(of: entity).first { $0.name == property }?.number
  }

  func droppedDerived() throws -> [Int64] { try ModelRecord(db).dropped.filter(\.isDerived).map(\.property) }

  // MARK: Reading

  func deleted(
    _ holder: Entity, _ relationship: Relationship, with owners: Set<Int64>
  ) throws -> Set<Int64> {
    try ids(
      """
      SELECT first FROM bolide_change JOIN bolide_previous USING (change)
      WHERE kind = 2 AND entity = \(numbers.entity(holder.name)) AND property = \(number(relationship, holder))
      AND value IN (SELECT value FROM json_each(?1)) AND first NOT IN (SELECT bolide_id FROM \(quoted(holder.name)))
      """, owners)
  }

  func readValues(
    of entity: Entity, _ ids: Set<Int64>, _ body: (_ id: Int64, _ before: [Int64: Value]) throws -> Void
  ) throws {
    let rows = try RawStatement(
      db,
      """
      SELECT first, change, property, value FROM bolide_change JOIN bolide_previous USING (change)
      WHERE entity = \(numbers.entity(entity.name)) AND first IN (SELECT value FROM json_each(?))
      ORDER BY first, change DESC
      """)
    rows.bind(ids.json, at: 1)
    var (place, before): ((id: Int64, change: Int64)?, [Int64: Value]) = (nil, [:])
    while try rows.step() {
      let here = (id: rows.integer(0), change: rows.integer(1))
      if let last = place, last != here {
        try body(last.id, before)
        before = [:]
      }
      place = here
      before[rows.integer(2)] = rows.value(3)
    }
    if let place { try body(place.id, before) }
  }

  func holders(
    _ entity: Entity, _ relationship: Relationship, of objects: Set<Int64>
  ) throws -> Set<Int64> {
    try ids(
      """
      SELECT bolide_id FROM \(quoted(entity.name))
      WHERE \(quoted(relationship.column)) IN (SELECT value FROM json_each(?1))
      UNION SELECT first FROM bolide_change JOIN bolide_previous USING (change)
      WHERE property = \(number(relationship, entity)) AND value IN (SELECT value FROM json_each(?1))
      """, objects)
  }

  func targets(_ entity: Entity, _ relationship: Relationship, of rows: Set<Int64>) throws -> Set<Int64> {
    try ids(
      """
      SELECT \(quoted(relationship.column)) FROM \(quoted(entity.name))
      WHERE bolide_id IN (SELECT value FROM json_each(?1)) AND \(quoted(relationship.column)) IS NOT NULL
      UNION SELECT value FROM bolide_change JOIN bolide_previous USING (change)
      WHERE entity = \(numbers.entity(entity.name)) AND first IN (SELECT value FROM json_each(?1))
      AND property = \(number(relationship, entity)) AND value IS NOT NULL
      """, rows)
  }

  func keys(of entity: Entity, _ ids: Set<Int64>) throws -> Set<[Value]> {
    let reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: false)
    return Set(try ids.map { try reader.object($0, after: 0).key.map(\.value) })
  }

  private func number(_ relationship: Relationship, _ entity: Entity) -> Int64 {
    number(of: relationship.name, in: entity) ?? 0
  }

  private func ids(_ query: String, _ of: Set<Int64>) throws -> Set<Int64> {
    let rows = try RawStatement(db, query)
    rows.bind(of.json, at: 1)
    var ids: Set<Int64> = []
    while try rows.step() { ids.insert(rows.integer(0)) }
    return ids
  }

  // MARK: Erasing

  func eraseValues(of entity: Entity, _ ids: Set<Int64>) throws {
    let changes = """
      SELECT change FROM bolide_change WHERE kind > 0 AND entity = \(numbers.entity(entity.name))
      AND first IN (SELECT value FROM json_each(?))
      """
    let ids = Value.text(ids.json)
    try db.run("DELETE FROM bolide_previous WHERE change IN (\(changes))", ids)
    try db.run(
      "DELETE FROM bolide_erased WHERE property <> \(ErasedValues.all) AND change IN (\(changes))", ids)
    try db.run(
      """
      INSERT INTO bolide_erased(change, property, number)
      SELECT change, \(ErasedValues.all), \(transaction) FROM (\(changes)) WHERE true ON CONFLICT DO NOTHING
      """, ids)
  }

  func eraseValues(
    of property: Int64, _ objects: (entity: Entity, ids: Set<Int64>)?, where isErased: (Value) -> Bool
  ) throws -> Int {
    let condition = objects.map {
      "entity = \(numbers.entity($0.entity.name)) AND first IN (SELECT value FROM json_each(?))"
    }
    let rows = try RawStatement(
      db,
      """
      SELECT change, value FROM bolide_change JOIN bolide_previous USING (change)
      WHERE property = \(property) AND \(condition ?? "true")
      """)
    if let objects { rows.bind(objects.ids.json, at: 1) }
    var changes: [Int64] = []
    while try rows.step() { if isErased(rows.value(1)) { changes.append(rows.integer(0)) } }
    let list = Value.text(changes.json)
    try db.run(
      """
      DELETE FROM bolide_previous WHERE property = \(property) AND change IN (SELECT value FROM json_each(?))
      """, list)
    try db.run(
      """
      INSERT INTO bolide_erased(change, property, number)
      SELECT value, \(property), \(transaction) FROM json_each(?)
      """, list)
    return changes.count
  }

  func digestKey() -> SipHash.Key { rejects.digestKey }

  func removeRejects(_ keys: [Int64], of entity: Entity) throws -> Int {
    try rejects.remove(keys, of: entity)
  }

  func unclearRejects(_ owners: [Int64], of entity: Entity) throws -> Set<Int64> {
    try rejects.unclear(owners, of: entity)
  }
}
