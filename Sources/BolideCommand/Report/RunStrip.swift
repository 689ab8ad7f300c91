import Bolide
import SVGDrawing

/// The latest runs of a pipeline, side by side: a bar's height is its records, its form and colour how it ended.
struct RunStrip {
  private let records: [RunRecord]

  private static let step = 5.0
  private static let height = 48.0
  private static let least = 100
  private static let hour = 3600.0

  init(_ records: [RunRecord]) { self.records = records }

  var svg: String {
    guard !records.isEmpty else { return "" }
    let gaps = gaps
    let slots = records.count + gaps.count { $0 }
    // Few runs are drawn as wide as many, at the right end.
    let width = Double(max(slots, Self.least)) * Self.step
    var drawing = Drawing(width: width)
    var x = width - Double(slots) * Self.step
    let most = Double(records.map { $0.run.progress.counts.read }.max() ?? 0)
    drawing.line(0, Self.height - 0.5, width, Self.height - 0.5)
    for (record, isAfterGap) in zip(records, gaps) {
      if isAfterGap { x += Self.step }
      drawing.group(record.words) { Self.draw(record, at: x, most, into: &$0) }
      x += Self.step
    }
    return drawing.svg(height: Self.height, title: "The latest \(records.count) runs", role: "list")
  }

  private static func draw(_ record: RunRecord, at x: Double, _ most: Double, into drawing: inout Drawing) {
    let (counts, state) = (record.run.progress.counts, record.state)
    let title = record.words
    let room = height - 11
    let size = most > 0 ? max(3, Double(counts.read) / most * room) : 3
    let top = height - 1 - size
    if state == .idle {
      drawing.box(x, height - 4, step - 1, 3, "idle", title: title, rounding: 0)
    } else {
      drawing.box(x, top, step - 1, size, state.rawValue, title: title, rounding: 0)
    }
    if counts.rejected > 0, counts.read > 0 {
      let part = max(1.5, Double(counts.rejected) / Double(counts.read) * size)
      drawing.box(x, height - 1 - part, step - 1, part, "rejected", title: title, rounding: 0)
    }
    switch state {
    case .bad:
      drawing.line(x, top - 6, x + step - 1, top - 2, "mark bad")
      drawing.line(x, top - 2, x + step - 1, top - 6, "mark bad")
    case .killed: drawing.dot(x + step / 2 - 0.5, top - 4, 2, "mark killed")
    case .good, .idle: break
    }
  }

  /// Whether there is a gap before a run: nothing ran for more than an hour, and a run that was due is missing, by the pause
  /// that is usual.
  private var gaps: [Bool] {
    let times = records.map(\.run.time)
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    let usual = pauses.sorted().dropFirst(pauses.count / 2).first ?? 0
    return [false] + pauses.map { $0 > max(Self.hour, 1.5 * usual) }
  }
}

extension RunRecord {
  /// How it ended, as a colour.
  var state: HTMLText.State {
    guard let outcome = run.outcome else { return isAtWork == true ? .idle : .killed }
    guard outcome == RunOutcome.good else { return .bad }
    return run.progress.sameAs == nil ? .good : .idle
  }

  /// `run 42, 2026-05-12 06:00 UTC, ok: 1060 read = 1060 unchanged`
  var words: String {
    let took = run.seconds.map { ", \(decimal($0, places: 2)) s" } ?? ""
    return HTMLText.bounded(
      "run \(run.number), \(run.started.minute), \(outcome): \(run.progress.sum())\(took)")
  }
}
