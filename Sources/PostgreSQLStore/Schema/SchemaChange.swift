internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface

/// Changes a store's tables as a pipeline's model wants them, in the caller's transaction, which holds the model's lock.
///
///     parts that go or change   →   drops, renames   →   new tables, columns, types   →   parts   →   triggers   →   history
///
/// The server alters what is there in place: names, types with their values, and what may be null.
struct SchemaChange {
  private let connection: PostgreSQLConnection
  private let address: PostgreSQLAddress
  private let stored: StoredModel
  private let update: ModelUpdate

  init(
    _ connection: PostgreSQLConnection, _ address: PostgreSQLAddress, _ stored: StoredModel,
    _ update: ModelUpdate
  ) {
    (self.connection, self.address, self.stored, self.update) = (connection, address, stored, update)
  }

  /// Makes the changes, and the model the store's.
  ///
  /// - Throws: `StoreError.modelChange` for what rows, other programs' tables or what depends on a column do not allow.
  func apply() throws {
    try connection.lockTables(of: stored.model, "ACCESS EXCLUSIVE", behind: "bolide_model")
    // What is marked follows from the present model, and may be what its rows do not hold in another one.
    let former = WriteTransaction(connection: connection, stored: stored)
    try former.begin()
    try former.refreshMarked()
    try removeTriggers()
    // A column that is made anew takes its indexes along.
    let anew = update.remade.flatMap { entity, attribute in
      EntityTable(entity: entity, model: update.model).parts.map(\.creation)
        .filter { $0.contains(quoted(attribute.name)) }
    }
    let wanted = Set(parts(update.model).map(\.creation)).subtracting(anew)
    let before = parts(stored.model)
    try connection.runAll(before.filter { !wanted.contains($0.creation) }.map(\.removal))
    var kept = try drop()
    try rename()
    var derived: Set<String> = []
    for entity in update.model.entities {
      let table = EntityTable(entity: entity, model: update.model)
      guard let old = update.base.entity(named: entity.name) else {
        try connection.run(table.creation, orFor: "42P07", .tableTaken(entity.name))
        continue
      }
      kept += try alter(table, old)
      if isComputed(entity, old) { derived.insert(entity.name) }
    }
    for entity in update.model.entities { try connection.number(entity) }
    let numbers = try connection.run(
      "SELECT number FROM bolide_entity WHERE name = ANY ($1)",
      [
        .texts(update.model.entities.map(\.name))
      ])
    try StoredModel.write(
      update.record(kept, of: Set((0..<numbers.count).map { numbers.integer($0, 0) })), connection)
    let there = wanted.intersection(before.map(\.creation))
    for part in parts(update.model) where !there.contains(part.creation) { try add(part) }
    let after = try StoredModel(connection, address)
    try connection.makeTriggers(after)
    try tellHistory(after, computing: derived)
  }

  // MARK: Tables

  private func parts(_ model: Model) -> [EntityTable.Part] {
    model.entities.flatMap { EntityTable(entity: $0, model: model).parts }
  }

  private func add(_ part: EntityTable.Part) throws {
    guard let refusal = part.refusal else { return _ = try connection.run(part.creation) }
    try connection.run(part.creation, orFor: "23505", refusal)
  }

  /// Gives a table what its entity has more or otherwise.
  ///
  /// - Returns: derived attributes whose columns were dropped, as others came in their place.
  private func alter(_ table: EntityTable, _ old: Entity) throws -> [ModelRecord.Dropped] {
    let entity = table.entity
    var new = update.newAttributes(of: entity, old)
    var kept: [ModelRecord.Dropped] = []
    var parts: [(String, String)] = []
    for (old, attribute, keeping) in update.rederived(entity, old) {
      switch keeping {
      case .columns: break
      case .values:
        try drop(
          Array(EntityTable.columnNames(old).dropFirst()), "\(entity.name).\(old.name)", of: entity.name)
        parts += zip(EntityTable.columnNames(attribute), table.columns(attribute)).dropFirst()
      case .nothing:
        kept.append(try drop(old, of: entity.name))
        new.append(attribute)
      }
    }
    var actions: [String] = []
    for attribute in entity.storedAttributes where !new.contains(attribute) {
      guard let before = old.attribute(named: attribute.name) else { continue }
      actions += change(attribute, of: entity, before, of: old)
    }
    let links = entity.toOneRelationships.filter { old.relationship(named: $0.name) == nil }
    if !actions.isEmpty {
      do {
        try connection.run("ALTER TABLE \(table.name) \(actions.joined(separator: ", "))")
      } catch let error as PostgreSQLError where error.state == "0A000" {
        throw StoreError.columnUsed(entity.name, error.text)
      }
    }
    let added =
      parts + new.flatMap { zip(EntityTable.columnNames($0), table.columns($0)) }
      + links.map { ($0.column, table.column($0)) }
    for (name, column) in added {
      try connection.run(
        "ALTER TABLE \(table.name) ADD COLUMN \(column)", orFor: "42701", .columnTaken(name, entity.name))
    }
    return kept
  }

  /// What makes a column that is there another attribute's.
  private func change(
    _ attribute: Attribute, of entity: Entity, _ before: Attribute, of old: Entity
  ) -> [String] {
    let column = "ALTER COLUMN \(quoted(attribute.name))"
    var actions: [String] = []
    let hasOtherType = before.type.column != attribute.type.column
    let (was, start) = (old.start(of: before.name), entity.start(of: attribute.name))
    if was != "NULL", hasOtherType || was != start { actions.append("\(column) DROP DEFAULT") }
    if hasOtherType { actions.append("\(column) TYPE \(attribute.type.column)") }
    if start != "NULL", hasOtherType || was != start { actions.append("\(column) SET DEFAULT \(start)") }
    let isNeverNull = entity.isNeverNull(attribute.name)
    // What becomes a count is null as long as it is not computed.
    if old.isNeverNull(before.name) != isNeverNull, !isNeverNull || attribute.derivation == nil {
      actions.append("\(column) \(isNeverNull ? "SET" : "DROP") NOT NULL")
    }
    return actions
  }

  /// Whether something that is derived in an entity's objects is new, or computed otherwise.
  private func isComputed(_ entity: Entity, _ old: Entity) -> Bool {
    update.newAttributes(of: entity, old).contains { $0.derivation != nil }
      || !update.rederived(entity, old).isEmpty
      || update.widenings.contains { $0.entity.name == entity.name && $0.attribute.derivation != nil }
  }

  // MARK: Drops

  /// - Returns: the properties that history still knows.
  private func drop() throws -> [ModelRecord.Dropped] {
    var kept: [ModelRecord.Dropped] = []
    for drop in update.drops.drops {
      guard let name = drop.property, let entity = stored.model.entity(named: drop.entity) else { continue }
      if let attribute = entity.attribute(named: name), !attribute.isTransient {
        kept.append(try self.drop(attribute, of: entity.name))
        try FieldLog.drop(connection, entity: entity.name, attribute: name)
      } else if let relationship = entity.relationship(named: name), relationship.kind == .toOne {
        kept.append(try self.drop([relationship.column], name, nil, isDerived: false, of: entity.name))
      }
    }
    for entity in update.drops.order(stored.model) {
      try dropping(entity.name, StoreError.cannotDrop) {
        try connection.run("DROP TABLE \(quoted(entity.name))")
      }
      let number = stored.number(of: entity)
      try FieldLog.drop(connection, entity: entity.name, attribute: nil)
      try connection.runAll(
        ["before", "insert", "delete", "update", "truncate"].map {
          "DROP FUNCTION IF EXISTS \(quoted("bolide_\($0)_\(number)"))"
        } + [
          "DELETE FROM bolide_mark WHERE entity IN (\(number), -\(number))",
          "DELETE FROM bolide_presence WHERE entity = \(number)",
          "UPDATE bolide_entity SET name = 'bolide_dropped_' || number || '_' || name WHERE number = \(number)",
        ])
    }
    return kept
  }

  private func drop(_ attribute: Attribute, of entity: String) throws -> ModelRecord.Dropped {
    try drop(
      EntityTable.columnNames(attribute), attribute.name, attribute.type,
      isDerived: attribute.derivation != nil, of: entity)
  }

  /// Takes a property's columns away. It keeps its number, and frees its name.
  private func drop(
    _ columns: [String], _ name: String, _ type: AttributeType?, isDerived: Bool, of entity: String
  ) throws -> ModelRecord.Dropped {
    try drop(columns, "\(entity).\(name)", of: entity)
    let retired = try connection.run(
      """
      UPDATE bolide_property AS p SET name = 'bolide_dropped_' || p.number || '_' || p.name
      FROM bolide_entity AS e WHERE e.number = p.entity AND e.name = $1 AND p.name = $2 RETURNING p.number, p.entity
      """, [.text(entity), .text(name)])
    guard retired.count == 1 else { throw StoreError.noStoreThere(address.shown) }
    return ModelRecord.Dropped(
      property: retired.integer(0, 0), entity: retired.integer(0, 1), name: name, type: type,
      isDerived: isDerived)
  }

  private func drop(_ columns: [String], _ name: String, of entity: String) throws {
    try dropping(name, StoreError.cannotDropColumn) {
      for column in columns {
        try connection.run("ALTER TABLE \(quoted(entity)) DROP COLUMN \(quoted(column))")
      }
    }
  }

  /// Other programs' views and the like may depend on what goes.
  private func dropping(
    _ name: String, _ refusal: (String, StoreError) -> StoreError, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch let error as PostgreSQLError where error.state == "2BP01" {
      throw refusal(name, error.error(address.shown))
    }
  }

  // MARK: Renames

  private func rename() throws {
    var model = update.withoutDrops
    for rename in update.renames.steps {
      guard let property = rename.property else {
        try connection.run(
          "ALTER TABLE \(quoted(rename.was)) RENAME TO \(quoted(rename.entity))", orFor: "42P07",
          .tableTaken(rename.entity))
        let names = [Parameter.text(rename.entity), .text(rename.was)]
        try connection.run("UPDATE bolide_entity SET name = $1 WHERE name = $2", names)
        try connection.run("UPDATE bolide_reject SET entity = $1 WHERE entity = $2", names)
        model.renameEntity(rename.was, to: rename.entity)
        continue
      }
      guard let entity = model.entity(named: rename.entity) else { continue }
      let before = EntityTable(entity: entity, model: model).columnNames
      var changed = Model(entities: [entity])
      changed.renameProperty(rename.was, of: entity.name, to: property) { filter, _ in filter }
      let after = EntityTable(entity: changed.entities[0], model: changed).columnNames
      for (old, new) in zip(before, after) where old != new {
        try connection.run(
          "ALTER TABLE \(quoted(entity.name)) RENAME COLUMN \(quoted(old)) TO \(quoted(new))", orFor: "42701",
          .columnTaken(new, entity.name))
      }
      try connection.run(
        """
        UPDATE bolide_property AS p SET name = $1 FROM bolide_entity AS e
        WHERE e.number = p.entity AND e.name = $2 AND p.name = $3
        """, [.text(property), .text(entity.name), .text(rename.was)])
      model.renameProperty(rename.was, of: entity.name, to: property) { filter, _ in filter }
    }
  }

  private func removeTriggers() throws {
    for entity in stored.model.entities {
      let triggers = try EntityTriggers(entity, stored).names
      try connection.runAll(triggers.map { "DROP TRIGGER IF EXISTS \(quoted($0)) ON \(quoted(entity.name))" })
    }
  }

  // MARK: History

  /// Readers learn of values in another form, of what is computed, and of entities that are gone.
  private func tellHistory(_ after: StoredModel, computing derived: Set<String>) throws {
    let transaction = WriteTransaction(connection: connection, stored: after)
    try transaction.begin()
    for widening in update.widenings {
      let widened = WidenedValues(connection, after, widening)
      try widened.convertHistory()
      try widened.note()
    }
    for entity in update.model.entities {
      try WidenedValues.tell(update.widenings.filter { $0.entity.name == entity.name }, connection, after)
      guard derived.contains(entity.name) else { continue }
      try connection.mark(entity, after)
    }
    let pipeline = update.pipeline
    // Digests of keys in the other form meet no key any more: whether a later run has read one cannot be known.
    if update.widenings.contains(where: {
      $0.isConversion && $0.entity.name == pipeline.entity && $0.entity.key.contains($0.attribute.name)
    }) {
      try connection.run(
        """
        UPDATE bolide_reject SET read_since = last_run
        WHERE pipeline = $1 AND key IS NOT NULL AND read_since IS NULL
        """, [.text(pipeline.name)])
    }
    _ = try transaction.end(author: pipeline.author ?? pipeline.name, pipeline: nil, run: nil)
    for gap in update.gaps {
      try connection.run(
        "INSERT INTO bolide_gap(transaction, reason) VALUES (bolide_transaction_id(), $1)", [.text(gap)])
      _ = try transaction.end(author: nil, pipeline: nil, run: nil)
    }
  }
}

extension PostgreSQLConnection {
  /// Gives an entity and its properties the numbers by which history knows them.
  func number(_ entity: Entity) throws {
    try run("INSERT INTO bolide_entity(name) VALUES ($1) ON CONFLICT DO NOTHING", [.text(entity.name)])
    try run(
      """
      INSERT INTO bolide_property(entity, name)
      SELECT e.number, p.name FROM bolide_entity AS e, unnest($2::text[]) WITH ORDINALITY AS p(name, place)
      WHERE e.name = $1 ORDER BY p.place ON CONFLICT DO NOTHING
      """, [.text(entity.name), .texts(entity.properties.map(\.name))])
  }

  /// Makes all triggers: each depends on the whole model. One that another program has given another name goes: there would be two.
  func makeTriggers(_ stored: StoredModel) throws {
    for entity in stored.model.entities {
      let table = quoted(entity.name)
      let others = try run(
        """
        SELECT tgname FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = tgfoid
        WHERE tgrelid = to_regclass($1) AND NOT tgisinternal
          AND pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
          AND proname ~ '^bolide_(before|insert|delete|update|truncate)_[0-9]+$' AND tgname <> ALL ($2)
        """, [.text(table), .texts(EntityTriggers.allNames)])
      for row in 0..<others.count {
        try run("DROP TRIGGER \(quoted(others.text(row, 0))) ON \(table)")
      }
      try runAll(EntityTriggers(entity, stored).statements)
    }
  }

  /// Runs a statement, and throws an error of the store's where the server says a certain thing.
  @discardableResult
  func run(_ sql: String, orFor state: String, _ refusal: StoreError) throws -> QueryResult {
    do {
      return try run(sql)
    } catch let error as PostgreSQLError where error.state == state {
      throw refusal
    }
  }
}
