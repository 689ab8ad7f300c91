internal import GRDB
internal import ImportModel

/// The rows of `bolide_run` and `bolide_reject` that one run writes.
final class RunLog {
  /// The run's number.
  let run: Int64
  private let pipeline: String
  private let update: RawStatement
  private let insertReject: RawStatement

  /// Begins a run, in a transaction of its own: a run that is killed leaves its row too.
  init(_ db: Database, pipeline: String, author: String, input: String) throws {
    self.pipeline = pipeline
    let insert = try RawStatement(
      db, "INSERT INTO bolide_run(pipeline, author, input, started) VALUES (?, ?, ?, ?) RETURNING run")
    for (index, text) in [pipeline, author, input, timestamp()].enumerated() {
      insert.bind(text, at: Int32(index + 1))
    }
    _ = try insert.step()
    run = insert.integer(0)
    // The statement ends, and with it its transaction, only when it is reset.
    insert.reset()
    update = try RawStatement(
      db,
      """
      UPDATE bolide_run SET read = ?, inserted = ?, updated = ?, unchanged = ?, ignored = ?, folded = ?,
      rejected = ?, chunks = ?, bytes = ?, last_transaction = ?, ended = ?, outcome = ?, repeated = ?
      WHERE run = \(run)
      """)
    insertReject = try RawStatement(
      db,
      """
      INSERT INTO bolide_reject(pipeline, fingerprint, first_run, last_run, code, message, attribute, input, record,
      byte, line, column, text) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      ON CONFLICT (pipeline, fingerprint) DO UPDATE SET last_run = excluded.last_run, times = times + 1,
      message = excluded.message, input = excluded.input, record = excluded.record, byte = excluded.byte,
      line = excluded.line, column = excluded.column
      """)
  }

  /// Writes the run's sums so far.
  ///
  /// - Parameter outcome: `ok` or what ended the run; nil while it goes on.
  func write(_ progress: RunProgress, outcome: String?) throws {
    let counts = progress.counts
    let numbers = [
      counts.read, counts.inserted, counts.updated, counts.unchanged, counts.ignored, counts.folded,
      counts.rejected,
      progress.chunks, progress.bytes,
    ]
    for (index, number) in numbers.enumerated() { update.bind(number, at: Int32(index + 1)) }
    if let token = progress.token { update.bind(token.number, at: 10) } else { update.bindNull(at: 10) }
    update.bind(outcome == nil ? nil : timestamp(), at: 11)
    update.bind(outcome, at: 12)
    update.bind(counts.repeated, at: 13)
    try update.run()
  }

  /// Keeps a refused record. The same one again is the same row, with its last place and a count.
  func write(_ reject: Reject) throws {
    insertReject.bind(pipeline, at: 1)
    insertReject.bind(fingerprint(reject), at: 2)
    insertReject.bind(run, at: 3)
    insertReject.bind(reject.code, at: 4)
    insertReject.bind(reject.message, at: 5)
    insertReject.bind(reject.attribute, at: 6)
    insertReject.bind(reject.input, at: 7)
    for (index, number) in [reject.record, reject.byte, reject.line, reject.column].enumerated() {
      insertReject.bind(number, at: Int32(8 + index))
    }
    insertReject.bind(reject.text, at: 12)
    try insertReject.run()
  }

  /// FNV-1a over code, attribute and text. Without its text a record is known by its place.
  private func fingerprint(_ reject: Reject) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let place = reject.text ?? "\(reject.input):\(reject.record)"
    for part in [reject.code, reject.attribute ?? "", place] {
      for byte in part.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      hash = (hash ^ 0xff) &* 0x100_0000_01b3
    }
    return Int64(bitPattern: hash)
  }
}

/// What a run has done so far.
public struct RunProgress: Sendable, Hashable {
  /// The counts of all its chunks.
  public var counts = ChunkCounts()
  /// How many chunks were applied.
  public var chunks = 0
  /// How many bytes of input they came from; of a compressed input, compressed.
  public var bytes = 0
  /// The newest token; nil when nothing has changed.
  public var token: HistoryToken?

  /// Makes the progress of a run that has done nothing yet.
  public init() {}
}
