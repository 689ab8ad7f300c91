internal import GRDB
internal import ImportModel

/// The row of `bolide_run` that one run writes.
package final class RunLog {
  /// The run's number.
  let run: Int64
  /// The last transaction when the run began.
  let before: Int64
  let database: Database
  private let update: RawStatement
  private let writeChildren: RawStatement

  /// The outcome of a run that came to a good end.
  package static let good = "ok"
  /// The outcome of a run that refused more than its limit allows.
  package static let tooManyRefused = "too-many-refused"
  /// What the input of a replay is called.
  package static let replay = "replay"

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
      UPDATE bolide_run SET (\(ChunkCounts.columns), unkept, chunks, bytes, last_transaction, ended, outcome, same_as, missing)
      = (\(ChunkCounts.marks), ?, ?, ?, ?, ?, ?, ?, ?) WHERE run = \(run)
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
      ])
    try update.run()
    for children in progress.children {
      writeChildren.bind([.text(children.entity)] + children.counts.values)
      try writeChildren.run()
    }
  }
}

/// What a run has done so far.
public struct RunProgress: Sendable, Hashable {
  /// The counts of all its records.
  public var counts = ChunkCounts()
  /// The counts of their children, one for each entity, in the order of the pipeline; behind those of many-to-many
  /// relationships, the counts of their links.
  public var children: [ChildCounts] = []
  /// How many of the refused records and children the store does not keep: they were beyond the pipeline's bounds.
  public var unkept = 0
  /// How many chunks were applied.
  public var chunks = 0
  /// How many bytes of input they came from; of a compressed input, compressed.
  public var bytes = 0
  /// The earlier run that imported the same bytes; then nothing was read, as nothing can have changed.
  public var sameAs: Int64?
  /// How many rows earlier complete runs saw, and the input, a full feed, does not have; nil where nobody can tell.
  public var missing: Int?
  /// Totals beyond the range of their type, where the run wrote one.
  public var nullTotals = NullTotals()
  /// The newest token; nil when nothing has changed.
  public var token: HistoryToken?

  /// Makes the progress of a run that has done nothing yet.
  public init() {}

  /// Records and children together, without links.
  public var total: ChunkCounts {
    var total = counts
    for children in children where !children.areLinks { total += children.counts }
    return total
  }

  /// What is left when everything is undone but the refusals.
  mutating func rollBack() {
    counts = counts.rolledBackAll
    for index in children.indices { children[index].counts = children[index].counts.rolledBackAll }
    chunks = 0
    token = nil
  }
}

extension ChunkCounts {
  fileprivate var rolledBackAll: ChunkCounts {
    var undone = ChunkCounts()
    undone.read = read
    undone.rejected = rejected
    undone.rolledBack = read - rejected
    return undone
  }
}
