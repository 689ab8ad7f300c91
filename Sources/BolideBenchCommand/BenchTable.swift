import Bolide
import BolideBench
import CommandSupport
import Foundation

// What a person reads: a table a scenario, then where the time went, then the goals.

extension ScenarioResult {
  /// The scenario's table.
  var table: String {
    let head = "\(scenario.rawValue), \(rows.grouped) rows: \(title)".wrapped(indent: 2)
    let notes = ((server.map { [$0] } ?? []) + notes).map { "  \($0)".wrapped(indent: 4) }
    return (["", head, scenario == .follow ? followTable : rateTable] + notes).joined(separator: "\n")
  }

  private var rateTable: String {
    let rate = "\(scenario.unit)/s"
    let heads = [
      "", "seconds", "(range)", rate, "MB/s", "CPU s", "peak MiB", "written MB", "time by Bolide's",
    ]
    return TextTable.bench(
      [heads] + measures.enumerated().map { cells($1, isFirst: $0 == 0) },
      leastFirst: ["(range)", "written MB", "CPU s", "peak MiB"])
  }

  /// A follower has no rate: what counts is how late it is.
  private var followTable: String {
    let heads = [
      "", "commits", "median ms", "99 % ms", "worst ms", "CPU s", "peak MiB", "CPU s a minute asleep",
    ]
    let rows = measures.compactMap { measure in
      measure.followed.map { times in
        [
          measure.name, "\(times.latencies.count)", times.median.milliseconds,
          times.percentile99.milliseconds,
          times.worst.milliseconds, measure.middle.processorSeconds?.seconds ?? "",
          measure.middle.peakBytes.map { (Double($0) / 1_048_576).short } ?? "",
          times.sleepingPerMinute.seconds,
        ]
      }
    }
    return TextTable.bench([heads] + rows, leastFirst: ["CPU s", "peak MiB", "CPU s a minute asleep"])
  }

  private func cells(_ measure: Measure, isFirst: Bool) -> [String] {
    let middle = measure.middle
    let range = "\((measure.seconds.min() ?? 0).seconds)-\((measure.seconds.max() ?? 0).seconds)"
    // The parser's inputs are no rivals of each other.
    let ratio = isFirst || scenario == .parse ? "" : ratio(of: measure).text
    return [
      measure.name, measure.median.seconds, range, (Double(middle.rows) / measure.median).rate,
      middle.bytes > 0 ? (Double(middle.bytes) / measure.median / 1e6).short : "",
      middle.processorSeconds?.seconds ?? "", middle.peakBytes.map { (Double($0) / 1_048_576).short } ?? "",
      middle.writtenBytes.map { (Double($0) / 1e6).short } ?? "", ratio,
    ]
  }
}

extension TextTable {
  /// A table under a line that says what it is of; everything behind the names is a number.
  fileprivate static func bench(_ rows: [[String]], leastFirst: [String] = []) -> String {
    let columns = terminalColumns(of: STDOUT_FILENO).map { $0 - 2 }
    return text(rows, numbers: Set(rows[0].dropFirst()), leastFirst: leastFirst, columns: columns)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { "  \($0)".trimmedAtEnd }
      .joined(separator: "\n")
  }
}

extension BenchReport {
  /// Where the time went, and the goals.
  var summary: String {
    let staged = results.filter { $0.stages != nil }
    var lines: [String] = []
    if !staged.isEmpty {
      lines += ["", "Where Bolide's time went, in % of the wall time:".wrapped(indent: 2)]
      lines += [stageTable("the thread that reads", staged) { $0.reading }]
      lines += [stageTable("the thread that writes", staged) { $0.writing }]
    }
    if !goals.isEmpty {
      let heads = ["", "at rows", "asked", "found", "are"]
      lines += ["", "Goals:", TextTable.bench([heads] + goals.map(\.cells))]
    } else if results.allSatisfy({ $0.rows < Goal.smallest }) {
      lines += ["", "No goals: they are for \(Goal.smallest.grouped) rows and more.".wrapped(indent: 2)]
    }
    return lines.joined(separator: "\n")
  }

  private func stageTable(
    _ title: String, _ results: [ScenarioResult], _ shares: (StageShares) -> [StageShares.Share]
  ) -> String {
    let names = results.first?.stages.map(shares)?.map(\.name) ?? []
    return TextTable.bench(
      [[title] + names]
        + results.map { result in
          ["\(result.scenario.rawValue), \(result.rows.grouped)"]
            + (result.stages.map(shares)?.map(\.share.percent) ?? [])
        })
  }
}

extension Goal {
  fileprivate var cells: [String] {
    let asked = (isUpperLimit ? "<= " : ">= ") + "\(limit.trimmed)\(suffix)"
    let range = range.map { " (\($0.lowerBound.hundredths)-\($0.upperBound.hundredths))" } ?? ""
    return [
      name, rows.grouped, asked, "\(found.hundredths)\(suffix)\(range)",
      isReached ? "reached" : "not reached",
    ]
  }

  private var suffix: String { unit == "x" ? "x" : unit.isEmpty ? "" : " \(unit)" }
}

extension Ratio {
  /// `0.93 (0.90-0.97)`
  fileprivate var text: String { "\(median.hundredths) (\(lowest.hundredths)-\(highest.hundredths))" }
}
