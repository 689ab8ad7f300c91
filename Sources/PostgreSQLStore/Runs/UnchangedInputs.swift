package import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension RunLog {
  /// Keeps what the run's input was. The run has read it to its end and rejected nothing.
  func write(_ identity: InputIdentity, _ connection: PostgreSQLConnection) throws {
    try connection.run(
      "UPDATE bolide_run SET size = $1, digest = $2, rules = $3 WHERE run = \(run)",
      [.integer(Int64(identity.size)), .bytes(identity.digest), .bytes(identity.rules)])
  }
}

extension PostgreSQLEngine {
  /// The runs that read a file of this size under the same rules, and after which nothing can have changed.
  ///
  /// Every transaction since the run began is its own, none was pruned, none waits for its number, and the model is the same:
  /// then the same bytes would find every row unchanged. A run that rejected records is not among them, since it has to reject
  /// them again.
  private static let unchanged = """
    SELECT r.run, r.digest, \(RunLog.counts.map { "r.\($0)" }.joined(separator: ", "))
    FROM bolide_run AS r, bolide_store AS s
    WHERE r.size = $1 AND r.digest IS NOT NULL AND r.rules = $2 AND r.pipeline = $3
      AND r.outcome = '\(RunOutcome.good)' AND r.rejected = 0 AND r.model = s.model_version
      AND NOT EXISTS (SELECT FROM bolide_run_child AS c WHERE c.run = r.run AND c.rejected > 0)
      AND (SELECT count(*) FROM bolide_transaction AS t WHERE t.number > r.before AND t.run = r.run)
        = s.last_number - r.before
      AND NOT EXISTS (SELECT FROM bolide_pending)
      AND NOT EXISTS (SELECT FROM bolide_mark)
      -- A full feed without some rows, between two with them, changes nothing but which rows are missing; so does one that was not
      -- read to its end.
      AND (NOT $4 OR r.missing IS NOT NULL AND NOT EXISTS (
        SELECT FROM bolide_run AS l WHERE l.pipeline = $3 AND l.run > r.run AND l.read > 0 AND l.same_as IS NULL))
    ORDER BY r.run DESC
    """

  package func digestsOfUnchanged(_ pipeline: Pipeline, size: Int, rules: [UInt8]) throws -> Set<[UInt8]> {
    try session(repeats: true) { connection in
      let runs = try connection.run(Self.unchanged, Self.parameters(pipeline, size, rules))
      return Set((0..<runs.count).map { Array(runs.bytes($0, 1)) })
    }
  }

  package func recordUnchanged(
    _ pipeline: Pipeline, input: String, _ identity: InputIdentity
  ) throws -> (run: Int64, progress: RunProgress)? {
    try writing(author: nil) { connection, stored in
      // Nobody is numbered between this look and the run's row.
      try connection.run(SystemTables.lock(address.schema))
      let runs = try connection.run(
        Self.unchanged, Self.parameters(pipeline, identity.size, identity.rules))
      guard
        let row = (0..<runs.count).first(where: { runs.bytes($0, 1).elementsEqual(identity.digest) })
      else { return nil }
      let known = PipelineRuns(connection, stored, address.schema)
      var progress = RunProgress()
      progress.sameAs = runs.integer(row, 0)
      progress.counts = ChunkCounts(runs, row, from: 2).allUnchanged
      progress.children = try known.children(ofRun: runs.integer(row, 0))
      for index in progress.children.indices {
        progress.children[index].counts = progress.children[index].counts.allUnchanged
      }
      progress.bytes = identity.size
      if pipeline.feed == .full {
        progress.missing = try Presence.missingCount(connection, pipeline: pipeline.name, stored)
      }
      let log = try RunLog(connection, pipeline, input: input, word: randomWord(length: 6))
      try log.write(progress, connection, word: log.word, outcome: RunOutcome.good)
      return (log.run, progress)
    }.result
  }

  private static func parameters(_ pipeline: Pipeline, _ size: Int, _ rules: [UInt8]) -> [Parameter] {
    [.integer(Int64(size)), .bytes(rules), .text(pipeline.name), .boolean(pipeline.feed == .full)]
  }
}
