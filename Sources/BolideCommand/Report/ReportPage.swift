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
    and for one and a half times as long as usual.
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
