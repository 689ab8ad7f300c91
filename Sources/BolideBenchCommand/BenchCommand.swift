import ArgumentParser
import Bolide
import BolideBench
import CommandSupport
import Foundation

/// `bolide bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: CommandAbstract.bench,
    discussion: """
      Each run uses a process and a store of its own. Each result is verified; a wrong result fails the bench and is not \
      shown. The baseline is SQLite alone, with the same rows typed and in memory; it runs alternately with the import. \
      The last column is the time relative to Bolide's, as the median over pairs of runs.

      SCENARIOS:
      \(Scenario.table)
      """)

  @Argument(help: ArgumentHelp("Scenarios to measure. (default: all)", valueName: "scenario"))
  var scenarios: [Scenario] = []

  @Option(
    help: ArgumentHelp(
      "Number of generated rows: 100k, 1m; several separated by commas. (default: 100k)", valueName: "n"),
    transform: RowCounts.init(argument:))
  var rows: RowCounts?

  @Option(help: ArgumentHelp("Number of measured runs, after one warm-up run.", valueName: "n"))
  var runs: Int = 3

  @Option(help: ArgumentHelp("Your own feed; requires --pipeline.", valueName: "file"))
  var feed: String?

  @Option(help: ArgumentHelp("The pipeline for --feed.", valueName: "file"))
  var pipeline: String?

  @Option(
    help: ArgumentHelp(
      "Measure on a PostgreSQL server instead, beside psql; in schemas of the bench, which are dropped.",
      valueName: "address"))
  var store: String?

  @Option(help: ArgumentHelp("Folder for the stores; its disk affects the results.", valueName: "folder"))
  var folder: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Compare with sqlite3, python3, sqlite-utils and duckdb, if installed.")
  var peers = true

  @Flag(help: "Print the programs that the peers run, and where the comparison is unfair.")
  var showPeers = false

  @Option(help: ArgumentHelp("Also write the results to this file as JSON.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Also draw a chart to this file, as SVG.", valueName: "file"))
  var chart: String?

  func validate() throws {
    guard runs >= 1 else { throw ValidationError.runs }
    guard (feed == nil) == (pipeline == nil) else { throw ValidationError.feedWithoutPipeline }
    guard feed == nil || rows == nil else { throw ValidationError.rowsOfOwnFeed }
    if let store {
      guard store.isServerAddress else { throw ValidationError.noServer(store) }
      guard feed == nil else { throw ValidationError.ownFeedOnServer }
      if let scenario = scenarios.first(where: { !$0.runsOnServer }) {
        throw ValidationError.needsFile(scenario)
      }
    }
    if store == nil, let scenario = scenarios.first(where: { !$0.runsOnFile }) {
      throw ValidationError.needsServer(scenario)
    }
    if feed != nil, let scenario = scenarios.first(where: { !$0.takesOwnFeed }) {
      throw ValidationError.needsGeneratedFeed(scenario)
    }
  }

  func run() throws {
    do {
      try runBench()
    } catch let status as ExitCode {
      throw status
    } catch let error as UselessFeed {
      throw Failure(.dataRejected, error.description)
    } catch {
      throw Failure(error)
    }
  }

  private func runBench() throws {
    if showPeers {
      return try StandardOutput.write(lines: Peer.all.map(\.listing).joined(separator: "\n"))
    }
    var plan = BenchPlan(
      scenarios: scenarios.isEmpty ? Scenario.allCases : scenarios, sizes: rows?.counts ?? [100_000],
      runs: runs)
    plan.hasPeers = peers
    plan.scenarios.removeAll { store == nil ? !$0.runsOnFile : !$0.runsOnServer }
    if let feed, let pipeline {
      plan.scenarios.removeAll { !$0.takesOwnFeed }
      // Measured processes run in a folder of their own.
      plan.own = (feed: Self.absolute(feed), pipeline: Self.absolute(pipeline))
      for path in [feed, pipeline] where !FileManager.default.isReadableFile(atPath: path) {
        throw Failure.noSuchFeed(path)
      }
      _ = try Pipeline(path: pipeline)
    }
    let parent = folder ?? StoreAddress.temporaryFolder
    let workspace = try Workspace(in: Self.absolute(parent), tool: Self.tool)
    let server = store.flatMap { BenchServer($0, in: workspace) }
    @Sendable func clean() {
      try? server?.remove()
      workspace.remove()
    }
    let signals = SignalWatch { number in
      clean()
      Foundation.exit(128 + number)
    }
    defer {
      clean()
      withExtendedLifetime(signals) {}
    }
    try server?.check()
    let line = ProgressLine()
    let bench = Bench(plan, in: workspace, on: server, progress: line.draw)
    try StandardOutput.write(lines: bench.machine.lines.map { $0.wrapped(indent: 2) }.joined(separator: "\n"))
    var failures = 0
    let report = try bench.run { result in
      line.clear()
      try StandardOutput.write(lines: result.table)
    } failed: { scenario, error in
      line.clear()
      failures += 1
      Failure.inScenario(scenario, error).printToStandardError()
    }
    line.clear()
    try StandardOutput.write(lines: report.summary)
    if let json { try Data(try report.json.utf8).write(to: URL(filePath: json)) }
    if let chart { try Data(BenchChart(report).svg.utf8).write(to: URL(filePath: chart)) }
    if failures > 0 { throw ExitStatus.bug.exitCode }
  }

  private static func absolute(_ path: String) -> String {
    URL(filePath: path).path(percentEncoded: false)
  }

  /// This program's own file, whatever name it was called by.
  private static var tool: String {
    Bundle.main.executablePath ?? CommandLine.arguments[0]
  }
}

/// `bolide bench-job`: one measured piece of work, in a process of its own. The bench calls it, nobody else.
struct BenchJobCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "bench-job", shouldDisplay: false)

  @Argument var job: String

  func run() throws {
    do {
      try StandardOutput.write(line: try Job.run(json: job))
    } catch {
      throw Failure(error)
    }
  }
}

extension Scenario: ExpressibleByArgument {
  /// The list in `--help`.
  fileprivate static var table: String {
    allCases.map { "  \($0.rawValue.padded(to: 14))\($0.title)" }.joined(separator: "\n")
  }
}
