import Bolide
import Foundation
import Synchronization
internal import TypedRows

/// What a person sees besides results: on standard error, and only where somebody looks.
///
/// No colours and no escape sequences: the progress line goes back to its beginning and writes over itself, which any
/// terminal can.
final class Terminal: Sendable {
  private let showsReport: Bool
  private let showsProgress: Bool
  private let isQuiet: Bool
  private let drawn = Mutex(Drawn())

  private struct Drawn {
    /// How many columns of the line are not blank.
    var width = 0
    var time: Double = 0

    mutating func draw(_ line: String) {
      StandardError.write("\r" + line + String(repeating: " ", count: max(0, width - line.columns)))
      width = line.columns
    }
  }

  /// Nobody reads a line that is gone at once.
  private static let firstDraw = 0.5
  /// Seconds between two draws.
  private static let pause = 0.1

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
      self.drawn.withLock { drawn in
        guard progress.seconds >= max(Self.firstDraw, drawn.time + Self.pause) else { return }
        drawn.time = progress.seconds
        // The last column stays free: some terminals wrap when it is written.
        drawn.draw(progress.line(name.printable, columns: Self.columns - 1))
      }
    }
  }

  /// Draws a line in place of the one before, where somebody looks.
  func draw(_ line: String) {
    guard showsProgress else { return }
    drawn.withLock { $0.draw(String(line.prefix(Self.columns - 1))) }
  }

  func clearProgress() {
    drawn.withLock { drawn in
      guard drawn.width > 0 else { return }
      StandardError.write("\r" + String(repeating: " ", count: min(drawn.width, Self.columns - 1)) + "\r")
      drawn.width = 0
    }
  }

  /// What was wrong with the store, and is not any more.
  func note(_ restored: RepairReport) {
    guard !isQuiet else { return }
    for problem in restored.problems { StandardError.write(Note.restored(problem) + "\n") }
    if restored.hasGap { StandardError.write(Note.gap + "\n") }
  }

  /// The report's line, and the first refused records.
  func show(_ report: ImportReport) {
    if report.verdict != .allLanded || showsReport { showRejects(report) }
    for field in isQuiet ? [] : report.newFields {
      StandardError.write(Note.newField(field, report.pipeline).printable + "\n")
    }
    if !isQuiet, report.overwritten > 0 { StandardError.write(Note.overwritten(report).printable + "\n") }
    for reader in isQuiet ? [] : report.expiredReaders {
      StandardError.write(Note.expired(reader, report.pipeline).printable + "\n")
    }
    for line in isQuiet ? [] : report.progress.nullTotals.lines {
      StandardError.write(Note.nullTotal(line).printable + "\n")
    }
    // What would happen is what was asked for, so it goes to standard output.
    if showsReport && !report.isTrial || (report.verdict != .allLanded && !isQuiet) {
      StandardError.write(report.line.printable + "\n")
    }
  }

  /// The first refused records, and how many more there are.
  func showRejects(_ report: ImportReport) {
    guard !isQuiet else { return }
    for reject in report.firstRejects {
      let place = "\(reject.input):\(reject.line):\(reject.column): \(reject.subject)"
      StandardError.write("\(place): \(reject.message)".printable + "\n")
      if report.showsValues, let text = reject.text {
        StandardError.write("       \(text.shortened)".printable + "\n")
      }
    }
    let hidden = report.progress.total.rejected - report.firstRejects.count
    if hidden > 0 { StandardError.write(Note.moreRefused(hidden, report) + "\n") }
  }

  /// So much of a refused record is shown.
  fileprivate static let shownText = 200

  /// The window's width just now; 80 where nobody knows.
  private static var columns: Int { columns(of: STDERR_FILENO) ?? 80 }

  /// How wide a table on standard output may be: as the window, or as `COLUMNS` says; 80 where nobody does.
  static var outputColumns: Int {
    let said = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init)
    return columns(of: STDOUT_FILENO) ?? said.flatMap { (1...Self.widest).contains($0) ? $0 : nil } ?? 80
  }

  /// No window is wider.
  private static let widest = 10_000

  private static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

extension String {
  /// The beginning, as much as is shown of a refused record.
  fileprivate var shortened: String {
    let scalars = unicodeScalars
    return scalars.count > Terminal.shownText ? String(scalars.prefix(Terminal.shownText)) + "…" : self
  }
}
