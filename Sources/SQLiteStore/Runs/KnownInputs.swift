internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// The inputs that good runs of a pipeline have read, each with the rows that it has met.
///
/// To read one again changes nothing while nobody has changed or deleted one of these rows, or an owner that they are linked
/// to by key, and no record that was rejected since has a key of theirs.
final class KnownInputs {
  /// Whether history has everything that was changed since an input was read.
  private static let isCovered = """
    change >= ifnull((SELECT last_change FROM bolide_pruned), 0)
    AND change >= ifnull((SELECT max(first_change) FROM bolide_gap JOIN bolide_transaction USING (number)), 0)
    """

  private let db: Database
  private let pipeline: Pipeline
  private let layout: ChunkLayout
  private let run: Int64
  private let rules: [UInt8]
  /// The numbers of the entities of each list, and of owners.
  private let lists: [Int64]
  private let owners: Set<Int64>
  private let read: RawStatement
  private let findRows: RawStatement
  /// Which rows inputs have met in this run.
  var rows: InputRows
  /// The last change when the last chunk was applied.
  var lastNoted: Int64?
  /// The inputs that were skipped, and the last change at that moment.
  private var skipped: [Int64: Int64] = [:]
  private var changes = RecentChanges(behind: .max)

  /// - Returns: nil where what a record does depends on others of its run, or on more than the rows that it meets.
  init?(_ db: Database, _ pipeline: Pipeline, layout: ChunkLayout, rules: [UInt8], run: Int64) throws {
    guard let rows = InputRows(pipeline, layout) else { return nil }
    self.rows = rows
    (self.db, self.pipeline, self.layout, self.run, self.rules) = (db, pipeline, layout, run, rules)
    let model = try ModelRecord(db).model
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    lists = ([layout] + layout.children).map { numbers.entity($0.entity.name) }
    owners = Set(layout.owners.map { numbers.entity($0.entity.name) })
    let derived = model.entities.flatMap { numbers.columns(of: $0) }.filter(\.isDerived).map {
      "\($0.number)"
    }
    read = try RawStatement(
      db,
      """
      SELECT change, entity, first FROM bolide_change AS c WHERE change > ?1 AND kind <> 0
      AND entity IN (\((lists + owners).map(String.init).joined(separator: ", ")))
      AND (kind = 2 OR NOT EXISTS (SELECT 1 FROM bolide_previous AS p WHERE p.change = c.change)
        OR EXISTS (SELECT 1 FROM bolide_previous AS p WHERE p.change = c.change
          AND p.property NOT IN (\(derived.joined(separator: ", ")))))
      ORDER BY change DESC LIMIT \(RecentChanges.most)
      """)
    findRows = try RawStatement(db, "SELECT list, first, last FROM bolide_input_rows WHERE input = ?")
  }

  /// Those that may be skipped.
  func all() throws -> [KnownInput] {
    let inputs = try RawStatement(
      db,
      """
      SELECT input, size, digest, records, fields, change FROM bolide_input WHERE pipeline = ?1 AND rules = ?2
      AND model = (SELECT max(version) FROM bolide_model) AND \(Self.isCovered)
      """)
    inputs.bind(pipeline.name, at: 1)
    inputs.bind(.blob(rules), at: 2)
    var known: [KnownInput] = []
    var oldest = Int64.max
    while try inputs.step() {
      let facts = InputFacts(
        size: Int(try inputs.number(1)), digest: Array(inputs.bytes(2)), records: Int(try inputs.number(3)),
        fields: try ModelRecord.decode([[Int]].self, inputs.string(4) ?? ""))
      known.append(KnownInput(number: inputs.integer(0), facts: facts))
      oldest = min(oldest, inputs.integer(5))
    }
    changes = RecentChanges(behind: oldest)
    return known
  }

  /// Whether to read an input now would change nothing.
  ///
  /// - Returns: its rows and what became of its records; nil when it has to be read.
  func find(_ number: Int64) throws -> InputRows.Input? {
    let last = try readChanges()
    let row = try RawStatement(
      db, "SELECT change, counts, run FROM bolide_input WHERE input = \(number) AND \(Self.isCovered)")
    defer { row.reset() }
    guard try row.step() else { return nil }
    var input = InputRows.Input(lists: lists.count)
    input.end = row.integer(0)
    let counts = try ModelRecord.decode([[Int]].self, row.string(1) ?? "").map(ChunkCounts.init(known:))
    guard counts.count == lists.count, changes.reach(back: input.end) else { return nil }
    input.counts = counts
    findRows.bind(number, at: 1)
    while try findRows.step() {
      let (first, last) = (findRows.integer(1), findRows.integer(2))
      guard lists.indices.contains(Int(findRows.integer(0))), first <= last else { continue }
      input.rows[Int(findRows.integer(0))].append(first...last)
    }
    let seen = RecentChanges.Seen(number: input.end)
    if owners.contains(where: { changes.haveChanged($0, since: seen) }) { return nil }
    for (entity, rows) in zip(lists, input.rows) where changes.haveChanged(entity, rows, since: seen) {
      return nil
    }
    if try overtakes(input.rows[0], since: row.integer(2)) { return nil }
    skipped[number] = last
    return input
  }

  /// Keeps what the run's inputs were, inside the caller's transaction.
  ///
  /// - Parameter inputs: by their place; nil for one that was skipped or cannot be known again.
  func write(_ inputs: [InputFacts?]) throws {
    guard !inputs.isEmpty else { return }
    let change = try db.integer("SELECT \(ChangeNumbers.made)")
    for (number, last) in skipped {
      try db.run("UPDATE bolide_input SET run = \(run), change = \(last) WHERE input = \(number)")
    }
    let insert = try RawStatement(
      db,
      """
      INSERT INTO bolide_input(pipeline, size, digest, rules, model, run, change, records, counts, fields)
      VALUES (?, ?, ?, ?, (SELECT max(version) FROM bolide_model), \(run), ?, ?, ?, ?) RETURNING input
      """)
    let insertRows = try RawStatement(db, "INSERT INTO bolide_input_rows VALUES (?, ?, ?, ?)")
    for (place, facts) in inputs.enumerated() {
      guard let facts else { continue }
      try forget("pipeline = ?1 AND digest = ?2", .text(pipeline.name), .blob(facts.digest))
      let input = rows.input(place)
      guard input.isKnown else { continue }
      insert.bind([
        .text(pipeline.name), .integer(Int64(facts.size)), .blob(facts.digest), .blob(rules),
        .integer(facts.records == 0 ? change : input.end), .integer(Int64(facts.records)),
        .text(try ModelRecord.encode(input.counts.map(\.known))),
        .text(try ModelRecord.encode(facts.fields)),
      ])
      _ = try insert.step()
      let number = insert.integer(0)
      insert.reset()
      for (list, rows) in input.rows.enumerated() {
        for range in rows {
          insertRows.bind([number, Int64(list), range.lowerBound, range.upperBound].map(Value.integer))
          try insertRows.run()
        }
      }
    }
    try forget(
      """
      pipeline = ?1 AND (run <= (SELECT max(run) FROM bolide_run WHERE started < ?2) OR input NOT IN
      (SELECT input FROM bolide_input WHERE pipeline = ?1 ORDER BY run DESC, input DESC LIMIT \(InputRows.mostInputs)))
      """, .text(pipeline.name), .text(timestamp(daysAgo: InputRows.days)))
  }

  private func forget(_ condition: String, _ values: Value...) throws {
    let delete = try RawStatement(db, "DELETE FROM bolide_input WHERE \(condition) RETURNING input")
    delete.bind(values)
    var gone: [Int64] = []
    while try delete.step() { gone.append(delete.integer(0)) }
    for input in gone { try db.run("DELETE FROM bolide_input_rows WHERE input = \(input)") }
  }

  /// Whether one of some rows has the key of a record that was rejected in a run or later: to read it overtakes that one.
  private func overtakes(_ rows: [ClosedRange<Int64>], since run: Int64) throws -> Bool {
    let rejects = try RawStatement(
      db,
      """
      SELECT key FROM bolide_reject WHERE pipeline = ? AND key IS NOT NULL AND read_since IS NULL AND last_run >= \(run)
      """)
    rejects.bind(pipeline.name, at: 1)
    var keys: Set<Int64> = []
    while try rejects.step() { keys.insert(rejects.integer(0)) }
    if keys.isEmpty { return false }
    let columns = layout.keyColumns.map { quoted(layout.columns[$0].name) }
    let find = try RawStatement(
      db,
      """
      SELECT \(columns.joined(separator: ", ")) FROM \(quoted(layout.entity.name)) WHERE bolide_id BETWEEN ? AND ?
      """)
    defer { find.reset() }
    for range in rows {
      find.bind([.integer(range.lowerBound), .integer(range.upperBound)])
      while try find.step() {
        if keys.contains(Chunk.keyDigest(find, layout)) { return true }
      }
    }
    return false
  }

  /// Reads what was changed since the last time.
  ///
  /// - Returns: the last change.
  private func readChanges() throws -> Int64 {
    let last = try db.integer("SELECT \(ChangeNumbers.made)")
    guard last != changes.newest else { return last }
    read.bind(changes.start, at: 1)
    try changes.read(to: last) { changes in
      while try read.step() { changes.add(read.integer(1), read.integer(2), number: read.integer(0)) }
    }
    return last
  }
}
