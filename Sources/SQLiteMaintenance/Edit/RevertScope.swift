internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

/// Which changes a revert takes back, and which objects somebody else has changed since the first of them.
///
/// The objects are in the temporary table `bolide_revert_object`.
struct RevertScope {
  /// The last change before them.
  let start: Int64
  private let target: RevertTarget
  private let db: Database

  static let objects = "temp.bolide_revert_object"

  /// - Parameter path: what the store is called in messages.
  /// - Throws: `StoreError` when there is no such run, it is at work, or history does not go back to the state before it.
  init(_ db: Database, _ target: RevertTarget, path: String) throws {
    (self.db, self.target) = (db, target)
    let positions = try HistoryPositions(db)
    switch target {
    case .token(let token):
      try positions.check(token, path: path)
      guard token.inside == nil else { throw StoreError.insideTransaction(token) }
      start = try positions.lastChange(before: token)
      let written = try db.integer("SELECT max(run) FROM bolide_transaction WHERE number > \(token.number)")
      if try Self.isAtWork(written, db) { throw StoreError.runAtWork(written, path) }
    case .run(let run):
      let row = try RawStatement(db, "SELECT before, last_transaction FROM bolide_run WHERE run = ?")
      row.bind(run, at: 1)
      defer { row.reset() }
      guard try row.step() else { throw StoreError.noRun(run, path) }
      if try Self.isAtWork(run, db) { throw StoreError.runAtWork(run, path) }
      let before = try row.number(0)
      if !row.isNull(1) {
        if positions.floor > before { throw StoreError.prunedRun(run, through: positions.floor, path) }
        if positions.gap > before { throw StoreError.gapSince(run: run, positions.gap, path) }
      }
      start = try positions.lastChange(through: before)
    }
  }

  /// Whether a run is at work just now: the newest one may be.
  private static func isAtWork(_ run: Int64, _ db: Database) throws -> Bool {
    let row = try RawStatement(
      db,
      """
      SELECT process, process_start, boot FROM bolide_run
      WHERE run = ? AND ended IS NULL AND run = (SELECT max(run) FROM bolide_run)
      """)
    row.bind(run, at: 1)
    defer { row.reset() }
    guard try row.step() else { return false }
    return RunProcess(id: row.integer(0), start: row.string(1), boot: row.string(2)).isAlive == true
  }

  /// Lists the objects: whether the reverted changes touched them, and whether others did among those changes, or have left them
  /// otherwise after the last one. What only follows from other rows is no change here.
  func findObjects(_ numbers: PropertyNumbers, of model: Model) throws {
    try db.run("DROP TABLE IF EXISTS \(Self.objects)")
    try db.run(
      """
      CREATE TABLE \(Self.objects)(entity INTEGER, id INTEGER, own INTEGER NOT NULL, other INTEGER NOT NULL,
      PRIMARY KEY (entity, id)) WITHOUT ROWID
      """)
    let derived = model.entities.flatMap { numbers.columns(of: $0).filter(\.isDerived).map(\.number) }
    let list = derived.map(String.init).joined(separator: ", ")
    let ranges = try ownRanges()
    guard let end = ranges.last?.upperBound else { return }
    let changes = try RawStatement(
      db,
      """
      SELECT change, entity, kind, first, last FROM bolide_change AS c WHERE change > \(start) AND change <= \(end)
      AND (kind <> 1 OR EXISTS (
        SELECT 1 FROM bolide_previous AS p WHERE p.change = c.change AND p.property NOT IN (\(list)))
        OR EXISTS (SELECT 1 FROM bolide_erased AS x WHERE x.change = c.change AND x.property = \(ErasedValues.all)))
      ORDER BY change
      """)
    let insert = try RawStatement(
      db,
      """
      INSERT INTO \(Self.objects) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET own = own OR excluded.own, other = other OR excluded.other
      """)
    let limit = try ChangeReader.runLimit(db)
    var next = 0
    while try changes.step() {
      let change = changes.integer(0)
      while next < ranges.count, ranges[next].upperBound < change { next += 1 }
      let isOwn = next < ranges.count && ranges[next].contains(change)
      let ids =
        try changes.integer(2) == 0
        ? changes.insertedIDs(first: 3, last: 4, atMost: limit) : changes.integer(3)...changes.integer(3)
      // Many at once are new ids, which nobody had before.
      if !isOwn, changes.integer(2) == 0, ids.count > 1 { continue }
      for id in ids {
        insert.bind(changes.integer(1), at: 1)
        insert.bind(id, at: 2)
        insert.bind(isOwn ? 1 : 0, at: 3)
        insert.bind(isOwn ? 0 : 1, at: 4)
        try insert.run()
      }
    }
    if end < .max { try findChangedSince(end, numbers, model) }
  }

  private func findChangedSince(_ end: Int64, _ numbers: PropertyNumbers, _ model: Model) throws {
    let readers = try model.entities.map {
      try EntityReader(db, $0, numbers, HistoryRequest(), readsRows: true)
    }
    let note = try RawStatement(db, "UPDATE \(Self.objects) SET other = 1 WHERE entity = ? AND id = ?")
    try NetChanges(
      db, HistoryRequest(), Dictionary(uniqueKeysWithValues: readers.map { ($0.number, $0) }), after: end,
      through: .max, transaction: 0, tellsWidened: false
    ).read { change in
      guard !change.isDerived else { return }
      note.bind(numbers.entity(change.entity), at: 1)
      note.bind(change.id, at: 2)
      try note.run()
    }
  }

  /// The reverted changes, in order.
  private func ownRanges() throws -> [ClosedRange<Int64>] {
    guard case .run(let run) = target else { return [start...Int64.max] }
    let rows = try RawStatement(
      db,
      """
      SELECT first_change, last_change FROM bolide_transaction WHERE run = ? AND last_change >= first_change
      ORDER BY number
      """)
    rows.bind(run, at: 1)
    var ranges: [ClosedRange<Int64>] = []
    while try rows.step() { ranges.append(rows.integer(0)...max(rows.integer(0), rows.integer(1))) }
    return ranges
  }

  /// Whether the reverted changes touched an object.
  ///
  /// - Parameter entity: its number.
  func hasOwn(_ entity: Int64, _ id: Int64) throws -> Bool {
    try db.integer("SELECT count(*) FROM \(Self.objects) WHERE entity = \(entity) AND id = \(id) AND own") > 0
  }

  /// Notes at the runs which transaction takes back what they did: the one that is open.
  func markRuns() throws {
    if case .token(let token) = target {
      // Reverts that are undone themselves.
      try db.run("UPDATE bolide_run SET reverted = NULL WHERE reverted > ?", .integer(token.number))
    }
    let runs =
      switch target {
      case .run(let run): "run = \(run)"
      case .token(let token): "run IN (SELECT run FROM bolide_transaction WHERE number > \(token.number))"
      }
    try db.run(
      """
      UPDATE bolide_run SET reverted = 1 + (
        SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'bolide_transaction')
      WHERE \(runs)
      """)
  }
}
