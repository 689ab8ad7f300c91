import ArgumentParser
import Bolide
import CommandSupport
import Foundation
internal import TypedRows

/// `bolide rejects`
struct RejectsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rejects",
    abstract: "List or erase the rejected records that a store keeps.",
    discussion: """
      A record that is rejected repeatedly is listed once, at its latest position. The records themselves are printed \
      only with --format ndjson, as they may contain sensitive data. Imports delete records that no run of the last 30 \
      days has rejected. The exit status is 0 even if nothing is listed.

      With --erase the listed records are deleted from the store, no byte of them remains in its file, and their number \
      is printed. Rows that earlier imports made from such records, and their history, are kept.
      """)

  /// How the list is printed.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    /// A line for people each.
    case text
    /// A JSON object each, with the record's text.
    case ndjson
  }

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp(
      "Only records whose first rejection was in run n or earlier, and the last in run n or later.",
      valueName: "n"))
  var runNumber: Int64?

  @Option(
    name: .customLong("pipeline"),
    help: ArgumentHelp(
      "Only records rejected by this pipeline: its name or its file.", valueName: "pipeline"))
  var pipeline: String?

  @Flag(help: "Delete the listed records from the store, including their texts.")
  var erase = false

  @Option(help: "The output format.")
  var format: Format = .text

  func run() throws {
    do {
      let name = try pipeline.map { $0.namesPipeline ? try Pipeline(path: $0).name : $0 }
      let filter = RejectFilter(run: runNumber, pipeline: name)
      let store = try StoreAddress.open(storePath)
      try erase ? erase(filter, store) : list(filter, store)
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }
}

extension RejectsCommand {
  private func erase(_ filter: RejectFilter, _ store: any StoreEngine) throws {
    let count = try store.eraseRejects(filter, lockWait: 600)
    switch format {
    case .text: try StandardOutput.write(line: "\(counted(count, "rejected record")) erased")
    case .ndjson:
      var text = JSONText()
      text.object { $0.member("erased", Int64(count)) }
      try StandardOutput.write(line: text.string)
    }
  }

  private func list(_ filter: RejectFilter, _ store: any StoreEngine) throws {
    var text = JSONText()
    try store.readRejects(filter) { kept in
      switch format {
      case .text: try StandardOutput.write(line: kept.line)
      case .ndjson:
        text.write(kept)
        try StandardOutput.write(text.bytes)
        text.clear()
      }
    }
    for (pipeline, run, count) in try store.unkeptRejects(filter) {
      printNote(Note.unkept(count, pipeline, run))
    }
  }
}

extension KeptReject {
  /// `feed.json:1:230: record 2: energy: expected a number such as 12.8 (fireballs, runs 3 to 7, 5 times)`
  fileprivate var line: String {
    let runs = firstRun == lastRun ? "run \(firstRun)" : "runs \(firstRun) to \(lastRun), \(times) times"
    return
      "\(reject.input):\(reject.line):\(reject.column): \(reject.subject): \(reject.message) (\(pipeline), \(runs))"
  }
}

extension JSONText {
  fileprivate mutating func write(_ kept: KeptReject) {
    object {
      $0.member("reject", kept.number)
      $0.member("pipeline", kept.pipeline)
      $0.member("firstRun", kept.firstRun)
      $0.member("lastRun", kept.lastRun)
      $0.member("times", kept.times)
      $0.member("code", kept.reject.code)
      $0.member("message", kept.reject.message)
      $0.member("attribute", kept.reject.attribute)
      $0.member("input", kept.reject.input)
      $0.member("record", Int64(kept.reject.record))
      if let entity = kept.reject.entity {
        $0.member("entity", entity)
        $0.member("child", Int64(kept.reject.child))
      }
      $0.member("byte", Int64(kept.reject.byte))
      $0.member("line", Int64(kept.reject.line))
      $0.member("column", Int64(kept.reject.column))
      $0.member("text", kept.reject.text)
      $0.member("isCut", kept.reject.isCut)
    }
    endLine()
  }
}
