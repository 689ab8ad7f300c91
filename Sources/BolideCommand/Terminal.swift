import Bolide
import Foundation

/// What a person sees besides results: on standard error, and only where somebody looks.
final class Terminal: Sendable {
  private let showsReport: Bool
  private let showsProgress: Bool
  private let isQuiet: Bool

  init(isQuiet: Bool, isVerbose: Bool) {
    let isTerminal = isatty(STDERR_FILENO) == 1
    self.isQuiet = isQuiet
    showsReport = !isQuiet && (isTerminal || isVerbose)
    showsProgress = !isQuiet && isTerminal
  }

  /// The line that is redrawn while the import runs; nil where nobody looks.
  func progress(_ name: String) -> (@Sendable (ImportProgress) -> Void)? {
    guard showsProgress else { return nil }
    return { progress in
      // Nobody reads a line that is gone at once.
      guard progress.seconds > 0.5 else { return }
      Self.write("\r\u{1b}[K\(name)  \(progress.line)")
    }
  }

  func clearProgress() {
    if showsProgress { Self.write("\r\u{1b}[K") }
  }

  /// What was wrong with the store, and is not any more.
  func note(_ restored: [String]) {
    guard !isQuiet, !restored.isEmpty else { return }
    for problem in restored { Self.write("Note: \(problem); it was restored.\n") }
    Self.write(
      "      Derived attributes were computed anew. Readers start again from a snapshot: history has a gap.\n"
    )
  }

  /// The report's line, and the first refused records.
  func show(_ report: ImportReport) {
    if !isQuiet, report.verdict != .allLanded || showsReport {
      for reject in report.firstRejects {
        Self.write(
          "\(reject.input):\(reject.line):\(reject.column): record \(reject.record): \(reject.message)"
            .printable
            + "\n")
      }
      let hidden = report.progress.counts.rejected - report.firstRejects.count
      if hidden > 0 { Self.write("… and \(hidden) more records were refused\n") }
    }
    if showsReport || (report.verdict != .allLanded && !isQuiet) { Self.write(report.line.printable + "\n") }
  }

  private static func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
