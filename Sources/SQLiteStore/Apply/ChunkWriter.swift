internal import CSQLiteShims
internal import ChunkMerging
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
internal import TypedRows

/// Applies chunks to the store: rows, derived attributes and history. The caller decides on the transactions.
///
/// All statements work on a whole chunk at a time, sorted by key: first the difference to the table, then the new
/// rows, then the changed ones, then what the owners' derived attributes moved by. Triggers are off meanwhile;
/// this does their work.
final class ChunkWriter {
  /// What the stages of all chunks took.
  var times = StageTimes()
  private let db: Database
  let layout: ChunkLayout
  /// Shows chunks to statements.
  let table: ChunkTable
  private let numbers: PropertyNumbers
  let history: HistoryWriter
  private let difference: RowDifference
  private let gate: MergePolicyFilter?
  private let keys: StoredKeyQuery?
  private let unique: UniqueConstraints?
  private let incomplete: IncompleteRows?
  private let parking: DeferredUniqueness
  private let links: Links
  private let derived: DerivedUpkeep
  let indexes: DeferredIndexes
  private let insert: RawStatement
  private let update: RawStatement?
  private let lastID: RawStatement
  private let triggersWrite: Bool
  /// Whether a chunk may be taken for new without a look for its rows: who applies it then catches `RowsExist`.
  var mayTrust = false
  /// Whether the table had none of the last chunk's rows.
  private var wasNew = false
  /// The columns in which a new row gets a value, or is rejected, where its record says nothing.
  private let fillable: [Int]
  private let clock: () -> String
  /// The objects whose keys the run has met.
  private var seen = ObjectSet()
  /// Whether `met` is wanted.
  var notesMet = false
  /// The objects that the last chunk's rows have met, by row; 0 for none.
  private(set) var met: [Int64] = []
  /// The rows that the last chunk made.
  private(set) var newIDs: ClosedRange<Int64>?
  /// Rows of the last chunk that were left alone as older, and rows whose place an earlier one keeps: their children
  /// are treated alike.
  private(set) var setAside: Set<Int> = []

  /// - Parameters:
  ///   - indexes: what all writers of an import share, as they do `history`.
  ///   - triggersWrite: history and derived attributes are left to the triggers, which then must be on.
  ///   - clock: the present instant, as `timestamp()` gives it; asked once a chunk.
  init(
    _ db: Database, layout: ChunkLayout, model: Model, indexes: DeferredIndexes,
    history: HistoryWriter? = nil,
    triggersWrite: Bool = false, clock: @escaping () -> String = { timestamp() }
  ) throws {
    self.triggersWrite = triggersWrite
    self.clock = clock
    self.db = db
    self.layout = layout
    self.indexes = indexes
    table = try ChunkTable(db, layout: layout)
    numbers = try PropertyNumbers(db, model: model, creating: false)
    self.history = try history ?? HistoryWriter(db, triggersWrite: triggersWrite)
    difference = try RowDifference(db, table: table, layout: layout, numbers: numbers)
    gate = MergePolicyFilter(layout: layout)
    keys = try gate.map { try StoredKeyQuery(db, layout: layout, newer: $0.newer) }
    unique = try UniqueConstraints(db, layout: layout)
    incomplete = try IncompleteRows(db, layout: layout)
    parking = try DeferredUniqueness(db, layout: layout)
    links = try Links(db, layout: layout)
    derived = try DerivedUpkeep(db, layout: layout, model: model, numbers: numbers, indexes: indexes)

    let name = quoted(layout.entity.name)
    let stored = layout.columns[..<layout.storedCount].map { quoted($0.name) }
    let linked = layout.owners.map { quoted($0.relationship.column) }
    // An alias that no entity can have: the update's table goes by its own name.
    let row = "bolide_row"
    let sources = stored.map { "\(row).\($0)" } + layout.owners.indices.map { "\(row).bolide_link_\($0)" }
    let derivedColumns = derived.inline.map { quoted($0.column) }
    let derivedValues = derived.inline.map { _, path in
      path.value { column in
        if stored.contains(quoted(column)) { return "\(row).\(quoted(column))" }
        let link = layout.owners.firstIndex { $0.relationship.column == column }
        return link.map { "\(row).bolide_link_\($0)" } ?? "NULL"
      }
    }
    // A chunk of which a row fails is rolled back. Without that, SQLite would keep a copy of each page that a statement
    // changes, in case it fails: in keys' random order as many bytes again as the log. To triggers it would go on.
    let failing = triggersWrite ? "" : "OR FAIL "
    // SQLite gives the ids: one that is given to it costs a search of the table.
    insert = try RawStatement(
      db,
      """
      INSERT \(failing)INTO \(name)(\((stored + linked + derivedColumns).joined(separator: ", ")))
      SELECT \((sources + derivedValues).joined(separator: ", ")) FROM \(layout.tableName) AS \(row)
      """)
    let changing = layout.columns[..<layout.storedCount].filter { !$0.isKey }.map {
      "\(quoted($0.name)) = \(row).\(quoted($0.name))"
    }
    let relinking = layout.owners.enumerated().filter { $1.timing == .always }.map {
      "\(quoted($1.relationship.column)) = ifnull(\(row).bolide_link_\($0), \(quoted($1.relationship.column)))"
    }
    let assignments = changing + relinking
    update =
      assignments.isEmpty
      ? nil
      : try RawStatement(
        db,
        """
        UPDATE \(failing)\(name) SET \(assignments.joined(separator: ", ")) FROM \(layout.tableName) AS \(row)
        WHERE \(name).bolide_id = \(row).bolide_id
        """)
    fillable = layout.columns[..<layout.storedCount].indices.filter {
      let attribute = layout.columns[$0].attribute
      return attribute.isRequired || attribute.defaultValue != nil
    }
    lastID = try RawStatement(
      db,
      """
      SELECT max(
        ifnull((SELECT seq FROM sqlite_sequence WHERE name = \(literal(layout.entity.name))), 0),
        ifnull((SELECT max(bolide_id) FROM \(name)), 0))
      """)
  }

  /// Whether a total was written that is beyond the range of its type.
  var sawNullTotal: Bool { derived.sawNullTotal }

  /// What the writer remembers of the run's earlier chunks: to be put back when a chunk is rolled back.
  var memory: (seen: ObjectSet, made: ObjectSet?) {
    get { (seen, gate?.made) }
    set {
      seen = newValue.seen
      if let made = newValue.made { gate?.made = made }
    }
  }

  /// Notes that the run has met objects.
  func noteSeen(_ ids: [ClosedRange<Int64>]) {
    for ids in ids { seen.insert(ids) }
  }

  /// Drops what the writer made on the connection.
  func close() throws {
    try table.drop(db)
  }

  /// Begins a transaction's history, inside the caller's transaction.
  func begin() throws {
    try history.begin()
  }

  /// Runs statements with the triggers on, as another program's, between `begin` and `end` and behind the last chunk.
  func triggering(_ body: () throws -> Void) throws {
    try indexes.build()
    leavesToSQLite(true)
    defer { leavesToSQLite(triggersWrite) }
    try body()
    try derived.refreshMarked(clock: clock())
    try history.takeTriggered()
  }

  /// Whether triggers fire and foreign keys are checked. A chunk's owners were found in its transaction, which deletes
  /// nothing, and are not looked for a second time.
  func leavesToSQLite(_ isOn: Bool) {
    bolide_enable_triggers(db.sqliteConnection, isOn ? 1 : 0)
    bolide_enable_foreign_keys(db.sqliteConnection, isOn ? 1 : 0)
  }

  /// Ends the transaction's history.
  ///
  /// - Parameters:
  ///   - author: who the history says has written.
  ///   - run: the run's number.
  /// - Returns: the token when anything changed.
  func end(author: String, run: Int64) throws -> HistoryToken? {
    defer { times.end(.history) }
    return try history.end(author: author, run: run)
  }

  /// Applies a chunk that is sorted and folded, between `begin` and `end`.
  ///
  /// Rows that turn out to be rejected are added to the chunk's rejects.
  /// - Parameters:
  ///   - input: the input's name, for rejects.
  ///   - others: of children, who applied their records just now, and other children of these.
  func apply(_ chunk: Chunk, input: String, behind others: [ChunkWriter] = []) throws -> ChunkCounts {
    derived.begin()
    links.begin(chunk)
    let entity = numbers.entity(layout.entity.name)

    // Rows that are left alone or rejected take no part from here on, not even with their links.
    met = notesMet ? [Int64](repeating: 0, count: chunk.count) : []
    let passed = try pass(chunk, input: input)
    let older = passed?.older ?? []
    if layout.holdsChildren, let passed {
      setAside = Set((older + passed.olderInChunk + passed.leftOut).map(Int.init))
    }
    let ignored = try older.isEmpty ? 0 : difference.countChanged(chunk, rows: older)
    let later = passed?.leftOutLater ?? []
    let superseded = try later.isEmpty ? 0 : difference.countChanged(chunk, rows: later)
    let parks = try unique?.resolve(chunk, table: table, input: input) ?? []
    try incomplete?.reject(chunk, table: table, input: input)

    // A link that the pipeline owns is part of what makes a row changed, so its owners are wanted first.
    try links.resolve(.always, chunk, rows: chunk.order, history: history, numbers: numbers)
    times.end(.links)
    let isTrusted = trusts(chunk)
    let found =
      isTrusted
      ? RowDifference.Result(new: chunk.order)
      : try difference.find(
        chunk, entity: entity, links: links, history: history, derived: derived, seen: &seen, met: &met)
    wasNew = found.new.count == chunk.order.count && !found.new.isEmpty
    let new = chunk.completed(found.new, input: input)
    times.end(.difference)
    try parking.park(parks)
    var ids: ClosedRange<Int64>?
    if !new.isEmpty {
      try links.resolve(.insert, chunk, rows: new, history: history, numbers: numbers)
      times.end(.links)
      do {
        ids = try insertRows(new, chunk, entity)
      } catch let error as StoreError where isTrusted && error.code == .constraint {
        wasNew = false
        throw RowsExist()
      }
    }
    newIDs = ids
    if !found.changed.isEmpty, let update {
      try table.show(chunk, rows: found.changed[...], ids: found.changedIDs, owners: links.ids) {
        try update.run()
        guard db.changesCount == found.changed.count else {
          throw StoreError.rowsKept(layout.entity.name)
        }
      }
      times.end(.rows)
    }
    if triggersWrite {
      try derived.refreshMarked(clock: clock())
    } else {
      try derived.end(history: history, links: links, new: ids, clock: clock()) { entity, id in
        hasMade(entity, id) || others.contains { $0.hasMade(entity, id) }
      }
    }
    times.end(.derived)

    var counts = ChunkCounts()
    counts.read = chunk.recordsRead
    counts.superseded = chunk.superseded + superseded
    counts.duplicates = chunk.duplicates + later.count - superseded
    counts.ignored = (passed?.ignored ?? 0) + ignored
    counts.inserted = new.count
    counts.updated = found.changed.count
    counts.repeated = found.repeated
    counts.unchanged = chunk.order.count - found.new.count - found.changed.count + older.count - ignored
    counts.rejected = chunk.rejects.rejectedCount
    return counts
  }

  private func pass(_ chunk: Chunk, input: String) throws -> MergePolicyFilter.Result? {
    guard let gate, let keys else { return nil }
    return try table.show(chunk, rows: chunk.order[...]) {
      defer { keys.end() }
      return try gate.pass(chunk, stored: keys, seen: &seen, met: &met, input: input)
    }
  }

  /// Rows of a chunk that was taken for new are there already: it is to be applied again, in another transaction.
  struct RowsExist: Error {}

  /// Whether a chunk is taken for new: the table had none of the last one's rows, and finds out by itself.
  ///
  /// What is done before that to a chunk, and to the owners of its rows, must be right for rows that are there too.
  private func trusts(_ chunk: Chunk) -> Bool {
    guard mayTrust, wasNew, !triggersWrite, gate == nil, unique == nil, incomplete == nil,
      layout.owners.allSatisfy({ $0.timing == .always })
    else { return false }
    return chunk.order.allSatisfy { row in
      fillable.allSatisfy { chunk.state($0, Int(row)) != .absent }
    }
  }

  /// Whether an object of an entity was made for the last chunk, as a row or by a link.
  private func hasMade(_ entity: String, _ id: Int64) -> Bool {
    (entity == layout.entity.name && newIDs?.contains(id) == true) || links.isMade(entity, id)
  }

  private func insertRows(_ rows: [Int32], _ chunk: Chunk, _ entity: Int64) throws -> ClosedRange<Int64> {
    if !triggersWrite {
      try indexes.takeAway(of: layout.entity, before: rows.count) { relationship in
        links.owners(ofRelationship: relationship, chunk).map { owners in rows.lazy.map { owners[Int($0)] } }
      }
    }
    let made = try nextIDs(rows.count)
    try table.show(chunk, rows: rows[...], owners: links.ids) { try insert.run() }
    times.end(.rows)
    guard db.lastInsertedRowID == made.upperBound else {
      throw StoreError.foreignRows(in: layout.entity.name)
    }
    try history.noteInserts(entity, made)
    seen.insert(made)
    if notesMet { for (row, id) in zip(rows, made) { met[Int(row)] = id } }
    gate?.noteMade(made)
    times.end(.history)
    try derived.add(chunk, rows, links: links)
    times.end(.derived)
    return made
  }

  private func nextIDs(_ count: Int) throws -> ClosedRange<Int64> {
    defer { lastID.reset() }
    let last = try lastID.step() ? lastID.integer(0) : 0
    // SQLite gives no id past it, and says that the disk is full.
    guard last <= Int64.max - Int64(count) else { throw StoreError.noIDLeft(layout.entity.name) }
    return last + 1...last + Int64(count)
  }
}
