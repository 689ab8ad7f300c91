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
  private(set) var isCommitted = false
  private(set) var undecided: HistoryToken?

  let engine: PostgreSQLEngine
  let connection: PostgreSQLConnection
  let pipeline: Pipeline
  private let input: String
  let stored: StoredModel
  private let transaction: WriteTransaction
  let writer: ChunkWriter
  private let children: [ChildWriter]
  private let log: RunLog
  private let rejects: RejectLog
  /// What a full feed brought and did not land.
  private(set) var rejected = RejectedOfRun()
  /// Whether `atomically` has its transaction open.
  private(set) var isOpen = false
  private var isRolledBack = false
  /// The rejected records of an atomic import, for the case that it is rolled back.
  private var kept: [RejectedRecord] = []

  init(
    _ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ pipeline: Pipeline, input: String,
    sameJSON: @escaping ChunkLayout.TextEquality
  ) throws {
    (self.engine, self.connection, self.pipeline, self.input) = (engine, connection, pipeline, input)
    let stored = try StoredModel(connection, engine.address)
    self.stored = stored
    if stored.model.entities.isEmpty { throw StoreError.noStoreThere(engine.path) }
    var layout = ChunkLayout(pipeline, model: stored.model)
    layout.digestKey = SipHash.Key(Array(stored.id.utf8))
    layout.sameJSON = sameJSON
    self.layout = layout
    transaction = WriteTransaction(connection: connection, stored: stored)
    writer = ChunkWriter(connection, layout: layout, stored: stored)
    children = pipeline.children.indices.map {
      ChildWriter(connection, pipeline, $0, layout: layout, stored: stored)
    }
    log = try RunLog(connection, pipeline, input: input)
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
      try self.repeating(chunk) {
        try (self.isOpen ? self.savepoint : self.transact) { try self.write(chunk, bytes: bytes) }
      }
    }
    rejected.note(chunk)
    writer.times.end(.commit)
  }

  func atomically(_ body: () throws -> Bool) throws -> Bool {
    try engine.address.telling {
      self.isOpen = true
      defer { self.isOpen = false }
      do {
        try self.connection.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        try self.transaction.begin(notesRuns: true)
        guard try body() else {
          self.undo()
          return false
        }
        try self.end()
        self.isCommitted = true
        return true
      } catch {
        self.undo()
        throw error
      }
    }
  }

  private func undo() {
    connection.rollBack()
    isRolledBack = true
    progress.rollBack()
  }

  func finish(
    outcome: String, bytes: Int, read identity: InputIdentity?, inputs: [InputFacts?], fields: FieldsRead,
    isComplete: Bool
  ) throws {
    progress.bytes = bytes
    connection.isCancelled = { false }
    try engine.address.telling {
      try self.connection.inTransaction {
        if self.isRolledBack { try self.rejects.write(self.kept) }
        if isComplete, !self.isRolledBack { self.progress.missing = try self.missingNow() }
        try self.log.write(self.progress, outcome: outcome)
        if let identity { try self.log.write(identity) }
        let log = FieldLog(connection: self.connection, pipeline: self.pipeline.name)
        try log.write(fields, run: self.run, isGood: outcome == RunOutcome.good)
      }
      self.undecided = nil
    }
    if outcome == RunOutcome.good { expiredReaders = try engine.pruneBriefly(pipeline.history) }
  }

  // MARK: Inputs

  func knownInputs(rules: [UInt8]) -> [KnownInput] { [] }
  func skip(_ input: KnownInput) -> Bool { false }

  func changedSinceLastGoodRun() throws -> RowShare? {
    try engine.address.telling {
      try LastGoodRun(self.connection, self.stored, pipeline: self.pipeline.name)?.changed(
        self.layout, self.writer.memory.seen)
    }
  }

  // MARK: Replay

  func replay(_ chunk: Chunk, _ kept: [[KeptReject]], rows: [Int64]) throws {
    // A record whose key could not be read when it was rejected makes a row, and changes none: a later one may have
    // brought that key.
    let keyless = Set(kept.lazy.compactMap(\.first).filter { $0.reject.key == nil }.map(\.number))
    func tryAgain() throws {
      chunk.flushBatch()
      let unsure = chunk.order.filter { row in
        keyless.contains(rows[Int(row)])
          && layout.keyColumns.allSatisfy { chunk.state($0, Int(row)) == .value }
      }
      let known = unsure.isEmpty ? nil : try StoredRows(connection, layout, chunk, unsure)
      let left = Set(unsure.filter { known?.tuple($0) != nil }.map(Int.init))
      chunk.leaveOut(left.contains)
      chunk.sortAndFold()
      try applyAll(chunk, without: left)
      try rejects.record(kept, chunk.allRejects, left: Set(left.map { rows[$0] }))
    }
    try engine.address.telling { try self.isOpen ? tryAgain() : self.transact(tryAgain) }
  }

  // MARK: Transactions

  /// One transaction: what `body` applies, its number, and the run's row.
  func transact(_ body: () throws -> Void) throws {
    let before = progress
    do {
      try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
      try transaction.begin(notesRuns: true)
      try body()
      try end()
    } catch {
      connection.rollBack()
      progress = before
      throw error
    }
  }

  private func end() throws {
    let token = try transaction.end(
      author: pipeline.author ?? pipeline.name, pipeline: pipeline.name, run: run)
    progress.token = token ?? progress.token
    try log.write(progress, outcome: nil)
    if isOpen { undecided = token }
    try connection.run("COMMIT")
    undecided = nil
  }

  /// A part of the open transaction, which alone is taken back where another writer was faster.
  private func savepoint(_ body: () throws -> Void) throws {
    let before = (progress, kept)
    try connection.run("SAVEPOINT bolide_chunk")
    do {
      try body()
    } catch {
      if error.mayBeRepeated { try connection.run("ROLLBACK TO bolide_chunk") }
      (progress, kept) = before
      throw error
    }
    try connection.run("RELEASE bolide_chunk")
  }

  /// A conflict with another writer is met again and again only where somebody works on the same rows all the time.
  private static let tries = 50

  /// Applies a chunk again where another writer was faster.
  private func repeating(_ chunk: Chunk, _ body: () throws -> Void) throws {
    let before = ChunkState(chunk)
    let (memory, kept) = (memory, rejects.memory)
    for number in 1... {
      do {
        return try body()
      } catch {
        guard number < Self.tries, error.mayBeRepeated else {
          throw error is ChunkConflict ? StoreError.busyRows(engine.path) : error
        }
        before.restore(chunk)
        (self.memory, rejects.memory) = (memory, kept)
      }
    }
  }

  private var memory: [(seen: ObjectSet, made: ObjectSet?)] {
    get { writers.map(\.memory) }
    set { for (writer, memory) in zip(writers, newValue) { writer.memory = memory } }
  }

  var writers: [ChunkWriter] { [writer] + children.flatMap(\.writers) }

  // MARK: Chunks

  private func write(_ chunk: Chunk, bytes: Int) throws {
    // Every key was read, also those of rows that are left alone.
    let rows = chunk.order
    try applyAll(chunk)
    if isOpen { kept += chunk.allRejects }
    try rejects.write(chunk, rows)
    progress.unkept = rejects.unkept
    progress.bytes = bytes
  }

  /// Applies a chunk, and behind it its children.
  ///
  /// - Parameter left: rows that were taken out of it.
  private func applyAll(_ chunk: Chunk, without left: Set<Int> = []) throws {
    let now = timestamp()
    progress.counts += try writer.apply(chunk, now: now, input: input)
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
      for counts in try writing.apply(rows, of: holder ?? records, in: chunk, now: now, input: input) {
        progress.children[index].counts += counts
        index += 1
      }
    }
    progress.chunks += 1
  }
}

extension Error {
  /// Whether the same may work when it is done again: another writer was in the way.
  fileprivate var mayBeRepeated: Bool {
    if let error = self as? PostgreSQLError { return error.mayBeRepeated || error.state == "23505" }
    return self is ChunkConflict
  }
}

/// What of a chunk changes while it is applied.
private struct ChunkState {
  private let orders: [[Int32]]
  private let rejects: [[RejectedRecord]]
  private let counts: (duplicates: Int, superseded: Int)
  private let read: [Int]
  private let absent: [[(column: Int, row: Int)]]

  init(_ chunk: Chunk) {
    orders = chunk.orders
    let all = [chunk] + chunk.children
    rejects = all.map(\.rejects)
    counts = (chunk.duplicates, chunk.superseded)
    read = all.map(\.recordsRead)
    // New rows take defaults: what is not said may be there the next time.
    absent = all.map { chunk in
      let columns = (0..<chunk.layout.storedCount).filter {
        chunk.layout.columns[$0].attribute.defaultValue != nil
      }
      return columns.flatMap { column in
        chunk.order.lazy.map(Int.init).filter { chunk.state(column, $0) == .absent }.map { (column, $0) }
      }
    }
  }

  func restore(_ chunk: Chunk) {
    chunk.orders = orders
    (chunk.duplicates, chunk.superseded) = counts
    for (place, chunk) in ([chunk] + chunk.children).enumerated() {
      chunk.rejects = rejects[place]
      chunk.recordsRead = read[place]
      for (column, row) in absent[place] { chunk.set(.absent, 0, column, row) }
    }
  }
}
