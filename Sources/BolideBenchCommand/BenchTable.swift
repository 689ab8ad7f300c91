import Bolide
import BolideBench

// What a person reads: a table a scenario, then where the time went, then the goals.

extension ScenarioResult {
  /// The scenario's table.
  var table: String {
    let head = "\n\(scenario.rawValue), \(rows.grouped) rows: \(title)"
    if scenario == .follow { return ([head] + followLines + notes.map { "  " + $0 }).joined(separator: "\n") }
    let columns = [
      "", "seconds", "(range)", "\(scenario.unit)/s", "MB/s", "CPU s", "peak MiB", "written MB",
      "time by Bolide's",
    ]
    let lines = measures.enumerated().map { line(cells($1, isFirst: $0 == 0)) }
    return ([head, line(columns)] + lines + notes.map { "  " + $0 }).joined(separator: "\n")
  }

  /// A follower has no rate: what counts is how late it is.
  private var followLines: [String] {
    let columns = [
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
    return ([columns] + rows).map { cells in
      "  " + cells[0].padded(to: 28)
        + zip(cells.dropFirst(), [9, 11, 10, 10, 8, 10, 23]).map { $0.indented(to: $1) }.joined()
    }
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

  private func line(_ cells: [String]) -> String {
    let widths = [28, 9, 14, 10, 7, 8, 10, 12]
    var text = "  " + cells[0].padded(to: widths[0])
    for (cell, width) in zip(cells.dropFirst(), widths.dropFirst()) { text += cell.indented(to: width) }
    text += "  " + cells[8]
    return text.trimmedAtEnd
  }
}

extension BenchReport {
  /// Where the time went, and the goals.
  var summary: String {
    let staged = results.filter { $0.stages != nil }
    var lines: [String] = []
    if !staged.isEmpty {
      lines += ["", "Where Bolide's time went, in % of the wall time:"]
      lines += table("the thread that reads", staged) { $0.reading }
      lines += table("the thread that writes", staged) { $0.writing }
    }
    if !goals.isEmpty {
      lines += ["", "Goals:".padded(to: 52) + "at rows".padded(to: 14) + "asked".padded(to: 12) + "found"]
      lines += goals.map(\.line)
    } else if results.allSatisfy({ $0.rows < Goal.smallest }) {
      lines += ["", "No goals: they are for \(Goal.smallest.grouped) rows and more."]
    }
    return lines.joined(separator: "\n")
  }

  private func table(
    _ title: String, _ results: [ScenarioResult], _ shares: (StageShares) -> [StageShares.Share]
  ) -> [String] {
    let names = results.first?.stages.map(shares)?.map(\.name) ?? []
    let head = "  " + title.padded(to: 26) + names.map { $0.indented(to: $0.count + 2) }.joined()
    return [head]
      + results.map { result in
        let name = "\(result.scenario.rawValue), \(result.rows.grouped)"
        let cells = result.stages.map(shares)?.map(\.share) ?? []
        return "  " + name.padded(to: 26)
          + zip(names, cells).map { $1.percent.indented(to: $0.count + 2) }.joined()
      }
  }
}

extension Goal {
  fileprivate var line: String {
    let asked = (isUpperLimit ? "<= " : ">= ") + "\(limit.trimmed)\(suffix)"
    let range = range.map { " (\($0.lowerBound.hundredths)-\($0.upperBound.hundredths))" } ?? ""
    let value = "\(found.hundredths)\(suffix)\(range)"
    return "  " + name.padded(to: 50) + rows.grouped.padded(to: 14) + asked.padded(to: 12)
      + value.padded(to: 26)
      + (isReached ? "reached" : "not reached")
  }

  private var suffix: String { unit == "x" ? "x" : unit.isEmpty ? "" : " \(unit)" }
}

extension Ratio {
  /// `0.93 (0.90-0.97)`
  fileprivate var text: String { "\(median.hundredths) (\(lowest.hundredths)-\(highest.hundredths))" }
}
