import Bolide
import Foundation

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
  /// How many rows entities had over the newest part of history.
  private(set) var rows: [String: [Int64]] = [:]
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
    let engine = try StoreAddress.open(store.path)
    for pipeline in store.pipelines where pipeline.lastRun != nil {
      runs[pipeline.name] = try engine.runs(of: pipeline.name, limit: limit).reversed()
    }
    for trend in try engine.rowTrends(steps: Self.steps) { rows[trend.entity] = trend.rows }
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

  private static func commits(_ engine: any StoreEngine, newest: HistoryToken) throws -> [Commit] {
    var commits: [Commit] = []
    for number in stride(from: max(0, newest.number), to: max(0, newest.number - newestTransactions), by: -1)
    {
      var request = HistoryRequest(from: .transaction(number - 1))
      request.end = .transaction(number)
      let count = try engine.countChanges(request)
      request.limit = changesOfEach
      guard let transaction = try engine.history(request).first else { continue }
      commits.append(Commit(transaction: transaction, changes: transaction.changes, count: count))
    }
    return commits
  }
}

/// The newest objects of an entity that have a place on Earth.
struct PointSample {
  /// An object on the map.
  struct Point {
    var latitude: Double
    var longitude: Double
    var measure: Double?
    var date: Date?
  }

  let entity: String
  /// How many objects the entity has.
  let total: Int64
  /// The newest first.
  private(set) var points: [Point] = []
  /// What tells the size of a dot, where there is such an attribute.
  let measure: String?
  /// The measure of every object that was read, the newest first.
  private(set) var measures: [Double] = []
  /// How many objects were read.
  private(set) var read = 0

  private static let mostObjects = 10_000
  private static let mostPoints = 2000

  /// - Returns: nil where no entity has a latitude and a longitude, or several have and none was chosen.
  init?(_ engine: any StoreEngine, _ status: StoreStatus, _ choices: ReportChoices) throws {
    guard choices.map != "none" else { return nil }
    var places: [(count: StoreStatus.Count, attributes: Attributes)] = []
    for count in status.entities where count.rows > 0 && (choices.map ?? count.entity) == count.entity {
      var found: Attributes?
      try engine.readRows(ObjectQuery(count.entity, limit: 1), at: nil) {
        found = Attributes($0, measure: choices.measure)
      }
      if let found { places.append((count, found)) }
    }
    guard places.count == 1, let (count, attributes) = places.first else { return nil }
    (entity, total, measure) = (count.entity, count.rows, attributes.measure)
    var request = ObjectQuery(
      entity, sort: [.init("bolide_id", ascending: false)], limit: Self.mostObjects)
    request.properties = attributes.names
    try engine.readRows(request, at: nil) { row in
      read += 1
      let measure = attributes.measure.flatMap { row[$0, as: Double.self] }
      if let measure, measure.isFinite { measures.append(measure) }
      guard points.count < Self.mostPoints, let latitude = row[attributes.latitude, as: Double.self],
        let longitude = row[attributes.longitude, as: Double.self], abs(latitude) <= 90,
        abs(longitude) <= 360
      else { return }
      points.append(
        Point(
          latitude: latitude, longitude: longitude > 180 ? longitude - 360 : longitude, measure: measure,
          date: attributes.date.flatMap { row[$0, as: Date.self] }))
    }
  }

  /// Which attributes say where, how much and when.
  private struct Attributes {
    var latitude: String
    var longitude: String
    var measure: String?
    var date: String?

    init?(_ row: Snapshot.Row, measure: String?) {
      func first(_ names: Set<String>) -> String? {
        row.values.first { names.contains($0.name.lowercased()) && $0.type?.isNumeric == true }?.name
      }
      guard let latitude = first(["latitude", "lat"]), let longitude = first(["longitude", "lon", "lng"])
      else { return nil }
      (self.latitude, self.longitude) = (latitude, longitude)
      let others = row.values.filter {
        ![latitude, longitude].contains($0.name) && $0.type?.isNumeric == true
      }
      self.measure = (others.first { $0.name == measure } ?? (measure == nil ? others.first : nil))?.name
      date = row.values.first { $0.type?.isInstant == true }?.name
    }

    var names: [String] { [latitude, longitude] + [measure, date].compactMap(\.self) }
  }
}

extension AttributeType {
  fileprivate var isInstant: Bool {
    switch self {
    case .date, .day: true
    default: false
    }
  }
}
