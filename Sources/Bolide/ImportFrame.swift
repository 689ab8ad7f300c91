internal import FeedReading
internal import ImportModel
internal import JSONStream
internal import Logging
internal import TypedRows

/// What an import does around its records, wherever they come from: it waits for its turn, fits the store to the
/// pipeline, and ends its run with a line in the log and a report.
struct ImportFrame {
  let store: any StoreEngine
  /// The file's, with the options' settings; while an import runs, with the fields that earlier ones have added.
  private(set) var pipeline: Pipeline
  let options: ImportOptions
  var settings: ImportSettings { pipeline.settings }
  let start = ContinuousClock.now
  /// What earlier runs met of fields; known while an import runs.
  private(set) var memory = FieldMemory()

  init(store: any StoreEngine, pipeline: Pipeline, options: ImportOptions) {
    self.store = store
    self.pipeline = pipeline
    self.options = options
    self.pipeline.settings = options.settings(over: pipeline)
  }

  /// Runs an import to its end, on the calling thread.
  ///
  /// - Parameters:
  ///   - input: what the log calls it.
  ///   - findUnchanged: gives a run that is recorded already, where there is nothing to apply.
  ///   - apply: applies the records; like `findUnchanged`, it is given what this frame has become.
  /// - Throws: `ImportError`, with the report of what was done before.
  func run(
    _ input: String,
    unless findUnchanged: (ImportFrame) throws -> (run: Int64, progress: RunProgress)? = { _ in nil },
    _ apply: (ImportFrame, any ImportSession) -> AppliedRecords
  ) throws(ImportError) -> ImportReport {
    var frame = self
    let cancellation = options.cancellation
    let writing: any ImportSession
    let restored: RepairReport
    let lock: AnyObject
    do {
      let known: (run: Int64, progress: RunProgress)?
      (lock, restored, known) = try cancellation.ending {
        let lock = try store.lock(forPipeline: pipeline.name, waiting: settings.lockWait)
        return (lock, try frame.fitStore(), try findUnchanged(frame))
      }
      if let known { return report(known.run, known.progress, restored) }
      writing = try store.beginImport(
        frame.pipeline, input: input, settings: settings, sameJSON: CanonicalJSON.areEqual,
        isCancelled: { cancellation.isCancelled })
    } catch {
      if cancellation.isCancelled { throw ImportError.cancelledWaiting }
      throw ImportError(error)
    }
    defer { withExtendedLifetime(lock) {} }
    return try frame.end(writing, apply(frame, writing), restored)
  }

  /// Fits the store to the pipeline, with the fields that earlier imports have added, and restores its triggers.
  private mutating func fitStore() throws -> RepairReport {
    try pipeline.check()
    try store.fit(pipeline)
    memory = try store.fieldMemory(of: pipeline)
    if !memory.added.isEmpty {
      pipeline = pipeline.adding(memory.added)
      try pipeline.check()
      try store.fit(pipeline)
    }
    return try store.restoreTriggers()
  }

  /// Ends the run, and reports.
  private func end(
    _ writing: any ImportSession, _ applied: AppliedRecords, _ restored: RepairReport
  ) throws(ImportError) -> ImportReport {
    var reading = applied.reading
    keepWhatFits(&reading.fields.added)
    writing.times.add(reading.times)
    let isTrial = ImportTrial.isRunning
    var failure = applied.failure?.telling(writing.progress.counts, isTrial: isTrial)
    let isGood = settings.rejectLimit.allows(writing.progress.total)
    let outcome = failure?.code ?? (isGood ? RunOutcome.good : RunOutcome.tooManyRejected)
    var stillKept: Int?
    do {
      try writing.finish(
        outcome: outcome, bytes: reading.bytes, read: applied.identity, inputs: applied.inputs,
        fields: reading.fields, isComplete: applied.isComplete)
      if outcome == RunOutcome.good, !reading.fields.added.isEmpty {
        try store.fit(pipeline.adding(reading.fields.added))
      }
      if applied.isReplay { stillKept = try store.keptRejectCount(pipeline: pipeline.name) }
    } catch {
      failure = failure ?? ImportError(error)
    }
    // Only a run that ends well adds them.
    if failure == nil, isGood {
      for index in reading.newFields.indices {
        let added = reading.fields.added.first { $0.key == reading.newFields[index].name }
        reading.newFields[index].attribute = added?.attribute
      }
    }
    if case .accept(let guarding, _) = failure?.remedy, !settings.isAtomic, !isTrial,
      writing.progress.token != nil
    {
      failure?.remedy = .accept(guarding, undoing: .init(store: store.path, number: writing.run))
    }
    if settings.isAtomic {
      let fate = writing.undecided.map { ImportError.Fate.undecided($0) } ?? .nothing
      failure = failure?.with(writing.isCommitted && !isTrial ? .all : fate)
    }
    options.logger?.debug("import ended: \(outcome)", metadata: writing.metadata(pipeline))
    var report = report(writing.run, writing.progress, restored)
    report.firstRejects = applied.firstRejects
    report.rejectKinds = applied.rejectKinds
    report.isStopped = failure?.kind == .cancelled
    report.times = writing.times
    report.newFields = reading.newFields
    report.absentFields = reading.absentFields
    report.absent = AbsentFields.counts(reading.fields.counts, of: pipeline.entity)
    report.pages = reading.pages
    report.stillKept = stillKept
    report.expiredReaders = writing.expiredReaders
    if pipeline.repeatedKeyPolicy == nil {
      report.overwritten = writing.progress.counts.superseded + writing.progress.counts.repeated
    }
    if var failure {
      failure.report = report
      throw failure
    }
    return report
  }

  /// Leaves out the fields with which the store could not hold the model: no import could go on behind them.
  private func keepWhatFits(_ added: inout [AddedField]) {
    func fits(_ fields: [AddedField]) -> Bool {
      let grown = pipeline.adding(fields)
      do {
        try grown.check()
        try store.checkFit(grown)
        return true
      } catch {
        return false
      }
    }
    if added.isEmpty || fits(added) { return }
    var kept: [AddedField] = []
    for field in added where fits(kept + [field]) { kept.append(field) }
    added = kept
  }

  private func report(_ run: Int64, _ progress: RunProgress, _ restored: RepairReport) -> ImportReport {
    ImportReport(
      pipeline: pipeline.name, run: run, progress: progress, seconds: start.secondsSince,
      rejectLimit: settings.rejectLimit, showsValues: settings.showsValues, restored: restored)
  }
}

/// How the records of an import ended.
struct AppliedRecords {
  /// What ended them early.
  var failure: ImportError?
  /// The first rejected ones, in their order.
  var firstRejects: [RejectedRecord] = []
  /// All of them, by what is wrong with them.
  var rejectKinds: [RejectKind] = []
  /// Of an input: how its reading ended.
  var reading = ReadingEnd(bytes: 0)
  /// What the input was, if it was read to its end and can be recognised by that.
  var identity: InputIdentity?
  /// The same of each of several; none where none may be skipped by what this run has done.
  var inputs: [InputFacts?] = []
  /// Whether an input was read to its end, and all of it was applied.
  var isComplete = false
  /// They were kept rejects.
  var isReplay = false
}

extension [RejectedRecord] {
  /// Takes those that the report shows.
  mutating func appendFirst(_ rejects: some Collection<RejectedRecord>) {
    self += rejects.prefix(Swift.max(0, 10 - count))
  }
}

extension ImportError {
  /// What ends the applying of records, once the session has begun.
  init(applying error: any Error, _ cancellation: ImportCancellation) {
    let error = ImportError(error)
    // Waiting for another program ends when the import is stopped, and so does a statement that takes too long.
    let isWait = [.store(.busy), .store(.walLimit), .store(.interrupted)].contains(error.kind)
    self = cancellation.isCancelled && isWait ? .cancelled : error
  }
}

extension ImportSession {
  /// How far the import is, for the log.
  func metadata(_ pipeline: Pipeline) -> Logger.Metadata {
    [
      "pipeline": "\(pipeline.name)", "run": "\(run)", "read": "\(progress.counts.read)",
      "rejected": "\(progress.total.rejected)", "token": "\(progress.token?.description ?? "")",
    ]
  }
}

extension ContinuousClock.Instant {
  /// Seconds from here to now.
  var secondsSince: Double { duration(to: .now) / .seconds(1) }
}
