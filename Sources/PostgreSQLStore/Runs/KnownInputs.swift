internal import ChunkMerging
internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// The inputs that good runs of a pipeline have read, each with the rows that it has met.
///
/// To read one again changes nothing while nobody has changed or deleted one of these rows, or an owner that they are linked
/// to by key, and no record that was rejected since has a key of theirs.
///
///     last_number      read before the first row of an input is compared: whatever has a number by then was seen
///       … chunks …     others commit, before a row is compared or behind that: nobody can tell
///     own_number       the run's own newest number behind the last chunk: of the run's changes, those up to it are the input's,
///                      or came before it
///
/// So an input is as it was while nothing touches its rows but numbers up to the first, and its own run's up to the second. What
/// has no number yet touches them, whenever it was committed. Where nobody else has written meanwhile, the run's end is the place
/// for all of them.
final class KnownInputs {
  /// So many inputs are written at a time.
  private static let batch = 1_000

  /// Whether history has everything that was changed since an input `i` was read into the store `s`.
  private static let isCovered = """
    i.model = s.model_version AND i.number >= s.pruned_number AND NOT EXISTS (
      SELECT FROM bolide_gap AS g JOIN bolide_transaction AS t ON t.id = g.transaction WHERE t.number > i.number)
    """
  /// Other writers' transactions that have no number yet, as SQL. The open one's own changes are in mind.
  private var pendingOnes: String {
    "SELECT id FROM bolide_pending WHERE id IS DISTINCT FROM \(SystemTables.ownTransaction(stored.schema))"
  }
  /// These, and all behind the number `$1`, as a table of SQL.
  private var newerOnes: String {
    """
    (SELECT id, number, run FROM bolide_transaction WHERE number > $1 UNION ALL SELECT id, NULL, NULL FROM (\(pendingOnes)) AS p)
    """
  }

  private let connection: PostgreSQLConnection
  private let pipeline: Pipeline
  private let layout: ChunkLayout
  private let stored: StoredModel
  private let run: Int64
  private let rules: [UInt8]
  /// The numbers of the entities of each list, and of owners.
  private let lists: [Int64]
  private let owners: Set<Int64>
  /// Those of derived attributes: a change of these alone is none.
  private let derived: [Int64]
  /// Whether triggers that are not Bolide's stand on the store's tables.
  let hasOtherTriggers: Bool
  /// Which rows inputs have met in this run.
  var rows: InputRows
  /// The inputs that were skipped, and the newest number at that moment.
  private var skipped: [Int64: Int64] = [:]
  private var changes = RecentChanges(behind: .max)
  /// Transactions without a number whose changes were read.
  private var pending: Set<Int64> = []

  /// - Returns: nil where what a record does depends on others of its run, or on more than the rows that it meets.
  init?(
    _ connection: PostgreSQLConnection, _ stored: StoredModel, _ pipeline: Pipeline, layout: ChunkLayout,
    rules: [UInt8], run: Int64
  ) throws {
    guard let rows = InputRows(pipeline, layout) else { return nil }
    (self.connection, self.stored, self.pipeline, self.layout) = (connection, stored, pipeline, layout)
    (self.rules, self.run, self.rows) = (rules, run, rows)
    lists = ([layout] + layout.children).map { stored.number(of: $0.entity) }
    owners = Set(layout.owners.map { stored.number(of: $0.entity) })
    derived = stored.model.entities.flatMap { entity in
      entity.derivedAttributes.map { stored.number(of: $0.name, in: entity) }
    }
    hasOtherTriggers =
      try connection.run(
        """
        SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = \(SystemTables.namespace) AND relkind = 'r'
          AND NOT starts_with(relname, 'bolide_') AND bolide_has_others(oid))
        """
      ).integer(0, 0) != 0
  }

  /// Those that may be skipped.
  func all() throws -> [KnownInput] {
    let inputs = try connection.run(
      """
      SELECT i.input, i.size, i.digest, i.records, i.fields, i.number FROM bolide_input AS i, bolide_store AS s
      WHERE i.pipeline = $1 AND i.rules = $2 AND \(Self.isCovered)
      """, [.text(pipeline.name), .bytes(rules)])
    var oldest = Int64.max
    let known = try (0..<inputs.count).map { row in
      oldest = min(oldest, inputs.integer(row, 5))
      return KnownInput(
        number: inputs.integer(row, 0),
        facts: InputFacts(
          size: Int(inputs.integer(row, 1)), digest: Array(inputs.bytes(row, 2)),
          records: Int(inputs.integer(row, 3)),
          fields: try Self.decode(inputs.text(row, 4))))
    }
    (changes, pending) = (RecentChanges(behind: oldest), [])
    return known
  }

  /// Whether to read an input now would change nothing.
  ///
  /// - Returns: its rows and what became of its records; nil when it has to be read.
  func find(_ number: Int64) throws -> InputRows.Input? {
    let row = try connection.run(
      """
      SELECT s.last_number, i.number, i.run, i.own_number, i.counts, i.rows,
        ARRAY(\(pendingOnes)),
        EXISTS (SELECT FROM bolide_reject AS r WHERE r.pipeline = i.pipeline AND r.key IS NOT NULL
          AND r.read_since IS NULL AND r.last_run >= i.run)
      FROM bolide_input AS i, bolide_store AS s WHERE i.input = $1 AND \(Self.isCovered)
      """, [.integer(number)])
    guard row.count == 1 else { return nil }
    let last = row.integer(0, 0)
    try readChanges(through: last, pending: Set(row.integers(0, 6)))
    var input = InputRows.Input(lists: lists.count)
    let counts = try Self.decode(row.text(0, 4)).map(ChunkCounts.init(known:))
    guard let ranges = InputRanges(row.bytes(0, 5)), ranges.lists.count == lists.count,
      counts.count == lists.count, changes.reach(back: row.integer(0, 1))
    else { return nil }
    (input.rows, input.counts) = (ranges.lists, counts)
    let seen = RecentChanges.Seen(
      number: row.integer(0, 1), run: row.integer(0, 2), ownNumber: row.integer(0, 3))
    if owners.contains(where: { changes.haveChanged($0, since: seen) }) { return nil }
    for (entity, rows) in zip(lists, input.rows) where changes.haveChanged(entity, rows, since: seen) {
      return nil
    }
    if row.integer(0, 7) != 0, try overtakes(input.rows[0], since: row.integer(0, 2)) { return nil }
    skipped[number] = last
    return input
  }

  // MARK: What the run does

  /// How far history goes.
  func lastNumber() throws -> Int64 {
    try connection.run("SELECT last_number FROM bolide_store").integer(0, 0)
  }

  /// Notes what a chunk has done that was applied just now.
  ///
  /// - Parameters:
  ///   - writers: of the records and of each list of children.
  ///   - counts: of each of them.
  ///   - start: how far history went before.
  ///   - ownNumber: the run's newest number.
  func note(
    _ chunk: Chunk, _ writers: [ChunkWriter], _ counts: [ChunkCounts], from start: Int64, to ownNumber: Int64
  ) {
    for (list, writer) in writers.enumerated() {
      let same = lists.indices.filter { lists[$0] == lists[list] }
      changes.note(lists[list], writer.changedIDs)
      // In one transaction, an object has one change, whatever changes it again.
      let seen = same.filter { $0 != list }.map { writers[$0].seen }
      let again = Set(writer.repeatedIDs)
      rows.overtake(
        writer.changedIDs.filter { id in again.contains(id) || seen.contains { $0.contains(id) } },
        of: same, by: chunk)
    }
    rows.note(chunk, met: writers.map(\.met), counts: counts, from: start, to: ownNumber)
  }

  /// Keeps what the run's inputs were, inside the caller's transaction.
  ///
  /// - Parameters:
  ///   - inputs: by their place; nil for one that was skipped or cannot be known again.
  ///   - isAtomic: whether the run is one transaction.
  func write(_ inputs: [InputFacts?], isAtomic: Bool) throws {
    guard !inputs.isEmpty else { return }
    if !skipped.isEmpty {
      try connection.run(
        """
        UPDATE bolide_input AS i SET run = \(run), number = s.number, own_number = 0
        FROM unnest($1::bigint[], $2::bigint[]) AS s(input, number) WHERE i.input = s.input
        """, [.integers(skipped.keys), .integers(skipped.values)])
    }
    // Of equal ones the last one counts.
    var places: [[UInt8]: Int] = [:]
    for (place, facts) in inputs.enumerated() { if let facts { places[facts.digest] = place } }
    try connection.run(
      "DELETE FROM bolide_input WHERE pipeline = $1 AND digest = ANY ($2)",
      [.text(pipeline.name), ArrayParameter.bytes(places.keys)])
    // Rows that deletions and other programs' triggers have changed are in history alone, and there an object has one change in a
    // transaction, whatever changes it again.
    let isTold = !hasOtherTriggers && (pipeline.gone == .keep || isAtomic && !deletionsReachRows)
    let known = places.values.sorted().filter { rows.input($0).isKnown }
    let last = try lastNumber()
    let first = known.lazy.filter { inputs[$0]?.records != 0 }.map { self.rows.input($0).start }.min()
    let isAlone = try isTold && first.map(isAlone) != false
    var batch: [Written] = []
    for place in known {
      guard let facts = inputs[place] else { continue }
      var input = rows.input(place)
      if isAlone || facts.records == 0 { (input.start, input.end) = (last, 0) }
      let isSure = !input.isOvertaken && (isTold || !isAtomic)
      batch.append((facts, input, isSure ? InputRanges(input.rows).bytes : []))
      if batch.count == Self.batch { try insert(&batch) }
    }
    try insert(&batch)
    try connection.run(
      """
      DELETE FROM bolide_input WHERE pipeline = $1 AND (
        run <= (SELECT max(run) FROM bolide_run WHERE started < $2::text::timestamptz) OR input NOT IN (
          SELECT input FROM bolide_input WHERE pipeline = $1 ORDER BY run DESC, input DESC LIMIT \(InputRows.mostInputs)))
      """, [.text(pipeline.name), .text(timestamp(daysAgo: InputRows.days))])
  }

  /// Whether the deletion of an object that the input has no more may change or delete one that it has: not by a child's
  /// reference to what holds it.
  private var deletionsReachRows: Bool {
    let layouts = [layout] + layout.children
    let entities = Set(layouts.map(\.entity.name))
    return layouts.contains { layout in
      let parent = layout.references.first.map { layout.columns[$0].name }
      return layout.entity.toOneRelationships.contains {
        $0.column != parent && entities.contains($0.destination)
      }
    }
  }

  /// Notes that the marks of some records' objects were taken away.
  func noteUnmarked(_ ids: [Int64]) { rows.overtake(ids, of: lists.indices.filter { lists[$0] == lists[0] }) }

  /// Whether nobody but the run has written since a place.
  private func isAlone(since start: Int64) throws -> Bool {
    try connection.run(
      """
      SELECT FROM bolide_store AS s WHERE s.pruned_number <= $1 AND NOT EXISTS (
        SELECT FROM \(newerOnes) AS t WHERE t.run IS DISTINCT FROM \(run))
      """, [.integer(start)]
    ).count == 1
  }

  /// An input and its rows; none where it has to be read in any case.
  private typealias Written = (facts: InputFacts, input: InputRows.Input, rows: [UInt8])

  private func insert(_ batch: inout [Written]) throws {
    if batch.isEmpty { return }
    let (facts, inputs) = (batch.map(\.facts), batch.map(\.input))
    try connection.run(
      """
      INSERT INTO bolide_input(pipeline, rules, model, run, size, digest, records, fields, number, own_number, counts, rows)
      SELECT $1, $2, \(stored.version), \(run), i.*
      FROM unnest($3::bigint[], $4::bytea[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[], $9::text[],
        $10::bytea[]) AS i
      """,
      [
        .text(pipeline.name), .bytes(rules), .integers(facts.lazy.map { Int64($0.size) }),
        ArrayParameter.bytes(facts.lazy.map(\.digest)), .integers(facts.lazy.map { Int64($0.records) }),
        .texts(try facts.map { try Self.encode($0.fields) }), .integers(inputs.lazy.map(\.start)),
        .integers(inputs.lazy.map(\.end)), .texts(try inputs.map { try Self.encode($0.counts.map(\.known)) }),
        ArrayParameter.bytes(batch.lazy.map(\.rows)),
      ])
    batch = []
  }

  private static func encode(_ numbers: [[Int]]) throws -> String {
    String(decoding: try JSONEncoder().encode(numbers), as: UTF8.self)
  }

  private static func decode(_ text: String) throws -> [[Int]] {
    try JSONDecoder().decode([[Int]].self, from: Data(text.utf8))
  }

  // MARK: What others have done

  /// Reads what was changed since the last time.
  ///
  /// - Parameters:
  ///   - last: the newest number that was there before.
  ///   - present: transactions that had no number then.
  private func readChanges(through last: Int64, pending present: Set<Int64>) throws {
    guard last != changes.newest || !present.isSubset(of: pending) else { return }
    let start = changes.start
    try changes.read(to: last) { changes in
      try connection.each(
        """
        SELECT c.entity, c.id, t.number, t.run FROM \(newerOnes) AS t JOIN bolide_change AS c ON c.transaction = t.id
        WHERE NOT EXISTS (
            SELECT FROM unnest($2::bigint[]) AS k(id) WHERE k.id = t.id)
          AND c.kind <> 1 AND c.entity = ANY ($3) AND (
            c.kind = 3 OR c.properties IS NULL OR c.erased IS NOT NULL OR NOT c.properties <@ $4::bigint[]::integer[])
        ORDER BY t.number DESC NULLS FIRST LIMIT \(RecentChanges.most)
        """,
        [
          .integer(start), .integers(pending), .integers(Set(lists).union(owners)), .integers(derived),
        ]
      ) { change in
        // What has no number came behind everything that has one.
        changes.add(
          change.integer(0, 0), change.integer(0, 1), number: change.optionalInteger(0, 2) ?? .max,
          run: change.integer(0, 3))
      }
    }
    pending = present
  }

  /// Whether one of some rows has the key of a record that was rejected in a run or later: to read it overtakes that one.
  private func overtakes(_ rows: [ClosedRange<Int64>], since run: Int64) throws -> Bool {
    let rejects = try connection.run(
      """
      SELECT DISTINCT key FROM bolide_reject
      WHERE pipeline = $1 AND key IS NOT NULL AND read_since IS NULL AND last_run >= $2
      """, [.text(pipeline.name), .integer(run)])
    let keys = Set((0..<rejects.count).map { rejects.integer($0, 0) })
    var isFound = false
    try connection.each(
      """
      SELECT \(layout.keyValues) FROM unnest($1::bigint[], $2::bigint[]) AS r(first, last)
      JOIN \(quoted(layout.entity.name)) ON bolide_id BETWEEN r.first AND r.last
      """, [.integers(rows.lazy.map(\.lowerBound)), .integers(rows.lazy.map(\.upperBound))]
    ) { row in
      if !isFound { isFound = keys.contains(layout.keyDigest(row, 0, from: 0)) }
    }
    return isFound
  }
}

extension ArrayParameter {
  fileprivate static func bytes(_ values: some Sequence<[UInt8]>) -> Parameter {
    var array = ArrayParameter(.binary)
    for value in values { value.withUnsafeBufferPointer { array.fields.append($0) } }
    return array.parameter
  }
}
