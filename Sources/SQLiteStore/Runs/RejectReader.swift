internal import GRDB

/// A refused record as the store keeps it: equal ones are one.
public struct KeptReject: Sendable, Hashable {
  /// Its number in the store.
  public var number: Int64
  /// The pipeline that refused it.
  public var pipeline: String
  /// The first run that did.
  public var firstRun: Int64
  /// The last run that did.
  public var lastRun: Int64
  /// How often it was refused.
  public var times: Int64
  /// Why, and where it stood the last time.
  public var reject: Reject
}

extension Store {
  /// Reads the refused records in the order in which they first came.
  ///
  /// - Parameters:
  ///   - run: only those that this run refused; nil for all.
  ///   - body: called for each.
  package func readRejects(run: Int64? = nil, _ body: (KeptReject) throws -> Void) throws {
    try reading { db in
      let rows = try RawStatement(
        db,
        """
        SELECT reject, pipeline, first_run, last_run, times, code, message, attribute, input, record, byte, line,
        column, text FROM bolide_reject WHERE ?1 IS NULL OR ?1 BETWEEN first_run AND last_run ORDER BY reject
        """)
      if let run { rows.bind(run, at: 1) } else { rows.bindNull(at: 1) }
      while try rows.step() {
        try body(
          KeptReject(
            number: rows.integer(0), pipeline: rows.string(1) ?? "", firstRun: rows.integer(2),
            lastRun: rows.integer(3), times: rows.integer(4),
            reject: Reject(
              code: rows.string(5) ?? "", message: rows.string(6) ?? "", attribute: rows.string(7),
              input: rows.string(8) ?? "", record: Int(rows.integer(9)), byte: Int(rows.integer(10)),
              line: Int(rows.integer(11)), column: Int(rows.integer(12)), text: rows.string(13))))
      }
    }
  }
}
