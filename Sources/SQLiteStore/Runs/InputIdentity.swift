internal import GRDB
package import ImportModel
internal import SQLiteAccess
package import StoreInterface

extension RunLog {
  /// Keeps what the run's input was. The run has read it to its end and rejected nothing.
  func write(_ identity: InputIdentity) throws {
    let keep = try RawStatement(
      database, "UPDATE bolide_run SET size = ?, digest = ?, rules = ? WHERE run = \(run)")
    keep.bind(Int64(identity.size), at: 1)
    keep.bind(.blob(identity.digest), at: 2)
    keep.bind(.blob(identity.rules), at: 3)
    try keep.run()
  }
}

extension SQLiteEngine {
  /// The runs that read a file of this size under the same rules, and after which nothing can have changed.
  ///
  /// Every transaction since the run began is its own, none was pruned, no change is pending, and
  /// the model is the same: then the same bytes would find every row unchanged. A run that rejected records is not
  /// among them, since it has to reject them again.
  /// - Returns: the digests of the files that they read.
  package func digestsOfUnchanged(_ pipeline: Pipeline, size: Int, rules: [UInt8]) throws -> Set<[UInt8]> {
    try writing { db in
      let runs = try Self.unchanged(db, pipeline, size: size, rules: rules)
      var digests: Set<[UInt8]> = []
      while try runs.step() { digests.insert(Array(runs.bytes(1))) }
      return digests
    }
  }

  /// Records a run that found the file of an earlier run, if nothing can have changed since that one.
  ///
  /// - Returns: what that run did, with every row unchanged; nil when the input is to be read.
  package func recordUnchanged(
    _ pipeline: Pipeline, input: String, _ identity: InputIdentity
  ) throws -> (run: Int64, progress: RunProgress)? {
    try writing { db in
      var recorded: (Int64, RunProgress)?
      try db.inTransaction(.immediate) {
        let runs = try Self.unchanged(db, pipeline, size: identity.size, rules: identity.rules)
        defer { runs.reset() }
        while recorded == nil, try runs.step() {
          guard runs.bytes(1).elementsEqual(identity.digest) else { continue }
          var progress = RunProgress()
          progress.sameAs = runs.integer(0)
          progress.counts = try ChunkCounts(runs, from: 2).allUnchanged
          progress.children = try ChildCounts.all(db, run: runs.integer(0))
          for index in progress.children.indices {
            progress.children[index].counts = progress.children[index].counts.allUnchanged
          }
          progress.bytes = identity.size
          progress.missing = try PresenceTracker.missing(db, pipeline: pipeline.name)?.count
          runs.reset()
          let log = try RunLog(db, pipeline, input: input)
          try log.write(progress, outcome: RunOutcome.good)
          recorded = (log.run, progress)
        }
        return .commit
      }
      return recorded
    }
  }

  private static func unchanged(
    _ db: Database, _ pipeline: Pipeline, size: Int, rules: [UInt8]
  ) throws -> RawStatement {
    let runs = try RawStatement(
      db,
      """
      SELECT run, digest, \(ChunkCounts.columns) FROM bolide_run AS r WHERE size = ?1 AND digest IS NOT NULL
      AND rules = ?2 AND pipeline = ?3 AND outcome = \(literal(RunOutcome.good)) AND rejected = 0
      AND NOT EXISTS (SELECT 1 FROM bolide_run_child AS c WHERE c.run = r.run AND c.rejected > 0)
      AND model = (SELECT max(version) FROM bolide_model)
      AND (SELECT count(*) FROM bolide_transaction WHERE number > r.before AND run = r.run)
        = ifnull((SELECT seq FROM sqlite_sequence WHERE name = 'bolide_transaction'), 0) - r.before
      AND \(ChangeNumbers.made) = \(ChangeNumbers.assigned)
      AND NOT EXISTS (SELECT 1 FROM bolide_dirty)
      AND (?4 = 0 OR run = (SELECT run FROM bolide_complete WHERE pipeline = ?3 AND entity = ?5)
        AND NOT EXISTS (SELECT 1 FROM bolide_run AS l WHERE l.pipeline = ?3 AND l.run > r.run AND l.read > 0 AND l.same_as IS NULL))
      ORDER BY run DESC
      """)
    runs.bind(size, at: 1)
    runs.bind(.blob(rules), at: 2)
    runs.bind(pipeline.name, at: 3)
    // A full feed without some rows, between two with them, changes nothing but which rows are missing; so does one that was not read
    // to its end.
    runs.bind(pipeline.feed == .full ? 1 : 0, at: 4)
    runs.bind(pipeline.entity, at: 5)
    return runs
  }
}
