internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// Writes one run's rejected records to `bolide_reject`. The same one again is the same row.
final class RejectLog {
  private let connection: PostgreSQLConnection
  private let pipeline: String
  private let run: Int64
  private var room: RejectBounds
  /// How many rejected records of the run are not kept.
  private(set) var unkept = 0
  /// The keys of kept records that no later record has overtaken.
  private var open: Set<Int64>

  /// - Parameter bounds: what the run may keep.
  init(_ connection: PostgreSQLConnection, pipeline: String, run: Int64, bounds: RejectBounds) throws {
    (self.connection, self.pipeline, self.run, room) = (connection, pipeline, run, bounds)
    let keys = try connection.run(
      "SELECT DISTINCT key FROM bolide_reject WHERE pipeline = $1 AND key IS NOT NULL AND read_since IS NULL",
      [.text(pipeline)])
    open = Set((0..<keys.count).map { keys.integer($0, 0) })
  }

  /// What it remembers; to be put back when a transaction is taken back.
  var memory: (room: RejectBounds, unkept: Int, open: Set<Int64>) {
    get { (room, unkept, open) }
    set { (room, unkept, open) = newValue }
  }

  /// Keeps a chunk's rejected records, as far as the run's bounds allow, and notes which older ones its rows have overtaken:
  /// these are not to be replayed any more.
  ///
  /// - Parameter rows: those whose keys were read.
  func write(_ chunk: Chunk, _ rows: [Int32]) throws {
    let rejects = chunk.allRejects
    guard !open.isEmpty || !rejects.isEmpty else { return }
    // For each key that matters, the last row that has it.
    var lastRows: [Int64: Int] = [:]
    let wanted = open.union(rejects.compactMap(\.key))
    let rejected = Set(chunk.rejects.lazy.filter(\.isRow).map(\.rowsBefore))
    for row in rows.lazy.map(Int.init) where !rejected.contains(row) {
      guard let key = chunk.keyDigest(row), wanted.contains(key) else { continue }
      lastRows[key] = max(lastRows[key] ?? -1, row)
    }
    let overtaken = open.intersection(lastRows.keys)
    if !overtaken.isEmpty {
      try connection.run(
        "UPDATE bolide_reject SET read_since = \(run) WHERE pipeline = $1 AND key = ANY ($2) AND read_since IS NULL",
        [.text(pipeline), .integers(overtaken.sorted())])
      open.subtract(overtaken)
    }
    try write(rejects) { reject in reject.key.map { reject.isBefore(lastRows[$0] ?? -1) } ?? false }
  }

  /// Keeps rejected records.
  ///
  /// - Parameter isOvertaken: whether a later record with its key was read already.
  func write(_ rejects: [RejectedRecord], isOvertaken: (RejectedRecord) -> Bool = { _ in false }) throws {
    var last: String?
    for reject in rejects {
      unkept += reject.more
      guard room.rows > 0 else {
        unkept += 1
        continue
      }
      room.rows -= 1
      var reject = reject
      if let text = reject.text, text != last {
        if text.utf8.count > room.total { reject.text = nil } else { room.total -= text.utf8.count }
      }
      last = reject.text
      let isPast = isOvertaken(reject)
      try write(reject, isOvertaken: isPast)
      if let key = reject.key, !isPast { open.insert(key) }
    }
  }

  private func write(_ reject: RejectedRecord, isOvertaken: Bool) throws {
    let place = [reject.record, reject.byte, reject.line, reject.column, reject.child].map {
      Parameter.integer(Int64($0))
    }
    try connection.run(
      """
      INSERT INTO bolide_reject AS r (pipeline, first_run, last_run, code, message, attribute, input, entity, text, around,
        is_cut, key, record, byte, line, "column", child, read_since)
      VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
      ON CONFLICT (pipeline, code, coalesce(attribute, ''), coalesce(entity, ''), child,
        md5(coalesce(text, input::bytea || record::text::bytea) || coalesce(around, '')))
      DO UPDATE SET last_run = excluded.last_run, times = r.times + 1, message = excluded.message, input = excluded.input,
        record = excluded.record, byte = excluded.byte, line = excluded.line, "column" = excluded."column",
        key = excluded.key, read_since = excluded.read_since
      """,
      [
        .text(pipeline), .integer(run), .text(reject.code), .text(reject.message.withoutNull),
        .text(reject.attribute), .text(reject.input.withoutNull), .text(reject.entity),
        .bytes(reject.text.map { Array($0.utf8) }), .bytes(reject.around.map { Array($0.utf8) }),
        .boolean(reject.isCut), .integer(reject.key),
      ] + place + [.integer(isOvertaken ? run : nil)])
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
      for reject in rejected[first.number] ?? [] {
        var again = reject
        (again.input, again.record, again.byte) = (first.reject.input, first.reject.record, first.reject.byte)
        (again.line, again.column) = (first.reject.line, first.reject.column)
        (again.text, again.isCut, again.around) = (first.reject.text, first.reject.isCut, first.reject.around)
        try write(again, isOvertaken: false)
        try connection.run(
          """
          UPDATE bolide_reject SET first_run = $2, times = $3 + 1 WHERE reject = (SELECT max(reject) FROM bolide_reject
            WHERE pipeline = $1)
          """, [.text(pipeline), .integer(first.firstRun), .integer(first.times)])
      }
    }
  }

  /// The next rejected records that can be tried again, in the order in which inputs brought them.
  static func replayable(
    _ connection: PostgreSQLConnection, _ pipeline: String, before run: Int64, after last: KeptReject?,
    limit: Int
  ) throws -> (kept: [KeptReject], hasMore: Bool) {
    let rows = try connection.run(
      """
      SELECT \(columns) FROM bolide_reject WHERE pipeline = $1 AND last_run < $2 AND text IS NOT NULL AND NOT is_cut
        AND read_since IS NULL AND reject > $3 ORDER BY reject LIMIT \(limit + 1)
      """, [.text(pipeline), .integer(run), .integer(last?.number ?? 0)])
    let kept = (0..<min(rows.count, limit)).map { Self.kept(rows, $0) }
    return (kept, rows.count > limit)
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
}
