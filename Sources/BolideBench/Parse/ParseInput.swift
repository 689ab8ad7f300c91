/// An input for the parser's measure: its bytes, what is asked of each record, and what must come out.
package struct ParseInput: Sendable {
  /// The inputs there are.
  package enum Kind: String, Codable, Sendable, CaseIterable {
    case fireballs, wide, nested

    /// As tables call it.
    var title: String {
      switch self {
      case .fireballs: "columnar, every cell"
      case .wide: "60 members, 4 read"
      case .nested: "nested and escaped"
      }
    }
  }

  /// The whole input.
  let bytes: [UInt8]
  /// The paths that are read of each record.
  let fields: [String]
  /// How many records there are.
  let records: Int

  /// Makes an input of about the size of a feed of so many fireballs.
  init(_ kind: Kind, rows: Int) {
    self =
      switch kind {
      case .fireballs: .fireballs(rows: rows)
      case .wide: .wide(rows: max(1, rows / 10))
      case .nested: .nested(rows: max(1, rows / 4))
      }
  }

  private init(bytes: [UInt8], fields: [String], records: Int) {
    self.bytes = bytes
    self.fields = fields
    self.records = records
  }

  /// A columnar feed of fireballs, every cell read.
  private static func fireballs(rows: Int) -> ParseInput {
    var bytes: [UInt8] = []
    FireballFeed(rows: rows, seed: 1).write { bytes.append(contentsOf: $0) }
    return ParseInput(
      bytes: bytes,
      fields: ["date", "energy", "impact-e", "lat", "lat-dir", "lon", "lon-dir", "alt", "vel"], records: rows)
  }

  /// Objects of sixty members, four of which are read.
  private static func wide(rows: Int) -> ParseInput {
    var text = Text()
    text.array(rows) { text, row in
      var random = SplitMix64(seed: UInt64(row))
      for member in 0..<60 {
        text.append(member == 0 ? "{\"member0\":" : ",\"member\(member)\":")
        switch member % 4 {
        case 0: text.append("\(random.next(below: 1_000_000))")
        case 1: text.append("\"text number \(random.next(below: 100_000))\"")
        case 2: text.append("\(random.next(below: 1000)).\(random.next(below: 1000))")
        default: text.append(random.next(below: 2) == 0 ? "null" : "true")
        }
      }
      text.append("}")
    }
    return ParseInput(
      bytes: text.bytes, fields: ["member0", "member17", "member34", "member59"],
      records: rows)
  }

  /// Objects within objects and arrays, with escaped text and text beyond ASCII.
  private static func nested(rows: Int) -> ParseInput {
    var text = Text()
    text.array(rows) { text, row in
      var random = SplitMix64(seed: UInt64(row))
      text.append(
        "{\"id\":\(row),\"name\":\"B\\u00f3lido \\\"\(random.next(below: 1000))\\\"\\n\",\"text\":\"Ein Meteor über Köln — "
      )
      for _ in 0..<random.next(below: 20) { text.append("line\\tand tab, ") }
      text.append(
        "\",\"size\":{\"km\":{\"min\":0.\(random.next(below: 1000)),\"max\":1.\(random.next(below: 1000))}},\"approaches\":["
      )
      for approach in 0...random.next(below: 3) {
        text.append(approach == 0 ? "" : ",")
        text.append(
          "{\"at\":\"2026-01-\(10 + random.next(below: 19))\",\"miss\":{\"km\":\"\(random.next(below: 1_000_000)).5\"}}"
        )
      }
      text.append("]}")
    }
    return ParseInput(
      bytes: text.bytes,
      fields: ["id", "name", "text", "size/km/max", "approaches/0/miss/km"], records: rows)
  }

  private struct Text {
    var bytes: [UInt8] = []

    mutating func append(_ text: String) {
      bytes.append(contentsOf: text.utf8)
    }

    mutating func array(_ count: Int, _ element: (inout Text, Int) -> Void) {
      append("[")
      for index in 0..<count {
        append(index == 0 ? "\n" : ",\n")
        element(&self, index)
      }
      append("\n]\n")
    }
  }
}
