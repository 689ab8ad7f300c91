internal import Bolide
internal import SVGDrawing

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A bench's report as a picture: rates, stages, and the rate against size.
package struct BenchChart {
  private let report: BenchReport
  private var drawing = Drawing()

  private static let labels = 220.0
  private static let values = 190.0

  /// Draws a report.
  package init(_ report: BenchReport) {
    self.report = report
    drawing.y = 46
    drawing.text("What an import costs", Drawing.margin, drawing.y, "title")
    drawing.y += 10
    let note = report.runs == 1 ? "One run each" : "The middle of \(report.runs) runs each, in turn"
    for line in report.machine.lines + [note + "; every result was checked."] {
      drawing.y += 16
      drawing.text(line, Drawing.margin, drawing.y, "note")
    }
    drawRates()
    drawStages()
    drawSizes()
  }

  /// The picture's text.
  package var svg: String { drawing.picture(title: "Bolide's throughput") }

  // MARK: Rates

  /// Each scenario at its largest size.
  private var largest: [ScenarioResult] {
    Scenario.allCases.compactMap { scenario in
      report.results.filter { $0.scenario == scenario }.max { $0.rows < $1.rows }
    }
  }

  private mutating func drawRates() {
    draw(
      largest.filter { $0.scenario.isImport }, "Rows a second",
      "Longer is better. The floor is SQLite alone, with the rows in memory; the others do the whole job.")
    draw(
      largest.filter { $0.scenario == .foreignUpdate }, "Rows a second by another program",
      "One update of a value that owners sum, and the same where they do not.")
    draw(
      largest.filter { $0.scenario == .newDerived }, "Rows a second that get a new attribute",
      "A copy of their owner's key, with history; the floor is one UPDATE without it.")
    draw(
      largest.filter { $0.scenario == .catchUp }, "Changes a second",
      "A reader takes every change of a first load.")
    draw(
      largest.filter { $0.scenario == .parse }, "The parser, megabytes a second",
      "Longer is better. Only the text becomes records.")
  }

  private mutating func draw(_ results: [ScenarioResult], _ title: String, _ note: String) {
    guard !results.isEmpty else { return }
    drawing.head(title, note)
    let all = results.flatMap { result in result.measures.map { rate($0, result) } }
    let scale = (drawing.width - 2 * Drawing.margin - Self.labels - Self.values) / (all.max() ?? 1)
    for result in results {
      drawing.y += 26
      drawing.text(
        "\(result.scenario.rawValue), \(result.rows.grouped) rows", Drawing.margin, drawing.y, "group")
      drawing.text(result.title, Drawing.margin + Self.labels, drawing.y, "note")
      drawing.y += 8
      for measure in result.measures { drawBar(measure, result, scale) }
    }
  }

  private func rate(_ measure: Measure, _ result: ScenarioResult) -> Double {
    let middle = measure.middle
    return Double(result.scenario == .parse ? middle.bytes : middle.rows) / measure.median
  }

  private mutating func drawBar(_ measure: Measure, _ result: ScenarioResult, _ scale: Double) {
    let rate = rate(measure, result)
    let isParser = result.scenario == .parse
    let isOwn = isParser || measure.name.hasPrefix("bolide")
    let style = isOwn ? "own" : measure.name.hasPrefix("floor") ? "floor" : "peer"
    let value = isParser ? "\((rate / 1e6).short) MB/s" : rate.rate
    let start = Drawing.margin + Self.labels
    let first = result.measures[0].name == measure.name || isParser
    let times = first ? "" : "  ·  \(result.ratio(of: measure).median.hundredths) × Bolide's time"
    drawing.text(measure.name, start - 10, drawing.y + 13, isOwn ? "strong" : "", anchor: "end")
    drawing.box(start, drawing.y + 2, rate * scale, 14, style, title: "\(measure.name): \(value)")
    drawing.text(value + times, start + max(0.5, rate * scale) + 8, drawing.y + 13, first ? "strong" : "note")
    drawing.y += 21
  }

  // MARK: Stages

  private mutating func drawStages() {
    let results = largest.filter { $0.stages != nil }
    guard !results.isEmpty else { return }
    drawing.head(
      "Where Bolide's time goes",
      "Each bar is the wall time of the middle run. Two threads work side by side.")
    drawStages("The thread that reads", results) { $0.reading }
    drawStages("The thread that writes", results) { $0.writing }
  }

  private mutating func drawStages(
    _ title: String, _ results: [ScenarioResult], _ shares: (StageShares) -> [StageShares.Share]
  ) {
    drawing.y += 28
    drawing.text(title, Drawing.margin, drawing.y, "group")
    var x = Drawing.margin + Self.labels
    let names = results.first?.stages.map(shares)?.map(\.name) ?? []
    for (index, name) in names.enumerated() {
      drawing.box(x, drawing.y - 10, 11, 11, Self.style(name, index), title: name)
      drawing.text(name, x + 16, drawing.y, "note")
      x += 30 + Drawing.noteWidth(name)
    }
    drawing.y += 8
    let start = Drawing.margin + Self.labels
    let full = drawing.width - Drawing.margin - start
    for result in results {
      drawing.text(result.scenario.rawValue, start - 10, drawing.y + 14, anchor: "end")
      drawing.box(
        start, drawing.y + 2, full, 16, "idle", title: "\(result.scenario.rawValue): idle", rounding: 0)
      var x = start
      for (index, share) in Array(result.stages.map(shares) ?? []).enumerated() {
        let width = min(share.share * full, start + full - x)
        let name = "\(result.scenario.rawValue), \(share.name): \(share.share.percent) %"
        // A hair of the page between two stages.
        if share.name != "waiting", width >= 0.5 {
          drawing.box(
            x, drawing.y + 2, max(0.5, width - 1), 16, Self.style(share.name, index), title: name, rounding: 0
          )
        }
        x += width
      }
      drawing.y += 24
    }
  }

  private static func style(_ name: String, _ index: Int) -> String {
    switch name {
    case "waiting": "idle"
    case "open", "close", "other": "s8"
    default: "s\(min(index, 8))"
    }
  }

  // MARK: Sizes

  private mutating func drawSizes() {
    let sizes = Set(report.results.map(\.rows)).sorted()
    guard let smallest = sizes.first, let largest = sizes.last, sizes.count > 1 else { return }
    let curves = Scenario.allCases.filter(\.isImport).map { scenario in
      (scenario, report.results.filter { $0.scenario == scenario }.sorted { $0.rows < $1.rows })
    }.filter { $0.1.count > 1 }
    guard !curves.isEmpty else { return }
    drawing.head("Bolide's rows a second by the feed's size", "Sizes by powers; the scale begins at 0.")
    let top = drawing.y + 14
    let height = 220.0
    let start = Drawing.margin + 60
    let end = drawing.width - Drawing.margin - 130
    let most = Self.round(above: curves.flatMap { $0.1.map(\.rate) }.max() ?? 1)
    func place(_ result: ScenarioResult) -> (x: Double, y: Double) {
      let share = logarithm(result.rows, smallest) / logarithm(largest, smallest)
      return (start + share * (end - start), top + height * (1 - result.rate / most))
    }
    for step in 0...4 {
      let y = top + height * (1 - Double(step) / 4)
      drawing.line(start, y, end, y)
      drawing.text((most * Double(step) / 4).rate, start - 10, y + 4, "note", anchor: "end")
    }
    var names: [(name: String, style: String, y: Double)] = []
    for (index, (scenario, results)) in curves.enumerated() {
      let points = results.map(place)
      // The colours that are told apart best come first.
      let style = "s\([1, 5, 4, 7, 0, 3, 8][index])"
      drawing.curve(points, style, dots: 3.5)
      names.append((scenario.rawValue, style, points.last?.y ?? top))
    }
    // Names at the lines' ends, in the lines' order, pushed apart where lines meet.
    var lowest = -Double.infinity
    for (name, style, y) in names.sorted(by: { $0.y < $1.y }) {
      lowest = max(y, lowest + 16)
      drawing.box(end + 14, lowest - 5, 10, 10, style, title: name)
      drawing.text(name, end + 30, lowest + 4)
    }
    for size in sizes {
      let share = logarithm(size, smallest) / logarithm(largest, smallest)
      drawing.text(size.grouped, start + share * (end - start), top + height + 20, "note", anchor: "middle")
    }
    drawing.y = top + height + 20
  }

  /// The next number above whose quarters are round.
  private static func round(above value: Double) -> Double {
    var unit = 1.0
    while unit * 10 < value { unit *= 10 }
    return unit * ([1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8].first { unit * $0 >= value } ?? 10)
  }
}

/// How many powers lie between two sizes.
private func logarithm(_ size: Int, _ smallest: Int) -> Double {
  log(Double(size) / Double(smallest))
}
