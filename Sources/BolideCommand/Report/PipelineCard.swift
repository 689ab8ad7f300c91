import Bolide

/// A pipeline: how it is, and how its latest runs were.
struct PipelineCard {
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
