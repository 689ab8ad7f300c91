internal import ChunkMerging
internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface
internal import TypedRows

/// One run's writing side: a session of its own from the first chunk to the run's end. Used by one thread.
final class PostgreSQLImport: ImportSession {
  let layout: ChunkLayout
  let run: Int64
  var progress = RunProgress()
  private(set) var expiredReaders: [String] = []
  var isCommitted = false
  var undecided: HistoryToken?

  let engine: PostgreSQLEngine
  let connection: PostgreSQLConnection
  /// The pipeline's lock, which is of the same session.
  let lock: AdvisoryLock?
  let pipeline: Pipeline
  private let input: String
  private let stopsOnReject: Bool
  let stored: StoredModel
  var transaction: WriteTransaction
  let writer: ChunkWriter
  private let children: [ChildWriter]
  var log: RunLog
  let rejects: RejectLog
  /// Nil where no input is skipped.
  var inputs: KnownInputs?
  /// What the chunk that was applied last did, and how far history went before.
  private(set) var applied: (start: Int64, counts: [ChunkCounts]) = (0, [])
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
  ///   - word: the run's first.
  init(
    _ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ lock: AdvisoryLock?,
    _ pipeline: Pipeline, input: String, stopsOnReject: Bool, word: String,
    sameJSON: @escaping ChunkLayout.TextEquality
  ) throws {
    self.stopsOnReject = stopsOnReject
    (self.engine, self.connection, self.lock, self.pipeline, self.input) = (
      engine, connection, lock, pipeline, input
    )
    let stored = try StoredModel(connection, engine.address)
    self.stored = stored
    if stored.model.entities.isEmpty { throw StoreError.noStoreThere(engine.path) }
    var layout = ChunkLayout(pipeline, model: stored.model)
    layout.digestKey = stored.digestKey
    layout.sameJSON = sameJSON
    self.layout = layout
    transaction = WriteTransaction(connection: connection, stored: stored)
    writer = ChunkWriter(connection, layout: layout, stored: stored)
    children = pipeline.children.indices.map {
      ChildWriter(connection, pipeline, $0, layout: layout, stored: stored)
    }
    log = try RunLog(connection, pipeline, input: input, word: word)
    run = log.run
    rejects = try RejectLog(connection, pipeline: pipeline.name, run: run, bounds: layout.rejectBounds)
    progress.children = children.flatMap(\.counts)
  }

  deinit { connection.rollBack() }

  var times: StageTimes {
    get { writer.times }
    set { writer.times = newValue }
  }

  func apply(_ chunk: Chunk, bytes: Int) throws {
    try engine.address.telling {
      if self.stopsOnReject, !self.isOpen { return try self.applyToFirstReject(chunk, bytes: bytes) }
      try self.repeating(chunk) {
        try (self.isOpen ? self.savepoint : self.transact) { try self.write(chunk, bytes: bytes) }
      }
    }
    noteInputs(chunk)
    rejected.note(chunk)
    writer.times.end(.commit)
  }

  func finish(
    outcome: String, bytes: Int, read identity: InputIdentity?, inputs: [InputFacts?], fields: FieldsRead,
    isComplete: Bool
  ) throws {
    progress.bytes = bytes
    connection.isCancelled = { false }
    try engine.address.telling {
      try self.repeating(nil) {
        try self.committing { word in
          if self.isRolledBack { for reject in self.kept { try self.rejects.write(reject) } }
          if isComplete, !self.isRolledBack { self.progress.missing = try self.missingNow() }
          try self.log.write(self.progress, word: word, outcome: outcome)
          if let identity { try self.log.write(identity) }
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

  func changedSinceLastGoodRun() throws -> RowShare? {
    try asking {
      try LastGoodRun(self.connection, self.stored, pipeline: self.pipeline.name)?.changed(
        self.layout, self.writer.memory.seen)
    }
  }

  // MARK: Replay

  func replay(_ chunk: Chunk, _ kept: [[KeptReject]], rows: [Int64]) throws {
    // A record whose key could not be read when it was rejected makes a row, and changes none: a later one may have
    // brought that key.
    let keyless = Set(kept.lazy.compactMap(\.first).filter { $0.reject.key == nil }.map(\.number))
    let inTransaction = isOpen ? savepoint : transact
    chunk.flushBatch()
    try engine.address.telling {
      var left: Set<Int> = []
      try self.repeating(nil) {
        try inTransaction {
          let unsure = chunk.order.filter { row in
            keyless.contains(rows[Int(row)])
              && self.layout.keyColumns.allSatisfy { chunk.state($0, Int(row)) == .value }
          }
          let known = unsure.isEmpty ? nil : try StoredRows(self.connection, self.layout, chunk, unsure)
          left = Set(unsure.filter { known?.tuple($0) != nil }.map(Int.init))
        }
      }
      chunk.leaveOut(left.contains)
      chunk.sortAndFold()
      try self.repeating(chunk) {
        try inTransaction {
          try self.applyAll(chunk, without: left)
          try self.rejects.record(kept, chunk.allRejects, left: Set(left.map { rows[$0] }))
        }
      }
    }
  }

  var memory: [(seen: ObjectSet, made: ObjectSet?)] {
    get { writers.map(\.memory) }
    set { for (writer, memory) in zip(writers, newValue) { writer.memory = memory } }
  }

  var writers: [ChunkWriter] { [writer] + children.flatMap(\.writers) }

  // MARK: Chunks

  private func write(_ chunk: Chunk, bytes: Int) throws {
    // Every key was read, also those of rows that are left alone.
    let rows = chunk.order
    // Before a row is compared: what is committed behind this may be seen or not.
    if let inputs { applied.start = try inputs.lastNumber() }
    try applyAll(chunk)
    try rejects.write(chunk, rows) { if isOpen { kept.append($0) } }
    progress.unkept = rejects.unkept
    progress.bytes = bytes
  }

  /// Applies a chunk that ends with its first rejected record.
  private func applyToFirstReject(_ chunk: Chunk, bytes: Int) throws {
    struct NewReject: Error {}
    while true {
      let (known, orders) = (chunk.rejectCount, chunk.orders)
      let (memory, kept) = (memory, rejects.memory)
      do {
        return try repeating(chunk) {
          try transact {
            try write(chunk, bytes: bytes)
            if chunk.rejectCount > known { throw NewReject() }
          }
        }
      } catch is NewReject {
        // A row was rejected only now: the chunk is taken back, and applied as far as that row.
        (self.memory, rejects.memory) = (memory, kept)
        chunk.orders = orders
        chunk.cutAfterFirstReject()
      }
    }
  }

  /// Applies a chunk, and behind it its children.
  ///
  /// - Parameter left: rows that were taken out of it.
  private func applyAll(_ chunk: Chunk, without left: Set<Int> = []) throws {
    let now = timestamp()
    applied.counts = [try writer.apply(chunk, now: now, input: input)]
    progress.counts += applied.counts[0]
    let records = ChildWriter.Holder(
      chunk: chunk, writer: writer, leftOut: left, leftAlone: writer.setAside)
    var index = 0
    for (rows, writing) in zip(chunk.children, children) {
      let holder = writing.layout.within.map { list in
        let holding = children[list]
        return ChildWriter.Holder(
          chunk: chunk.children[list], writer: holding.writer, leftOut: holding.leftOut,
          leftAlone: holding.leftAlone)
      }
      let counts = try writing.apply(rows, of: holder ?? records, in: chunk, now: now, input: input)
      applied.counts.append(counts[0])
      for counts in counts {
        progress.children[index].counts += counts
        index += 1
      }
    }
    progress.chunks += 1
  }
}
