internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface

/// Makes a schema fit a pipeline's model: a new store, or one that is changed.
struct SchemaFit {
  let connection: PostgreSQLConnection
  let address: PostgreSQLAddress

  /// Makes the store where there is none, and otherwise changes what an import by the pipeline may change.
  ///
  /// - Parameter lockWait: how long what was lost may wait for those who use the tables, in seconds.
  /// - Returns: what was lost, and made anew before the change: nobody would know of it behind that.
  /// - Throws: `StoreError.modelChange` for what does not go together, `PipelineError` for a `was` of what never was.
  func fit(_ pipeline: Pipeline, lockWait: Double) throws -> RepairReport {
    if try !StoredModel.exists(connection) {
      let isMade = try changing {
        // Another process may have been here in between.
        guard try !StoredModel.exists(connection) else { return false }
        let update = try ModelUpdate(stored: ModelRecord(), declared: pipeline)
        try makeTables(update.record([], of: []))
        try finishTables(update.model)
        return true
      }
      if isMade { return RepairReport() }
    }
    // The usual case takes no lock.
    let (stored, update) = try update(for: pipeline)
    try TableDrift(connection).check(stored.model)
    if update.isEmpty { return RepairReport() }
    let restored = try restoreLost(lockWait: lockWait)
    try numberPending()
    _ = try changing { try apply(pipeline) { try $0.checkAge(StoredModel.earlier(connection)) } }
    return restored
  }

  /// Changes a store, and drops what is named.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for those who use the tables, in seconds.
  ///   - isTrial: whether all of it is taken back.
  /// - Returns: what was done; nothing where the model fitted.
  func migrate(
    _ pipeline: Pipeline, dropping: [String], lockWait: Double, isTrial: Bool = false
  ) throws -> [MigrationStep] {
    let (stored, update) = try update(for: pipeline, dropping: dropping)
    try TableDrift(connection).check(stored.model)
    if update.isEmpty { return [] }
    if !isTrial {
      _ = try restoreLost(lockWait: lockWait)
      try numberPending()
    }
    return try changing(isTrial: isTrial) {
      try connection.limitLockWait(lockWait)
      return try apply(pipeline, dropping: dropping) { _ in }
    }
  }

  /// What a pipeline changes of the store's model.
  ///
  /// - Throws: as `ModelUpdate`, and the first conflict, with the model or with the rows.
  func update(
    for pipeline: Pipeline, dropping: [String] = []
  ) throws -> (stored: StoredModel, update: ModelUpdate) {
    let stored = try StoredModel(connection, address)
    let update = try ModelUpdate(stored: stored.record, declared: pipeline, dropping: dropping)
    if let conflict = try update.conflicts.first ?? conflicts(of: update).first { throw conflict }
    try checkLimits(of: update.model)
    return (stored, update)
  }

  /// What the rows that are there do not allow.
  func conflicts(of update: ModelUpdate) throws -> [StoreError] {
    var errors = try update.widenings.compactMap {
      try WidenedValues.problem($0, update.storedNames($0.entity, $0.attribute), connection)
    }
    for (entity, attribute) in update.tightened {
      let (table, column) = update.storedNames(entity, attribute)
      let rows = "FROM \(quoted(table)) WHERE \(quoted(column)) IS NULL"
      if try connection.run("SELECT \(rows) LIMIT 1").count > 0 {
        errors.append(.hasNulls("\(entity.name).\(attribute.name)", sql: "SELECT * \(rows)"))
      }
    }
    return errors
  }

  /// Runs `body` in a transaction, in which nobody else writes what follows from a model. What it makes is the store's owner's.
  func changing<Result>(isTrial: Bool = false, _ body: () throws -> Result) throws -> Result {
    // A session that numbers, or reads between two chunks, may wait for what is locked here, and the other way round.
    try address.repeating {
      try connection.inTransaction(isTrial: isTrial) {
        try connection.run("SELECT pg_advisory_xact_lock(\(SystemTables.modelLock(literal(address.schema))))")
        let result = try body()
        try connection.run(SystemTables.adoptParts)
        return result
      }
    }
  }

  /// What other programs have changed was changed under the present model. A trial would keep others from numbering.
  func numberPending() throws {
    if connection.isTrial { return }
    // In another cluster the server's ids begin anew, by which it is told what still comes.
    try StoreOrigin.check(connection)
    try connection.inTransaction { try connection.numberPending() }
  }

  /// - Parameter check: what else must hold of the update.
  private func apply(
    _ pipeline: Pipeline, dropping: [String] = [], _ check: (ModelUpdate) throws -> Void
  ) throws -> [MigrationStep] {
    // Another process may have been here in between.
    let (stored, update) = try update(for: pipeline, dropping: dropping)
    try check(update)
    if let unsound = update.unsound { throw unsound }
    if update.isEmpty { return [] }
    do {
      try SchemaChange(connection, address, stored, update).apply()
    } catch let error as PostgreSQLError where error.isOfIndexSize {
      throw StoreError.tooLongForIndex(error.text)
    }
    return update.steps()
  }

  // MARK: A store of an earlier format

  /// Brings a store that is there up to date.
  ///
  /// - Parameter lockWait: how long to wait for those who use the tables, in seconds.
  /// - Returns: triggers that were lost before; nil where its format cannot be brought up to date, or not by this user or in this
  ///   session.
  func upgrade(lockWait: Double) throws -> RepairReport? {
    guard try isByOwner else { return nil }
    return try changing {
      // Another process may have been here in between.
      try connection.limitLockWait(lockWait)
      // A trigger of before would write what its tables no longer have.
      try connection.lockGivingWay(SystemTables.lockWriters)
      // In the order in which those have them who read history with an earlier version.
      try connection.runAll([
        SystemTables.lock(address.schema),
        "LOCK TABLE bolide_store, bolide_transaction, bolide_change IN ACCESS EXCLUSIVE MODE",
      ])
      let former = try connection.run("SELECT format FROM bolide_store").integer(0, 0)
      var format = former
      while let steps = SystemTables.upgrades[format] {
        try connection.runAll(steps)
        format += 1
      }
      try connection.run("UPDATE bolide_store SET format = $1", [.integer(format)])
      guard format == SystemTables.format else { return nil }
      try checkFormerNames()
      try connection.runAll(SystemTables.functions(address.schema) + StoreOrigin.functions)
      let stored = try StoredModel(connection, address)
      let lost = try LostTriggers(connection, stored, isEarlier: former < format)
      try connection.makeTriggers(stored)
      try connection.runAll(SystemTables.outdated)
      if !lost.isEmpty { try tellLoss(of: stored) }
      return lost.report
    }
  }

  /// Whether this session may change the store's tables.
  var isByOwner: Bool {
    get throws {
      let owner = try connection.run(
        """
        SELECT pg_has_role(relowner, 'USAGE') AND current_setting('transaction_read_only') = 'off' FROM pg_class
        WHERE oid = 'bolide_store'::regclass
        """)
      return owner.integer(0, 0) != 0
    }
  }

  /// Sees that no store whose schema had this name before has triggers that would write here.
  private func checkFormerNames() throws {
    let renamed = try connection.run(
      """
      SELECT nspname FROM pg_proc JOIN pg_namespace AS n ON n.oid = pronamespace
      WHERE proname = 'bolide_number' AND nspname <> $1 AND NOT \(SystemTables.haveOtherName) ORDER BY nspname
      """, [.text(address.schema)])
    if renamed.count > 0 { throw StoreError.formerName(renamed.text(0, 0), address.shown) }
  }

  // MARK: A new store

  /// Makes a store's tables, which nothing leads from one to another yet, and nothing watches.
  func makeTables(_ record: ModelRecord) throws {
    try checkLimits(of: record.model)
    // The server asks for the right to make one even where it is there.
    if try connection.run("SELECT FROM pg_namespace WHERE nspname = $1", [.text(address.schema)]).count == 0 {
      try connection.run("CREATE SCHEMA IF NOT EXISTS \(quoted(address.schema))")
    }
    try checkFormerNames()
    try connection.runAll(
      SystemTables.statements + SystemTables.functions(address.schema) + StoreOrigin.functions)
    try connection.run(
      "INSERT INTO bolide_store(format, id, model_version, origin) VALUES ($1, $2, 0, bolide_origin())",
      [.integer(SystemTables.format), .text(randomWord(length: 8))])
    try StoredModel.write(record, connection)
    for entity in record.model.entities {
      try connection.run(
        EntityTable(entity: entity, model: record.model).creation, orFor: "42P07", .tableTaken(entity.name))
      try connection.number(entity)
    }
  }

  /// Gives them foreign keys, indexes and triggers.
  func finishTables(_ model: Model) throws {
    for entity in model.entities {
      try connection.runAll(EntityTable(entity: entity, model: model).parts.map(\.creation))
    }
    try connection.makeTriggers(StoredModel(connection, address))
  }

  // MARK: What the server can hold

  private func checkLimits(of model: Model) throws {
    if address.schema.hasPrefix("pg_") || address.schema == "information_schema" {
      throw StoreError.schemaOfServer(address.schema, address.shown)
    }
    if address.schema.utf8.count > 63 { throw StoreError.longName(address.schema, address.shown) }
    try checkNames(model)
    try checkFilters(model)
  }

  private func checkFilters(_ model: Model) throws {
    for entity in model.entities {
      for attribute in entity.derivedAttributes {
        guard let aggregate = attribute.derivation?.aggregate, let filter = aggregate.filter,
          let many = entity.relationship(named: aggregate.relationship).flatMap(model.toMany)
        else { continue }
        do {
          _ = try ConditionSQL.sql(filter, in: .row(many.destination, "x"))
        } catch let part as Untranslated {
          throw StoreError.untranslatedFilter(
            filter, of: "\(entity.name).\(attribute.name)", part, address.shown)
        }
      }
    }
  }

  /// Those that each table of the server's has.
  private static let systemColumns = ["ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"]

  private func checkNames(_ model: Model) throws {
    for entity in model.entities {
      let names =
        [entity.name] + entity.properties.map(\.column)
        + entity.derivedAttributes.flatMap { [EntityTable.sum($0), EntityTable.number($0)] }
      for name in names where name.utf8.count > 63 { throw StoreError.longName(name, address.shown) }
      if entity.name.hasPrefix("pg_") { throw StoreError.ownName(entity.name, address.shown) }
      for name in names.dropFirst() where Self.systemColumns.contains(name) {
        throw StoreError.ownName("\(entity.name).\(name)", address.shown)
      }
      for attribute in entity.attributes {
        guard case .text(let text) = attribute.defaultValue, text.utf8.contains(0) else { continue }
        throw StoreError.nullInDefault("\(entity.name).\(attribute.name)", address.shown)
      }
      for name in (entity.key + entity.uniquenessConstraints.flatMap(\.self))
      where entity.attribute(named: name)?.type == .json {
        throw StoreError.unsupported(
          "json in a key or a unique constraint", by: PostgreSQLEngine.engineName, address.shown)
      }
      for property in entity.derivedAttributes {
        guard case .aggregate(let aggregate) = property.derivation, let source = aggregate.attribute,
          [.min, .max].contains(aggregate.function),
          model.source(of: .aggregate(aggregate), in: entity)?.attribute.type.isExtremeType == false
        else { continue }
        throw StoreError.unsupported(
          "@\(aggregate.function.rawValue) of \(source)", by: PostgreSQLEngine.engineName, address.shown)
      }
    }
  }
}

extension AttributeType {
  /// Whether the server knows the smallest and the largest of such values.
  fileprivate var isExtremeType: Bool { self != .binary && self != .json }
}
