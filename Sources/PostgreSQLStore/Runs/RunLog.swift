internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// The row of `bolide_run` that one run writes.
struct RunLog {
  let run: Int64
  /// The word of the run's last transaction that is known to be committed.
  private(set) var word: String
  /// The counts' columns, in the order of `values`.
  static let counts = [
    "read", "inserted", "updated", "repeated", "unchanged", "ignored", "duplicates", "superseded", "rejected",
    "rolled_back",
  ]

  /// Begins a run, in a transaction of its own: a run that is killed leaves its row too.
  ///
  /// - Parameter word: the run's first: one that was begun with it, and whose number was lost with the connection, is no run.
  init(_ connection: PostgreSQLConnection, _ pipeline: Pipeline, input: String, word: String) throws {
    self.word = word
    try connection.run(
      "DELETE FROM bolide_run WHERE pipeline = $1 AND word = $2", [.text(pipeline.name), .text(word)])
    run = try connection.run(
      """
      INSERT INTO bolide_run(pipeline, author, input, started, max_age, word, model, before)
      SELECT $1, $2, $3, $4::text::timestamptz, $5, $6, model_version, last_number FROM bolide_store RETURNING run
      """,
      [
        .text(pipeline.name), .text(pipeline.author ?? pipeline.name), .text(input), .text(timestamp()),
        pipeline.maxAge.map(Parameter.double) ?? .null, .text(word),
      ]
    ).integer(0, 0)
  }

  /// Writes the run's sums so far.
  ///
  /// - Parameters:
  ///   - connection: that of the transaction.
  ///   - word: the word of the transaction: by it the run finds out whether it was committed.
  ///   - outcome: `ok` or what ended the run; nil while it goes on.
  func write(
    _ progress: RunProgress, _ connection: PostgreSQLConnection, word: String, outcome: String?
  ) throws {
    let columns = Self.counts + ["unkept", "chunks", "bytes", "gone", "skipped", "missing", "same_as"]
    let values: [Int64?] =
      progress.counts.values
      + [progress.unkept, progress.chunks, progress.bytes, progress.gone, progress.skipped].map(Int64.init)
      + [progress.missing.map(Int64.init), progress.sameAs]
    try connection.run(
      """
      UPDATE bolide_run SET (\(columns.joined(separator: ", ")), last_number, word, outcome, ended) =
        (\(columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")), $\(columns.count + 1), $\(columns.count + 2),
        $\(columns.count + 3),
        CASE WHEN $\(columns.count + 3) IS NOT NULL THEN $\(columns.count + 4)::text::timestamptz END)
      WHERE run = \(run)
      """,
      values.map(Parameter.integer) + [
        .integer(progress.token?.number), .text(word), .text(outcome), .text(timestamp()),
      ])
    for (place, child) in progress.children.enumerated() {
      try connection.run(
        """
        INSERT INTO bolide_run_child(run, place, entity, are_links, \(Self.counts.joined(separator: ", ")))
        VALUES (\(run), \(place), $1, $2, \(Self.counts.indices.map { "$\($0 + 3)" }.joined(separator: ", ")))
        ON CONFLICT (run, place) DO UPDATE SET
          (\(Self.counts.joined(separator: ", "))) = (\(Self.counts.map { "excluded.\($0)" }.joined(separator: ", ")))
        """, [.text(child.entity), .boolean(child.areLinks)] + child.counts.values.map(Parameter.integer))
    }
  }

  /// Notes that a transaction is committed.
  mutating func committed(_ word: String) { self.word = word }

  /// Whether the transaction of a word is committed, as the store says now.
  ///
  /// - Returns: nil where the store has neither it nor the one before.
  func isCommitted(_ word: String, _ connection: PostgreSQLConnection) throws -> Bool? {
    let stored = try connection.run("SELECT word FROM bolide_run WHERE run = \(run)")
    guard stored.count == 1 else { return nil }
    return stored.text(0, 0) == word ? true : stored.text(0, 0) == self.word ? false : nil
  }
}

extension ChunkCounts {
  /// As `RunLog.counts` names them.
  var values: [Int64] {
    [read, inserted, updated, repeated, unchanged, ignored, duplicates, superseded, rejected, rolledBack].map(
      Int64.init)
  }

  /// Reads them from a result's columns.
  init(_ result: QueryResult, _ row: Int, from column: Int) {
    self.init()
    func next(_ place: Int) -> Int { Int(result.integer(row, column + place)) }
    (read, inserted, updated, repeated, unchanged) = (next(0), next(1), next(2), next(3), next(4))
    (ignored, duplicates, superseded, rejected, rolledBack) = (next(5), next(6), next(7), next(8), next(9))
  }
}
