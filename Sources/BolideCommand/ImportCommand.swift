import ArgumentParser
import Bolide
import Foundation

/// `bolide import`
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Imports a feed through a pipeline.",
    discussion: """
      The input is JSON, plain or compressed with gzip, told by its content. Prints nothing when all went well, \
      unless standard error is a terminal; see -v and --json.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"))
  var pipelinePath: String

  @Argument(help: ArgumentHelp("The input file; - is standard input.", valueName: "input"))
  var input: String = "-"

  @Option(help: ArgumentHelp("The store's file, instead of the pipeline's.", valueName: "path"))
  var store: String?

  @Option(help: ArgumentHelp("Who the history says has written, instead of the pipeline.", valueName: "name"))
  var author: String?

  @Option(
    help: ArgumentHelp(
      "How many records may be refused: a number, or a share such as 2%. (default: 0)", valueName: "n|p%"),
    transform: RejectLimit.init(argument:))
  var maxRejects: RejectLimit = .count(0)

  @Option(help: ArgumentHelp("Commit after so many records.", valueName: "n"))
  var chunkRows: Int?

  @Option(help: ArgumentHelp("How long to wait for another import: 30s, 10m.", valueName: "time"))
  var lockWait: WaitTime = WaitTime(seconds: 600)

  @Flag(help: "Print the report as one JSON object to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print the report also when standard error is not a terminal.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print errors only.")
  var quiet = false

  func validate() throws {
    if let chunkRows, chunkRows < 1 {
      throw ValidationError("--chunk-rows is at least 1")
    }
  }

  func run() throws {
    do {
      try runImport()
    } catch let status as ExitCode {
      throw status
    } catch {
      throw Failure(error)
    }
  }

  private func runImport() throws {
    var pipeline = try Pipeline(path: pipelinePath)
    if let author { pipeline.author = author }
    guard let storePath = store ?? pipeline.store else {
      throw Failure(
        .usage, "\(pipelinePath) names no store",
        hint: "Say `store:` in the pipeline, or --store on the command line.")
    }
    let cancellation = ImportCancellation()
    let signals = SignalWatch { _ in cancellation.cancel() }
    let terminal = Terminal(isQuiet: quiet, isVerbose: verbose)
    var options = ImportOptions()
    options.rejectLimit = maxRejects
    options.chunkRows = chunkRows
    options.lockWait = lockWait.seconds
    options.cancellation = cancellation
    options.progress = terminal.progress(pipeline.name)

    let report: ImportReport
    do {
      report = try Store.importing(path: storePath, pipeline, from: input, options: options)
    } catch let error as ImportError where error.kind == .cancelled {
      terminal.clearProgress()
      // The status tells of the signal, whatever keeps the report from being written.
      if let report = error.report { try? show(report, terminal) }
      throw ExitCode(128 + (signals.received ?? SIGTERM))
    } catch {
      terminal.clearProgress()
      // What ended the import is worth more than what keeps its report from being written.
      if json, let report = (error as? ImportError)?.report { try? StandardOutput.write(line: report.json) }
      throw error
    }
    terminal.clearProgress()
    try show(report, terminal)
    switch report.verdict {
    case .allLanded: return
    case .someRefused: throw ExitStatus.someRefused.exitCode
    case .tooManyRefused:
      // The report says it all, unless it was not wanted: a failure is never silent.
      guard quiet else { throw ExitStatus.dataRefused.exitCode }
      throw Failure(.dataRefused, report.refusal, hint: "List them with `bolide rejects \(storePath)`.")
    }
  }

  private func show(_ report: ImportReport, _ terminal: Terminal) throws {
    terminal.show(report)
    if json { try StandardOutput.write(line: report.json) }
  }
}

/// A time on the command line: `30s`, `10m`, `0`.
struct WaitTime: ExpressibleByArgument {
  var seconds: Double

  init(seconds: Double) {
    self.seconds = seconds
  }

  init?(argument: String) {
    let unit = argument.last.flatMap { ["s": 1.0, "m": 60, "h": 3600][$0] }
    guard let number = Double(unit == nil ? argument : String(argument.dropLast())), number >= 0,
      number.isFinite
    else { return nil }
    seconds = number * (unit ?? 1)
  }

  var defaultValueDescription: String { "10m" }
}

extension RejectLimit {
  init(argument: String) throws {
    if argument.hasSuffix("%"), let share = Double(argument.dropLast()), (0...100).contains(share) {
      self = .percent(share)
    } else if let number = Int(argument), number >= 0 {
      self = .count(number)
    } else {
      throw ValidationError("'\(argument)' is neither a number of records nor a share such as 2%")
    }
  }
}
