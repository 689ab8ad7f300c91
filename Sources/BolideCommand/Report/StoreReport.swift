import Bolide

/// What a page tells of one store, read in bounded time and memory, while others write.
struct StoreReport {
  /// Rejected records with one reason.
  struct RejectGroup {
    var pipeline: String
    var count: Int
    /// The one that was rejected last.
    var example: KeptReject
  }

  /// A transaction, and the first of its changes.
  struct Commit {
    var transaction: HistoryTransaction
    var changes: [HistoryChange]
    /// How many there are.
    var count: Int
  }

  let store: StatusOfStore
  /// The newest runs of each pipeline, the oldest first, by the pipeline's name.
  private(set) var runs: [String: [RunRecord]] = [:]
  /// By how many rows entities grew over the newest part of history, by the entity's name.
  private(set) var trends: [String: RowTrend] = [:]
  /// By how many they are.
  private(set) var rejects: [RejectGroup] = []
  /// The newest first.
  private(set) var commits: [Commit] = []
  /// What has a place on the map.
  private(set) var points: PointSample?

  private static let steps = 60
  private static let newestTransactions: Int64 = 8
  private static let changesOfEach = 4

  /// Tells the store's status, and nothing else.
  init(_ store: StatusOfStore) { self.store = store }

  /// - Parameter runs: how many runs of each pipeline.
  init(_ store: StatusOfStore, _ choices: ReportChoices, runs limit: Int) throws {
    self.store = store
    guard let status = store.status else { return }
    let engine = try store.address.open()
    for pipeline in store.pipelines where pipeline.lastRun != nil {
      runs[pipeline.name] = try engine.runs(of: pipeline.name, limit: limit).reversed()
    }
    for trend in try engine.rowTrends(steps: Self.steps) { trends[trend.entity] = trend }
    rejects = try Self.rejects(engine)
    commits = try Self.commits(engine, newest: status.token)
    points = try PointSample(engine, status, choices)
  }

  private static func rejects(_ engine: any StoreEngine) throws -> [RejectGroup] {
    var groups: [[String?]: RejectGroup] = [:]
    try engine.readRejects(RejectFilter()) { kept in
      let reason = [kept.pipeline, kept.reject.code, kept.reject.entity, kept.reject.attribute]
      var group = groups[reason] ?? RejectGroup(pipeline: kept.pipeline, count: 0, example: kept)
      group.count += 1
      if kept.lastRun >= group.example.lastRun { group.example = kept }
      groups[reason] = group
    }
    return groups.values.sorted { ($1.count, $0.example.number) < ($0.count, $1.example.number) }
  }

  /// The newest transactions, as far as history goes back without a gap.
  private static func commits(_ engine: any StoreEngine, newest: HistoryToken) throws -> [Commit] {
    var commits: [Commit] = []
    for number in stride(from: max(0, newest.number), to: max(0, newest.number - newestTransactions), by: -1)
    {
      var request = HistoryRequest(from: .transaction(number - 1))
      request.end = .transaction(number)
      let count: Int
      do {
        count = try engine.countChanges(request)
      } catch let error as StoreError where error.code == .tokenExpired {
        break
      }
      request.limit = changesOfEach
      guard let transaction = try engine.history(request).first else { continue }
      commits.append(Commit(transaction: transaction, changes: transaction.changes, count: count))
    }
    return commits
  }
}
