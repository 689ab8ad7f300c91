internal import GRDB
package import ImportModel
internal import SQLiteAccess
package import StoreInterface
internal import TypedRows

extension SQLiteEngine {
  /// Reads the rejected records in the order in which they first came.
  ///
  /// - Parameters:
  ///   - filter: which of them.
  ///   - body: called for each.
  package func readRejects(_ filter: RejectFilter, _ body: (KeptReject) throws -> Void) throws {
    try reading { db in
      let rows = try RawStatement(
        db, "\(KeptReject.query) WHERE \(RejectFilter.condition) ORDER BY reject")
      rows.bind(filter)
      while try rows.step() { try body(KeptReject(rows)) }
    }
  }

  /// The next rejected records in that order, so many that their texts fit into memory.
  package func rejects(_ filter: RejectFilter, after number: Int64) throws -> [KeptReject] {
    try reading { db in
      let rows = try RawStatement(
        db, "\(KeptReject.query) WHERE reject > ?3 AND \(RejectFilter.condition) ORDER BY reject")
      rows.bind(filter)
      rows.bind(number, at: 3)
      defer { rows.reset() }
      var (kept, bytes): ([KeptReject], Int) = ([], 0)
      while kept.count < 256, bytes < Self.textsAtOnce, try rows.step() {
        let next = KeptReject(rows, after: kept.last)
        if next.reject.text != kept.last?.reject.text { bytes += next.reject.text?.utf8.count ?? 0 }
        kept.append(next)
      }
      return kept
    }
  }

  /// How many rejected records are not kept: of a run, or of the newest run of each pipeline that has such.
  package func unkeptRejects(_ filter: RejectFilter) throws -> [(pipeline: String, run: Int64, count: Int64)]
  {
    try reading { db in
      let rows = try RawStatement(
        db,
        """
        SELECT pipeline, max(run), unkept FROM bolide_run
        WHERE unkept > 0 AND (?1 IS NULL OR ?1 = run) AND (?2 IS NULL OR ?2 = pipeline) GROUP BY pipeline ORDER BY pipeline
        """)
      rows.bind(filter)
      var all: [(pipeline: String, run: Int64, count: Int64)] = []
      while try rows.step() { all.append((rows.string(0) ?? "", rows.integer(1), rows.integer(2))) }
      return all
    }
  }
}

extension SQLiteEngine {
  /// The next rejected records of a pipeline that can be replayed, in the order in which inputs brought them.
  ///
  /// Not those whose text was cut or not kept, not those whose key was read later, and not those that came after the
  /// record that counts, unless now the last one does.
  /// - Parameters:
  ///   - run: what this run or a later one rejected is left out.
  ///   - last: the last one of the call before; nil at first.
  /// - Returns: so many that their texts fit into memory, and whether there may be more.
  package func replayableRejects(
    _ pipeline: Pipeline, before run: Int64, after last: KeptReject?, limit: Int
  ) throws -> (kept: [KeptReject], hasMore: Bool) {
    try reading { db in
      let rows = try RawStatement(
        db,
        """
        \(KeptReject.query) WHERE pipeline = ?1 AND last_run < ?2 AND bolide_reject.text IS NOT NULL AND NOT is_cut
        AND read_since IS NULL AND (code <> 'repeated-key' OR ?7) AND (last_run, record, reject) > (?3, ?4, ?5)
        ORDER BY last_run, record, reject LIMIT ?6
        """)
      rows.bind(pipeline.name, at: 1)
      rows.bind(run, at: 2)
      rows.bind(last?.lastRun ?? 0, at: 3)
      rows.bind(last?.reject.record ?? 0, at: 4)
      rows.bind(last?.number ?? 0, at: 5)
      rows.bind(limit, at: 6)
      rows.bind([nil, .last].contains(pipeline.repeatedKeyPolicy) ? 1 : 0, at: 7)
      defer { rows.reset() }
      var kept: [KeptReject] = []
      var bytes = 0
      while try rows.step() {
        let next = KeptReject(rows, after: kept.last)
        // Children have their record's.
        if next.reject.text != kept.last?.reject.text { bytes += next.reject.text?.utf8.count ?? 0 }
        kept.append(next)
        if bytes > Self.textsAtOnce { return (kept, true) }
      }
      return (kept, kept.count == limit)
    }
  }

  /// So many bytes of rejected records are read together, or little more.
  private static let textsAtOnce = 4 << 20

  /// How many rejected records of a pipeline the store keeps.
  package func keptRejectCount(pipeline: String) throws -> Int {
    try reading { db in
      let count = try RawStatement(db, "SELECT count(*) FROM bolide_reject WHERE pipeline = ?")
      count.bind(pipeline, at: 1)
      defer { count.reset() }
      return try count.step() ? Int(count.integer(0)) : 0
    }
  }
}

extension KeptReject {
  /// The beginning of a query for rejected records.
  static let query = """
    SELECT reject, pipeline, first_run, last_run, times, code, message, attribute, input, record, byte, line, column,
    own.text, is_cut, surrounding.text, key, entity, child
    FROM bolide_reject LEFT JOIN bolide_reject_text AS own ON own.id = bolide_reject.text
    LEFT JOIN bolide_reject_text AS surrounding ON surrounding.id = bolide_reject.around
    """

  /// The current row of such a query.
  ///
  /// - Parameter last: the one before it: what they share is one in memory too.
  init(_ rows: RawStatement, after last: KeptReject? = nil) {
    var reject = RejectedRecord(
      code: rows.string(5) ?? "", message: rows.string(6) ?? "", attribute: rows.string(7),
      input: rows.string(8) ?? "", record: Int(rows.integer(9)), byte: Int(rows.integer(10)),
      line: Int(rows.integer(11)), column: Int(rows.integer(12)),
      text: rows.string(13, orSame: last?.reject.text))
    reject.isCut = rows.integer(14) != 0
    reject.around = rows.string(15, orSame: last?.reject.around)
    reject.key = rows.isNull(16) ? nil : rows.integer(16)
    reject.entity = rows.string(17)
    reject.child = Int(rows.integer(18))
    self.init(
      number: rows.integer(0), pipeline: rows.string(1) ?? "", firstRun: rows.integer(2),
      lastRun: rows.integer(3), times: rows.integer(4), reject: reject)
  }
}

extension RawStatement {
  /// A text, or another one that is equal to it.
  fileprivate func string(_ column: Int32, orSame other: String?) -> String? {
    guard var other, !isNull(column) else { return string(column) }
    return other.withUTF8 { $0.elementsEqual(bytes(column)) } ? other : string(column)
  }
}
