package import GRDB
internal import ImportModel
package import ModelMerging
internal import QueryPlans
internal import SQLiteAccess
package import StoreInterface

/// Makes a store's tables fit a pipeline's model, in the caller's transaction.
extension ModelUpdate {
  /// - Throws: `StoreError.modelChange` for the first conflict, with the model or with the rows.
  package func checkConflicts(_ db: Database) throws {
    if let conflict = try conflicts.first ?? conflicts(in: db).first { throw conflict }
  }

  /// What the rows that are there do not allow.
  package func conflicts(in db: Database) throws -> [StoreError] {
    var errors = try widenings.compactMap { try $0.problem(db, in: storedNames($0.entity, $0.attribute)) }
    for (entity, attribute) in tightened {
      let (table, column) = storedNames(entity, attribute)
      let rows = "FROM \(quoted(table)) WHERE \(quoted(column)) IS NULL"
      if try db.value("SELECT 1 \(rows) LIMIT 1") != .null {
        errors.append(.hasNulls("\(entity.name).\(attribute.name)", sql: "SELECT * \(rows)"))
      }
    }
    return errors
  }

  /// Changes the tables, and keeps the model.
  ///
  /// - Throws: also `StoreError.modelChange` for a model that would not be sound.
  package func apply(_ db: Database) throws {
    if let unsound { throw unsound }
    let taken = try takeColumns(db)
    if isEmpty { return }
    // A name in a trigger would be renamed, or keep a column from going; they are made anew below.
    try TriggerMaintenance.remove(db)
    try dropIndexes(of: drops.drops, db)
    var kept = try drops.apply(db, before: stored.model)
    try renames.apply(db, before: withoutDrops)
    try dropStaleIndexes(db)
    var derivedToCompute: [(entity: Entity, attribute: Attribute, isNew: Bool)] = []
    for entity in model.entities {
      let schema = EntitySchema(entity: entity, model: model)
      guard let before = base.entity(named: entity.name) else {
        guard
          try db.value("SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE", .text(entity.name))
            == .null
        else { throw StoreError.tableTaken(entity.name) }
        try db.run(schema.createTable)
        continue
      }
      var new = newAttributes(of: entity, before)
      var anew: [Attribute] = []
      for (old, attribute, keeping) in rederived(entity, before) {
        switch keeping {
        case .columns: derivedToCompute.append((entity, attribute, false))
        case .values:
          try ModelDrops.drop(old.hiddenColumns.map(\.name), of: entity, old.name, db)
          anew.append(attribute)
          derivedToCompute.append((entity, attribute, false))
        case .nothing:
          let number = try db.integer("SELECT entity FROM bolide_entity WHERE name = ?", .text(entity.name))
          try dropIndexes(on: attribute.name, schema, db)
          kept.append(try ModelDrops.drop(old, of: entity, number, db))
          new.append(attribute)
        }
      }
      try redeclare(entity, before, schema, but: new, db)
      let links = entity.toOneRelationships.filter { before.relationship(named: $0.name) == nil }
      let added = new.filter { attribute in
        !taken.contains { $0.column.entity == entity.name && $0.column.attribute == attribute }
      }
      try checkRoom(for: added, links, in: entity, db)
      // A sum that becomes real has parts behind it.
      anew += widenings.filter { $0.entity.name == entity.name && $0.hasNewParts }.map(\.attribute)
      let parts = anew.flatMap { schema.columns($0).dropFirst() }
      for column in added.flatMap(schema.columns) + parts + links.map(schema.column) {
        try db.run("ALTER TABLE \(quoted(entity.name)) ADD COLUMN \(column)")
      }
      derivedToCompute += new.filter { $0.derivation != nil }.map { (entity, $0, true) }
    }
    try makeIndexes(db)
    let numbers = try PropertyNumbers(db, model: model, creating: true)
    let triggers = try Triggers(model: model, numbers: numbers)
    try TriggerMaintenance.create(db, triggers)
    try record(kept, of: Set(model.entities.map { numbers.entity($0.name) })).write(db)
    let history = try HistoryWriter(db, triggersWrite: true)
    try history.begin()
    try widen(db, numbers)
    if widenings.contains(where: \.isConversion) {
      derivedToCompute += model.entities.flatMap { entity in
        entity.derivedAttributes.map { (entity, $0, false) }
      }
    }
    // History is told, so whoever reads it learns of the new values.
    func properties(_ derived: [(entity: Entity, attribute: Attribute, isNew: Bool)]) -> Set<Int64> {
      Set(
        derived.compactMap { derived in
          numbers.columns(of: derived.entity).first { $0.name == derived.attribute.name }?.number
        })
    }
    try DerivedRefresh.run(
      db, model: model, numbers, computing: properties(derivedToCompute),
      new: properties(derivedToCompute.filter(\.isNew)), filled: try markBehind(taken, numbers, db))
    let author = pipeline.author ?? pipeline.name
    if let token = try history.end(author: author, run: nil, isKept: !widenings.isEmpty) {
      for widening in widenings { try widening.note(db, numbers.property(widening), token) }
    }
    for gap in gaps { try HistoryWriter(db).noteGap(gap) }
  }

  // MARK: Columns

  /// Declares columns as the model has them now.
  ///
  /// - Parameter new: attributes whose columns are added.
  private func redeclare(
    _ entity: Entity, _ before: Entity, _ schema: EntitySchema, but new: [Attribute], _ db: Database
  ) throws {
    let was = EntitySchema(entity: before, model: base)
    for attribute in entity.storedAttributes where !new.contains(attribute) {
      guard let old = before.attribute(named: attribute.name),
        let declaration = schema.columns(attribute).first, declaration != was.columns(old).first
      else { continue }
      try ColumnText.replace(attribute.name, of: entity.name, by: declaration, db)
    }
    for relationship in entity.toOneRelationships {
      guard let old = before.relationship(named: relationship.name),
        was.column(old) != schema.column(relationship)
      else { continue }
      try ColumnText.replace(relationship.column, of: entity.name, by: schema.column(relationship), db)
    }
  }

  /// Gives values their wider form, in the rows and in history.
  private func widen(_ db: Database, _ numbers: PropertyNumbers) throws {
    for widening in widenings { try widening.convert(db, numbers.property(widening)) }
    for entity in model.entities {
      try Widening.noteChanges(widenings.filter { $0.entity.name == entity.name }, db, numbers)
    }
    // Digests of keys in the other form meet no key any more: whether a later run has read one cannot be known.
    if widenings.contains(where: {
      $0.isConversion && $0.entity.name == pipeline.entity && $0.entity.key.contains($0.attribute.name)
    }) {
      try db.run(
        "UPDATE bolide_reject SET read_since = last_run WHERE pipeline = ? AND key IS NOT NULL AND read_since IS NULL",
        .text(pipeline.name))
    }
  }

  // MARK: Indexes

  /// A column with an index cannot be dropped.
  private func dropIndexes(of drops: [ModelDrops.Drop], _ db: Database) throws {
    for drop in drops {
      guard let entity = stored.model.entity(named: drop.entity), let name = drop.property else { continue }
      let schema = EntitySchema(entity: entity, model: stored.model)
      try dropIndexes(on: name, schema, db)
      guard let relationship = entity.relationship(named: name) else { continue }
      try db.run("DROP INDEX IF EXISTS \(quoted(schema.index(relationship).name))")
    }
  }

  /// Drops the declared indexes that a property is part of.
  private func dropIndexes(on property: String, _ schema: EntitySchema, _ db: Database) throws {
    for index in schema.entity.indexes where index.contains(property) {
      try db.run("DROP INDEX IF EXISTS \(quoted(schema.declaredIndex(index).name))")
    }
  }

  /// Takes away the indexes that a rename has left behind under another name, and those that nobody declares any more.
  private func dropStaleIndexes(_ db: Database) throws {
    let wanted = model.entities.flatMap { EntitySchema(entity: $0, model: model).indexes }
    for (name, sql) in try indexes(db) where !wanted.contains(where: { $0.name == name && $0.sql == sql }) {
      try db.run("DROP INDEX \(quoted(name))")
    }
  }

  /// Makes the indexes that are missing.
  private func makeIndexes(_ db: Database) throws {
    let there = try indexes(db)
    for entity in model.entities {
      let schema = EntitySchema(entity: entity, model: model)
      for relationship in entity.toOneRelationships.filter(schema.hasIndex) {
        let index = schema.index(relationship)
        if there[index.name] == nil {
          try Self.add(index, db, otherwise: .cannotBeOneToOne(relationship, of: entity.name))
        }
      }
      for constraint in entity.uniquenessConstraints {
        let index = schema.index(constraint)
        if there[index.name] == nil {
          try Self.add(index, db, otherwise: .cannotBeUnique(constraint, of: entity.name))
        }
      }
      for index in entity.indexes.map(schema.declaredIndex) where there[index.name] == nil {
        try db.run(index.sql)
      }
    }
  }

  /// The indexes with names of Bolide's, with the statements that make them.
  private func indexes(_ db: Database) throws -> [String: String] {
    let rows = try RawStatement(
      db,
      """
      SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND substr(tbl_name, 1, 7) <> 'bolide_'
      AND (substr(name, 1, 13) = 'bolide_index_' OR substr(name, 1, 14) = 'bolide_unique_')
      """)
    var indexes: [String: String] = [:]
    while try rows.step() { indexes[rows.string(0) ?? ""] = rows.string(1) }
    return indexes
  }

  private static func add(
    _ index: EntitySchema.Index, _ db: Database, otherwise refusal: @autoclosure () -> StoreError
  ) throws {
    do {
      try db.run(index.sql)
    } catch let error as StoreError where error.code == .constraint {
      throw refusal()
    }
  }
}
