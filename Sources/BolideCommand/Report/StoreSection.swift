import Bolide
import Foundation

/// What a page tells of one store behind its pipelines.
struct StoreSection {
  private let report: StoreReport
  private let showsValues: Bool

  init(_ report: StoreReport, showsValues: Bool) { (self.report, self.showsValues) = (report, showsValues) }

  func write(into html: inout HTMLText) {
    html.element("section") { section in
      section.element("h2") { $0.write(foreign: report.store.path) }
      guard let status = report.store.status else {
        return section.element("p", ["class": "note"], "The store is not made yet.")
      }
      // What `bolide status` says of the store, and nothing that it does not.
      section.element("dl") { list in
        for (name, values) in report.store.blocks where !Self.elsewhere.contains(name) {
          list.element("dt", name)
          for value in values { list.element("dd") { $0.write(foreign: value) } }
        }
      }
      entities(status, &section)
      points(&section)
      readers(status, &section)
      rejects(&section)
      FieldDrift(report).write(into: &section)
      commits(&section)
    }
  }

  private func entities(_ status: StoreStatus, _ html: inout HTMLText) {
    part("Entities", status.entities.isEmpty, &html) { part in
      part.table(
        ["Entity", "Rows", "Over the newest changes"],
        status.entities.map { entity in
          let trend = report.trends[entity.entity].flatMap {
            Trend("Rows", $0.rows(now: entity.rows).map(Double.init), Trend.count)
          }
          return [
            .foreign(entity.entity), .number(Int(entity.rows).grouped), .drawing(trend?.svg ?? ""),
          ]
        })
    }
  }

  private func readers(_ status: StoreStatus, _ html: inout HTMLText) {
    part("Readers", status.readers.isEmpty, &html) { part in
      part.table(
        ["Reader", "State", "Behind", "Since"],
        status.readers.map { reader in
          let isBehind = reader.transactionsBehind > 0
          return [
            .foreign(reader.name),
            .badge(reader.state.rawValue, reader.state == .live ? .good : .bad),
            .number(isBehind ? counted(Int64(reader.transactionsBehind), "transaction") : "nothing"),
            .words(isBehind ? reader.secondsBehind.duration : ""),
          ]
        })
    }
  }

  private func rejects(_ html: inout HTMLText) {
    part("Rejected records", report.rejects.isEmpty, &html) { part in
      let rows = report.rejects.prefix(Self.mostRows).map { group in
        let reject = group.example.reject
        return [
          HTMLText.Cell.foreign(group.pipeline), .number(group.count.grouped),
          .foreign(reject.message),
          .foreign("\(reject.input), line \(reject.line), run \(group.example.lastRun)"),
        ]
      }
      part.table(["Pipeline", "Records", "Reason", "For example"], rows)
      more(report.rejects.count, "reason", &part)
    }
  }

  private func commits(_ html: inout HTMLText) {
    part("The newest transactions", report.commits.isEmpty, &html) { part in
      part.table(
        ["Transaction", "When", "Who", "Changes", "The first of them"],
        report.commits.map { commit in
          let transaction = commit.transaction
          let words = commit.changes.map { $0.words(showsValues: showsValues) }
          let hidden = commit.count - commit.changes.count
          return [
            .number("\(transaction.number)"), .words(transaction.at.minute),
            .foreign(transaction.author ?? "another program"), .number(commit.count.grouped),
            .foreign(words.joined(separator: "; ") + (hidden > 0 ? " …" : "")),
          ]
        })
    }
  }

  private func points(_ html: inout HTMLText) {
    guard let points = report.points, points.read > 0 else { return }
    let all = points.read < points.total ? "the newest \(points.read.grouped) of " : ""
    html.element("h3") {
      $0.write("Where: ")
      $0.write(foreign: points.entity)
    }
    html.element("figure", ["class": "wide"]) { figure in
      figure.markup(points.map)
      figure.element("figcaption", ["class": "note"]) { caption in
        caption.write(
          "\(points.points.count.grouped) places, of \(all)\(Int(points.total).grouped) objects. A dot's area is "
        )
        if let measure = points.measure {
          caption.write(foreign: measure)
        } else {
          caption.write("one for all")
        }
        caption.write("; the newer, the stronger its colour.")
      }
    }
    guard let histogram = points.histogram, let measure = points.measure else { return }
    html.element("figure", ["class": "wide"]) { figure in
      figure.markup(histogram)
      figure.element("figcaption", ["class": "note"]) { caption in
        caption.write("How many of \(all)\(Int(points.total).grouped) objects have which ")
        caption.write(foreign: measure)
        caption.write(".")
      }
    }
  }

  // MARK: Parts

  /// What has a place of its own on the page.
  private static let elsewhere: Set<String> = ["store", "entities", "readers"]
  static let mostRows = 40

  private func part(
    _ title: String, _ isEmpty: Bool, _ html: inout HTMLText, _ body: (inout HTMLText) -> Void
  ) {
    guard !isEmpty else { return }
    html.element("h3", title)
    body(&html)
  }

  private func more(_ count: Int, _ noun: String, _ html: inout HTMLText) {
    guard count > Self.mostRows else { return }
    html.element("p", ["class": "note"], "… and \(counted(Int64(count - Self.mostRows), "further \(noun)"))")
  }
}

extension HistoryChange {
  /// `a new Fireball`, `Fireball: impactEnergy changed`; with values `Fireball date 2026-05-12T03:14:07Z: impactEnergy was 0.1`
  fileprivate func words(showsValues: Bool) -> String {
    let key = showsValues ? key.map { " \($0.name) \($0.value.short)" }.joined() : ""
    switch kind {
    case .insert: return "a new \(entity)\(key)"
    case .delete: return "a \(entity)\(key) is gone"
    case .update:
      let changed = previous.map { showsValues ? "\($0.name) was \($0.value.short)" : $0.name }
      return "\(entity)\(key): \(changed.joined(separator: ", "))\(showsValues ? "" : " changed")"
    }
  }
}

extension Value {
  fileprivate var short: String {
    switch self {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): HTMLText.bounded(String(text.prefix(60)))
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}
