import Bolide
import Foundation

/// The latest runs of a pipeline in a few letters: how many records each read, or how it failed.
enum Sparkline {
  /// As many runs as it shows.
  static let runs = 12

  private static let bars = Array("▁▂▃▄▅▆▇█")

  /// Whether whoever reads standard output can see it.
  static var isShown: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
  }

  /// `▅▅▆×▆·▆`: a cross failed, a circle was killed, a dot had the input of an earlier run.
  ///
  /// - Parameter records: the oldest first.
  static func text(_ records: [RunRecord]) -> String {
    let most = Double(max(1, records.map { $0.run.progress.counts.read }.max() ?? 1))
    return String(
      records.map { record in
        switch record.state {
        case .bad: "×"
        case .killed: "○"
        case .idle: "·"
        case .good:
          bars[max(0, Int(Double(record.run.progress.counts.read) / most * Double(bars.count - 1)))]
        }
      })
  }
}
