internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

extension SQLiteEngine {
  /// Changes rows with plain SQL, as one transaction of history that names its author. Derived attributes are refreshed in it.
  ///
  /// The triggers are on, as for any other program; what others have changed before is a transaction of its own.
  /// - Parameters:
  ///   - isKept: whether the transaction is one also without a change.
  ///   - body: an error takes everything back.
  /// - Returns: what `body` says, and what changed.
  func editing<Result>(
    _ options: EditOptions, isKept: (Result) -> Bool = { _ in false },
    _ body: (Database, Model) throws -> Result
  ) throws -> (Result, EditReport) {
    try writing(waiting: options.lockWait.map { $0 / .seconds(1) }, isCancelled: { false }) { db in
      let model = try Self.prepareToWrite(db).model
      var outcome: (Result, EditReport)?
      try db.inTransaction(.immediate) {
        let history = try HistoryWriter(db, triggersWrite: true)
        try history.begin()
        let before = try db.integer("SELECT \(ChangeNumbers.made)")
        let result = try body(db, model)
        try Self.refreshDerived(db, model)
        try Self.forgetUnchanged(db, model, after: before)
        var report = EditReport(counts: try EditReport.counts(db, model, after: before))
        if !options.isTrial {
          report.token = try history.end(author: options.author, run: nil, isKept: isKept(result))
        }
        outcome = (result, report)
        return options.isTrial ? .rollback : .commit
      }
      StoreCall.current?.settle()
      guard let outcome else { preconditionFailure("a transaction that ends has an outcome") }
      return outcome
    }
  }

  /// Computes marked derived attributes, inside such a transaction.
  static func refreshDerived(_ db: Database, _ model: Model) throws {
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    try DerivedRefresh(db, DerivedPlan(model, numbers), numbers, marks: nil)
      .run(history: nil, clock: timestamp())
  }

  /// Takes out of such a transaction's history the objects that have changed and are again what they were before it: owners, of whose
  /// rows some came and others went.
  private static func forgetUnchanged(_ db: Database, _ model: Model, after change: Int64) throws {
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    for entity in model.entities where !entity.derivedAttributes.isEmpty {
      let present = numbers.columns(of: entity).map { "WHEN \($0.number) THEN t.\(quoted($0.column))" }
      let own = "change > \(change) AND entity = \(numbers.entity(entity.name))"
      let forgotten = try RawStatement(
        db,
        """
        WITH bolide_again AS (
            SELECT first FROM bolide_change WHERE \(own)
            GROUP BY first HAVING count(*) > 1 AND min(kind) = 1 AND max(kind) = 1),
          bolide_was AS (  -- of each property what its first change kept
            SELECT first, property, value, min(change) FROM bolide_change JOIN bolide_previous USING (change)
            WHERE \(own) AND first IN bolide_again GROUP BY first, property),
          bolide_other AS (
            SELECT w.first FROM bolide_was AS w JOIN \(quoted(entity.name)) AS t ON t.bolide_id = w.first
            WHERE w.value IS NOT CASE w.property \(present.joined(separator: " ")) END
            UNION SELECT first FROM bolide_change JOIN bolide_erased USING (change) WHERE \(own))
        DELETE FROM bolide_change
        WHERE \(own) AND first IN bolide_again AND first NOT IN bolide_other RETURNING change
        """)
      var changes: [Int64] = []
      while try forgotten.step() { changes.append(forgotten.integer(0)) }
      let previous = try RawStatement(db, "DELETE FROM bolide_previous WHERE change = ?")
      for change in changes {
        previous.bind(change, at: 1)
        try previous.run()
      }
    }
  }
}

extension EditReport {
  /// What the changes behind a number did to how many objects: one that was made and changed counts as made.
  fileprivate static func counts(_ db: Database, _ model: Model, after change: Int64) throws -> [Count] {
    let rows = try RawStatement(
      db,
      """
      SELECT e.name, count(DISTINCT c.first) FILTER (WHERE c.kind = 0), count(DISTINCT c.first),
        count(DISTINCT c.first) FILTER (WHERE c.kind <> 1), count(DISTINCT c.first) FILTER (WHERE c.kind = 2)
      FROM bolide_change AS c JOIN bolide_entity AS e USING (entity) WHERE c.change > ? GROUP BY e.name
      """)
    rows.bind(change, at: 1)
    var counts: [Count] = []
    while try rows.step() {
      counts.append(
        Count(
          entity: rows.string(0) ?? "", inserted: Int(rows.integer(1)),
          updated: Int(rows.integer(2) - rows.integer(3)), deleted: Int(rows.integer(4))))
    }
    let order = Dictionary(
      model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    return counts.sorted { order[$0.entity] ?? .max < order[$1.entity] ?? .max }
  }
}
