import Bolide
import Foundation

/// The page of `bolide report`: one file that needs nothing else.
struct ReportPage {
  let html: String

  init(_ reports: [StoreReport], failures: [String], showsValues: Bool) {
    var body = HTMLText()
    body.element("header") { head in
      head.element("h1", "Bolide")
      head.element("p", ["class": "note"], "As of \(timestamp().minute). Times are UTC.")
    }
    body.element("main") { main in
      for failure in failures {
        main.element("p", ["class": "alarm"]) { $0.write(foreign: failure) }
      }
      main.element("section") { section in
        section.element("h2", "Pipelines")
        for report in reports {
          for pipeline in report.store.pipelines { PipelineCard(pipeline, report).write(into: &section) }
        }
        if reports.allSatisfy(\.store.pipelines.isEmpty) {
          section.element("p", ["class": "note"], "No pipeline has run.")
        }
        section.element("p", ["class": "note"], Self.legend)
      }
      for report in reports { StoreSection(report, showsValues: showsValues).write(into: &main) }
    }
    html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(Self.styleDigest)'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(Self.title(reports))</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      \(body.text)</body>
      </html>

      """
  }

  private static let legend = """
    A bar is a run, its height the records that it read, the part at its foot those that were rejected. A cross: the run \
    failed. A dot: it was killed. A low bar: its input was that of an earlier run. A gap: nothing ran for more than an hour \
    and for twice as long as usual.
    """

  /// `2 of 5 pipelines need attention`: what a tab shows.
  private static func title(_ reports: [StoreReport]) -> String {
    let all = reports.flatMap(\.store.pipelines)
    let bad = all.count { $0.state.isTrouble }
    if all.isEmpty { return "Bolide" }
    return bad == 0
      ? "All well – Bolide"
      : "\(bad) of \(all.count) pipelines \(bad == 1 ? "needs" : "need") attention – Bolide"
  }
}

/// A pipeline: how it is, and how its latest runs were.
private struct PipelineCard {
  private let pipeline: PipelineStatus
  private let store: StatusOfStore
  private let records: [RunRecord]

  init(_ pipeline: PipelineStatus, _ report: StoreReport) {
    (self.pipeline, store, records) = (pipeline, report.store, report.runs[pipeline.name] ?? [])
  }

  func write(into html: inout HTMLText) {
    html.element("article") { card in
      card.element("div", ["class": "row"]) { row in
        row.element("h3") { $0.write(foreign: pipeline.name) }
        row.element("span", ["class": "badge \(state.rawValue)"]) {
          $0.write(foreign: pipeline.stateWithReason)
        }
        row.element("span", ["class": "note"]) { $0.write(foreign: store.path) }
      }
      card.element("p") { $0.write(summary) }
      card.markup(RunStrip(records).svg)
      trends(&card)
    }
  }

  private var state: HTMLText.State {
    switch pipeline.state {
    case .ok: .good
    case .running, .never: .idle
    case .killed, .runningOrKilled: .killed
    case .overdue, .failed, .missing: .bad
    }
  }

  private var summary: String {
    var parts = ["Last good run: \(pipeline.lastGoodRun?.age.ago ?? "never")"]
    if let maxAge = pipeline.maxAge { parts[0] += ", due every \(maxAge.duration)" }
    parts.append("last change: \(pipeline.lastChange?.age.ago ?? "never")")
    if let run = pipeline.lastRun {
      parts.append("last run read \(run.progress.counts.read.grouped) records")
    }
    if pipeline.openRejects > 0 { parts.append("\(counted(pipeline.openRejects, "rejected record")) kept") }
    if let missing = pipeline.missing, missing.count > 0 {
      parts.append("\(missing.count.grouped) of \(missing.total.grouped) rows missing")
    }
    return parts.joined(separator: "; ") + "."
  }

  private func trends(_ card: inout HTMLText) {
    let runs = records.map(\.run).filter { $0.outcome != nil && $0.progress.sameAs == nil }
    func counts(_ value: (RunProgress) -> Int) -> [Double] { runs.map { Double(value($0.progress)) } }
    let speeds = runs.compactMap { run in
      run.seconds.flatMap { $0 > 0 ? Double(run.progress.counts.read) / $0 : nil }
    }
    let number = Trend.count
    let trends = [
      Trend("Records", counts(\.counts.read), number),
      Trend("New", counts(\.counts.inserted), number), Trend("Updated", counts(\.counts.updated), number),
      Trend("Rejected", counts(\.total.rejected), number),
      Trend("Missing rows", counts { $0.missing ?? 0 }, number),
      Trend("Records a second", speeds, number),
      Trend("Bytes", counts(\.bytes)) { Int64(Int(clamping: $0)).size },
    ].compactMap(\.self)
    guard !trends.isEmpty else { return }
    card.element("div", ["class": "trends"]) { list in
      for trend in trends {
        list.element("figure") { figure in
          figure.element("figcaption") { caption in
            caption.write("\(trend.title) ")
            caption.element("b", trend.last)
          }
          figure.markup(trend.svg)
        }
      }
    }
  }
}
