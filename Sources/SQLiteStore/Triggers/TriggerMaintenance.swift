package import GRDB
package import ImportModel
internal import ModelMerging
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

/// Keeps watch over the store's triggers: a tool that rebuilds a table drops them in silence.
package enum TriggerMaintenance {
  /// The triggers that follow from the model; those of Bolide's own tables never change.
  private static let areOurs = """
    type = 'trigger' AND substr(name, 1, 7) = 'bolide_'
    AND (substr(tbl_name, 1, 7) <> 'bolide_' OR substr(tbl_name, 1, 16) = 'bolide_replaced_')
    """

  /// Takes all triggers away, and what they need, in the caller's transaction.
  static func remove(_ db: Database) throws {
    for (type, condition) in [
      ("TRIGGER", areOurs), ("TABLE", "type = 'table' AND substr(name, 1, 16) = 'bolide_replaced_'"),
    ] {
      let names = try RawStatement(db, "SELECT name FROM sqlite_schema WHERE \(condition)")
      var old: [String] = []
      while try names.step() { old.append(names.string(0) ?? "") }
      for name in old { try db.run("DROP \(type) \(quoted(name))") }
    }
  }

  /// Makes all triggers anew, and what they need, in the caller's transaction.
  static func create(_ db: Database, _ triggers: Triggers) throws {
    try remove(db)
    if try haveFormerSums(db) {
      try db.run("DROP TRIGGER \(SumSQL.former.name)")
      for trigger in SumSQL.triggers.values { try db.run(trigger) }
    }
    for entity in triggers.model.entities {
      for sql in ReplaceSQL(entity, triggers.model).createTable { try db.run(sql) }
    }
    for entity in triggers.model.entities {
      for trigger in triggers.all(of: entity) { try db.run(trigger.sql) }
    }
    try db.run("DELETE FROM bolide_deriving")
    try db.run("UPDATE bolide_store SET triggers = ?", .text(fingerprint(db)))
  }

  /// Whether the triggers are those of an earlier version, which did the same in more time, booked some deletions twice, took no
  /// notice of rows that another program's trigger keeps as they are, or had SQLite pass over foreign keys.
  private static func areFormer(_ db: Database, model: Model) throws -> Bool {
    // A name or a filter may hold what a rule looks for.
    try haveFormerSums(db) || lookFormer(db) && !altered(db, model: model).isEmpty
  }

  private static func lookFormer(_ db: Database) throws -> Bool {
    func number(_ event: String) -> String { "sum(name = 'bolide_' || tbl_name || '_\(event)')" }
    let booksTwice =
      "SELECT \(number("delete")) > \(number("before_delete")) FROM sqlite_schema WHERE type = 'trigger'"
    let takesNoNotice = """
      SELECT 1 FROM sqlite_schema WHERE \(areOurs) AND NOT instr(sql, \(literal(StoreError.keptRows)))
        AND (instr(sql, 'INSERT INTO bolide_deriving(entity, object) SELECT') OR instr(sql, '" = OLD.bolide_id;')
          OR instr(sql, 'SET bolide_below = 2')) LIMIT 1
      """
    let passesOverKeys = "SELECT 1 FROM sqlite_schema WHERE \(areOurs) AND \(DeletionSQL.isFormer) LIMIT 1"
    return try [booksTwice, takesNoNotice, passesOverKeys].contains { try db.value($0) == .integer(1) }
  }

  private static func haveFormerSums(_ db: Database) throws -> Bool {
    let (name, sql) = SumSQL.former
    let find = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?"
    return try db.value(find, .text(name)) == .text(sql)
  }

  /// What is wrong with the triggers and indexes, or not there yet; nothing when they are as Bolide made them.
  package static func problems(_ db: Database, model: Model) throws -> RepairReport {
    var found = RepairReport()
    let missing = try missingIndexes(db, model)
    // An import that has not come to its end may have left to it all but the unique ones.
    let isLoading =
      try !missing.isEmpty
      && db.value("SELECT outcome IS NULL FROM bolide_run ORDER BY run DESC LIMIT 1") == .integer(1)
    found.unbuiltIndexes = missing.filter { isLoading && !$0.isUnique }.map(\.name)
    found.indexes = missing.filter { !isLoading || $0.isUnique }.map { RepairReport.missing(index: $0.name) }
    let isStuck = try db.value("SELECT 1 FROM bolide_deriving LIMIT 1") != .null
    guard try isStuck || db.value("SELECT triggers FROM bolide_store") != .text(fingerprint(db)) else {
      return found
    }
    found.triggers = try altered(db, model: model)
    if isStuck { found.triggers.append(RepairReport.stuckTriggers) }
    if found.triggers.isEmpty { found.triggers = [RepairReport.addedTrigger] }
    return found
  }

  /// The triggers that are not there, or not as this version makes them.
  private static func altered(_ db: Database, model: Model) throws -> [String] {
    let triggers = try Triggers(model: model, numbers: PropertyNumbers(db, model: model, creating: false))
    let find = try RawStatement(db, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?")
    return try model.entities.flatMap(triggers.all).compactMap { trigger in
      find.bind(trigger.name, at: 1)
      defer { find.reset() }
      guard try find.step() else { return RepairReport.missing(trigger: trigger.name) }
      return find.string(0) == trigger.sql ? nil : RepairReport.altered(trigger: trigger.name)
    }
  }

  /// Restores triggers and indexes. Where triggers were not as Bolide made them, all derived attributes are computed anew,
  /// and history has a gap: nobody can catch up over what they missed.
  ///
  /// First sees whether the file was restored from a backup: a gap takes the next number, and nobody would notice then.
  ///
  /// - Returns: what was wrong; nothing when there was nothing to do.
  /// - Throws: `StoreError.foreignSchema` where tables are not those of the model.
  package static func restore(_ db: Database, model: Model) throws -> RepairReport {
    try SchemaDrift(db, model).check()
    try Triggers.silenced(db) { try BackupRestoreDetector.run(db) }
    guard !model.entities.isEmpty,
      try areFormer(db, model: model) || problems(db, model: model) != RepairReport()
    else { return RepairReport() }
    var found = RepairReport()
    try db.inTransaction(.immediate) {
      // Another process may have been here in between.
      found = try problems(db, model: model)
      for index in try missingIndexes(db, model) { try db.run(index.sql) }
      if found.hasGap {
        try remake(db, model: model, because: found.problems)
      } else if try areFormer(db, model: model) {
        let numbers = try PropertyNumbers(db, model: model, creating: false)
        try create(db, Triggers(model: model, numbers: numbers))
      }
      return .commit
    }
    StoreEvent.repaired(found).tell()
    return found
  }

  /// Makes all triggers anew, computes all derived attributes, and notes a gap, in the caller's transaction.
  static func remake(_ db: Database, model: Model, because problems: [String]) throws {
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    try create(db, Triggers(model: model, numbers: numbers))
    let derived = try DerivedPlan(model, numbers).nodes.map(\.property)
    try DerivedRefresh.run(db, model: model, numbers, computing: Set(derived))
    try HistoryWriter(db).noteGap(problems.joined(separator: "; "))
  }

  static func missingIndexes(_ db: Database, _ model: Model) throws -> [EntitySchema.Index] {
    let find = try RawStatement(db, "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?")
    return try model.entities.flatMap { EntitySchema(entity: $0, model: model).indexes }.filter { index in
      find.bind(index.name, at: 1)
      defer { find.reset() }
      return try !find.step()
    }
  }

  /// A digest of all triggers that have a name of Bolide's, with their text.
  static func fingerprint(_ db: Database) throws -> String {
    let rows = try RawStatement(
      db,
      """
      SELECT name, tbl_name, sql FROM sqlite_schema WHERE \(areOurs) ORDER BY name
      """)
    // No feed has a part in it, so it needs no key.
    var digest = SipHash(SipHash.Key([]))
    while try rows.step() {
      for column: Int32 in 0...2 { digest.add(part: rows.bytes(column)) }
    }
    return String(UInt64(bitPattern: digest.value), radix: 16)
  }
}

extension SQLiteEngine {
  /// Restores missing and altered triggers and indexes; for triggers, computes all derived attributes anew and notes a gap
  /// in history.
  ///
  /// - Returns: what was wrong; nothing when there was nothing to do.
  @discardableResult
  package func restoreTriggers() throws -> RepairReport {
    try writing { try TriggerMaintenance.restore($0, model: ModelRecord($0).model) }
  }
}
