import Bolide

/// A JSON object a row, the objects that were brought along within it.
struct FetchJSON: FetchLines {
  private struct Member {
    /// As it is written, with its colon.
    let key: [UInt8]
    let type: AttributeType?
    let cell: Int
    let related: FetchJSON?
  }

  private let id: Int
  private let members: [Member]

  init(_ shape: FetchShape) {
    id = shape.id
    members = shape.members.map { member in
      Member(
        key: JSONText.key(member.name), type: member.type, cell: member.cell,
        related: member.related.map { FetchJSON($0) })
    }
  }

  func write(_ row: FetchedCells, to text: inout JSONText) {
    object(row, &text)
    text.endLine()
  }

  func end(_ text: inout JSONText) {}

  private func object(_ row: FetchedCells, _ text: inout JSONText) {
    text.object { text in
      for member in members {
        if let related = member.related, related.isThere(row) {
          text.append(key: member.key)
          related.object(row, &text)
        } else {
          text.append(key: member.key)
          text.append(member.related == nil ? row[member.cell] : .null, member.type)
        }
      }
    }
  }

  private func isThere(_ row: FetchedCells) -> Bool {
    if case .null = row[id] { false } else { true }
  }
}
