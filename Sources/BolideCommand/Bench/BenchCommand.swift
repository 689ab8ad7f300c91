import ArgumentParser
import Bolide
import BolideBench
import Foundation

/// `bolide bench`
struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures throughput on this machine, and checks what it measured.",
    discussion: """
      Each run is a process and a store of its own; each result is checked, or the bench fails and shows nothing for \
      it. The floor is SQLite alone, with the same rows typed and in memory already; it runs in turn with the import. \
      The last column says how much of Bolide's time another took, pair of runs by pair of runs.

      SCENARIOS:
      \(Scenario.table)
      """)

  @Argument(help: ArgumentHelp("What to measure; everything unless said.", valueName: "scenario"))
  var scenarios: [Scenario] = []

  @Option(
    help: ArgumentHelp(
      "Rows of the generated feed: 100k, 1m; several with commas. (default: 100k)", valueName: "n"),
    transform: RowCounts.init(argument:))
  var rows: RowCounts?

  @Option(help: ArgumentHelp("How often each runs, after one run that does not count.", valueName: "n"))
  var runs: Int = 3

  @Option(help: ArgumentHelp("A feed of your own; needs --pipeline.", valueName: "file"))
  var feed: String?

  @Option(help: ArgumentHelp("The pipeline that imports it.", valueName: "file"))
  var pipeline: String?

  @Option(help: ArgumentHelp("Where the stores are made; the disk matters.", valueName: "folder"))
  var folder: String?

  @Flag(
    inversion: .prefixedNo,
    help: "Let sqlite3, python3, sqlite-utils and duckdb do the same, as far as they are here.")
  var peers = true

  @Flag(help: "Print the programs that the others run, and where the comparison is unfair.")
  var showPeers = false

  @Option(help: ArgumentHelp("Also write everything that was found as JSON.", valueName: "file"))
  var json: String?

  @Option(help: ArgumentHelp("Also draw it, as SVG.", valueName: "file"))
  var chart: String?

  func validate() throws {
    guard runs >= 1 else { throw ValidationError.runs }
    guard (feed == nil) == (pipeline == nil) else { throw ValidationError.feedWithoutPipeline }
    guard feed == nil || rows == nil else { throw ValidationError.rowsOfOwnFeed }
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
      throw Failure(.dataRefused, error.description)
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
    let signals = SignalWatch { number in
      workspace.remove()
      Foundation.exit(128 + number)
    }
    defer {
      workspace.remove()
      withExtendedLifetime(signals) {}
    }
    let terminal = Terminal(isQuiet: false, isVerbose: false)
    let bench = Bench(plan, in: workspace, progress: terminal.draw)
    try StandardOutput.write(lines: bench.machine.lines.joined(separator: "\n"))
    var failures = 0
    let report = try bench.run { result in
      terminal.clearProgress()
      try StandardOutput.write(lines: result.table)
    } failed: { scenario, error in
      terminal.clearProgress()
      failures += 1
      Failure.inScenario(scenario, error).printToStandardError()
    }
    terminal.clearProgress()
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

/// Numbers of rows on the command line: `100k,1m,10m`.
struct RowCounts {
  let counts: [Int]

  init(argument: String) throws {
    counts = try argument.split(separator: ",", omittingEmptySubsequences: false).map { word in
      let unit = word.last.flatMap { ["k": 1000, "m": 1_000_000]["\($0)".lowercased()] }
      guard let number = Int(unit == nil ? word : word.dropLast()), number >= 1,
        number <= FireballFeed.rowLimit / (unit ?? 1)
      else {
        throw ValidationError.notRows(word)
      }
      return number * (unit ?? 1)
    }
  }
}

extension Scenario: ExpressibleByArgument {
  /// The list in `--help`.
  fileprivate static var table: String {
    allCases.map { "  \($0.rawValue.padded(to: 14))\($0.title)" }.joined(separator: "\n")
  }
}
