/// How a store is, in one state of it.
public struct StoreStatus: Sendable {
  /// A derived attribute that is not in the model yet.
  public struct UnfinishedAttribute: Sendable, Hashable {
    /// Its name, as `Entity.attribute`.
    public var name: String
    /// The pipeline whose next import or migration goes on with it.
    public var pipeline: String

    package init(name: String, pipeline: String) {
      self.name = name
      self.pipeline = pipeline
    }
  }

  /// An entity and how many objects it has.
  public struct Count: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The number of its objects.
    public var rows: Int64

    package init(entity: String, rows: Int64) {
      self.entity = entity
      self.rows = rows
    }
  }

  /// The store's path, as given.
  public var path: String
  /// When it was made.
  public var created: String
  /// The model's version.
  public var modelVersion: Int64
  /// Since when the model holds.
  public var modelSince: String
  /// The entities in the model's order.
  public var entities: [Count]
  /// The pipelines that have run, by name.
  public var pipelines: [PipelineStatus]
  /// The place after the newest transaction.
  public var token: HistoryToken
  /// Transactions that are kept.
  public var transactions: Int64
  /// The changes of these transactions.
  public var changes: Int64
  /// When the oldest transaction that is kept was committed; nil when there is none.
  public var historySince: String?
  /// The named readers and how far behind they are.
  public var readers: [Reader]
  /// What another program has made of the tables; nil where they are those of the model.
  public var schemaError: StoreError?
  /// What is wrong with Bolide's triggers, from where on history has a gap, and which indexes are not there yet.
  public var upkeep: RepairReport
  /// Changes of other programs that are in no transaction yet.
  public var pendingChanges: Int64
  /// Owners whose derived attributes wait to be computed anew.
  public var dirtyOwners: Int64
  /// The derived attributes that a migration has begun to fill, which the model does not have yet.
  public var unfinishedAttributes: [UnfinishedAttribute]
  /// Totals beyond the range of their type.
  public var nullTotals: NullTotals
  /// Erasures whose objects may still be in free pages and in the log.
  public var openErasures: Int64
  /// The file's size in bytes.
  public var bytes: Int64
  /// The size of its write-ahead log in bytes; nil of a server's, whose log is of all that it holds.
  public var walBytes: Int64?
  /// Whether it has a write-ahead log, and not what another program has put in its place.
  public var hasLog: Bool
  /// The import that is at work just now.
  public var holder: LockHolder?
  /// The states that somebody reads from, the oldest first.
  public var pins: [PinnedState]

  package init(
    path: String, created: String, modelVersion: Int64, modelSince: String, entities: [Count],
    pipelines: [PipelineStatus], token: HistoryToken, transactions: Int64, changes: Int64,
    historySince: String? = nil, readers: [Reader], schemaError: StoreError? = nil, upkeep: RepairReport,
    pendingChanges: Int64, dirtyOwners: Int64, unfinishedAttributes: [UnfinishedAttribute] = [],
    nullTotals: NullTotals, openErasures: Int64, bytes: Int64,
    walBytes: Int64?, hasLog: Bool, holder: LockHolder? = nil, pins: [PinnedState]
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
public struct PipelineStatus: Sendable {
  /// A run, as far as it is of interest here.
  public struct Run: Sendable {
    /// The run's number in the store.
    public var number: Int64
    /// What it read.
    public var input: String
    /// When it began.
    public var started: String
    /// Nil while it runs, and for ever when it was killed.
    public var ended: String?
    /// `ok`, or the code of what ended it; nil as `ended`.
    public var outcome: String?
    /// What it did.
    public var progress: RunProgress
    /// From start to end, in seconds; nil as `ended`.
    public var seconds: Double?
    /// When it ended, or began when it has no end, in seconds since 1970.
    public var time: Double
    /// Seconds since then.
    public var age: Double
    /// How old the last good run may be, in seconds, as the pipeline said then.
    public var maxAge: Double?
    /// Its process id.
    public var process: Int64
    /// Whether that process is still there; nil where nobody can tell.
    public var isAlive: Bool?

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
  public var name: String
  /// The newest run; nil when there was none.
  public var lastRun: Run?
  /// The newest import that came to a good end, replays left out.
  public var lastGoodRun: Run?
  /// The newest run that changed something.
  public var lastChange: Run?
  /// Rejected records that are kept.
  public var openRejects: Int64
  /// How old the last good run may be, in seconds; nil for no limit. The last run's, unless somebody says otherwise.
  public var maxAge: Double?
  /// Of the rows of a full feed, those that are missing; nil where no complete run is known.
  public var missing: RowShare?
  /// How many of them may be, as a share from 0 to 1, where somebody says it.
  public var maximumMissing: Double?
  /// Whether its import is at work just now; nil where nobody can tell whether it is or was killed.
  public var isAtWork: Bool? = false

  /// What one word says of a pipeline.
  public enum State: String, Sendable, CaseIterable {
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
  public var isOverdue: Bool {
    guard let maxAge else { return false }
    return lastGoodRun.map { $0.age > maxAge } ?? true
  }

  /// The import that is at work just now.
  public var holder: LockHolder? {
    guard isAtWork == true, let run = lastRun, let process = Int32(exactly: run.process) else { return nil }
    return LockHolder(process: process, pipeline: name, since: run.started)
  }

  /// The most pressing thing to say.
  public var state: State {
    if isOverdue { return .overdue }
    guard let lastRun else { return .never }
    guard let outcome = lastRun.outcome else { return Self.state(isAtWork: isAtWork) }
    guard outcome == RunOutcome.good else { return .failed }
    if let missing, let maximumMissing, missing.exceeds(maximumMissing) { return .missing }
    return .ok
  }
}
