/// How a store is, in one state of it: what `bolide status` prints.
package struct StoreStatus: Sendable {
  /// A derived attribute that is not in the model yet.
  package struct UnfinishedAttribute: Sendable, Hashable {
    /// Its name, as `Entity.attribute`.
    package var name: String
    /// The pipeline whose next import or migration goes on with it.
    package var pipeline: String

    package init(name: String, pipeline: String) {
      self.name = name
      self.pipeline = pipeline
    }
  }

  /// An entity and how many objects it has.
  package struct Count: Sendable, Hashable {
    package var entity: String
    package var rows: Int64

    package init(entity: String, rows: Int64) {
      self.entity = entity
      self.rows = rows
    }
  }

  /// The store's path, as given.
  package var path: String
  /// When it was made.
  package var created: String
  /// The model's version, and since when it holds.
  package var modelVersion: Int64
  package var modelSince: String
  /// The entities in the model's order.
  package var entities: [Count]
  /// The pipelines that have run, by name.
  package var pipelines: [PipelineStatus]
  /// The place after the newest transaction.
  package var token: HistoryToken
  /// Transactions that are kept, and their changes.
  package var transactions: Int64
  package var changes: Int64
  /// When the oldest transaction that is kept was committed; nil when there is none.
  package var historySince: String?
  /// The named readers and how far behind they are.
  package var readers: [Reader]
  /// What another program has made of the tables; nil where they are those of the model.
  package var schemaError: StoreError?
  /// What is wrong with Bolide's triggers, from where on history has a gap, and which indexes are not there yet.
  package var upkeep: RepairReport
  /// Changes of other programs that are in no transaction yet.
  package var pendingChanges: Int64
  /// Owners whose derived attributes wait to be computed anew.
  package var dirtyOwners: Int64
  /// The derived attributes that a migration has begun to fill, which the model does not have yet.
  package var unfinishedAttributes: [UnfinishedAttribute]
  /// Totals beyond the range of their type.
  package var nullTotals: NullTotals
  /// Erasures whose objects may still be in free pages and in the log.
  package var openErasures: Int64
  /// The file's size, and its write-ahead log's, in bytes.
  package var bytes: Int64
  package var walBytes: Int64
  /// Whether it has a write-ahead log, and not what another program has put in its place.
  package var hasLog: Bool
  /// The import that is at work just now.
  package var holder: LockHolder?
  /// The states that somebody reads from, the oldest first.
  package var pins: [PinnedState]

  package init(
    path: String, created: String, modelVersion: Int64, modelSince: String, entities: [Count],
    pipelines: [PipelineStatus], token: HistoryToken, transactions: Int64, changes: Int64,
    historySince: String? = nil, readers: [Reader], schemaError: StoreError? = nil, upkeep: RepairReport,
    pendingChanges: Int64, dirtyOwners: Int64, unfinishedAttributes: [UnfinishedAttribute] = [],
    nullTotals: NullTotals, openErasures: Int64, bytes: Int64,
    walBytes: Int64, hasLog: Bool, holder: LockHolder? = nil, pins: [PinnedState]
  ) {
    self.path = path
    self.created = created
    self.modelVersion = modelVersion
    self.modelSince = modelSince
    self.entities = entities
    self.pipelines = pipelines
    self.token = token
    self.transactions = transactions
    self.changes = changes
    self.historySince = historySince
    self.readers = readers
    self.schemaError = schemaError
    self.upkeep = upkeep
    self.pendingChanges = pendingChanges
    self.dirtyOwners = dirtyOwners
    self.unfinishedAttributes = unfinishedAttributes
    self.nullTotals = nullTotals
    self.openErasures = openErasures
    self.bytes = bytes
    self.walBytes = walBytes
    self.hasLog = hasLog
    self.holder = holder
    self.pins = pins
  }
}

/// How the imports of one pipeline fared.
package struct PipelineStatus: Sendable {
  /// A run, as far as it is of interest here.
  package struct Run: Sendable {
    package var number: Int64
    package var input: String
    package var started: String
    /// Nil while it runs, and for ever when it was killed.
    package var ended: String?
    /// `ok`, or the code of what ended it; nil as `ended`.
    package var outcome: String?
    package var progress: RunProgress
    /// From start to end, in seconds; nil as `ended`.
    package var seconds: Double?
    /// When it ended, or began when it has no end, in seconds since 1970.
    package var time: Double
    /// Seconds since then.
    package var age: Double
    /// How old the last good run may be, in seconds, as the pipeline said then.
    package var maxAge: Double?
    /// Its process id, and whether that process is still there; nil where nobody can tell.
    package var process: Int64
    package var isAlive: Bool?

    package init(
      number: Int64, input: String, started: String, ended: String?, outcome: String?, progress: RunProgress,
      seconds: Double?, time: Double, age: Double, maxAge: Double?, process: Int64, isAlive: Bool?
    ) {
      (self.number, self.input, self.started, self.ended, self.outcome) = (
        number, input, started, ended, outcome
      )
      (self.progress, self.seconds, self.time, self.age) = (progress, seconds, time, age)
      (self.maxAge, self.process, self.isAlive) = (maxAge, process, isAlive)
    }

    /// Whether it is at work just now; nil where nobody can tell. Of two imports one waits for the other: only the store's
    /// newest run can be.
    package func isAtWork(newest: Int64) -> Bool? { number == newest && outcome == nil ? isAlive : false }
  }

  /// The pipeline's name.
  package var name: String
  /// The newest run; nil when there was none.
  package var lastRun: Run?
  /// The newest import that came to a good end, replays left out.
  package var lastGoodRun: Run?
  /// The newest run that changed something.
  package var lastChange: Run?
  /// Rejected records that are kept.
  package var openRejects: Int64
  /// How old the last good run may be, in seconds; nil for no limit. The last run's, unless somebody says otherwise.
  package var maxAge: Double?
  /// Of the rows of a full feed, those that are missing; nil where no complete run is known.
  package var missing: RowShare?
  /// How many of them may be, as a share from 0 to 1, where somebody says it.
  package var maximumMissing: Double?
  /// Whether its import is at work just now; nil where nobody can tell whether it is or was killed.
  package var isAtWork: Bool? = false

  /// What one word says of a pipeline.
  package enum State: String, Sendable, CaseIterable {
    /// There was no good run for longer than `maxAge`.
    case overdue
    /// Its import is at work.
    case running
    /// Its import is at work or was killed: its process cannot be seen from here.
    case runningOrKilled = "running-or-killed"
    /// The last run was not good.
    case failed
    /// The last run was killed, or its machine went down.
    case killed
    /// The last run was good, and more rows are missing than may be.
    case missing
    /// It has never run.
    case never
    /// The last run was good.
    case ok
  }

  /// What became of a run without an end.
  package static func state(isAtWork: Bool?) -> State {
    isAtWork.map { $0 ? .running : .killed } ?? .runningOrKilled
  }

  /// A pipeline that has not run.
  package init(neverRun name: String, maxAge: Double?) {
    self.name = name
    self.maxAge = maxAge
    openRejects = 0
  }

  /// Whether there was no good run for longer than `maxAge`.
  package var isOverdue: Bool {
    guard let maxAge else { return false }
    return lastGoodRun.map { $0.age > maxAge } ?? true
  }

  /// The import that is at work just now.
  package var holder: LockHolder? {
    guard isAtWork == true, let run = lastRun, let process = Int32(exactly: run.process) else { return nil }
    return LockHolder(process: process, pipeline: name, since: run.started)
  }

  /// The most pressing thing to say.
  package var state: State {
    if isOverdue { return .overdue }
    guard let lastRun else { return .never }
    guard let outcome = lastRun.outcome else { return Self.state(isAtWork: isAtWork) }
    guard outcome == RunOutcome.good else { return .failed }
    if let missing, let maximumMissing, missing.exceeds(maximumMissing) { return .missing }
    return .ok
  }
}
