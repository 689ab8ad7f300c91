internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface

/// The row of `bolide_run` that one run writes.
final class RunLog {
  /// The run's number.
  let run: Int64
  /// The last transaction when the run began.
  let before: Int64
  let database: Database
  private let update: RawStatement
  private let writeChildren: RawStatement

  /// Begins a run, in a transaction of its own: a run that is killed leaves its row too.
  init(_ db: Database, _ pipeline: Pipeline, input: String) throws {
    database = db
    let insert = try RawStatement(
      db,
      """
      INSERT INTO bolide_run(pipeline, author, input, started, max_age, process, process_start, boot, before, model)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?,
      (SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'bolide_transaction'),
      (SELECT max(version) FROM bolide_model))
      RETURNING run, before
      """)
    let process = RunProcess.current
    insert.bind([
      .text(pipeline.name), .text(pipeline.author ?? pipeline.name), .text(input), .text(timestamp()),
      pipeline.maxAge.map(Value.real) ?? .null, .integer(process.id), process.start.map(Value.text) ?? .null,
      process.boot.map(Value.text) ?? .null,
    ])
    _ = try insert.step()
    run = insert.integer(0)
    before = insert.integer(1)
    // Its transaction is committed only where the statement comes to its end: a reset would hide that it was not.
    try insert.run()
    update = try RawStatement(
      db,
      """
      UPDATE bolide_run SET (\(ChunkCounts.columns), unkept, chunks, bytes, last_transaction, ended, outcome, same_as, missing, gone, skipped)
      = (\(ChunkCounts.marks), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE run = \(run)
      """)
    writeChildren = try RawStatement(
      db,
      """
      INSERT OR REPLACE INTO bolide_run_child(run, entity, \(ChunkCounts.columns))
      VALUES (\(run), ?, \(ChunkCounts.marks))
      """)
  }

  /// Writes the run's sums so far.
  ///
  /// - Parameter outcome: `ok` or what ended the run; nil while it goes on.
  func write(_ progress: RunProgress, outcome: String?) throws {
    update.bind(
      progress.counts.values + [
        .integer(Int64(progress.unkept)), .integer(Int64(progress.chunks)), .integer(Int64(progress.bytes)),
        progress.token.map { .integer($0.number) } ?? .null,
        outcome == nil ? .null : .text(timestamp()), outcome.map(Value.text) ?? .null,
        progress.sameAs.map(Value.integer) ?? .null, progress.missing.map { .integer(Int64($0)) } ?? .null,
        .integer(Int64(progress.gone)), .integer(Int64(progress.skipped)),
      ])
    try update.run()
    for children in progress.children {
      writeChildren.bind([.text(children.entity)] + children.counts.values)
      try writeChildren.run()
    }
  }
}
