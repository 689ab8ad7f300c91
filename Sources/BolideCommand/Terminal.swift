import Bolide
import CommandSupport
import Foundation
internal import TypedRows

/// What a person sees besides results: on standard error, and only where somebody looks.
final class Terminal: Sendable {
  private let showsReport: Bool
  private let isQuiet: Bool
  /// The store's path, for hints.
  private let store: String
  /// Whether the import adds attributes for new fields.
  private let addsFields: Bool
  private let progressLine: ProgressLine

  init(isQuiet: Bool, isVerbose: Bool, store: String, addsFields: Bool) {
    (self.store, self.addsFields) = (store, addsFields)
    let isTerminal = isatty(STDERR_FILENO) == 1
    self.isQuiet = isQuiet
    showsReport = !isQuiet && (isTerminal || isVerbose)
    progressLine = ProgressLine(isQuiet: isQuiet)
  }

  /// The line that is redrawn while the import runs; nil where nobody looks.
  func progress(_ name: String) -> (@Sendable (ImportProgress) -> Void)? {
    guard progressLine.isShown else { return nil }
    return { [progressLine] progress in
      progressLine.draw(after: progress.seconds) { progress.line(name.printable, columns: $0) }
    }
  }

  func clearProgress() { progressLine.clear() }

  /// What was wrong with the store, and is not any more.
  func note(_ restored: RepairReport) {
    guard !isQuiet else { return }
    for problem in restored.problems { StandardError.write(Note.restored(problem) + "\n") }
    for index in restored.unbuiltIndexes { StandardError.write(Note.built(index).printable + "\n") }
    if restored.hasGap { StandardError.write(Note.gap + "\n") }
  }

  /// The report's line, and the first rejected records.
  func show(_ report: ImportReport) {
    if report.verdict != .allLanded || showsReport { showRejects(report) }
    for field in isQuiet ? [] : report.newFields {
      StandardError.write(Note.newField(field, report.pipeline).printable + "\n")
    }
    if !isQuiet, report.newFields.contains(where: { $0.attribute == nil }) {
      StandardError.write(Note.unusedFields(addsFields) + "\n")
    }
    if !isQuiet, let note = Note.absentFields(report.absentFields, report.pipeline) {
      StandardError.write(note.printable + "\n")
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

  /// The first rejected records, and how many more there are.
  func showRejects(_ report: ImportReport) {
    guard !isQuiet else { return }
    let shown = report.rejectKinds.prefix(Self.shownKinds)
    for kind in shown {
      let reject = kind.first
      let place = "\(reject.input):\(reject.line):\(reject.column): \(reject.subject)"
      let more = kind.count > 1 ? Note.moreLikeIt(kind.count - 1) : ""
      StandardError.write("\(place): \(reject.message)\(more)".printable + "\n")
      if report.showsValues, let text = reject.text {
        StandardError.write("       \(text.shortened)".printable + "\n")
      }
    }
    let hidden = report.progress.total.rejected - shown.reduce(0) { $0 + $1.count }
    if hidden > 0 { StandardError.write(Note.moreRejected(hidden, report) + "\n") }
    if !report.isTrial, hidden > 0 || shown.contains(where: { $0.count > 1 }) {
      StandardError.write(Note.rejectsAreKept(in: store) + "\n")
    }
  }

  /// So many kinds of rejected records are shown.
  private static let shownKinds = 10
  /// So much of a rejected record is shown.
  fileprivate static let shownText = 200

  /// How wide a table on standard output may be: as the window, or as `COLUMNS` says; 80 where nobody does.
  static var outputColumns: Int {
    let said = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init)
    return terminalColumns(of: STDOUT_FILENO) ?? said.flatMap { (1...Self.widest).contains($0) ? $0 : nil }
      ?? 80
  }

  /// No window is wider.
  private static let widest = 10_000
}

extension String {
  /// The beginning, as much as is shown of a rejected record.
  fileprivate var shortened: String {
    let scalars = unicodeScalars
    return scalars.count > Terminal.shownText ? String(scalars.prefix(Terminal.shownText)) + "…" : self
  }
}
