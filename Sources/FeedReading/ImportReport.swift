public import ImportModel
public import StoreInterface
public import TypedRows

/// What one import, or one replay, did. `read = inserted + updated + unchanged + ignored + duplicates +
/// superseded + rejected + rolledBack`, of the records and of each entity of their children.
public struct ImportReport: Sendable, Hashable {
  /// How the records fared, all in all.
  public enum Verdict: Sendable, Hashable {
    /// Every record landed.
    case allLanded
    /// Some were rejected, within the limit.
    case someRejected
    /// More were rejected than the limit allows, or all of them.
    case tooManyRejected
  }

  /// The pipeline's name.
  public var pipeline: String
  /// The run's number in the store.
  public var run: Int64
  /// Counts, chunks, bytes and the newest token.
  public var progress: RunProgress
  /// How long it took.
  public var seconds: Double
  /// The first records that were rejected, at most ten; the store has them all.
  public var firstRejects: [RejectedRecord]
  /// How many records and children may be rejected.
  public var rejectLimit: RejectLimit
  /// Whether the report may be shown with what records hold.
  public var showsValues = false
  /// The store was left as it was: this is what would happen.
  public var isTrial = false
  /// The import was stopped before its input's end.
  public var isStopped = false
  /// The rejected records by what is wrong with them, in the order of the first of each kind; at most 100 kinds.
  public var rejectKinds: [RejectKind] = []
  /// What the stages of both threads took.
  package var times = StageTimes()
  /// Fields that the records have only since now; the pipeline does not use them.
  public var newFields: [NewField] = []
  /// Fields that the pipeline uses and earlier inputs had, and that no record has.
  public var absentFields: [AbsentField] = []
  /// How many records had no value for an attribute, not even null, where any had.
  public var absent: [AbsentCount] = []
  /// How many records another one of the same key has overwritten with other values, where the pipeline does not say which
  /// of them counts; else 0.
  public var overwritten = 0
  /// How much of the feed the pages are that were read, where they say it.
  public var pages: FeedPages?
  /// Of a replay, how many rejected records of the pipeline the store still keeps; nil for an import of an input.
  public var stillKept: Int?

  /// Named readers that have expired by the rules on how long history is kept.
  public var expiredReaders: [String] = []
  /// What was wrong with the store's triggers and indexes; the import has restored them.
  public var restored = RepairReport()

  /// Makes a report.
  public init(
    pipeline: String, run: Int64, progress: RunProgress, seconds: Double,
    firstRejects: [RejectedRecord] = [], rejectLimit: RejectLimit = .count(0), showsValues: Bool = false,
    isTrial: Bool = false, restored: RepairReport = RepairReport()
  ) {
    self.pipeline = pipeline
    self.run = run
    self.progress = progress
    self.seconds = seconds
    self.firstRejects = firstRejects
    self.rejectLimit = rejectLimit
    self.showsValues = showsValues
    self.isTrial = isTrial
    self.restored = restored
  }

  /// Records read a second.
  public var rowsPerSecond: Double {
    seconds > 0 ? Double(progress.counts.read) / seconds : 0
  }

  /// The place in history after the import's last change; nil when nothing changed.
  public var token: HistoryToken? { progress.token }

  /// How the records and their children fared.
  public var verdict: Verdict {
    let counts = progress.total
    if counts.rejected == 0 { return .allLanded }
    return rejectLimit.allows(counts) ? .someRejected : .tooManyRejected
  }
}

/// Records that were rejected for one reason.
public struct RejectKind: Sendable, Hashable {
  /// The first of them.
  public var first: RejectedRecord
  /// How many there are.
  public var count: Int

  /// Makes a kind.
  public init(first: RejectedRecord, count: Int) {
    self.first = first
    self.count = count
  }
}

/// How many records brought nothing for an attribute.
public struct AbsentCount: Sendable, Hashable {
  /// The attribute.
  public var attribute: String
  /// The records.
  public var records: Int
}

extension RejectLimit {
  /// Whether an import with these counts is a good one: no limit is wide enough for an input that is all rejected.
  package func allows(_ counts: ChunkCounts) -> Bool {
    counts.rejected == 0
      || counts.rejected < counts.read && allows(counts.rejected, of: counts.read)
  }
}
