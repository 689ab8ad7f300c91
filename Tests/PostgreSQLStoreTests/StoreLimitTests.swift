import Bolide
import StoreInterface
import TestServer
import Testing

/// What the server cannot hold is a rejected record, and no end of the import.
struct StoreLimitTests {
  private static let model = """
    bolide: 1
    name: items
    entity: Item
    key: [id, part]
    unique: [[code]]
    index: [[note, number], [data]]
    attributes:
      id: string
      part: string
      code: string
      text: string
      note: string
      number: integer64
      data: json
      bytes: binary
      place: { type: string, transient: true }
    link: { in: { to: { name: place } } }
    relationships: { in: { to-one: Group, inverse: items } }
    entities:
      Group:
        key: name
        attributes: { name: string, count: { derived: items.@count } }
        relationships: { items: { to-many: Item, inverse: in } }
    children:
      pieces:
        entity: Piece
        inverse: item
        key: [item, name]
        attributes: { name: { type: string, from: n } }

    """

  private static func record(_ more: String, id: String = "x") -> String {
    let code = more.contains("code") ? "" : #", "code": "of \#(id.prefix(1))""#
    return #"{"id": "\#(id)", "part": "p"\#(code)\#(more.isEmpty ? "" : ", " + more)}"#
  }

  /// Digits that no server can compress into an index.
  private static func digits(_ count: Int) -> String {
    String(
      (0..<count).map { _ in
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".randomElement() ?? "0"
      })
  }

  /// A record with as many digits as it says: `<2601>`.
  private static func filled(_ record: String) -> String {
    record.replacing(#/<(\d+)>/#) { digits(Int($0.1) ?? 0) }
  }

  private static let null = "contains U+0000, which PostgreSQL does not store"
  private static let long = "is longer than the 2600 bytes that an index of PostgreSQL takes"
  private static let both =
    "id and part are together longer than the 2600 bytes that an index of PostgreSQL takes"
  private static let refused: [(record: String, code: String, message: String)] = [
    (record("", id: #"a\u0000"#), "nul-character", "id \(null)"),
    (record(#""code": "\u0000""#), "nul-character", "code \(null)"),
    (record(#""text": "a\u0000b""#), "nul-character", "text \(null)"),
    (record(#""place": "a\u0000b""#), "nul-character", "name \(null)"),
    (record(#""pieces": [{"n": "\u0000"}]"#), "nul-character", "name \(null)"),
    (record("", id: "<2600>"), "too-long-for-index", both),
    (
      record(#""code": "<2601>""#), "too-long-for-index",
      "code is longer than the 2600 bytes that an index of PostgreSQL takes"
    ),
    (record(#""place": "<2601>""#), "too-long-for-index", "name \(long)"),
    (record(#""note": "<2601>""#), "too-long-for-index", "note \(long)"),
    (record(#""data": "<2599>""#), "too-long-for-index", "data \(long)"),
    (record(#""pieces": [{"n": "<2601>"}]"#), "too-long-for-index", "name \(long)"),
  ]

  @Test(arguments: refused)
  func `a record that it cannot hold is rejected, and the others are taken`(
    record: String, code: String, message: String
  ) throws {
    let record = Self.filled(record)
    let store = try ServerStore(Self.model)
    let isOfChild = record.contains("pieces")
    let report = try store.take(
      [Self.record(#""number": 1"#), record, Self.record(#""number": 2"#, id: "y")], model: Self.model)
    let rejects = try store.engine.rejects(RejectFilter(), after: 0)
    #expect(rejects.map(\.reject.code) == [code])
    #expect(rejects.map(\.reject.message) == [message])
    #expect(rejects.map(\.reject.text) == [record])
    #expect(report.progress.counts.inserted == 2)
    #expect(report.progress.counts.updated == 0)
    #expect(report.progress.counts.rejected == (isOfChild ? 0 : 1))
    #expect(try store.psql("SELECT id, number FROM \"Item\" ORDER BY id") == "x|1\ny|2")
    try store.engine.verify { Issue.record("\($0)") }
  }

  @Test func `what it can hold is taken to the last byte`() throws {
    let store = try ServerStore(Self.model)
    let text = Self.digits(2600)
    let report = try store.take(
      [
        Self.record(#""code": "\#(text)", "note": "\#(text)", "place": "\#(text)""#),
        Self.record(
          #""data": "\#(Self.digits(2596))", "pieces": [{"n": "\#(text)"}]"#, id: Self.digits(2599)),
        Self.record(#""text": "\#(Self.digits(100_000))", "data": ["\u0000"]"#, id: "-"),
      ], model: Self.model)
    #expect(report.progress.counts.inserted == 3)
    #expect(report.progress.counts.rejected == 0)
    #expect(try store.psql("SELECT count(*) FROM \"Piece\"") == "1")
  }

  /// Two fields that pass alone, and not beside what is stored, or what another record of the chunk says.
  @Test(arguments: [["", ""], ["", "merge: update-non-null\n"], ["one chunk", ""]])
  func `a record that gets too long by a value that is there is rejected`(_ how: [String]) throws {
    let model = Self.model.replacing("[note, number]", with: "[note, number, text]") + how[1]
    let store = try ServerStore(model)
    let text = Self.digits(1300)
    let first = [
      Self.record(#""note": "\#(text)", "text": "1""#), Self.record("", id: "y"),
    ]
    let second = [
      Self.record(#""text": "\#(Self.digits(1301))"\#(how[1].isEmpty ? "" : #", "note": null"#)"#),
      Self.record(#""number": 2"#, id: "y"),
    ]
    if how[0].isEmpty { try store.take(first) }
    let report = try store.take((how[0].isEmpty ? [] : first) + second)
    let rejects = try store.engine.rejects(RejectFilter(), after: 0)
    #expect(rejects.map(\.reject.code) == ["too-long-for-index"])
    #expect(
      rejects.map(\.reject.message) == [
        "note and text are together longer than the 2600 bytes that an index of PostgreSQL takes"
      ])
    #expect(report.progress.counts.rejected == 1)
    #expect(
      try store.psql("SELECT id, note, text, number FROM \"Item\" ORDER BY id")
        == (how[0].isEmpty ? "x|\(text)|1|\ny|||2" : "y|||2"))
    // What is there may be given up for it.
    try store.take([Self.record(#""note": "", "text": "\#(text)\#(text)""#)])
    #expect(try store.psql("SELECT length(text) FROM \"Item\" WHERE id = 'x'") == "2600")
    try store.engine.verify { Issue.record("\($0)") }
  }

  @Test func `a name that it cannot hold is met once`() throws {
    let store = try ServerStore(Self.model)
    try store.take([Self.record("")], model: Self.model)
    for isNew in [true, false] {
      let report = try store.take([Self.record(#""a\u0000b": 1"#)], model: Self.model)
      #expect(report.newFields.map(\.name) == (isNew ? ["a\0b"] : []))
    }
  }

  @Test func `a default that it cannot hold makes no store`() throws {
    let model = Self.model.replacing("text: string", with: #"text: { type: string, default: "a\0b" }"#)
    let error = try #require(throws: StoreError.self) { try ServerStore(model) }
    #expect(error.reason == "the default of Item.text contains U+0000, which PostgreSQL does not store")
    #expect(error.hint == "Take it out.")
    #expect(error.code == .modelChange)
  }

  /// SQLite goes on with infinity.
  @Test func `a condition that goes out of range ends the import with a sentence`() throws {
    let model = Self.model.replacing(
      "derived: items.@count", with: #"derived: items.@count, where: "number + 1 > 0""#)
    let store = try ServerStore(model)
    let error = try #require(throws: ImportError.self) {
      try store.take([Self.record(#""number": 9223372036854775807, "place": "A""#)], model: model)
    }
    #expect(error.kind == .store(.constraint))
    #expect(error.reason.hasSuffix("a number is out of range. PostgreSQL says: bigint out of range"))
    #expect(
      error.advice == "Look for arithmetic in a predicate, or in the `where:` of a derived attribute.")
  }
}
