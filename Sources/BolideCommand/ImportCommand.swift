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

      How an import runs can be said in the pipeline too, by keys named like these options; an option wins. A file \
      with the bytes of one that was imported before, after which nothing has changed, is known again and counts as \
      imported with every row unchanged; see --force.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"))
  var pipelinePath: String

  @Argument(
    help: ArgumentHelp(
      "The input files, read one after the other as one import; - is standard input. (default: -)",
      valueName: "input"))
  var inputs: [String] = []

  @Option(help: ArgumentHelp("The store's file, instead of the pipeline's.", valueName: "path"))
  var store: String?

  @Option(help: ArgumentHelp("Who the history says has written, instead of the pipeline.", valueName: "name"))
  var author: String?

  @Option(
    help: ArgumentHelp(
      "How many records may be refused: a number, or a share such as 2%. (default: 0)", valueName: "n|p%"),
    transform: RejectLimit.init(argument:))
  var maxRejects: RejectLimit?

  @Flag(inversion: .prefixedNo, help: "End at the first refused record. (default: no)")
  var stopOnReject: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "One transaction: the whole input lands, or nothing of it. (default: no)")
  var atomic: Bool?

  @Option(help: ArgumentHelp("Commit after so many records.", valueName: "n"))
  var chunkRows: Int?

  @Option(
    help: ArgumentHelp(
      "How long to wait for another import or program: 30s, 10m. (default: 10m)", valueName: "time"))
  var lockWait: WaitTime?

  @Option(
    help: ArgumentHelp(
      "How large the write-ahead log may grow while somebody reads: 256MiB. (default: 1GiB)",
      valueName: "size"))
  var walLimit: ByteSize?

  @Option(help: ArgumentHelp("How many records the input may have. (default: any number)", valueName: "n"))
  var maxRecords: Int?

  @Option(
    help: ArgumentHelp(
      "How large the input may be, and what a compressed one expands to: 2GiB. (default: any size)",
      valueName: "size"))
  var maxBytes: ByteSize?

  @Option(
    help: ArgumentHelp(
      "How long the import may take, also while nothing comes: 30m. (default: for ever)", valueName: "time"))
  var maxTime: WaitTime?

  @Flag(
    inversion: .prefixedNo,
    help: "Let messages show what a refused record or a new field holds. (default: no)")
  var showValues: Bool?

  @Flag(inversion: .prefixedNo, help: "Import also a file that is known again. (default: no)")
  var force: Bool?

  @Option(
    help: ArgumentHelp(
      "Whether a store that is not there is made. (default: if-new)", valueName: "when"),
    transform: StoreCreation.init(argument:))
  var create: StoreCreation?

  @Flag(
    name: .customLong("dry-run"),
    help: "Say what would happen, and leave the store as it is: a copy is imported into.")
  var isTrial = false

  @Flag(help: "Instead of an input, try the records again that were refused before and are kept.")
  var replay = false

  @Flag(help: "Print the report as one JSON object to standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print the report also when standard error is not a terminal.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print errors only, and not that another import is at work.")
  var quiet = false

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    if let chunkRows, chunkRows < 1 {
      throw ValidationError.chunkRows
    }
    if let maxRecords, maxRecords < 1 { throw ValidationError.maxRecords }
    if replay, !inputs.isEmpty {
      throw ValidationError.inputOfReplay
    }
    if inputs.count(where: { $0 == "-" }) > 1 { throw ValidationError.standardInputTwice }
  }

  func run() throws {
    do {
      try runImport()
    } catch let status as ExitCode {
      throw status
    } catch let error as ImportError where quiet && error.kind == .store(.locked) {
      // A run that another one makes needless is no news.
      throw ExitStatus.tryLater.exitCode
    } catch {
      throw Failure(error)
    }
  }

  private func runImport() throws {
    var pipeline = try Pipeline(path: pipelinePath)
    if let author { pipeline.author = author }
    guard let storePath = store ?? pipeline.store else {
      throw Failure.noStoreToImport(in: pipelinePath)
    }
    let cancellation = ImportCancellation()
    let signals = SignalWatch { _ in cancellation.cancel() }
    let terminal = Terminal(isQuiet: quiet, isVerbose: verbose)
    var options = ImportOptions()
    options.rejectLimit = maxRejects
    options.stopsOnReject = stopOnReject
    options.isAtomic = atomic
    options.chunkRows = chunkRows
    options.lockWait = lockWait?.seconds
    options.walLimit = walLimit?.bytes
    options.bounds = InputBounds(bytes: maxBytes?.bytes, records: maxRecords, seconds: maxTime?.seconds)
    options.showsValues = showValues
    options.force = force
    options.storeCreation = create
    options.cancellation = cancellation
    options.progress = terminal.progress(pipeline.name)

    let report: ImportReport
    do {
      let trusts = writing.trustsSchema
      func run(on store: StoreAddress) throws -> ImportReport {
        try replay
          ? store.replay(pipeline, options: options, trustsSchema: trusts)
          : store.run(
            pipeline, on: inputs.isEmpty ? ["-"] : inputs, options: options, trustsSchema: trusts)
      }
      let address = StoreAddress(storePath)
      let creation = create ?? pipeline.settings.storeCreation
      report = try isTrial ? address.trying(creation: creation, run) : run(on: address)
    } catch let error as ImportError where error.kind == .cancelled {
      terminal.clearProgress()
      // The status tells of the signal, whatever keeps the report from being written.
      if let report = error.report {
        terminal.note(report.restored)
        try? show(report, terminal)
      }
      throw ExitCode(128 + (signals.received ?? SIGTERM))
    } catch {
      terminal.clearProgress()
      if let failure = error as? ImportError, let report = failure.report {
        terminal.note(report.restored)
        // Where refused records are the error itself, it says so.
        if !["stopped-at-reject", "all-refused"].contains(failure.code) { terminal.showRejects(report) }
        // What ended the import is worth more than what keeps its report from being written.
        if json { try? StandardOutput.write(line: report.json) }
      }
      throw error
    }
    terminal.clearProgress()
    terminal.note(report.restored)
    try show(report, terminal)
    switch report.verdict {
    case .allLanded: return
    case .someRefused: throw ExitStatus.someRefused.exitCode
    case .tooManyRefused:
      // The report says it all, unless it was not wanted: a failure is never silent.
      guard quiet else { throw ExitStatus.dataRefused.exitCode }
      throw Failure.tooManyRefused(report, in: storePath)
    }
  }

  private func show(_ report: ImportReport, _ terminal: Terminal) throws {
    terminal.show(report)
    if report.isTrial, !json, !quiet, report.verdict == .allLanded {
      try StandardOutput.write(line: report.line)
    }
    if json { try StandardOutput.write(line: report.json) }
  }
}

/// A time on the command line: `30s`, `10m`, `0`.
struct WaitTime: ExpressibleByArgument {
  var seconds: Double

  init?(argument: String) {
    guard let time = WaitText(argument) else { return nil }
    seconds = time.seconds
  }
}

/// A size on the command line: `256MiB`, `1GiB`.
struct ByteSize: ExpressibleByArgument {
  var bytes: Int

  init?(argument: String) {
    guard let size = SizeText(argument) else { return nil }
    bytes = size.bytes
  }
}

extension StoreCreation {
  init(argument: String) throws {
    guard let creation = Self(rawValue: argument) else { throw ValidationError.notACreation(argument) }
    self = creation
  }
}

extension RejectLimit {
  init(argument: String) throws {
    guard let limit = RejectLimit(argument) else {
      throw ValidationError.notALimit(argument)
    }
    self = limit
  }
}
