internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// Applies chunks to the store, inside the caller's transaction.
///
/// All statements work on a whole chunk. What the store has of the chunk's keys is read without a lock, as most rows of a
/// feed are unchanged, and compared here. Rows that differ are locked in the order of their ids; where one of them is not what was
/// read any more, or a key came in meanwhile, another writer was faster: then the chunk is applied again (`ChunkConflict`). Triggers
/// keep history and derived attributes, except what the row itself derives and the history of new rows: these are written here.
final class ChunkWriter {
  /// What the stages of all chunks took.
  var times = StageTimes()
  let layout: ChunkLayout
  private let connection: PostgreSQLConnection
  private let number: Int64
  private let gate: MergePolicyFilter?
  private let links: Links
  private let unique: UniqueConstraints?
  private let statements: RowStatements
  /// The objects whose keys the run has met.
  private(set) var seen = ObjectSet()
  /// The objects that the last chunk's rows have met or made, by row; 0 for none.
  private(set) var met: [Int64] = []
  /// The objects that the last chunk's rows have changed, and those of them that the run had met before.
  private(set) var changedIDs: [Int64] = []
  private(set) var repeatedIDs: [Int64] = []
  /// The objects that the last chunk's rows have made.
  private(set) var newIDs = ObjectSet()
  /// Rows of the last chunk that were left alone as older, and rows whose place an earlier one keeps: their children are treated
  /// alike.
  private(set) var setAside: Set<Int> = []

  init(_ connection: PostgreSQLConnection, layout: ChunkLayout, stored: StoredModel) {
    (self.connection, self.layout) = (connection, layout)
    number = stored.number(of: layout.entity)
    gate = MergePolicyFilter(layout: layout)
    links = Links(connection, layout: layout, stored: stored)
    unique = UniqueConstraints(connection, layout: layout)
    statements = RowStatements(layout: layout, model: stored.model)
  }

  /// What the writer remembers of the run's earlier chunks: to be put back when a chunk is applied again.
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

  /// Applies a chunk that is sorted and folded. Rows that turn out to be rejected are added to the chunk's rejects.
  ///
  /// - Parameters:
  ///   - now: the instant of the chunk, for what is derived from the clock.
  ///   - input: the input's name, for rejects.
  func apply(_ chunk: Chunk, now: String, input: String) throws -> ChunkCounts {
    met = [Int64](repeating: 0, count: chunk.count)
    (newIDs, setAside, changedIDs, repeatedIDs) = (ObjectSet(), [], [], [])
    let stored = try StoredRows(connection, layout, chunk, chunk.order)
    let passed = try gate?.pass(chunk, stored: stored, seen: &seen, met: &met, input: input)
    let older = passed?.older ?? []
    if let passed { setAside = Set((older + passed.olderInChunk + passed.leftOut).map(Int.init)) }
    func differing(_ rows: [Int32]) -> Int {
      rows.count { row in stored.tuple(row).map { stored.hasOtherValues(chunk, Int(row), $0) } ?? false }
    }
    let ignored = differing(older)
    let later = passed?.leftOutLater ?? []
    let superseded = differing(later)
    // A rejected row must not keep others out of a constraint.
    rejectIncomplete(chunk, stored, input: input)
    rejectTooLong(chunk, stored, input: input)
    try unique?.resolve(chunk, stored, input: input)
    let new = chunk.order.filter { stored.tuple($0) == nil }
    times.end(.difference)

    try links.resolve(chunk, new: new, now: now)
    times.end(.links)
    var changed: [Int32] = []
    for row in chunk.order {
      guard let tuple = stored.tuple(row) else { continue }
      let id = stored.id(tuple)
      let isRepeated = !seen.insert(id)
      met[Int(row)] = id
      guard stored.hasOtherValues(chunk, Int(row), tuple) || links.relinks(Int(row), stored, tuple) else {
        continue
      }
      if isRepeated { repeatedIDs.append(id) }
      changed.append(row)
      changedIDs.append(id)
    }
    times.end(.difference)
    try links.lockOwners(of: changed, stored, new: new, chunk)
    try update(changed, chunk, stored, now: now)
    try insert(new, chunk, now: now)
    times.end(.rows)

    var counts = ChunkCounts()
    counts.read = chunk.recordsRead
    counts.superseded = chunk.superseded + superseded
    counts.duplicates = chunk.duplicates + later.count - superseded
    counts.ignored = (passed?.ignored ?? 0) + ignored
    counts.inserted = new.count
    counts.updated = changed.count
    counts.repeated = repeatedIDs.count
    counts.unchanged = chunk.order.count - new.count - changed.count + older.count - ignored
    counts.rejected = chunk.rejects.rejectedCount
    return counts
  }

  /// Rejects new rows that lack a required value, and gives the others their defaults.
  private func rejectIncomplete(_ chunk: Chunk, _ stored: StoredRows, input: String) {
    let new = chunk.order.filter { stored.tuple($0) == nil }
    let complete = Set(chunk.completed(new, input: input))
    if complete.count < new.count {
      chunk.order.removeAll { stored.tuple($0) == nil && !complete.contains($0) }
    }
  }

  /// Rejects rows whose values pass alone, and not beside what is stored in the same index.
  private func rejectTooLong(_ chunk: Chunk, _ stored: StoredRows, input: String) {
    guard let limits = layout.storeLimits, limits.mayJoin else { return }
    chunk.order.removeAll { row in
      let tuple = stored.tuple(row)
      if let tuple, !stored.hasOtherValues(chunk, Int(row), tuple) { return false }
      let refusal = limits.refusal(chunk, Int(row)) { column in
        tuple.map { stored.value($0, column) } ?? .null
      }
      guard let refusal else { return false }
      chunk.reject(Int(row), refusal.reason, attribute: refusal.attribute, input: input)
      return true
    }
  }

  private func update(_ rows: [Int32], _ chunk: Chunk, _ stored: StoredRows, now: String) throws {
    guard !rows.isEmpty else { return }
    let tuples = rows.compactMap(stored.tuple)
    let locked = try connection.run(
      """
      SELECT bolide_id, xmin FROM \(quoted(layout.entity.name)) WHERE bolide_id = ANY ($1)
      ORDER BY bolide_id FOR NO KEY UPDATE
      """, [.integers(tuples.map(stored.id))])
    var versions: [Int64: Int64] = [:]
    for row in 0..<locked.count { versions[locked.integer(row, 0)] = locked.integer(row, 1) }
    for tuple in tuples where versions[stored.id(tuple)] != stored.version(tuple) { throw ChunkConflict() }
    guard let update = statements.update else { return }
    let updated = try connection.run(
      update, statements.updateParameters(chunk, rows, stored, links) + [.text(now)])
    guard updated.affected == rows.count else { throw StoreError.rowsKept(layout.entity.name) }
  }

  private func insert(_ rows: [Int32], _ chunk: Chunk, now: String) throws {
    guard !rows.isEmpty else { return }
    let made = try NewObjects(connection, layout.entity, number).reserve(rows.count)
    guard try statements.insert(chunk, rows, ids: made, links, now: now, connection) == rows.count else {
      throw StoreError.rowsKeptOut(layout.entity.name)
    }
    if try connection.hasOtherTriggers(layout.entity) { try checkKeys(chunk, rows, made) }
    for (row, id) in zip(rows, made) { met[Int(row)] = id }
    for ids in made.ranges {
      newIDs.insert(ids)
      seen.insert(ids)
      gate?.noteMade(ids)
    }
  }
}

extension ChunkWriter {
  /// Sees that new rows have the keys by which the next import looks for them.
  private func checkKeys(_ chunk: Chunk, _ rows: [Int32], _ ids: [Int64]) throws {
    let stored = try StoredRows(connection, layout, chunk, rows)
    guard zip(rows, ids).allSatisfy({ stored.tuple($0).map(stored.id) == $1 }) else {
      throw StoreError.keysRewritten(layout.entity)
    }
  }
}

/// Another writer was faster: the chunk is to be applied again to what is there now.
struct ChunkConflict: Error {}

/// Ids and history for objects that an import makes.
struct NewObjects {
  private let connection: PostgreSQLConnection
  private let table: String
  private let number: Int64

  init(_ connection: PostgreSQLConnection, _ entity: Entity, _ number: Int64) {
    (self.connection, self.number) = (connection, number)
    table = quoted(entity.name)
  }

  /// Takes ids from the table's sequence, and notes in history that their objects are new.
  ///
  /// One import at a time does it, and one of its workers: ids that two took side by side would be as many ranges in history. The
  /// lock is the session's, so that nobody waits for the transaction's end; whatever fails before it is let go of ends the import,
  /// and the session.
  ///
  /// - Returns: rising ids; those that another program takes meanwhile are left out.
  func reserve(_ count: Int) throws -> [Int64] {
    let lock = "\(SystemTables.lockClass), hashtext(current_schema() || '/ids/' || \(literal(table)))"
    try connection.run("SELECT pg_advisory_lock(\(lock))")
    // OFFSET 0 keeps the sequence's name from being looked up for each id.
    let given = try connection.run(
      """
      SELECT nextval(s.name) FROM
        (SELECT pg_get_serial_sequence(\(literal(table)), 'bolide_id')::regclass AS name OFFSET 0) AS s,
        generate_series(1, $1)
      """, [.integer(Int64(count))])
    try connection.run("SELECT pg_advisory_unlock(\(lock))")
    let ids = (0..<given.count).map { given.integer($0, 0) }.sorted()
    try note(ids.ranges)
    return ids
  }

  /// Notes in history that the objects of some ids are new.
  func note(_ ranges: [ClosedRange<Int64>]) throws {
    try connection.run(
      """
      INSERT INTO bolide_change(transaction, entity, id, last_id, kind)
      SELECT bolide_transaction_id(), \(number), r.id, r.last_id, 1 FROM unnest($1::bigint[], $2::bigint[]) AS r(id, last_id)
      """, [.integers(ranges.map(\.lowerBound)), .integers(ranges.map(\.upperBound))])
  }
}
