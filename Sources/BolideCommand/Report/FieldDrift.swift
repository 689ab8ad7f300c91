import Bolide

/// How a feed's fields change: which came, which went, and how many records lack a value.
struct FieldDrift {
  private struct Field {
    var pipeline: String
    var count: FieldCount
    /// The share of records without a value, run by run, the oldest first.
    var shares: [Double] = []
    var wasThere: Bool
    var isThere: Bool

    /// How much the newest run differs from those before.
    var drift: Double {
      guard let last = shares.last, shares.count > 1 else { return 0 }
      return abs(last - shares.dropLast().sorted()[(shares.count - 1) / 2])
    }

    var note: String {
      switch (wasThere, isThere) {
      case (true, false): "gone from the newest run"
      case (false, true) where shares.count > 1: "new in the newest run"
      default: drift >= 0.05 ? "the share has changed" : ""
      }
    }
  }

  private let fields: [Field]

  init(_ report: StoreReport) {
    var fields: [[String]: Field] = [:]
    for (pipeline, records) in report.runs {
      for record in records {
        for count in record.fields where count.records > 0 {
          let name = [pipeline, count.entity, count.attribute, count.field]
          var field =
            fields[name] ?? Field(pipeline: pipeline, count: count, wasThere: false, isThere: false)
          field.wasThere = field.wasThere || field.isThere
          field.isThere = count.present > 0
          field.count = count
          // The store's numbers may be anybody's.
          let without = Double(count.records) - Double(count.present) + Double(count.nulls)
          field.shares.append(min(1, max(0, without / Double(count.records))))
          fields[name] = field
        }
      }
    }
    self.fields = fields.values.sorted {
      ($1.note.isEmpty ? 0 : 1, $1.drift, $0.pipeline, $0.count.entity, $0.count.attribute)
        < ($0.note.isEmpty ? 0 : 1, $0.drift, $1.pipeline, $1.count.entity, $1.count.attribute)
    }
  }

  /// The fields that changed most come first.
  func write(into html: inout HTMLText) {
    guard !fields.isEmpty else { return }
    html.element("h3", "Records without a value")
    let rows = fields.prefix(StoreSection.mostRows).map { field in
      let trend = Trend("Without a value", field.shares) { "\(decimal($0 * 100, places: 1)) %" }
      let share = "\(decimal((field.shares.last ?? 0) * 100, places: 1)) %"
      return [
        HTMLText.Cell.foreign("\(field.count.entity).\(field.count.attribute)"), .foreign(field.count.field),
        .number(share), .drawing(trend?.svg ?? ""), .words(field.note),
      ]
    }
    html.table(["Attribute", "Field", "Share", "Over the runs", ""], Array(rows))
    let hidden = fields.count - rows.count
    if hidden > 0 {
      html.element(
        "p", ["class": "note"], "… and \(counted(Int64(hidden), "further field")) that changed less")
    }
  }
}
