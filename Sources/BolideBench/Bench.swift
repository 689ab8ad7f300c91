internal import Foundation

/// What is to be measured, and where.
package struct BenchPlan: Sendable {
  package var scenarios: [Scenario]
  /// Rows of the generated feeds, one bench after another.
  package var sizes: [Int]
  /// How often each candidate runs, after one run that does not count.
  package var runs: Int
  /// A user's own feed and the pipeline that imports it, instead of the generated ones.
  package var own: (feed: String, pipeline: String)?
  /// Whether the other programs on this machine do the same jobs.
  package var hasPeers = true

  package init(scenarios: [Scenario], sizes: [Int], runs: Int, own: (feed: String, pipeline: String)? = nil) {
    self.scenarios = scenarios
    self.sizes = sizes
    self.runs = runs
    self.own = own
  }
}

/// Runs scenarios one after another: each candidate's work in turn, in processes of their own, checked.
package struct Bench {
  private let plan: BenchPlan
  private let workspace: Workspace
  /// The server that is measured instead of files.
  private let server: BenchServer?
  private let progress: (String) -> Void
  /// Where it runs.
  package let machine: Machine

  /// - Parameter progress: told what is done now, in a few words.
  package init(
    _ plan: BenchPlan, in workspace: Workspace, on server: BenchServer? = nil,
    progress: @escaping (String) -> Void = { _ in }
  ) {
    self.plan = plan
    self.server = server
    self.progress = progress
    self.workspace = workspace
    machine = Machine(folder: workspace.path)
  }

  /// Runs everything.
  ///
  /// - Parameters:
  ///   - finished: called with each scenario's result as soon as it is there.
  ///   - failed: called instead when a result was wrong; the other scenarios go on.
  /// - Throws: what keeps the bench from going on at all: a feed that cannot be made or read.
  package func run(
    finished: (ScenarioResult) throws -> Void, failed: (Scenario, any Error) -> Void
  ) throws -> BenchReport {
    var report = BenchReport(machine: machine, runs: plan.runs)
    for size in plan.own == nil ? plan.sizes : [0] {
      progress("reading or making the feed")
      let feed =
        if let own = plan.own {
          try BenchFeed(file: own.feed, pipeline: own.pipeline, in: workspace)
        } else {
          try BenchFeed(rows: size, in: workspace)
        }
      for scenario in plan.scenarios {
        do {
          let result = try measure(scenario, feed)
          report.results.append(result)
          try finished(result)
        } catch let error as WrongResult {
          failed(scenario, error)
        }
      }
      feed.remove()
    }
    report.goals = Goal.all(report.results) + Goal.onServer(report.results)
    return report
  }

  private func measure(_ scenario: Scenario, _ feed: BenchFeed) throws -> ScenarioResult {
    progress("\(scenario.rawValue): making ready")
    var notes: [String] = []
    let candidates: [Candidate]
    if let server {
      candidates = try scenario.candidates(feed, on: server)
    } else {
      candidates = try scenario.candidates(feed) + (plan.hasPeers ? try scenario.peers(feed) : [])
    }
    let measures = try Measure.inTurn(runs: plan.runs, candidates) { run, name in
      progress("\(scenario.rawValue): \(name), \(run == 0 ? "first run" : "run \(run) of \(plan.runs)")")
    } left: { name, error in
      notes.append("\(name) is left out: \(error)")
    }
    var result = ScenarioResult(scenario: scenario, rows: feed.rows, measures: measures)
    result.server = try server?.settings()
    // An own feed may be too large to hold in memory.
    if scenario == .parse, !feed.isGenerated { result.title = "the records alone, read from the file" }
    result.notes = notes
    if scenario.isImport {
      // The generator's have none.
      let counts = result.measures[0].middle.counts
      if let rejected = counts["rejected"], rejected > 0 {
        result.notes.append("rejected records: \(rejected); bolide check PIPELINE FEED says why")
      }
      let repeats = (counts["duplicates"] ?? 0) + (counts["superseded"] ?? 0)
      if repeats > 0 { result.notes.append("records with the key of another: \(repeats)") }
      progress("\(scenario.rawValue): the stages of reading")
      let input = scenario == .gzip ? try feed.gzip() : try feed.path(scenario.feedKind)
      let reading = try feed.readingSeconds(input, runs: plan.runs)
      result.stages = StageShares(result.measures[0].middle, reading: reading)
    }
    return result
  }
}

/// One scenario at one size.
package struct ScenarioResult: Codable, Sendable {
  package let scenario: Scenario
  /// Records in the feed.
  package let rows: Int
  /// What was done, in a few words.
  package var title: String
  /// Each candidate's runs; Bolide's come first.
  package let measures: [Measure]
  /// What could not be measured, and why.
  package var notes: [String] = []
  /// The server that was measured instead of files, with its settings.
  package var server: String?
  /// Of an import: where Bolide's time went.
  package var stages: StageShares?

  init(scenario: Scenario, rows: Int, measures: [Measure]) {
    self.scenario = scenario
    self.rows = rows
    title = scenario.title
    self.measures = measures
  }

  /// How long another took, by how long Bolide took, pair of runs by pair of runs.
  package func ratio(of measure: Measure) -> Ratio {
    // Another program's start counts, so Bolide's does too.
    let own = measures[0].runs.map { measure.isWholeProcess ? $0.processSeconds : $0.seconds }
    return Ratio(measure.seconds, to: own)
  }
}

/// All that a bench found.
package struct BenchReport: Codable, Sendable {
  package let machine: Machine
  package let runs: Int
  package var results: [ScenarioResult] = []
  package var goals: [Goal] = []

  init(machine: Machine, runs: Int) {
    self.machine = machine
    self.runs = runs
  }

  /// The whole report, for programs.
  package var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}
