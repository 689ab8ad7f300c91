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
      for _ in 0..<dice.int(1...6) { try statement(&dice, db, enforcesKeys: keys == "ON") }
      try compareAtOnce(db)
      guard isOne else { return }
      let isKept = !dice.once(in: 5)
      tell(isKept ? "COMMIT" : "ROLLBACK")
      try db.execute(sql: isKept ? "COMMIT" : "ROLLBACK")
      if !isKept { (plain, ids) = (before, beforeIDs) }
    }
  }

  private mutating func statement(_ dice: inout Dice, _ db: Database, enforcesKeys: Bool) throws {
    guard let entity = dice.any(of: model.entities) else { return }
    // Triggers do not follow a cascade that comes back by way of another table, as they cannot fire themselves.
    let canDelete = enforcesKeys || !model.comesBack(from: entity.name)
    switch dice.int(0...9) {
    case 0...2:
      try insert(&dice, entity, db, replaces: canDelete && !entity.leadsToItself && dice.once(in: 3))
    case 3: if canDelete { try delete(&dice, entity, db) }
    case 4: try updateAll(&dice, entity, db)
    default: try update(&dice, entity, db)
    }
  }

  /// Runs a statement, and sees that it is refused where the plain model refuses it.
  private mutating func execute(
    _ sql: String, _ arguments: [PlainValue], _ db: Database, _ refusal: PlainRejection?
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

  /// What another program puts into derived columns: the store puts it right, and it is no change.
  private func falseValues(_ dice: inout Dice, _ entity: PlainEntity) -> [(String, PlainValue)] {
    var values: [(String, PlainValue)] = []
    for attribute in entity.stored where attribute.derivation != nil && dice.once(in: 5) {
      values.append(("\"\(attribute.name)\"", dice.value(attribute.kind)))
    }
    return values
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

  private mutating func insert(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database, replaces: Bool)
    throws
  {
    let (values, targets) = (values(&dice, entity), targets(&dice, entity))
    // A key with nothing in it would be equal to nothing.
    guard entity.key.allSatisfy({ entity.attribute($0) != nil || targets[$0].flatMap(\.self) != nil }) else {
      return
    }
    let columns = columns(values, targets, entity) + falseValues(&dice, entity)
    var copy = plain
    let result = Result { () throws(PlainRejection) in
      let links = targets.compactMapValues(\.self)
      for other in replaces ? copy.holders(entity, values, links) : [] {
        if copy.object(entity.name, other) != nil { try copy.delete(entity.name, other) }
      }
      return try copy.insert(entity.name, values, links: links)
    }
    let names = columns.map(\.0).joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    var refusal: PlainRejection?
    if case .failure(let failure) = result { refusal = failure }
    if refusal?.reason == "unsure" { return }
    // What it leads to may go with what it takes the place of.
    let isLost = targets.contains { name, target in
      guard let target, let destination = entity.relationship(name)?.destination else { return false }
      return copy.object(destination, target) == nil
    }
    if isLost { return }
    try execute(
      "INSERT\(replaces ? " OR REPLACE" : "") INTO \(entity.name)(\(names)) VALUES (\(marks))",
      columns.map(\.1), db, refusal)
    if case .success(let id) = result {
      plain = copy
      ids[entity.name, default: [:]][id] = db.lastInsertedRowID
    }
  }

  private mutating func update(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database) throws {
    guard let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id] else { return }
    // Key attributes too, now and then.
    var values = values(&dice, entity)
    for name in values.keys.sorted() where dice.once(in: 2) || entity.key.contains(name) && !dice.once(in: 6)
    {
      values[name] = nil
    }
    var targets = targets(&dice, entity)
    for name in targets.keys.sorted() where entity.key.contains(name) || dice.once(in: 2) {
      targets[name] = nil
    }
    let columns = columns(values, targets, entity) + falseValues(&dice, entity)
    guard !columns.isEmpty else { return }
    var copy = plain
    let result = Result { () throws(PlainRejection) in
      try copy.update(entity.name, id, values, links: targets)
    }
    var refusal: PlainRejection?
    if case .failure(let failure) = result { refusal = failure }
    let sets = columns.map { "\($0.0) = ?" }.joined(separator: ", ")
    try execute(
      "UPDATE \(entity.name) SET \(sets) WHERE bolide_id = \(object)", columns.map(\.1), db, refusal)
    if case .success = result { plain = copy }
  }

  /// Gives all objects the same values, where these may be the same.
  private mutating func updateAll(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database) throws {
    let alone = Set(entity.key + entity.unique.flatMap(\.self))
    var values = values(&dice, entity)
    for name in values.keys.sorted() where alone.contains(name) || dice.once(in: 2) { values[name] = nil }
    var targets = targets(&dice, entity)
    for relationship in entity.relationships
    where alone.contains(relationship.name) || plain.isOneToOne(relationship) || dice.once(in: 2) {
      targets[relationship.name] = nil
    }
    let columns = columns(values, targets, entity) + falseValues(&dice, entity)
    guard !columns.isEmpty else { return }
    let sets = columns.map { "\($0.0) = ?" }.joined(separator: ", ")
    try execute("UPDATE \(entity.name) SET \(sets)", columns.map(\.1), db, nil)
    for id in plain.ids(entity.name) { try plain.update(entity.name, id, values, links: targets) }
  }

  private mutating func delete(_ dice: inout Dice, _ entity: PlainEntity, _ db: Database) throws {
    guard let id = dice.any(of: plain.ids(entity.name)), let object = ids[entity.name]?[id] else { return }
    var copy = plain
    let result = Result { () throws(PlainRejection) in try copy.delete(entity.name, id) }
    var refusal: PlainRejection?
    if case .failure(let failure) = result { refusal = failure }
    if refusal?.reason == "unsure" { return }
    try execute("DELETE FROM \(entity.name) WHERE bolide_id = \(object)", [], db, refusal)
    if case .success = result { plain = copy }
  }
}

extension PlainStore {
  /// The objects that stand in a new one's way: those that have its key, or its values in another constraint.
  fileprivate func holders(
    _ entity: PlainEntity, _ values: [String: PlainValue], _ links: [String: Int]
  ) -> [Int] {
    var new = PlainObject()
    (new.values, new.links) = (values, links)
    return ids(entity.name).filter { id in
      guard let object = object(entity.name, id) else { return false }
      return key(object, entity) == key(new, entity)
        || entity.unique.contains { $0.allSatisfy { object[$0] == new[$0] } }
        || entity.relationships.contains { relationship in
          isOneToOne(relationship) && links[relationship.name] != nil
            && object.links[relationship.name] == links[relationship.name]
        }
    }
  }
}

extension PlainEntity {
  fileprivate var leadsToItself: Bool { relationships.contains { $0.destination == name } }
}

extension PlainModel {
  /// Whether a deletion may take objects along that take others of an entity along which went before.
  fileprivate func comesBack(from entity: String) -> Bool {
    let first = reached(by: [entity])
    return first.union([entity]).contains { name in
      reached(by: ends(of: name).subtracting([name])).contains(name)
    }
  }

  /// Where the cascades of an entity lead.
  private func ends(of entity: String) -> Set<String> {
    Set(self[entity].relationships.filter { $0.rule == .cascade && $0.kind != .toOne }.map(\.destination))
  }

  /// Entities with all that their cascades lead to.
  private func reached(by entities: Set<String>) -> Set<String> {
    var reached = entities
    while true {
      let more = reached.union(reached.flatMap { ends(of: $0) })
      if more == reached { return reached }
      reached = more
    }
  }
}
