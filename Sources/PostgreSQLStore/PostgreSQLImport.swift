internal import ChunkMerging
internal import Foundation
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// One run's writing side: sessions of its own from the first chunk to the run's end. Used by one thread, but for what its workers
/// do side by side.
///
///     chunk ─┬─ part ── worker: session, transaction ─┐
///            ├─ part ── worker: session, transaction ─┼─ the run's row, one commit after another
///            └─ part ── worker: session, transaction ─┘
///
/// Records of one key are always in the same part. Where there is one worker, it applies the chunk itself.
final class PostgreSQLImport: ImportSession {
  let layout: ChunkLayout
  let run: Int64
  var progress = RunProgress()
  private(set) var expiredReaders: [String] = []
  var isCommitted = false
  var undecided: HistoryToken?

  let engine: PostgreSQLEngine
  let pipeline: Pipeline
  private let input: String
  private let stopsOnReject: Bool
  let stored: StoredModel
  /// One at least. The first one's session holds the pipeline's lock, and is that of all that one alone does.
  let workers: [ImportWorker]
  /// For each worker its part of the chunk; none where there is one worker.
  private let parts: [Chunk]
  /// Held while a worker ends its transaction: what all of them write to is behind it. One that the Thread Sanitizer sees.
  let turn = NSLock()
  var log: RunLog
  let rejects: RejectLog
  /// Nil where no input is skipped.
  var inputs: KnownInputs?
  /// What the chunk did that was applied last, without parts.
  private(set) var applied = AppliedChunk()
  /// What a full feed brought and did not land.
  private(set) var rejected = RejectedOfRun()
  /// Whether `atomically` has its transaction open.
  var isOpen = false
  var isRolledBack = false
  /// The server was lost, and did not come back in time.
  var isGone = false
  /// The rejected records of an atomic import, for the case that it is rolled back.
  var kept: [RejectedRecord] = []

  /// - Parameters:
  ///   - lock: the pipeline's, in whose session the import works; nil where nobody has taken it.
  ///   - others: the sessions of further workers.
  ///   - word: the run's first.
  init(
    _ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ lock: AdvisoryLock?,
    _ others: [PostgreSQLConnection], _ pipeline: Pipeline, input: String, stopsOnReject: Bool, word: String,
    sameJSON: @escaping ChunkLayout.TextEquality
  ) throws {
    (self.engine, self.pipeline, self.input, self.stopsOnReject) = (engine, pipeline, input, stopsOnReject)
    let stored = try StoredModel(connection, engine.address)
    self.stored = stored
    if stored.model.entities.isEmpty { throw StoreError.noStoreThere(engine.path) }
    var layout = ChunkLayout(pipeline, model: stored.model)
    layout.digestKey = stored.digestKey
    layout.sameJSON = sameJSON
    layout.limit(to: PostgreSQLEngine.engineName, stored.model, indexedBytes: EntityTable.indexedBytes)
    layout.partCount = 1 + others.count
    self.layout = layout
    workers =
      [ImportWorker(connection, lock, pipeline, layout, stored)]
      + others.map { ImportWorker($0, nil, pipeline, layout, stored) }
    parts = others.isEmpty ? [] : workers.map { _ in Chunk(layout: layout) }
    log = try RunLog(connection, pipeline, input: input, word: word)
    run = log.run
    rejects = try RejectLog(connection, pipeline: pipeline.name, run: run, bounds: layout.rejectBounds)
    progress.children = main.childCounts
  }

  /// The worker of all that one alone does.
  var main: ImportWorker { workers[0] }
  var connection: PostgreSQLConnection { main.connection }

  var times: StageTimes {
    get { main.writer.times }
    set { main.writer.times = newValue }
  }

  func apply(_ chunk: Chunk, bytes: Int) throws {
    try engine.address.telling {
      if !self.parts.isEmpty {
        try self.applyParts(of: chunk, bytes: bytes)
      } else if self.stopsOnReject, !self.isOpen {
        try self.applyToFirstReject(chunk, bytes: bytes)
      } else {
        try self.apply(chunk, by: self.main, bytes: bytes)
      }
    }
    noteInputs(chunk)
    times.end(.commit)
  }

  func finish(
    outcome: String, bytes: Int, read identity: InputIdentity?, inputs: [InputFacts?], fields: FieldsRead,
    isComplete: Bool
  ) throws {
    progress.bytes = bytes
    connection.isCancelled = { false }
    try engine.address.telling {
      try self.repeating(nil, by: self.main) {
        try self.committing(by: self.main) {
        } ending: { word, _ in
          if self.isRolledBack { for reject in self.kept { try self.rejects.write(reject) } }
          if !self.isRolledBack { self.progress.missing = try self.missingNow(isComplete: isComplete) }
          if self.progress.token != nil {
            self.progress.nullTotals = try self.nullTotals()
          }
          try self.log.write(self.progress, self.connection, word: word, outcome: outcome)
          if let identity { try self.log.write(identity, self.connection) }
          if outcome == RunOutcome.good { try self.writeInputs(inputs) }
          let log = FieldLog(connection: self.connection, pipeline: self.pipeline.name)
          try log.write(fields, run: self.run, of: self.pipeline.entity, isGood: outcome == RunOutcome.good)
          // A replay tells what is still kept.
          if outcome == RunOutcome.good, self.input != RunOutcome.replay { try self.rejects.close() }
          try self.rejects.forget(self.layout.rejectBounds)
        }
      }
      self.undecided = nil
    }
    if outcome == RunOutcome.good, !connection.isTrial {
      expiredReaders = try engine.pruneBriefly(pipeline.history)
    }
  }

  /// The sums beyond their range, where the run has made one so.
  private func nullTotals() throws -> NullTotals {
    let new = try NullTotals(connection, stored, changedBy: run)
    return new.count > 0 ? try NullTotals(connection, stored) : new
  }

  func changedSinceLastGoodRun() throws -> RowShare? {
    try asking {
      try LastGoodRun(self.connection, self.stored, pipeline: self.pipeline.name)?.changed(
        self.layout, self.seen(by: 0))
    }
  }

  /// The objects whose keys the run has met.
  ///
  /// - Parameter writer: a place among each worker's writers.
  func seen(by writer: Int) -> ObjectSet {
    var seen = main.writers[writer].seen
    for worker in workers.dropFirst() { seen.formUnion(worker.writers[writer].seen) }
    return seen
  }

  // MARK: Replay

  func replay(_ chunk: Chunk, _ kept: [[KeptReject]], rows: [Int64]) throws {
    // A record whose key could not be read when it was rejected makes a row, and changes none: a later one may have
    // brought that key.
    let keyless = Set(kept.lazy.compactMap(\.first).filter { $0.reject.key == nil }.map(\.number))
    chunk.flushBatch()
    try engine.address.telling {
      var left: Set<Int> = []
      try self.repeating(nil, by: self.main) {
        try self.transact(by: self.main) {
          let unsure = chunk.order.filter { row in
            keyless.contains(rows[Int(row)])
              && self.layout.keyColumns.allSatisfy { chunk.state($0, Int(row)) == .value }
          }
          let known = unsure.isEmpty ? nil : try StoredRows(self.connection, self.layout, chunk, unsure)
          left = Set(unsure.filter { known?.tuple($0) != nil }.map(Int.init))
        } ending: { _ in
        }
      }
      chunk.leaveOut(left.contains)
      chunk.sortAndFold()
      try self.repeating(chunk, by: self.main) {
        try self.transact(by: self.main) {
          try self.main.apply(
            chunk, without: left, retrying: kept.children(rows: rows), input: self.input)
        } ending: { counts in
          self.progress.add(counts)
          try self.rejects.record(kept, chunk.allRejects, left: Set(left.map { rows[$0] }))
        }
      }
    }
  }

  // MARK: Chunks

  private func apply(_ chunk: Chunk, by worker: ImportWorker, bytes: Int) throws {
    try repeating(chunk, by: worker) { try write(chunk, by: worker, bytes: bytes) }
    rejected.note(chunk)
  }

  /// - Parameter most: so many rejected records at most may the chunk have then.
  private func write(
    _ chunk: Chunk, by worker: ImportWorker, bytes: Int, rejecting most: Int = .max
  ) throws {
    // Every key was read, also those of rows that are left alone.
    let rows = chunk.order
    try transact(by: worker) {
      var applied = AppliedChunk()
      // Before a row is compared: what is committed behind this may be seen or not.
      if let inputs { applied.start = try inputs.lastNumber() }
      applied.counts = try worker.apply(chunk, input: input)
      if chunk.rejectCount > most { throw NewReject() }
      return applied
    } ending: { applied in
      self.applied = applied
      progress.add(applied.counts)
      try rejects.write(chunk, rows) { if isOpen { kept.append($0) } }
      progress.unkept = rejects.unkept
      progress.bytes = bytes
    }
  }

  /// Applies a chunk's records side by side, and before them what was rejected already.
  private func applyParts(of chunk: Chunk, bytes: Int) throws {
    chunk.move(to: parts)
    if !chunk.isEmpty { try apply(chunk, by: main, bytes: bytes) }
    try WorkThread.runSideBySide(parts.count, "bolide writing") { [parts, workers] place in
      let (part, worker) = (parts[place], workers[place])
      if part.isEmpty { return }
      try self.repeating(part, by: worker) { try self.write(part, by: worker, bytes: bytes) }
    }
    for part in parts {
      rejected.note(part)
      chunk.takeRejects(of: part)
    }
  }

  /// Applies a chunk that ends with its first rejected record.
  private func applyToFirstReject(_ chunk: Chunk, bytes: Int) throws {
    while true {
      let (known, orders, memory) = (chunk.rejectCount, chunk.orders, main.memory)
      do {
        try repeating(chunk, by: main) { try write(chunk, by: main, bytes: bytes, rejecting: known) }
        return rejected.note(chunk)
      } catch is NewReject {
        // A row was rejected only now: the chunk is taken back, and applied as far as that row.
        main.memory = memory
        chunk.orders = orders
        chunk.cutAfterFirstReject()
      }
    }
  }
}

/// A row was rejected that must not be.
private struct NewReject: Error {}
