import ArgumentParser
import Bolide
import CommandSupport
import Foundation

/// `bolide runs`
struct RunsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "runs",
    abstract: "List the latest imports of a store.",
    discussion: """
      Lists the newest run first, whether it succeeded or not. With --format ndjson each run has all its counts, and for \
      each attribute that was read from a field how many records were read, how many had the field, and how many had it \
      as null. The field counts of the last 100 runs of a pipeline are kept.
      """)

  @Argument(help: .store, completion: .file())
  var storePath: String

  @Option(
    name: .customLong("pipeline"),
    help: ArgumentHelp("Only runs of this pipeline: its name or its file.", valueName: "pipeline"))
  var pipeline: String?

  @Option(help: ArgumentHelp("Maximum number of runs. (default: 20)", valueName: "n"))
  var limit: Int?

  @Option(help: "The output format. (default: table on a terminal, ndjson elsewhere)")
  var format: ChangeFormat?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError.noRuns }
  }

  func run() throws {
    do {
      let name = try pipeline.map { $0.namesPipeline ? try Pipeline(path: $0).name : $0 }
      let runs = try StoreAddress.open(storePath).runs(of: name, limit: limit ?? 20)
      switch format ?? .standard {
      case .ndjson:
        var text = JSONText()
        for run in runs { text.write(run) }
        try StandardOutput.write(text.bytes)
      case .table: try StandardOutput.write(Array(Self.table(runs).utf8))
      }
    } catch is StandardOutput.Closed {
      // Whoever reads has read enough.
    } catch {
      throw Failure(error)
    }
  }

  private static func table(_ runs: [RunRecord]) -> String {
    if runs.isEmpty { return "" }
    let head = [
      "RUN", "PIPELINE", "STARTED", "TOOK", "OUTCOME", "READ", "NEW", "UPDATED", "REJECTED", "MISSING",
      "INPUT",
    ]
    let lines = runs.map { record in
      let (run, counts) = (record.run, record.run.progress.counts)
      return [
        "\(run.number)", record.pipeline.printable, run.started.minute,
        run.seconds.map { "\(decimal($0, places: 2)) s" } ?? "",
        record.outcome + (record.reverted == nil ? "" : ", reverted"), counts.read.grouped,
        counts.inserted.grouped,
        counts.updated.grouped, run.progress.total.rejected.grouped, run.progress.missing?.grouped ?? "",
        run.input.printable,
      ]
    }
    return TextTable.text([head] + lines, leastFirst: ["TOOK", "MISSING", "PIPELINE"])
  }
}

extension JSONText {
  fileprivate mutating func write(_ record: RunRecord) {
    object {
      $0.member("pipeline", record.pipeline)
      $0.write(members: record.run)
      if record.run.outcome == nil { $0.member("state", record.outcome) }
      if let reverted = record.reverted { $0.member("reverted", reverted) }
      if !record.fields.isEmpty {
        $0.member("fields", objects: record.fields) { text, count in
          text.member("entity", count.entity)
          text.member("attribute", count.attribute)
          text.member("field", count.field)
          text.member("records", Int64(count.records))
          text.member("present", Int64(count.present))
          text.member("nulls", Int64(count.nulls))
        }
      }
    }
    endLine()
  }
}
