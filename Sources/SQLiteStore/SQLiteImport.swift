internal import ChunkMerging
internal import CSQLiteShims
internal import GRDB
package import ImportModel
internal import ModelMerging
package import StoreInterface
package import TypedRows

/// One run's writing side: owns the store's writing connection from the first chunk to the run's end.
///
///     apply, apply, …                    a transaction a chunk
///     atomically { apply, apply, … }     one transaction
///     finish
///
/// Used by one thread.
package final class SQLiteImport: ImportSession {
  /// Which columns the chunks have.
  package let layout: ChunkLayout
  /// What was done so far.
  package internal(set) var progress = RunProgress()

  private let store: SQLiteEngine
  let pipeline: Pipeline
  private let settings: ImportSettings
  private let isCancelled: @Sendable () -> Bool
  private let input: String
  private let author: String
  let log: RunLog
  let rejectLog: RejectLog
  private var rejectedKeys: RejectedKeys
  let writer: ChunkWriter
  let children: [ChildWriter]
  let rowFinder: RowFinder
  /// Nil where the feed is not full.
  var seenLog: PresenceTracker?
  /// Nil where no input is skipped.
  var inputs: KnownInputs?
  private let writeAheadLog: WriteAheadLog
  /// Whether triggers that are not Bolide's stand on a table: then all triggers fire, and do the chunk writer's work.
  private let triggersFire: Bool
  /// The connection while `atomically` has its transaction open.
  var open: Database?
  /// Keeps the rejects of an atomic import for the case that it is rolled back.
  private var spool: RejectSpool?
  /// The instant of the chunk under way.
  let clock: ChunkClock
  /// Named readers from whom the run's end has taken history that they had not seen.
  package private(set) var expiredReaders: [String] = []
  /// An atomic import did not come to a good end.
  private(set) var isRolledBack = false
  /// An atomic import was committed.
  package private(set) var isCommitted = false
  /// The token of an atomic import whose commit ended with an error, while nothing was committed since: SQLite finds out at
  /// the next opening whether the commit has come as far as the file.
  package private(set) var undecided: HistoryToken?

  /// Begins a run.
  ///
  /// - Parameters:
  ///   - settings: those that hold for this run.
  ///   - sameJSON: whether two texts of a json attribute say the same; the stored one stays then.
  ///   - clock: the present instant, as `timestamp()` gives it, for attributes that are derived from it.
  ///   - isCancelled: asked while another program holds the store.
  package init(
    _ store: SQLiteEngine, _ pipeline: Pipeline, input: String, settings: ImportSettings = ImportSettings(),
    sameJSON: @escaping ChunkLayout.TextEquality = { $0.elementsEqual($1) },
    clock: @escaping () -> String = { timestamp() }, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws {
    self.store = store
    self.pipeline = pipeline
    self.settings = settings
    self.isCancelled = isCancelled
    self.input = input
    author = pipeline.author ?? pipeline.name
    seenLog = pipeline.feed == .full ? PresenceTracker(pipeline: pipeline.name) : nil
    writeAheadLog = WriteAheadLog(store: store.path, limit: settings.walLimit)
    let chunkClock = ChunkClock(clock)
    self.clock = chunkClock
    (layout, log, rejectLog, rejectedKeys, writer, children, rowFinder, triggersFire) = try store.writing(
      waiting: settings.lockWait, isCancelled: isCancelled
    ) { db in
      try Connection.keep(settings.budget.within(MemoryLimit.ofProcess).pageCache, ofPagesOf: db)
      // What came before the run is not the run's: a file is known again by what came after its beginning.
      let model = try SQLiteEngine.prepareToWrite(db, restoringTriggers: false).model
      if model.entities.isEmpty { throw StoreError.noModel }
      var layout = ChunkLayout(pipeline, model: model)
      layout.digestKey = try SipHash.Key(db)
      layout.sameJSON = sameJSON
      let log = try RunLog(db, pipeline, input: input)
      let triggersFire = try Triggers.foreign(db, model: model) != nil
      let rowFinder = try RowFinder(db, layout: layout)
      let indexes = DeferredIndexes(
        db, model: model,
        plan: try DerivedPlan(model, PropertyNumbers(db, model: model, creating: false)),
        leastRows: settings.deferredIndexRows)
      func statements() throws -> (ChunkWriter, [ChildWriter]) {
        let writer = try ChunkWriter(
          db, layout: layout, model: model, indexes: indexes, triggersWrite: triggersFire,
          clock: chunkClock.now)
        let children = try pipeline.children.indices.map {
          try ChildWriter(
            db, pipeline, $0, layout: layout, model: model, beside: writer, triggersWrite: triggersFire,
            clock: chunkClock.now)
        }
        return (writer, children)
      }
      // Where no trigger will fire, SQLite need not read what they would do.
      let (writer, children) = try triggersFire ? statements() : Triggers.silenced(db, statements)
      return (
        layout, log,
        try RejectLog(
          db, pipeline: pipeline.name, run: log.run, key: layout.digestKey, bounds: layout.rejectBounds),
        try RejectedKeys(db, pipeline: pipeline.name),
        writer, children, rowFinder, triggersFire
      )
    }
    progress.children = children.flatMap(\.counts)
  }

  /// The run's number in the store.
  package var run: Int64 { log.run }

  /// What the stages took so far; the caller ends `waitingForChunks`.
  package var times: StageTimes {
    get { writer.times }
    set { writer.times = newValue }
  }

  /// Applies one chunk, in a transaction of its own or in the one that `atomically` has open.
  ///
  /// A chunk that changes nothing and rejects nothing writes nothing; its counts come with the next one. Where the
  /// import stops at a rejected record, the chunk is cut behind it.
  package func apply(_ chunk: Chunk, bytes: Int) throws {
    if open != nil { return _ = try write(chunk, bytes: bytes) }
    try writing { db in
      guard settings.stopsOnReject else { return try applyWhole(chunk, bytes: bytes, db) }
      var isWhole = false
      while !isWhole {
        let (known, orders, memory) = (chunk.rejectCount, chunk.orders, memory)
        try transact(db) {
          _ = try write(chunk, bytes: bytes)
          isWhole = chunk.rejectCount == known
          return isWhole
        }
        if isWhole { continue }
        // A row was rejected only now: the chunk is taken back, and applied as far as that row.
        self.memory = memory
        chunk.orders = orders
        chunk.cutAfterFirstReject()
      }
    }
    writer.times.end(.commit)
    // Outside the transaction: what is committed stays.
    try writing { try writeAheadLog.hold($0) }
  }

  private func applyWhole(_ chunk: Chunk, bytes: Int, _ db: Database) throws {
    writer.mayTrust = true
    defer { writer.mayTrust = false }
    do {
      try transact(db) { try write(chunk, bytes: bytes) }
    } catch is ChunkWriter.RowsExist {
      try transact(db) { try write(chunk, bytes: bytes) }
    }
  }

  /// Runs `body`, which applies chunks, in one transaction. Other users of the store's writer wait meanwhile.
  ///
  /// - Returns: what `body` says: whether to keep what it did.
  package func atomically(_ body: () throws -> Bool) throws -> Bool {
    spool = try RejectSpool(pipeline: pipeline.name, run: run, key: layout.digestKey)
    return try writing { db in
      open = db
      defer { open = nil }
      return try transact(db, body)
    }
  }

  /// Ends the run.
  ///
  /// - Parameters:
  ///   - outcome: `ok`, or the code of what ended it.
  ///   - bytes: input bytes taken in all.
  ///   - read: what the input was, if it was read to its end and is known by that again.
  ///   - inputs: the same of each of several; none unless the run is good.
  ///   - fields: what the records had of fields.
  ///   - isComplete: the input was read to its end, and all of it was applied.
  package func finish(
    outcome: String, bytes: Int, read identity: InputIdentity? = nil, inputs: [InputFacts?] = [],
    fields: FieldsRead = FieldsRead(), isComplete: Bool = false
  ) throws {
    progress.bytes = bytes
    // A stopped import still records its run, if the store is free within a moment.
    let wait = isCancelled() ? min(settings.lockWait, 1) : settings.lockWait
    try store.writing(waiting: wait, isCancelled: { false }) { db in
      // The rows are there, whatever becomes of the indexes.
      let built = Result { try writer.indexes.end() }
      writer.times.end(.rows)
      try db.inTransaction(.immediate) {
        if isRolledBack { try spool?.copy(to: rejectLog) }
        if !isRolledBack { progress.missing = try missingNow(db, isComplete: isComplete) }
        if writers.contains(where: \.sawNullTotal) {
          let model = try ModelRecord(db).model
          progress.nullTotals = try NullTotals(db, model)
        }
        try log.write(progress, outcome: outcome)
        if let identity { try log.write(identity) }
        if outcome == RunOutcome.good { try self.inputs?.write(inputs) }
        try FieldLog.write(db, fields, run: run, of: pipeline, isGood: outcome == RunOutcome.good)
        // A replay tells what is still kept.
        if outcome == RunOutcome.good, input != RunOutcome.replay {
          try RejectAge.close(db, rejectLog.texts, pipeline: pipeline.name, before: run)
        }
        try RejectAge.forget(db, rejectLog.texts, bounds: layout.rejectBounds)
        return .commit
      }
      undecided = nil
      for writer in writers { try writer.close() }
      try Connection.keep(ofPagesOf: db)
      try built.get()
    }
    if outcome == RunOutcome.good { expiredReaders = try store.pruneBriefly(pipeline.history) }
    // Whoever reads or writes now need not be waited for.
    do {
      try store.writing(waiting: 0, isCancelled: { true }) { db in _ = writeAheadLog.empty(db) }
    } catch let error as StoreError where error.code == .busy {}
  }

  func writing<Result>(_ body: (Database) throws -> Result) throws -> Result {
    try store.writing(waiting: settings.lockWait, isCancelled: isCancelled, body)
  }

  /// One transaction: the history around what `body` applies, and the run's row.
  ///
  /// - Returns: what `body` says: whether to keep what it did.
  @discardableResult
  func transact(_ db: Database, _ body: () throws -> Bool) throws -> Bool {
    let before = (progress, rejectLog.memory)
    var isKept = false
    do {
      // The triggers do for other programs what the chunk writer does here.
      writer.leavesToSQLite(triggersFire)
      defer { writer.leavesToSQLite(true) }
      try db.inTransaction(.immediate) {
        try writer.begin()
        isKept = try body()
        guard isKept else { return .rollback }
        let token = try writer.end(author: author, run: run)
        if open != nil { undecided = token }
        progress.token = token ?? progress.token
        let hasRejects = progress.total.rejected > before.0.total.rejected
        if token != nil || hasRejects { try log.write(progress, outcome: nil) }
        return .commit
      }
    } catch {
      undo(before)
      throw error
    }
    undecided = nil
    isCommitted = isKept && open != nil
    if !isKept { undo(before) }
    return isKept
  }

  /// Only what was committed counts.
  private func undo(_ before: (RunProgress, RejectLog.Memory)) {
    rejectLog.memory = before.1
    guard open != nil else { return progress = before.0 }
    progress.rollBack()
    isRolledBack = true
  }

  private func write(_ chunk: Chunk, bytes: Int) throws -> Bool {
    // Every key was read, also those of rows that are left alone.
    let rows = chunk.order
    clock.advance()
    try applyAll(chunk)
    seenLog?.rejected.note(chunk)
    try rejectedKeys.write(chunk, rows, to: rejectLog) { try spool?.write($0) }
    progress.unkept = rejectLog.memory.unkept
    progress.bytes = bytes
    return true
  }

  /// Applies a chunk, and behind it its children.
  ///
  /// - Parameter retried: children that were rejected before, by their entity.
  func applyAll(
    _ chunk: Chunk, without left: Set<Int> = [], retrying retried: [String: Set<ParentReference>] = [:]
  ) throws {
    let start = try beginInputs()
    var applied = [try writer.apply(chunk, input: input)]
    progress.counts += applied[0]
    var others = [writer]
    let records = ChildWriter.Holder(chunk: chunk, writer: writer, leftOut: left, leftAlone: writer.setAside)
    for (rows, writing) in zip(chunk.children, children) {
      let holder = writing.layout.within.map { list in
        let holding = children[list]
        return ChildWriter.Holder(
          chunk: chunk.children[list], writer: holding.writer, leftOut: holding.leftOut,
          leftAlone: holding.leftAlone)
      }
      let counts = try writing.apply(
        rows, of: holder ?? records, in: chunk, by: writer, behind: others, input: input,
        retried: retried[rows.layout.entity.name, default: []])
      // Behind the records' writer, one for each of the counts.
      for (index, counts) in counts.enumerated() {
        progress.children[others.count - 1 + index].counts += counts
      }
      others += writing.writers
      applied.append(counts[0])
    }
    try noteInputs(chunk, applied, from: start)
    progress.chunks += 1
  }

  /// All writers, in the order in which they apply.
  var writers: [ChunkWriter] { [writer] + children.flatMap(\.writers) }

  /// What the writers remember of earlier chunks, to be put back when a chunk is taken back.
  private var memory: [(seen: ObjectSet, made: ObjectSet?)] {
    get { writers.map(\.memory) }
    set { for (writer, memory) in zip(writers, newValue) { writer.memory = memory } }
  }
}
