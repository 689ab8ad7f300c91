import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide import`
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a feed through a pipeline.",
    discussion: """
      The input is JSON, plain or compressed with gzip or zstd, detected automatically. Prints nothing on success unless \
      standard error is a terminal; see -v and --json.

      Most options can also be set in the pipeline, by keys of the same name; an option overrides the pipeline. A file \
      that is identical to one imported before is recognised if nothing has changed since, and counts as imported \
      with every row unchanged; see --force.
      """)

  @Argument(help: ArgumentHelp("The pipeline file.", valueName: "pipeline"), completion: .file())
  var pipelinePath: String

  @Argument(
    help: ArgumentHelp(
      "The input files, imported one after the other as one run; - is standard input. (default: -)",
      valueName: "input"))
  var inputs: [String] = []

  @Option(help: ArgumentHelp("Path of the store; overrides the pipeline.", valueName: "path"))
  var store: String?

  @Option(
    help: ArgumentHelp("Author of the changes in history. (default: the pipeline's name)", valueName: "name"))
  var author: String?

  @Option(
    help: ArgumentHelp(
      "Maximum of rejected records: a number, or a share such as 2%. (default: 0)", valueName: "n|p%"),
    transform: RejectLimit.init(argument:))
  var maxRejects: RejectLimit?

  @Flag(inversion: .prefixedNo, help: "Stop at the first rejected record. (default: no)")
  var stopOnReject: Bool?

  @Flag(
    inversion: .prefixedNo,
    help: "Import the whole input in one transaction, or nothing. (default: no)")
  var atomic: Bool?

  @Option(
    help: ArgumentHelp(
      "Whether transactions also end with each input, or small inputs share them: "
        + "\(CommitPolicy.words). (default: input)",
      valueName: "unit"),
    transform: CommitPolicy.init(argument:))
  var commit: CommitPolicy?

  @Option(
    help: ArgumentHelp(
      "Whether records are sorted by key, in a temporary file, before the first is imported: "
        + "\(SortPolicy.words). (default: none)",
      valueName: "by"),
    transform: SortPolicy.init(argument:))
  var sort: SortPolicy?

  @Option(help: ArgumentHelp("Commit every n records.", valueName: "n"))
  var chunkRows: Int?

  @Option(
    help: ArgumentHelp(
      "How much memory to take, from 48MiB to 4GiB. (default: 96MiB)", valueName: "size"))
  var memory: MemorySize?

  @Option(
    help: ArgumentHelp(
      "Over how many connections to import into a store on a server, from 1 to 64. (default: 1)",
      valueName: "n"))
  var connections: ConnectionCount?

  @Option(
    help: ArgumentHelp(
      "How long to wait for a lock: 30s, 10m. (default: 10m)", valueName: "time"))
  var lockWait: WaitTime?

  @Option(
    help: ArgumentHelp(
      "Maximum size of the write-ahead log while other programs read: 256MiB. (default: 1GiB)",
      valueName: "size"))
  var walLimit: ByteSize?

  @Option(
    help: ArgumentHelp("Minimum number of records in the input; fewer fail. (default: none)", valueName: "n"))
  var minRecords: Int?

  @Option(
    help: ArgumentHelp(
      "With a full feed: maximum share of the last complete run's rows that the input may lack; more fail. "
        + "(default: none)", valueName: "p%"))
  var maxMissing: Share?

  @Option(
    help: ArgumentHelp(
      "Maximum share of the rows read that may have other values than after the last good run; more fail. "
        + "(default: none)", valueName: "p%"))
  var maxChanged: Share?

  @Option(
    help: ArgumentHelp(
      "What to do if no record has a field that the pipeline uses and earlier inputs had: "
        + "\(AbsentFieldPolicy.words). (default: warn)",
      valueName: "action"),
    transform: AbsentFieldPolicy.init(argument:))
  var onAbsentField: AbsentFieldPolicy?

  @Option(
    help: ArgumentHelp(
      "What to do if the feed has a new field: "
        + "\(NewFieldPolicy.words). (default: warn)",
      valueName: "action"),
    transform: NewFieldPolicy.init(argument:))
  var onNewField: NewFieldPolicy?

  @Option(
    help: ArgumentHelp(
      "Import once although this guard fails: \(ImportGuard.words). "
        + "Repeatable.", valueName: "guard"), transform: ImportGuard.init(argument:))
  var accept: [ImportGuard] = []

  @Option(help: ArgumentHelp("Maximum number of records in the input. (default: no limit)", valueName: "n"))
  var maxRecords: Int?

  @Option(
    help: ArgumentHelp(
      "Maximum size of the input, also after decompression: 2GiB. (default: no limit)",
      valueName: "size"))
  var maxBytes: ByteSize?

  @Option(
    help: ArgumentHelp(
      "Maximum duration of the import, including waiting for input: 30m. (default: no limit)",
      valueName: "time"))
  var maxTime: WaitTime?

  @Flag(
    inversion: .prefixedNo,
    help: "Show values of rejected records and new fields in messages. (default: no)")
  var showValues: Bool?

  @Flag(inversion: .prefixedNo, help: "Import a file even if it is recognised as unchanged. (default: no)")
  var force: Bool?

  @Option(
    help: ArgumentHelp(
      "Whether to create a store that does not exist: if-new, never, always. (default: if-new)",
      valueName: "when"),
    transform: StoreCreation.init(argument:))
  var create: StoreCreation?

  @Flag(
    name: .customLong("dry-run"),
    help: "Import into a copy of the store and report; the store is not changed.")
  var isTrial = false

  @Flag(help: "Import the rejected records that the store keeps, instead of an input.")
  var replay = false

  @Flag(help: "Print the report to standard output as one JSON object.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print the report even if standard error is not a terminal.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Print only errors, except the error that another import is running.")
  var quiet = false

  @OptionGroup var writing: WritingArguments

  func validate() throws {
    if let chunkRows, chunkRows < 1 {
      throw ValidationError.chunkRows
    }
    if let maxRecords, maxRecords < 1 { throw ValidationError.maxRecords }
    if let minRecords, minRecords < 1 { throw ValidationError.minRecords }
    if replay, !inputs.isEmpty {
      throw ValidationError.inputOfReplay
    }
    if sort == .key, stopOnReject == true { throw ValidationError.sortedStop }
    if inputs.count(where: { $0 == "-" }) > 1 { throw ValidationError.standardInputTwice }
  }

  func run() throws {
    do {
      try runImport()
    } catch let status as ExitCode {
      throw status
    } catch let error as ImportError where quiet && error.kind == .store(.locked) {
      // A run that another one makes needless is no news.
      if json { try StandardOutput.write(line: Failure(error).json) }
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
    // As people see it: an address may hold a password.
    let shown = StoreAddress(storePath).description
    let terminal = Terminal(
      isQuiet: quiet, isVerbose: verbose, store: shown,
      addsFields: (onNewField ?? pipeline.settings.newFieldPolicy) == .add)
    var options = ImportOptions()
    options.rejectLimit = maxRejects
    options.stopsOnReject = stopOnReject
    options.isAtomic = atomic
    options.commitPolicy = commit
    options.sortPolicy = sort
    options.chunkRows = chunkRows
    options.lockWait = lockWait?.seconds
    options.walLimit = walLimit?.bytes
    options.memory = memory?.bytes
    options.connections = connections?.count
    options.bounds = InputBounds(bytes: maxBytes?.bytes, records: maxRecords, seconds: maxTime?.seconds)
    options.minimumRecords = minRecords
    if let maxMissing {
      guard pipeline.feed == .full else { throw Failure.missingOfWindow(pipelinePath) }
      options.maximumMissing = maxMissing.percent / 100
    }
    options.maximumChanged = maxChanged.map { $0.percent / 100 }
    options.absentFieldPolicy = onAbsentField
    options.newFieldPolicy = onNewField
    if !accept.isEmpty { options.acceptedGuards = Set(accept) }
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
      let status = 128 + (signals.received ?? SIGTERM)
      // The status tells of the signal, whatever keeps the report from being written.
      if let report = error.report {
        terminal.note(report.restored)
        var failure = Failure(error)
        failure.signalStatus = status
        try? show(report, terminal, failure)
      }
      throw ExitCode(status)
    } catch {
      terminal.clearProgress()
      if let failure = error as? ImportError, let report = failure.report {
        terminal.note(report.restored)
        // Where rejected records are the error itself, it says so.
        if !["stopped-at-reject", "all-refused"].contains(failure.code) { terminal.showRejects(report) }
        // What ended the import is worth more than what keeps its report from being written.
        if json {
          var failure = Failure(failure)
          try? StandardOutput.write(line: report.json(failure))
          failure.isInOutput = true
          throw failure
        }
      }
      throw error
    }
    terminal.clearProgress()
    terminal.note(report.restored)
    try show(report, terminal)
    guard report.verdict != .allLanded else { return }
    // The report says it all, unless it was not wanted: a failure is never silent.
    guard report.verdict == .tooManyRejected, quiet else { throw report.status.exitCode }
    var failure = Failure.tooManyRejected(report, in: shown)
    failure.isInOutput = json
    throw failure
  }

  /// - Parameter failure: what ended the import.
  private func show(_ report: ImportReport, _ terminal: Terminal, _ failure: Failure? = nil) throws {
    terminal.show(report)
    if report.isTrial, !json, !quiet, report.verdict == .allLanded {
      try StandardOutput.write(line: report.line)
    }
    if json { try StandardOutput.write(line: report.json(failure)) }
  }
}
