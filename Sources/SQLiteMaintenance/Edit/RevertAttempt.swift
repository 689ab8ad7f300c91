internal import GRDB
internal import ImportModel
internal import ObjectEdits
internal import SQLiteAccess
internal import SQLiteQueries
internal import SQLiteStore
internal import StoreInterface
internal import TypedRows

/// Puts rows back as they were, with the triggers on.
///
/// The past rows are in the tables of an `AsOfTables`. Foreign keys are checked at the commit.
struct RevertAttempt: RevertedRows {
  private let db: Database
  private let scope: RevertScope
  private let past: AsOfTables
  private let entities: [EntityStatements]
  /// Whether rows that others have changed since are put back too.
  private let force: Bool

  init(
    _ db: Database, _ model: Model, _ scope: RevertScope, _ past: AsOfTables, _ numbers: PropertyNumbers,
    force: Bool
  ) throws {
    (self.db, self.scope, self.past, self.force) = (db, scope, past, force)
    entities = try model.entities.indices.map { try EntityStatements(db, model, $0, past, numbers) }
  }

  func items() throws -> (items: [RevertItem], changedSince: [RevertItem]) {
    var (items, changed): ([RevertItem], [RevertItem]) = ([], [])
    for (index, statements) in entities.enumerated() {
      let rows = try statements.candidates()
      while try rows.step() {
        let (wasThere, isThere) = (rows.integer(1) != 0, rows.integer(2) != 0)
        guard wasThere || isThere else { continue }
        let action: RevertItem.Action = !wasThere ? .delete : isThere ? .update : .insert
        let item = RevertItem(entity: index, id: rows.integer(0), action: action)
        if rows.integer(3) != 0, !force { changed.append(item) } else { items.append(item) }
      }
    }
    return (items, changed)
  }

  func erased() throws -> [RevertItem] {
    try past.erased.compactMap { entity, id, isObject in
      guard isObject, try scope.hasOwn(entities[entity].number, id) else { return nil }
      return RevertItem(entity: entity, id: id, action: .insert)
    }
  }

  func keep(_ items: some Sequence<RevertItem>) throws { try past.keep(items.map { ($0.entity, $0.id) }) }

  func put(_ items: [RevertItem], _ order: RevertOrder) throws -> [Left] {
    try items.compactMap { item in try entities[item.entity].put(item, order).map { (item, $0) } }
  }

  func release(_ item: RevertItem) throws { try entities[item.entity].release(item) }

  func attempt(_ body: () throws -> [Left]) throws -> [Left] {
    try db.run("SAVEPOINT bolide_revert")
    let left = try body()
    if !left.isEmpty { try db.run("ROLLBACK TO bolide_revert") }
    try db.run("RELEASE bolide_revert")
    return left
  }

  func leftRow(_ item: RevertItem, _ reason: LeftRow.Reason) throws -> LeftRow {
    try entities[item.entity].leftRow(item, reason)
  }

  func markRuns() throws { try scope.markRuns() }
}

/// The statements for the rows of one entity.
private struct EntityStatements {
  private let entity: Entity
  private let db: Database
  private let past: String
  private let insert: RawStatement
  private let update: RawStatement
  private let delete: RawStatement
  private let find: RawStatement
  /// Finds a link of the past row to an object that is not there now; and to one that will not be there either.
  private let orphan: (now: RawStatement, ever: RawStatement)?
  /// Finds a row that is linked to the object; and one that is not to be deleted.
  private let links: [(any: RawStatement, staying: RawStatement)]
  private let parking: [(statement: RawStatement, storage: StorageClass?)]
  /// Those of its links whose objects may not be deleted while it has them.
  private let unlinking: [(statement: RawStatement, storage: StorageClass?)]
  private let reader: EntityReader
  let number: Int64
  private let stored: [String]

  init(
    _ db: Database, _ model: Model, _ index: Int, _ tables: AsOfTables, _ numbers: PropertyNumbers
  ) throws {
    self.db = db
    let entity = model.entities[index]
    self.entity = entity
    number = numbers.entity(entity.name)
    reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: false)
    let table = quoted(entity.name)
    past = tables.table(index)
    let past = past
    // What only others have changed stays.
    try db.run(
      """
      DELETE FROM \(past) WHERE bolide_id NOT IN (
        SELECT id FROM \(RevertScope.objects) WHERE entity = \(number) AND own)
      """)
    stored = numbers.columns(of: entity).filter { !$0.isDerived }.map { quoted($0.column) }
    let list = stored.joined(separator: ", ")
    // What is required now, and was not there then, gets its default.
    let defaults = Dictionary(
      entity.storedAttributes.compactMap { attribute in
        attribute.isRequired ? attribute.defaultValue.map { (quoted(attribute.name), $0.sql) } : nil
      }, uniquingKeysWith: { first, _ in first })
    let values = stored.map { column in defaults[column].map { "ifnull(\(column), \($0))" } ?? column }
      .joined(separator: ", ")
    insert = try RawStatement(
      db,
      "INSERT INTO \(table)(bolide_id, \(list)) SELECT bolide_id, \(values) FROM \(past) WHERE bolide_id = ?1"
    )
    update = try RawStatement(
      db,
      "UPDATE \(table) SET (\(list)) = (SELECT \(values) FROM \(past) WHERE bolide_id = ?1) WHERE bolide_id = ?1"
    )
    delete = try RawStatement(db, "DELETE FROM \(table) WHERE bolide_id = ?1")
    find = try RawStatement(db, "SELECT 1 FROM \(table) WHERE bolide_id = ?1")
    func orphan(_ isToBe: (Int) -> String?) throws -> RawStatement {
      let links = try entity.toOneRelationships.map { relationship in
        let other = relationship.destination
        guard let place = model.entities.firstIndex(where: { $0.name.isSameName(as: other) }) else {
          throw StoreError.noEntity(other, in: model)
        }
        let tables = [quoted(other)] + [isToBe(place)].compactMap(\.self)
        let missing = tables.map {
          "NOT EXISTS (SELECT 1 FROM \($0) AS o WHERE o.bolide_id = row.\(quoted(relationship.column)))"
        }
        return "(row.\(quoted(relationship.column)) IS NOT NULL AND \(missing.joined(separator: " AND ")))"
      }
      let condition = links.joined(separator: " OR ")
      return try RawStatement(db, "SELECT 1 FROM \(past) AS row WHERE row.bolide_id = ?1 AND (\(condition))")
    }
    self.orphan =
      entity.toOneRelationships.isEmpty
      ? nil
      : (
        try orphan { _ in nil },
        try orphan { "(SELECT bolide_id FROM \(tables.table($0)) WHERE bolide_there)" }
      )
    let name = entity.name
    links = try model.entities.enumerated().flatMap { other, holder in
      try holder.toOneRelationships.filter { $0.destination.isSameName(as: name) }.map {
        let found = "SELECT 1 FROM \(quoted(holder.name)) AS row WHERE \(quoted($0.column)) = ?1"
        let going = "SELECT 1 FROM \(tables.table(other)) AS o WHERE o.bolide_id = row.bolide_id"
        let staying = " AND NOT EXISTS (\(going) AND NOT o.bolide_there)"
        return (try RawStatement(db, found + " LIMIT 1"), try RawStatement(db, found + staying + " LIMIT 1"))
      }
    }
    func park(_ column: String, _ storage: StorageClass?) throws -> (RawStatement, StorageClass?) {
      (try RawStatement(db, "UPDATE \(table) SET \(quoted(column)) = ?2 WHERE bolide_id = ?1"), storage)
    }
    let unique = entity.uniquenessConstraints.compactMap(\.first).filter { !entity.key.contains($0) }
    let links = entity.toOneRelationships.filter { !entity.key.contains($0.name) }
    parking =
      try unique.compactMap(entity.attribute(named:)).map {
        try park($0.name, $0.isRequired ? $0.type.storage : nil)
      } + links.map { try park($0.column, nil) }
    unlinking = try links.filter { model.deleteRule(of: $0, in: entity) == .deny }.map {
      try park($0.column, nil)
    }
  }

  /// The rows that have changed: their ids, whether they were there, are there, and whether others have changed them.
  func candidates() throws -> RawStatement {
    let same = stored.map { "now.\($0) IS past.\($0)" }.joined(separator: " AND ")
    return try RawStatement(
      db,
      """
      SELECT past.bolide_id, past.bolide_there, now.bolide_id IS NOT NULL, o.other FROM \(past) AS past
      JOIN \(RevertScope.objects) AS o ON o.entity = \(number) AND o.id = past.bolide_id
      LEFT JOIN \(quoted(entity.name)) AS now ON now.bolide_id = past.bolide_id
      WHERE o.own AND NOT (past.bolide_there AND now.bolide_id IS NOT NULL AND \(same)) ORDER BY past.bolide_id
      """)
  }

  /// Puts a row back; or says why it cannot be, yet.
  func put(_ item: RevertItem, _ order: RevertOrder) throws -> LeftRow.Reason? {
    switch item.action {
    case .delete:
      for link in links where order != .forNone {
        if try (order == .forEach ? link.any : link.staying).finds(item.id) { return .linked }
      }
      guard try delete.holds(item.id) else { return .linked }
      try checkIsGone(item.id)
      return nil
    case .insert, .update:
      if let orphan, try (order == .forEach ? orphan.now : orphan.ever).finds(item.id) { return .ownerGone }
      guard try (item.action == .insert ? insert : update).holds(item.id) else { return .taken }
      guard item.action == .update, db.changesCount == 0 else { return nil }
      // A delete rule has taken it meanwhile.
      try checkIsGone(item.id)
      return try insert.holds(item.id) ? nil : .taken
    }
  }

  /// Sees that the last statement found no row because there is none.
  private func checkIsGone(_ id: Int64) throws {
    if db.changesCount == 0, try find.finds(id) { throw StoreError.rowsKept(entity.name) }
  }

  /// Gives up what others wait for: the unique values of an object that stays, which they had, and its links to those that go;
  /// or the links of one that goes, which deny that they go.
  func release(_ item: RevertItem) throws {
    for (statement, storage) in item.action == .delete ? unlinking : parking {
      statement.bind(item.id, at: 1)
      statement.bind(storage.map(Value.random) ?? .null, at: 2)
      try statement.run()
    }
  }

  func leftRow(_ item: RevertItem, _ reason: LeftRow.Reason) throws -> LeftRow {
    let after: Int64 = item.action == .insert ? 0 : .max
    return LeftRow(
      entity: entity.name, id: item.id, key: try reader.object(item.id, after: after).key, reason: reason)
  }
}

extension RawStatement {
  /// Whether no constraint forbids it.
  fileprivate func holds(_ id: Int64) throws -> Bool {
    bind(id, at: 1)
    return try runs()
  }
}
