internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// How long rejected records are kept.
enum RejectAge {
  private static let days = 30
  /// What one import forgets at least, if there is so much.
  private static let step = 1_000

  /// Forgets records of earlier runs whose key a later record has brought: they are never tried again.
  static func close(_ db: Database, _ texts: RejectTexts, pipeline: String, before run: Int64) throws {
    let delete = try RawStatement(
      db,
      """
      DELETE FROM bolide_reject WHERE pipeline = ? AND read_since IS NOT NULL AND last_run < \(run)
      RETURNING text, around
      """)
    delete.bind(pipeline, at: 1)
    try texts.removeTexts(of: delete)
  }

  /// Forgets records that no run of the last 30 days has rejected: at most twice as many as a run keeps, so that no more
  /// come than go.
  static func forget(_ db: Database, _ texts: RejectTexts, bounds: RejectBounds) throws {
    let old = try RawStatement(db, "SELECT max(run) FROM bolide_run WHERE started < ?")
    old.bind(timestamp(daysAgo: days), at: 1)
    guard try old.step(), !old.isNull(0) else { return old.reset() }
    let run = old.integer(0)
    old.reset()
    let delete = try RawStatement(
      db,
      """
      DELETE FROM bolide_reject WHERE reject IN
      (SELECT reject FROM bolide_reject WHERE last_run <= ? ORDER BY last_run LIMIT ?) RETURNING text, around
      """)
    delete.bind(run, at: 1)
    delete.bind(max(step, 2 * bounds.rows), at: 2)
    try texts.removeTexts(of: delete)
  }
}
