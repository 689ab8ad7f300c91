internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Recomputes what can be recomputed and compares it with what is stored, in one state of the store.
  ///
  /// - Parameter found: called for each thing that is wrong.
  /// - Throws: `StoreError.foreignSchema` where the tables are not those of the model.
  /// - Complexity: O(rows), and O(children) for each owner with derived attributes.
  package func verify(_ found: @escaping (Finding) throws -> Void) throws {
    try reading { db in
      let check = Verify(db: db, found: found)
      try check.file()
      try check.foreignKeys()
      try check.runs()
      try check.children()
      try check.history()
      try check.erasures()
      try check.schema()
      try check.values()
      try check.triggers()
      try check.derived()
    }
  }
}

/// The checks of `bolide verify`.
private struct Verify {
  let db: Database
  let found: (Finding) throws -> Void

  /// That the tables are those of the model: nothing else can be compared without them.
  ///
  /// - Throws: `StoreError.foreignSchema`.
  func schema() throws {
    let drift = try SchemaDrift(db, ModelRecord(db).model)
    for problem in drift.problems { try found(Finding(message: problem)) }
    try drift.check()
  }

  /// That texts and numbers are values of their types. SQLite knows no CHECK on a connection that only reads.
  func values() throws {
    for entity in try ModelRecord(db).model.entities {
      for attribute in entity.writableAttributes {
        guard let condition = attribute.condition else { continue }
        let rows = try RawStatement(
          db,
          "SELECT bolide_id FROM \(quoted(entity.name)) WHERE NOT (\(condition)) ORDER BY bolide_id LIMIT 100"
        )
        while try rows.step() { try found(.noValue(entity.name, rows.integer(0), attribute)) }
      }
    }
  }

  /// Pages, indexes, unique and not-null constraints, types.
  func file() throws {
    for problem in try db.integrityProblems(limit: 100) { try found(.file(problem)) }
  }

  func foreignKeys() throws {
    let rows = try RawStatement(db, "PRAGMA foreign_key_check")
    while try rows.step() {
      try found(
        .leadsNowhere(rows.string(0), rows.isNull(1) ? nil : rows.integer(1), to: rows.string(2)))
    }
  }

  /// What became of the records, each of them in one way.
  private static let fates =
    "inserted + updated + unchanged + ignored + duplicates + superseded + rejected + rolled_back"

  /// Every record that was read is counted once.
  func runs() throws {
    let rows = try RawStatement(
      db,
      """
      SELECT run, read, \(Self.fates) AS sum FROM bolide_run WHERE read <> sum
      """)
    while try rows.step() {
      try found(
        Finding(
          entity: "bolide_run", id: rows.integer(0), attribute: "read", stored: .integer(rows.integer(1)),
          expected: .integer(rows.integer(2))))
    }
  }

  /// The same of the children that a run read.
  func children() throws {
    let rows = try RawStatement(
      db,
      """
      SELECT run, entity, read, \(Self.fates) AS sum
      FROM bolide_run_child WHERE read <> sum OR run NOT IN (SELECT run FROM bolide_run)
      """)
    while try rows.step() {
      let entity = rows.string(1) ?? ""
      try found(
        Finding(
          entity: "bolide_run_child", id: rows.integer(0), attribute: "\(entity) read",
          stored: .integer(rows.integer(2)), expected: .integer(rows.integer(3))))
    }
  }

  /// Transactions own ranges of changes without gap or overlap, and count them.
  func history() throws {
    let transactions = try RawStatement(
      db,
      "SELECT number, first_change, last_change, inserted, updated, deleted FROM bolide_transaction ORDER BY number"
    )
    let counts = try RawStatement(
      db,
      """
      SELECT CAST(total((last - first + 1) * (kind = 0)) AS INTEGER), ifnull(sum(kind = 1), 0), ifnull(sum(kind = 2), 0)
      FROM bolide_change WHERE change BETWEEN ? AND ?
      """)
    var end: Int64?
    while try transactions.step() {
      let (number, first, last) = try (
        transactions.number(0), transactions.number(1), transactions.number(2)
      )
      if let end, first != end + 1 {
        try found(
          Finding(
            entity: "bolide_transaction", id: number, attribute: "first_change", stored: .integer(first),
            expected: .integer(end + 1)))
      }
      end = last
      counts.bind(first, at: 1)
      counts.bind(last, at: 2)
      _ = try counts.step()
      for (column, name) in ["inserted", "updated", "deleted"].enumerated() {
        let (stored, counted) = (transactions.integer(Int32(3 + column)), counts.integer(Int32(column)))
        guard stored != counted else { continue }
        try found(
          Finding(
            entity: "bolide_transaction", id: number, attribute: name, stored: .integer(stored),
            expected: .integer(counted)))
      }
      counts.reset()
    }
  }

  /// That nothing is left of what was erased.
  func erasures() throws {
    if try db.openErasures > 0 { try found(.openErasure) }
  }

  /// The triggers and indexes that Bolide made.
  func triggers() throws {
    let care = try TriggerMaintenance.problems(db, model: ModelRecord(db).model)
    for problem in care.problems { try found(Finding(message: problem)) }
  }

  /// Derived attributes, each from what it is derived from.
  ///
  /// What waits to be computed anew is left out, and what reads it.
  func derived() throws {
    let model = try ModelRecord(db).model
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    let plan = try DerivedPlan(model, numbers)
    let waiting = try self.waiting(plan, model)
    for step in try DerivedStep.all(db, plan, numbers, marks: nil) {
      let objects = try RawStatement(
        db,
        """
        SELECT bolide_id FROM \(quoted(step.entity.name))
        WHERE bolide_id NOT IN (\(DerivedStep.marked(step.nodes))) ORDER BY bolide_id
        """)
      while try objects.step() { try compare(objects.integer(0), step, waiting) }
    }
  }

  /// The derived attributes that read others of which some are to be computed anew.
  private func waiting(_ plan: DerivedPlan, _ model: Model) throws -> Set<Int64> {
    let marked = try RawStatement(db, "SELECT DISTINCT property FROM bolide_dirty")
    var pending: Set<Int64> = []
    while try marked.step() { pending.insert(marked.integer(0)) }
    var waiting: Set<Int64> = []
    for node in plan.nodes {
      let name = DerivedName(entity: node.entity.name, attribute: node.attribute.name)
      guard let read = model.dependency(of: name),
        let property = plan.nodes.first(where: {
          $0.entity.name == read.entity && $0.attribute.name == read.attribute
        })?.property,
        pending.contains(property) || waiting.contains(property)
      else { continue }
      waiting.insert(node.property)
    }
    return waiting
  }

  private func compare(_ object: Int64, _ step: DerivedStep, _ waiting: Set<Int64>) throws {
    for (node, finding) in try step.findings(of: object) where !waiting.contains(node.property) {
      try found(finding)
    }
  }
}
