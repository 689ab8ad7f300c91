internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

/// Takes deleted objects out of history, in the transaction that is open and that is the erasure's.
///
/// Their changes stay, with their ids and without values. So do changes of others; of these, earlier values of derived
/// attributes go where they are copies.
struct Erasure {
  private let db: Database
  private let model: Model
  private let numbers: PropertyNumbers
  /// The number that the transaction will have.
  private let number: Int64
  /// The objects, by entity: the deleted ones, and those that their delete rules took along, now or earlier.
  let objects: [String: Set<Int64>]

  init(_ db: Database, _ model: Model, _ numbers: PropertyNumbers, _ entity: Entity, _ ids: [Int64]) throws {
    (self.db, self.model, self.numbers) = (db, model, numbers)
    number = try db.integer(
      "SELECT 1 + ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'bolide_transaction'")
    var objects = [entity.name: Set(ids)]
    var new = [(entity, Set(ids))]
    while let (owner, ids) = new.popLast() {
      for (holder, relationship) in model.dependents(of: owner) {
        let found = try Self.deleted(db, holder, numbers, relationship, with: ids)
          .subtracting(objects[holder.name] ?? [])
        guard !found.isEmpty else { continue }
        objects[holder.name, default: []].formUnion(found)
        new.append((holder, found))
      }
    }
    self.objects = objects
  }

  /// The objects that were linked to one of some owners when they were deleted.
  private static func deleted(
    _ db: Database, _ holder: Entity, _ numbers: PropertyNumbers, _ relationship: Relationship,
    with owners: Set<Int64>
  ) throws -> Set<Int64> {
    guard let property = numbers.columns(of: holder).first(where: { $0.name == relationship.name })?.number
    else { return [] }
    let rows = try RawStatement(
      db,
      """
      SELECT first FROM bolide_change JOIN bolide_previous USING (change)
      WHERE kind = 2 AND entity = \(numbers.entity(holder.name)) AND property = \(property)
      AND value IN (SELECT value FROM json_each(?)) AND first NOT IN (SELECT bolide_id FROM \(quoted(holder.name)))
      """)
    rows.bind(owners.json, at: 1)
    var ids: Set<Int64> = []
    while try rows.step() { ids.insert(rows.integer(0)) }
    return ids
  }

  /// Erases them.
  ///
  /// - Parameter report: what is erased is added to it.
  /// - Complexity: O(history).
  func run(_ report: inout EraseReport) throws {
    // What was pruned may still be in the file.
    try Pruning.removeAllChanges(db)
    var values: [Int64: Set<Value>] = [:]
    var keys: [String: Set<[Value]>] = [:]
    for (name, ids) in objects {
      guard let entity = model.entity(named: name) else { continue }
      keys[name] = try read(entity, ids, &values)
    }
    let copies = try DerivedCopies(db, model, numbers).find(objects, values)
    try eraseValues()
    report.copies = try erase(copies)
    let rejects = try RejectErasure(db)
    for entity in model.entities {
      // Copies that a trigger makes of rows, and which nothing needs once its statement has ended.
      try ReplacedRows.forget(db, entity)
      guard let ids = objects[entity.name] else { continue }
      report.objects.append(EraseReport.Count(entity: entity.name, objects: ids.count))
      report.rejects += try rejects.remove(keys[entity.name] ?? [], of: entity)
      try forgetSamples(entity)
    }
    report.unclearRejects = try model.entities.filter { objects[$0.name] != nil }.reduce(
      into: Set<Int64>()
    ) { try $0.formUnion(rejects.unclear(owners(of: $1, values), of: $1)) }.count
    try db.run("INSERT INTO bolide_erasure(number) VALUES (?)", .integer(number))
  }

  /// All values that history has of objects that are gone, by property.
  ///
  /// - Returns: their keys at any time.
  private func read(
    _ entity: Entity, _ ids: Set<Int64>, _ values: inout [Int64: Set<Value>]
  ) throws -> Set<[Value]> {
    let columns = numbers.columns(of: entity)
    let key = entity.key.compactMap { name in columns.first { $0.name == name }?.number }
    let rows = try RawStatement(
      db,
      """
      SELECT first, change, property, value FROM bolide_change JOIN bolide_previous USING (change)
      WHERE entity = \(numbers.entity(entity.name)) AND first IN (SELECT value FROM json_each(?))
      ORDER BY first, change DESC
      """)
    rows.bind(ids.json, at: 1)
    var keys: Set<[Value]> = []
    var (state, place): ([Int64: Value], (id: Int64, change: Int64)?) = ([:], nil)
    while try rows.step() {
      let here = (id: rows.integer(0), change: rows.integer(1))
      if let last = place, last != here {
        keys.insert(key.map { state[$0] ?? .null })
        if last.id != here.id { state = [:] }
      }
      place = here
      let value = rows.value(3)
      state[rows.integer(2)] = value
      values[rows.integer(2), default: []].insert(value)
    }
    if place != nil { keys.insert(key.map { state[$0] ?? .null }) }
    return keys
  }

  /// The keys of the objects that an entity's were linked to: the texts of their records may contain them.
  private func owners(of entity: Entity, _ values: [Int64: Set<Value>]) throws -> Set<[Value]> {
    var keys: Set<[Value]> = []
    for relationship in entity.toOneRelationships {
      guard let owner = model.entity(named: relationship.destination),
        let property = numbers.columns(of: entity).first(where: { $0.name == relationship.name })?.number
      else { continue }
      let reader = try EntityReader(db, owner, numbers, HistoryRequest(), readsRows: false)
      for case .integer(let id) in values[property] ?? [] {
        keys.insert(try reader.object(id, after: 0).key.map(\.value))
      }
    }
    return keys
  }

  private func eraseValues() throws {
    for (name, ids) in objects {
      let changes = """
        SELECT change FROM bolide_change WHERE kind > 0 AND entity = \(numbers.entity(name))
        AND first IN (SELECT value FROM json_each(?))
        """
      let ids = Value.text(ids.json)
      try db.run("DELETE FROM bolide_previous WHERE change IN (\(changes))", ids)
      try db.run(
        "DELETE FROM bolide_erased WHERE property <> \(ErasedValues.all) AND change IN (\(changes))", ids)
      try db.run(
        """
        INSERT INTO bolide_erased(change, property, number)
        SELECT change, \(ErasedValues.all), \(number) FROM (\(changes)) WHERE true ON CONFLICT DO NOTHING
        """, ids)
    }
  }

  /// - Returns: how many there were besides the objects' own.
  private func erase(_ copies: [DerivedCopies.Copy]) throws -> Int {
    let delete = try RawStatement(db, "DELETE FROM bolide_previous WHERE change = ? AND property = ?")
    let note = try RawStatement(
      db, "INSERT INTO bolide_erased(change, property, number) VALUES (?, ?, \(number))")
    var count = 0
    for copy in copies {
      for statement in [delete, note] {
        statement.bind(copy.change, at: 1)
        statement.bind(copy.property, at: 2)
      }
      try delete.run()
      guard db.changesCount > 0 else { continue }
      try note.run()
      count += 1
    }
    return count
  }

  /// Takes out what another program's `ANALYZE` has copied from the indexes of a table.
  private func forgetSamples(_ entity: Entity) throws {
    guard try db.value("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'") != .null else { return }
    try db.run("DELETE FROM sqlite_stat4 WHERE tbl = ? COLLATE NOCASE", .text(entity.name))
  }
}

extension Model {
  /// The entities whose objects go with an entity's by a delete rule, each with its relationship. Links of a many-to-many
  /// relationship have no values, and are none of them.
  fileprivate func dependents(of owner: Entity) -> [(entity: Entity, relationship: Relationship)] {
    entities.filter { !$0.storedAttributes.isEmpty }.flatMap { entity in
      entity.toOneRelationships.filter {
        $0.destination.isSameName(as: owner.name) && deleteRule(of: $0, in: entity) == .cascade
      }.map { (entity, $0) }
    }
  }
}
