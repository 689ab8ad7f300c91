import GRDB
import PlainStore

/// What other programs write with plain SQL.
extension RandomHistory {
  /// One transaction of another program, or its statements one by one.
  mutating func takeForeign(_ dice: inout Dice, _ other: DatabaseQueue) throws {
    try other.inDatabase { db in
      let keys = dice.once(in: 2) ? "ON" : "OFF"
      tell("plain SQL, foreign keys \(keys):")
      try db.execute(sql: "PRAGMA foreign_keys = \(keys)")
      let (before, beforeIDs) = (plain, ids)
      let isOne = dice.once(in: 2)
      if isOne { try db.execute(sql: "BEGIN IMMEDIATE") }
      for _ in 0..<dice.int(1...6) { try statement(&dice, db) }
      guard isOne else { return }
      let isKept = !dice.once(in: 5)
      tell(isKept ? "COMMIT" : "ROLLBACK")
      try db.execute(sql: isKept ? "COMMIT" : "ROLLBACK")
      if !isKept { (plain, ids) = (before, beforeIDs) }
    }
  }

  private mutating func statement(_ dice: inout Dice, _ db: Database) throws {
    guard let entity = dice.any(of: model.entities) else { return }
    switch dice.int(0...9) {
    case 0...2: try insert(&dice, entity, db)
    case 3: try delete(&dice, entity, db)
    default: try update(&dice, entity, db)
    }
  }

  /// Runs a statement, and sees that it is refused where the plain model refuses it.
  private mutating func execute(
    _ sql: String, _ arguments: [PlainValue], _ db: Database, _ refusal: PlainRefusal?
  ) throws {
    tell("\(sql) -- \(arguments)")
    do {
      try db.execute(sql: sql, arguments: StatementArguments(arguments.map(\.argument)))
      if let refusal { throw Difference("it ran, but \(refusal.reason)") }
    } catch let error as DatabaseError {
      if refusal == nil { throw Difference("it was refused: \(error)") }
    }
  }

  /// Random values of stored attributes.
  private func values(_ dice: inout Dice, _ entity: PlainEntity) -> [String: PlainValue] {
    var values: [String: PlainValue] = [:]
    for attribute in entity.stored where attribute.derivation == nil {
      values[attribute.name] =
        !attribute.isRequired && dice.once(in: 5) ? .null : dice.value(attribute.kind)
    }
    return values
  }

  /// An object for each to-one relationship, or none.
  private func targets(_ dice: inout Dice, _ entity: PlainEntity) -> [String: Int?] {
    var targets: [String: Int?] = [:]
    for relationship in entity.relationships where relationship.kind == .toOne {
      let ids = plain.ids(relationship.destination)
      let isNone = !entity.key.contains(relationship.name) && dice.once(in: 4)
      targets[relationship.name] = .some(isNone ? nil : dice.any(of: ids))
    }
    return targets
  }

  private func columns(
    _ values: [String: PlainValue], _ targets: [String: Int?], _ entity: PlainEntity
  ) -> [(String, PlainValue)] {
    values.sorted { $0.key < $1.key }.map { ("\"\($0.key)\"", $0.value) }
      + targets.sorted { $0.key < $1.key }.map { name, target in
        let destination = entity.relationship(name)?.destination ?? ""
        let id = target.flatMap { ids[destination]?[$0] }
        return ("\"\(name)_id\"", id.map { .whole($0) } ?? .null)
      }
  }

  private mutating func insert(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database) throws {
    let (values, targets) = (values(&dice, entity), targets(&dice, entity))
    // A key with nothing in it would be equal to nothing.
    guard entity.key.allSatisfy({ entity.attribute($0) != nil || targets[$0].flatMap(\.self) != nil }) else {
      return
    }
    let columns = columns(values, targets, entity)
    var copy = plain
    let result = Result { () throws(PlainRefusal) in
      try copy.insert(entity.name, values, links: targets.compactMapValues(\.self))
    }
    let names = columns.map(\.0).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    var refusal: PlainRefusal?
    if case .failure(let failure) = result { refusal = failure }
    try execute("INSERT INTO \(entity.name)(\(names)) VALUES (\(marks))", columns.map(\.1), db, refusal)
    if case .success(let id) = result {
      plain = copy
      ids[entity.name, default: [:]][id] = db.lastInsertedRowID
    }
  }

  private mutating func update(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database) throws {
    guard let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id] else { return }
    // Key attributes too, now and then.
    let values = values(&dice, entity).filter {
      !entity.key.contains($0.key) && !dice.once(in: 2) || dice.once(in: 12)
    }
    let targets = targets(&dice, entity).filter { !entity.key.contains($0.key) && !dice.once(in: 2) }
    let columns = columns(values, targets, entity)
    guard !columns.isEmpty else { return }
    var copy = plain
    let result = Result { () throws(PlainRefusal) in
      try copy.update(entity.name, id, values, links: targets)
    }
    var refusal: PlainRefusal?
    if case .failure(let failure) = result { refusal = failure }
    let sets = columns.map { "\($0.0) = ?" }.joined(separator: ", ")
    try execute(
      "UPDATE \(entity.name) SET \(sets) WHERE bolide_id = \(object)", columns.map(\.1), db, refusal)
    if case .success = result { plain = copy }
  }

  private mutating func delete(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database) throws {
    guard let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id] else { return }
    var copy = plain
    let result = Result { () throws(PlainRefusal) in try copy.delete(entity.name, id) }
    var refusal: PlainRefusal?
    if case .failure(let failure) = result { refusal = failure }
    if refusal?.reason == "unsure" { return }
    try execute("DELETE FROM \(entity.name) WHERE bolide_id = \(object)", [], db, refusal)
    if case .success = result { plain = copy }
  }
}
