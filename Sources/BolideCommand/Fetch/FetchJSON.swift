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

  /// What a fetched property finds, nested: an array, or an object or null.
  private struct Fetched {
    let key: [UInt8]
    let isArray: Bool
    let found: FetchJSON
  }

  private let id: Int
  private let members: [Member]
  private let fetched: [Fetched]

  init(_ layout: RowLayout) {
    id = layout.id
    members = layout.members.map { member in
      Member(
        key: JSONText.key(member.name), type: member.type, cell: member.cell,
        related: member.related.map { FetchJSON($0) })
    }
    fetched = layout.fetched.map { fetched in
      Fetched(
        key: JSONText.key(fetched.property.name), isArray: fetched.property.cardinality == .many,
        found: FetchJSON(fetched.layout))
    }
  }

  func write(_ row: any FetchedRow, to text: inout JSONText) throws {
    try object(row, &text)
    text.endLine()
  }

  func end(_ text: inout JSONText) {}

  /// Writes the object alone, without a line's end.
  func object(_ row: any FetchedRow, _ text: inout JSONText) throws {
    try text.object { text in
      for member in members {
        if let related = member.related, related.isThere(row) {
          text.append(key: member.key)
          try related.object(row, &text)
        } else {
          text.append(key: member.key)
          text.append(member.related == nil ? row[member.cell] : .null, member.type)
        }
      }
      for (index, property) in fetched.enumerated() { try write(property, index, row, &text) }
    }
  }

  private func write(_ property: Fetched, _ index: Int, _ row: any FetchedRow, _ text: inout JSONText) throws
  {
    text.append(key: property.key)
    guard !property.isArray else {
      return try text.array { text in
        try row.fetched(index) { try property.found.object($0, &text) }
      }
    }
    var isThere = false
    try row.fetched(index) {
      isThere = true
      try property.found.object($0, &text)
    }
    if !isThere { text.append(.null, nil) }
  }

  private func isThere(_ row: any FetchedRow) -> Bool {
    if case .null = row[id] { false } else { true }
  }
}
