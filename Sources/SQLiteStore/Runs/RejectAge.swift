internal import GRDB

/// How long refused records are kept.
enum RejectAge {
  private static let days = 30
  /// What one import forgets at most: a step that nobody notices.
  private static let step = 1_000

  /// Forgets records that no run of the last 30 days has refused, a thousand at a time.
  static func forget(_ db: Database) throws {
    let old = try RawStatement(db, "SELECT max(run) FROM bolide_run WHERE started < ?")
    let delete = try RawStatement(
      db,
      """
      DELETE FROM bolide_reject WHERE reject IN
      (SELECT reject FROM bolide_reject WHERE last_run <= ? ORDER BY last_run LIMIT \(step))
      """)
    old.bind(timestamp(daysAgo: days), at: 1)
    guard try old.step(), !old.isNull(0) else { return old.reset() }
    let run = old.integer(0)
    old.reset()
    delete.bind(run, at: 1)
    try delete.run()
  }
}
