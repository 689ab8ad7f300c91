internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// Writes one run's rejected records to `bolide_reject`. The same one again is the same row.
final class RejectLog: RejectKeeping {
  /// That of the transaction which writes to it.
  var connection: PostgreSQLConnection
  private let pipeline: String
  private let run: Int64
  /// Those of kept records that no later record has overtaken.
  private var keys = RejectedKeys()
  private var state: State

  /// What it remembers from one rejected record to the next.
  fileprivate struct State {
    /// What the run may still keep.
    var room: RejectBounds
    /// How many rejected records and children of the run are not kept.
    var unkept = 0
    /// The record that was rejected last, and its key.
    var last: (input: String, record: Int, key: Int64)?
    /// Its text.
    var text: String?
  }

  /// What it remembers of the run; to be put back when a transaction is taken back.
  struct Memory {
    fileprivate let keys: RejectedKeys
    fileprivate let state: State
  }

  /// - Parameter bounds: what the run may keep.
  init(_ connection: PostgreSQLConnection, pipeline: String, run: Int64, bounds: RejectBounds) throws {
    (self.connection, self.pipeline, self.run, state) = (connection, pipeline, run, State(room: bounds))
    try connection.each(
      "SELECT key FROM bolide_reject WHERE pipeline = $1 AND key IS NOT NULL AND read_since IS NULL",
      [.text(pipeline)]
    ) { keys.insert($0.integer(0, 0)) }
  }

  var memory: Memory {
    get { Memory(keys: keys, state: state) }
    set { (keys, state) = (newValue.keys, newValue.state) }
  }

  var unkept: Int { state.unkept }

  /// Keeps a chunk's rejected records, and notes which older ones its rows have overtaken.
  ///
  /// - Parameters:
  ///   - rows: those whose keys were read.
  ///   - alsoWrite: called with each reject that is kept.
  func write(_ chunk: Chunk, _ rows: [Int32], _ alsoWrite: (RejectedRecord) -> Void) throws {
    try keys.write(chunk, rows, to: self, alsoWrite)
  }

  func overtake(_ keys: [Int64]) throws {
    func update(_ isMeant: String, _ keys: Parameter) throws {
      try connection.run(
        "UPDATE bolide_reject SET read_since = \(run) WHERE pipeline = $1 AND key \(isMeant) AND read_since IS NULL",
        [.text(pipeline), keys])
    }
    // Each rejected record asks for one. A list's the server does not look for in the index where it knows nothing of the table yet.
    if keys.count == 1 { return try update("= $2", .integer(keys[0])) }
    try update("= ANY ($2)", .integers(keys))
  }

  func keep(_ reject: RejectedRecord, isOvertaken: Bool, overtakes: Bool) throws -> RejectedRecord? {
    state.unkept += reject.more
    guard let kept = state.room.take(reject, behind: state.text) else {
      state.unkept += 1
      try note(reject, overtakes: overtakes)
      return nil
    }
    state.text = kept.text
    try write(kept, isOvertaken: isOvertaken, overtakes: overtakes)
    return kept
  }

  /// Of two rejected records with one key the later one counts. Rejected children have their record's.
  private func note(_ reject: RejectedRecord, overtakes: Bool) throws {
    if overtakes, let key = reject.key, state.last.map({ $0 == (reject.input, reject.record, key) }) != true {
      try overtake([key])
    }
    state.last = reject.key.map { (reject.input, reject.record, $0) }
  }

  /// Writes a rejected record.
  ///
  /// - Parameters:
  ///   - isOvertaken: a later record with its key was read already.
  ///   - overtakes: what was rejected of its key before is not to be replayed any more.
  ///   - before: what it was before it was replayed, and is no more; nil for a new one.
  func write(
    _ reject: RejectedRecord, isOvertaken: Bool = false, overtakes: Bool = true, before: KeptReject? = nil
  ) throws {
    try note(reject, overtakes: overtakes)
    let place = [reject.record, reject.byte, reject.line, reject.column, reject.child].map {
      Parameter.integer(Int64($0))
    }
    try connection.run(
      """
      INSERT INTO bolide_reject AS r (pipeline, last_run, code, message, attribute, input, entity, text, around, is_cut,
        key, record, byte, line, "column", child, read_since, first_run, times, reject) OVERRIDING SYSTEM VALUE
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
        coalesce($20, nextval(pg_get_serial_sequence('bolide_reject', 'reject'))))
      ON CONFLICT (pipeline, code, coalesce(attribute, ''), coalesce(entity, ''), child,
        \(SystemTables.rejectDigest))
      DO UPDATE SET first_run = least(r.first_run, excluded.first_run), last_run = excluded.last_run,
        times = r.times + excluded.times, message = excluded.message, input = excluded.input, record = excluded.record,
        byte = excluded.byte, line = excluded.line, "column" = excluded."column", key = excluded.key,
        read_since = excluded.read_since
      """,
      [
        .text(pipeline), .integer(run), .text(reject.code), .text(reject.message.withoutNull),
        .text(reject.attribute), .text(reject.input.withoutNull), .text(reject.entity),
        .bytes(reject.text.map { Array($0.utf8) }), .bytes(reject.around.map { Array($0.utf8) }),
        .boolean(reject.isCut), .integer(reject.key),
      ] + place + [
        .integer(isOvertaken ? run : nil), .integer(before?.firstRun ?? run),
        .integer((before?.times ?? 0) + 1), .integer(before?.number),
      ])
  }

  // MARK: Age

  /// How long rejected records are kept.
  private static let days = 30
  /// What one import forgets at least, if there is so much.
  private static let step = 1_000

  /// Forgets records of earlier runs whose key a later record has brought: they are never tried again.
  func close() throws {
    try connection.run(
      "DELETE FROM bolide_reject WHERE pipeline = $1 AND read_since IS NOT NULL AND last_run < \(run)",
      [.text(pipeline)])
  }

  /// Forgets records that no run of the last 30 days has rejected: at most twice as many as a run keeps, so that no more
  /// come than go.
  func forget(_ bounds: RejectBounds) throws {
    try connection.run(
      """
      DELETE FROM bolide_reject WHERE reject IN (
        SELECT reject FROM bolide_reject
        WHERE last_run <= (SELECT max(run) FROM bolide_run WHERE started < $1::text::timestamptz)
        ORDER BY last_run LIMIT \(max(Self.step, 2 * bounds.rows)))
      """, [.text(timestamp(daysAgo: Self.days))])
  }

  // MARK: Replay

  /// Writes what became of replayed records.
  ///
  /// - Parameters:
  ///   - kept: their rejects, those of one record together.
  ///   - rejects: what was rejected now, of the records that the first of their rejects numbers.
  ///   - left: the records that were not tried.
  func record(_ kept: [[KeptReject]], _ rejects: [RejectedRecord], left: Set<Int64>) throws {
    let rejected = Dictionary(grouping: rejects) { Int64($0.record) }
    for kept in kept {
      guard let first = kept.first, !left.contains(first.number) else { continue }
      try connection.run("DELETE FROM bolide_reject WHERE reject = ANY ($1)", [.integers(kept.map(\.number))])
      var open = kept
      for reject in rejected[first.number] ?? [] {
        let before = open.take(replacedBy: reject)
        try write(reject.at(first.reject, place: before?.reject), overtakes: false, before: before)
      }
    }
  }

  /// So many bytes of rejected records are read together, or little more.
  private static let textsAtOnce = 4 << 20

  /// The next rejected records that can be tried again, in the order in which inputs brought them.
  static func replayable(
    _ connection: PostgreSQLConnection, _ pipeline: Pipeline, before run: Int64, after last: KeptReject?,
    limit: Int
  ) throws -> (kept: [KeptReject], hasMore: Bool) {
    let rows = try connection.run(
      """
      SELECT \(columns) FROM (
        SELECT *, sum(octet_length(text)) OVER (ORDER BY last_run, record, reject) - octet_length(text) AS bytes_before
        FROM (SELECT * FROM bolide_reject
          WHERE pipeline = $1 AND last_run < $2 AND text IS NOT NULL AND NOT is_cut AND read_since IS NULL
            AND (code <> 'repeated-key' OR $3) AND (last_run, record, reject) > ($4, $5, $6)
          ORDER BY last_run, record, reject LIMIT \(limit)) AS r) AS r
      WHERE bytes_before <= \(textsAtOnce) ORDER BY last_run, record, reject
      """,
      [
        .text(pipeline.name), .integer(run), .boolean([nil, .last].contains(pipeline.repeatedKeyPolicy)),
        .integer(last?.lastRun ?? 0), .integer(Int64(last?.reject.record ?? 0)), .integer(last?.number ?? 0),
      ])
    let kept = (0..<rows.count).map { Self.kept(rows, $0) }
    let bytes = kept.reduce(0) { $0 + ($1.reject.text?.utf8.count ?? 0) }
    return (kept, kept.count == limit || bytes > textsAtOnce)
  }

  /// A kept record's columns, as `kept` reads them.
  static let columns = """
    reject, pipeline, first_run, last_run, times, code, message, attribute, input, entity, text, around, is_cut, key,
    record, byte, line, "column", child
    """

  static func kept(_ result: QueryResult, _ row: Int) -> KeptReject {
    func number(_ column: Int) -> Int { Int(result.integer(row, column)) }
    var reject = RejectedRecord(
      code: result.text(row, 5), message: result.text(row, 6), attribute: result.optionalText(row, 7),
      input: result.text(row, 8), record: number(14), byte: number(15), line: number(16), column: number(17),
      text: result.optionalText(row, 10))
    reject.entity = result.optionalText(row, 9)
    (reject.around, reject.isCut) = (result.optionalText(row, 11), result.integer(row, 12) != 0)
    (reject.key, reject.child) = (result.optionalInteger(row, 13), number(18))
    return KeptReject(
      number: result.integer(row, 0), pipeline: result.text(row, 1), firstRun: result.integer(row, 2),
      lastRun: result.integer(row, 3), times: result.integer(row, 4), reject: reject)
  }
}

extension String {
  /// The server keeps no text with a zero byte.
  var withoutNull: String { utf8.contains(0) ? replacing("\0", with: "\u{FFFD}") : self }

  /// What such a text may have been.
  var withNull: String { replacing("\u{FFFD}", with: "\0") }
}
