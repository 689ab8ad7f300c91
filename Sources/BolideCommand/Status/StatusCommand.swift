import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide status`
struct StatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show the state of stores and their latest imports.",
    discussion: """
      Shows a single store in full, and several stores as one line per pipeline. A pipeline file selects the store \
      that it names, and is listed even if it has never run.

      The exit status is 79 if something needs attention: a pipeline that is overdue (its last good import is older than \
      `max-age: 26h`), whose last import failed or was killed, that has never run, or that misses more rows than \
      `max-missing` allows, a named reader that has expired or diverged, or an erasure that is incomplete. With -q nothing \
      is printed while all is well, so that cron mails only problems:

        bolide status -q /srv/bolide/pipelines/*.yaml
      """)

  /// How the answer is printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// Metrics, as a textfile collector reads them.
    case prometheus
  }

  @Argument(
    help: ArgumentHelp("Stores, or pipelines that name them.", valueName: "store"), completion: .file())
  var paths: [String]

  @Option(help: "The output format.")
  var format: Format = .text

  @Flag(help: "Print one JSON object per store.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only what needs attention.")
  var quiet = false

  func validate() throws {
    if json, format == .prometheus {
      throw ValidationError.twoForms
    }
  }

  func run() throws {
    let isTable = !json && format == .text && (paths.count > 1 || quiet)
    let (stores, failures) = StatusOfStore.all(paths, withRecentRuns: isTable && Sparkline.isShown)
    do {
      if json {
        for store in stores { try StandardOutput.write(line: store.json) }
        for (path, failure) in failures { try StandardOutput.write(line: failure.json(ofStore: path)) }
      } else if format == .prometheus {
        try StandardOutput.write(Array(PrometheusText(stores).text.utf8))
      } else if stores.count == 1, paths.count == 1, !quiet {
        try StandardOutput.write(Array(stores[0].text.utf8))
      } else if let table = StatusTable(stores, isQuiet: quiet) {
        try StandardOutput.write(Array(table.text.utf8))
      }
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    }
    if let failure = failures.first?.failure { throw failure.status.exitCode }
    // A collector is to get the metrics of what is wrong, too.
    if format == .text, stores.contains(where: \.needsAttention) { throw ExitStatus.overdue.exitCode }
  }
}

/// A store that was asked for, and its pipelines.
struct StatusOfStore {
  let address: StoreAddress
  /// The address as it is shown: without a password.
  var path: String { address.description }
  /// Nil for a store that no import has made yet.
  let status: StoreStatus?
  /// The pipelines that have run, and those that were named and have not.
  private(set) var pipelines: [PipelineStatus]
  /// The latest runs of each, the oldest first; empty where nobody sees them.
  private(set) var recentRuns: [String: [RunRecord]] = [:]

  /// Whether somebody should look.
  var needsAttention: Bool {
    pipelines.contains { $0.state.isTrouble } || !strandedReaders.isEmpty || hasOpenErasures
  }

  /// Named readers that cannot go on.
  var strandedReaders: [Reader] { status?.readers.filter { $0.state != .live } ?? [] }

  /// Whether objects that were erased may still be in the store's files.
  var hasOpenErasures: Bool { status.map { $0.openErasures > 0 } ?? false }

  /// What the pipelines that were named say themselves counts, not what they said when they ran.
  private init(_ path: String, declared: [Pipeline], withRecentRuns: Bool) throws {
    address = StoreAddress(path)
    let store = try declared.isEmpty ? address.open() : address.openIfThere()
    try store?.readingNote.map(Note.reading).map(printNote)
    status = try store?.status()
    pipelines = status?.pipelines ?? []
    if let store, withRecentRuns {
      for pipeline in pipelines {
        recentRuns[pipeline.name] = try store.runs(of: pipeline.name, limit: Sparkline.runs).reversed()
      }
    }
    for pipeline in declared {
      if let index = pipelines.firstIndex(where: { $0.name == pipeline.name }) {
        pipelines[index].maxAge = pipeline.maxAge
        // Rows that are marked stay missing.
        if case .mark = pipeline.gone {
        } else {
          pipelines[index].maximumMissing = pipeline.settings.maximumMissing
        }
      } else {
        pipelines.append(PipelineStatus(neverRun: pipeline.name, maxAge: pipeline.maxAge))
      }
    }
  }

  /// The stores that paths name, each once, in their order. One that cannot be looked at does not hide the others: it is
  /// told on standard error.
  static func all(_ paths: [String], withRecentRuns: Bool = false) -> (
    stores: [StatusOfStore], failures: [(path: String, failure: Failure)]
  ) {
    var order: [String] = []
    var declared: [String: [Pipeline]] = [:]
    var failures: [(String, Failure)] = []
    func trying(_ path: String, _ body: () throws -> Void) {
      do {
        try body()
      } catch {
        let failure = Failure(error)
        failure.printToStandardError()
        failures.append((StoreAddress(path).description, failure))
      }
    }
    for path in paths {
      trying(path) {
        let pipeline = path.namesPipeline ? try Pipeline(path: path) : nil
        if let pipeline, pipeline.store == nil { throw Failure.noStore(in: path) }
        let store = pipeline?.store ?? path
        if !order.contains(store) { order.append(store) }
        declared[store, default: []] += [pipeline].compactMap(\.self)
      }
    }
    var stores: [StatusOfStore] = []
    for path in order {
      trying(path) {
        let store = try StatusOfStore(
          path, declared: declared[path] ?? [], withRecentRuns: withRecentRuns)
        stores.append(store)
        if let error = store.status?.schemaError { throw error }
      }
    }
    return (stores, failures)
  }
}
