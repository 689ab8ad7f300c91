import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide report`
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a page that shows the state of stores, for a browser.",
    discussion: """
      The page is one HTML file without scripts, fonts or anything else that would be loaded: every pipeline with its state \
      and its latest runs, and for each store its entities, rejected records by reason, fields that came or went, readers, \
      history and sizes, the newest transactions, and a map and a histogram where an entity has a latitude and a longitude.

      The file is written beside its place and moved into it, so a web server never serves half a page. From cron:

        bolide report /srv/bolide/pipelines/*.yaml --output /var/www/status.html

      Values of records and objects are left out, except for the positions on the map and the histogram, which --map none \
      leaves out too.
      """)

  @Argument(
    help: ArgumentHelp("Stores, or pipelines that name them.", valueName: "store"), completion: .file())
  var paths: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The page's file. (default: standard output)", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var output: String?

  @Option(
    help: ArgumentHelp(
      "The entity of the map, or none. (default: the only one with a latitude and a longitude)",
      valueName: "entity"))
  var map: String?

  @Option(
    help: ArgumentHelp(
      "The numeric attribute of the dots' sizes and of the histogram. (default: the first one)",
      valueName: "attribute"))
  var measure: String?

  @Flag(help: "Show keys and values of records and objects too.")
  var showValues = false

  func run() throws {
    var (stores, failures) = StatusOfStore.all(paths)
    do {
      let choices = ReportChoices(map: map, measure: measure, showsValues: showValues)
      let runs = ReportChoices.runs(ofPipelines: stores.reduce(0) { $0 + $1.pipelines.count })
      var reports: [StoreReport] = []
      for store in stores {
        do {
          reports.append(try StoreReport(store, choices, runs: runs))
        } catch {
          // Its status is told; the others are shown.
          reports.append(StoreReport(store))
          guard !failures.contains(where: { $0.path == store.path }) else { continue }
          let failure = Failure(error)
          failure.printToStandardError()
          failures.append((store.path, failure))
        }
      }
      if let map, map != "none", !reports.contains(where: { $0.points != nil }) { throw Failure.noMap(map) }
      if let measure, !reports.contains(where: { $0.points?.measure == measure }) {
        throw Failure.noMeasure(measure)
      }
      let page = ReportPage(reports, failures: failures.map(\.failure.message), showsValues: showValues)
      if let output {
        try Self.write(page.html, to: output)
      } else {
        try StandardOutput.write(Array(page.html.utf8))
      }
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
    if let failure = failures.first?.failure { throw failure.status.exitCode }
  }

  /// Writes a file in one step, and through a link, or to a device or a pipe, as it comes: these stay what they are.
  private static func write(_ html: String, to path: String) throws {
    do {
      let there = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      let isFile = there == nil || there == .typeRegular
      try Data(html.utf8).write(to: URL(filePath: path), options: isFile ? .atomic : [])
    } catch let error as CocoaError {
      throw Failure.noPage(path, error.code == .fileWriteOutOfSpace ? "the disk is full" : error.reason)
    }
  }
}

extension CocoaError {
  /// What the system says, in its words.
  fileprivate var reason: String {
    guard let error = unsafe userInfo[NSUnderlyingErrorKey] as? POSIXError else {
      return localizedDescription
    }
    return unsafe String(cString: strerror(error.code.rawValue)).lowercased()
  }
}

/// What whoever asks for a page decides.
struct ReportChoices {
  /// The entity of the map; nil for the only one that can have one, `none` for no map.
  var map: String?
  /// The attribute of the sizes and of the histogram.
  var measure: String?
  /// Whether keys and values are shown.
  var showsValues = false

  /// How many runs of each pipeline are shown, so that a page of many pipelines stays small.
  static func runs(ofPipelines count: Int) -> Int { min(200, max(20, 4000 / max(1, count))) }
}
