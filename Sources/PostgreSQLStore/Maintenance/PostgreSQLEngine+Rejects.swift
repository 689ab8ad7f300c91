internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func readRejects(_ filter: RejectFilter, _ body: (KeptReject) throws -> Void) throws {
    try reading { connection, _ in
      try connection.each(Self.rejects(""), filter.parameters + [.integer(0)]) {
        try body(RejectLog.kept($0, 0))
      }
    }
  }

  /// Kept rejected records in the order in which they first came.
  ///
  /// - Parameter rest: what stands behind.
  private static func rejects(_ rest: String) -> String {
    "SELECT \(RejectLog.columns) FROM bolide_reject WHERE \(RejectFilter.condition) AND reject > $3 ORDER BY reject \(rest)"
  }

  package func rejects(_ filter: RejectFilter, after number: Int64) throws -> [KeptReject] {
    try reading { connection, _ in
      let rows = try connection.run(Self.rejects("LIMIT 100"), filter.parameters + [.integer(number)])
      return (0..<rows.count).map { RejectLog.kept(rows, $0) }
    }
  }

  package func unkeptRejects(
    _ filter: RejectFilter
  ) throws -> [(pipeline: String, run: Int64, count: Int64)] {
    try reading { connection, _ in
      let rows = try connection.run(
        """
        SELECT pipeline, run, unkept FROM bolide_run AS r WHERE unkept > 0
          AND ($2::text IS NULL OR pipeline = $2) AND (run = $1 OR $1::bigint IS NULL AND run = (
            SELECT max(run) FROM bolide_run AS o WHERE o.pipeline = r.pipeline AND o.unkept > 0)) ORDER BY run
        """, filter.parameters)
      return (0..<rows.count).map { (rows.text($0, 0), rows.integer($0, 1), rows.integer($0, 2)) }
    }
  }

  package func eraseRejects(_ filter: RejectFilter, lockWait: Double) throws -> Int {
    let locks = try lockPipelines(waiting: lockWait)
    defer { withExtendedLifetime(locks) {} }
    return try session { connection in
      try connection.run("DELETE FROM bolide_reject WHERE \(RejectFilter.condition)", filter.parameters)
        .affected
    }
  }
}

extension RejectFilter {
  /// What a kept record must meet; `$1` is the run and `$2` the pipeline, null for all.
  fileprivate static let condition =
    "($1::bigint IS NULL OR $1 BETWEEN first_run AND last_run) AND ($2::text IS NULL OR pipeline = $2)"

  fileprivate var parameters: [Parameter] { [.integer(run), .text(pipeline)] }
}
