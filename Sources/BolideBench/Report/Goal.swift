internal import Foundation

/// A number that this project holds itself to, and what was found.
package struct Goal: Codable, Sendable {
  package let name: String
  package let unit: String
  /// At most, or at least, so much.
  package let limit: Double
  package let isUpperLimit: Bool
  /// The middle of the pairs of runs.
  package let found: Double
  package let range: ClosedRange<Double>?
  package let rows: Int

  package var isReached: Bool { isUpperLimit ? found <= limit : found >= limit }

  /// Below so many rows, opening and closing the files is most of the time, and the goals say nothing.
  package static let smallest = 100_000

  /// The goals that the results can tell of, at the largest size that each was measured at.
  static func all(_ results: [ScenarioResult]) -> [Goal] {
    let results = results.filter { $0.rows >= smallest && $0.server == nil }
    func largest(_ scenario: Scenario) -> ScenarioResult? {
      results.filter { $0.scenario == scenario }.max { $0.rows < $1.rows }
    }
    var goals: [Goal] = []
    for (scenario, name) in [
      (Scenario.gzip, "first load from gzip"), (.firstLoad, "first load"),
      (.shuffled, "keys in random order"), (.withLinks, "2,000 random owners"),
    ] {
      guard let result = largest(scenario), let floor = result.floor else { continue }
      let ratio = Ratio(result.measures[0].seconds, to: floor.seconds)
      goals.append(Goal("\(name), wall time by the floor's", at: result, 1.15, ratio))
    }
    for (shape, name, limit) in [
      (FloorShape.preparedUpsert, "prepared upsert", 1.8), (.chunkDifference, "set-wise difference", 1),
    ] {
      guard let result = largest(.again), let floor = result.measure(shape) else { continue }
      let ratio = Ratio(floor.seconds, to: result.measures[0].seconds)
      goals.append(Goal("again, rows/s by the \(name)'s", at: result, limit, ratio, isUpperLimit: false))
    }
    if let result = largest(.firstLoad) ?? largest(.gzip), let stages = result.stages {
      goals.append(
        Goal("history, share of a first load", at: result, unit: "%", 3, 100 * stages.writing("history")))
    }
    for (scenario, name, limit) in [
      (Scenario.mainJob, "link, count and sum by year, by the rows alone", 1.3),
      (.withDerived, "count and sum of 2,000 owners, by links alone", 1.05),
      (.foreignUpdate, "another program's update of a summed value, by links", 10),
      (.newDerived, "a new copy in each row, by plain SQL", 5),
    ] {
      guard let result = largest(scenario), result.measures.count > 1 else { continue }
      let ratio = Ratio(result.measures[0].seconds, to: result.measures[1].seconds)
      goals.append(Goal(name, at: result, limit, ratio))
    }
    let imports = results.filter { $0.scenario.isImport }
    let peaks = imports.flatMap { result in result.measures[0].runs.compactMap { ($0.peakBytes, result) } }
    if let peak = peaks.compactMap({ peak, result in peak.map { ($0, result) } }).max(by: { $0.0 < $1.0 }) {
      goals.append(
        Goal("peak memory of any import", at: peak.1, unit: "MiB", 96, Double(peak.0) / 1_048_576))
    }
    if let result = largest(.smallMemory), let peak = result.measures[0].runs.compactMap(\.peakBytes).max() {
      goals.append(
        Goal("peak memory with memory: 48MiB", at: result, unit: "MiB", 48, Double(peak) / 1_048_576))
    }
    for (scenario, name, limit) in [(Scenario.shuffled, "shuffled", 0.4), (.sorted, "sorted", 0.5)] {
      guard let result = largest(scenario),
        let smallest = results.filter({ $0.scenario == scenario }).min(by: { $0.rows < $1.rows }),
        smallest.rows < result.rows
      else { continue }
      goals.append(
        Goal(
          "\(name), rows/s by those at \(smallest.rows) rows", at: result, limit, result.rate / smallest.rate,
          isUpperLimit: false))
    }
    if let result = largest(.catchUp) {
      goals.append(
        Goal("catch-up, changes/s", at: result, unit: "M", 1, result.rate / 1e6, isUpperLimit: false))
    }
    goals += largest(.follow).flatMap(following).map { [$0] } ?? []
    return goals
  }

  private static func following(_ result: ScenarioResult) -> Goal? {
    result.measures.max { $0.percentile99 < $1.percentile99 }.map {
      Goal("follower sees a commit, 99 of 100", at: result, unit: "ms", 50, $0.percentile99 * 1e3)
    }
  }

  /// The goals of a server: an import's time by that of the fastest program that a person would write, and what others meet.
  static func onServer(_ results: [ScenarioResult]) -> [Goal] {
    results.filter { $0.rows >= smallest && $0.server != nil }.compactMap { result in
      if result.scenario == .follow { return following(result) }
      if result.scenario == .foreignClients {
        guard result.measures.count > 1 else { return nil }
        let ratio = Ratio(result.measures[1].seconds, to: result.measures[0].seconds)
        return Goal(
          "eight clients' commits/s, by those without triggers", at: result, 0.5, ratio, isUpperLimit: false)
      }
      if result.scenario == .importers { return nil }
      if result.scenario == .connections {
        // Where the import and the server share two processors, both are busy over one connection.
        guard result.measures.count > 1, ProcessInfo.processInfo.activeProcessorCount >= 4 else { return nil }
        let ratio = Ratio(result.measures[0].seconds, to: result.measures[1].seconds)
        return Goal("two connections, rows/s by one's", at: result, 1.3, ratio, isUpperLimit: false)
      }
      guard let fastest = result.measures.dropFirst().min(by: { $0.median < $1.median }) else { return nil }
      let own = result.measures[0].runs.map(\.processSeconds)
      return Goal(
        "\(result.scenario.rawValue) on a server, by psql's time", at: result, 1.25,
        Ratio(own, to: fastest.seconds))
    }
  }

  private init(
    _ name: String, at result: ScenarioResult, unit: String = "", _ limit: Double, _ found: Double,
    isUpperLimit: Bool = true
  ) {
    self.name = name
    self.unit = unit
    self.limit = limit
    self.isUpperLimit = isUpperLimit
    self.found = found
    range = nil
    rows = result.rows
  }

  private init(
    _ name: String, at result: ScenarioResult, _ limit: Double, _ ratio: Ratio, isUpperLimit: Bool = true
  ) {
    self.name = name
    unit = "x"
    self.limit = limit
    self.isUpperLimit = isUpperLimit
    found = ratio.median
    range = ratio.lowest...ratio.highest
    rows = result.rows
  }
}

extension Measure {
  fileprivate var percentile99: Double { followed?.percentile99 ?? 0 }
}

extension ScenarioResult {
  /// Bolide's rows a second, by the middle run.
  package var rate: Double { Double(measures[0].middle.rows) / measures[0].median }

  /// The floor: the fastest of its shapes.
  var floor: Measure? {
    measures.dropFirst().filter { measure in FloorShape.allCases.contains { $0.title == measure.name } }
      .min { $0.median < $1.median }
  }

  func measure(_ shape: FloorShape) -> Measure? { measures.first { $0.name == shape.title } }
}
