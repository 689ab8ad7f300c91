import Bolide
import ModelMerging
import StoreInterface
import TestServer
import Testing

/// Texts that an index has because something is derived from them.
struct IndexedTextTests {
  private static let model = """
    bolide: 1
    name: items
    entity: Item
    key: id
    index: [[spelt], [low], [shout, note]]
    attributes:
      id:     integer64
      text:   string
      other:  string
      note:   string
      place:  { type: string, transient: true }
      spelt:  { derived: canonical:(text) }
      group:  { derived: in.title }
      low:    { derived: lowercase:(group) }
      shout:  { derived: uppercase:(other) }
    link: { in: { to: { name: place } } }
    relationships: { in: { to-one: Group, inverse: items } }
    entities:
      Group:
        key: name
        index: [[plain, name]]
        attributes:
          name:  string
          plain: { derived: canonical:(name) }
          title: string
        relationships: { items: { to-many: Item, inverse: in } }

    """

  /// A pipeline of the groups alone.
  private static let groups = """
    bolide: 1
    name: groups
    entity: Group
    key: name
    attributes: { name: string, title: string }

    """

  /// Letters that no server can compress into an index, and that are as long in another spelling: no four of them come twice, and the
  /// server's compression gives a text up whose first kilobyte has nothing to shorten.
  private static func letters(_ count: Int) -> String {
    var text: [Character] = []
    var seen: Set<[Character]> = []
    while text.count < count {
      text.append("0123456789abcdefghijklmnopqrstuvwxyz".randomElement() ?? "0")
      if text.count >= 4, !seen.insert(Array(text.suffix(4))).inserted { text.removeLast() }
    }
    return String(text)
  }

  private static let long = "is longer than the 2600 bytes that an index of PostgreSQL takes"
  private static let refused: [(fields: String, sentence: String)] = [
    (#""place": "<1301>""#, "name \(long)"),
    (#""text": "<2601>""#, "text \(long)"),
    (#""other": "<1300>", "note": "<1301>""#, "other and note are together longer \(long.dropFirst(10))"),
    // Two bytes each, three in upper case.
    (#""other": "<1200>\#(String(repeating: "ŉ", count: 467))""#, "other \(long)"),
  ]

  @Test(arguments: refused)
  func `a record that brings one is rejected, and the others are taken`(
    fields: String, sentence: String
  ) throws {
    let store = try ServerStore(Self.model)
    let filled = fields.replacing(#/<(\d+)>/#) { Self.letters(Int($0.1) ?? 0) }
    let records = [#"{"id": 1, "place": "A"}"#, #"{"id": 2, \#(filled)}"#, #"{"id": 3, "text": "É"}"#]
    let report = try store.take(records)
    #expect(try store.engine.rejects(RejectFilter(), after: 0).map(\.reject.message) == [sentence])
    #expect(report.progress.counts.inserted == 2)
    #expect(try store.psql(#"SELECT id, spelt FROM "Item" ORDER BY id"#) == "1|\n3|e")
    try store.engine.verify { Issue.record("\($0)") }
  }

  @Test func `what an index holds is taken to the last byte`() throws {
    let store = try ServerStore(Self.model)
    let records = [
      #"{"id": 1, "place": "A", "text": "\#(Self.letters(2600))"}"#,
      #"{"id": 2, "other": "\#(Self.letters(1300))", "note": "\#(Self.letters(1300))"}"#,
    ]
    #expect(try store.take(records).progress.counts.inserted == 2)
    try store.engine.verify { Issue.record("\($0)") }
  }

  @Test func `a record of the object that is copied from is rejected, too`() throws {
    let store = try ServerStore(Self.model)
    try store.take([#"{"id": 1, "place": "A"}"#])
    let title = Self.letters(2601)
    let report = try store.take(
      [#"{"name": "A", "title": "\#(title)"}"#, #"{"name": "B", "title": "b"}"#], settings: "\n",
      model: Self.groups)
    #expect(report.progress.counts.rejected == 1)
    #expect(report.progress.counts.inserted == 1)
    #expect(
      try store.engine.rejects(RejectFilter(), after: 0).map(\.reject.message) == ["title \(Self.long)"])
  }

  /// Another spelling is computed by the next command, which could not go on.
  @Test(arguments: [
    (#"UPDATE "Item" SET text = '<2601>' WHERE id = 1"#, "Item.text: the text is longer than 2600 bytes"),
    (#"UPDATE "Item" SET text = '<2601>'"#, "Item: a text is longer than 2600 bytes"),
    (
      #"INSERT INTO "Item"(id, other) VALUES (7, '<2601>')"#,
      "Item: other and note are together longer than 2600 bytes"
    ),
    (
      #"INSERT INTO "Item"(id, other, note) VALUES (7, '<1300>', '<1301>')"#,
      "Item: other and note are together longer than 2600 bytes"
    ),
    (
      #"INSERT INTO "Item"(id, text) VALUES (7, 'a'), (8, '<2601>')"#,
      "Item: a text is longer than 2600 bytes"
    ),
    (#"UPDATE "Group" SET title = '<2601>'"#, "Group.title: the text is longer than 2600 bytes"),
  ])
  func `a statement of another program by which one comes is refused`(statement: String, sentence: String)
    throws
  {
    let store = try ServerStore(Self.model)
    try store.take([#"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "A"}"#])
    let error = #expect(throws: (any Error).self) {
      try store.psql(statement.replacing(#/<(\d+)>/#) { Self.letters(Int($0.1) ?? 0) })
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("ERROR:  \(sentence)\n"), "\(text)")
    #expect(text.contains("HINT:  An index has another spelling of it, and takes no more."))
    try store.psql(#"UPDATE "Item" SET text = '\#(Self.letters(2600))'"#)
    try store.take([#"{"id": 3, "place": "A"}"#])
    try store.engine.verify { Issue.record("\($0)") }
  }

  /// A trigger does not know how long another spelling is.
  @Test func `one that gets too long by another spelling is named`() throws {
    let store = try ServerStore(Self.model)
    try store.take([#"{"id": 1, "place": "A"}"#])
    let text = Self.letters(1000) + String(repeating: "\u{390}", count: 780)
    try store.psql(#"INSERT INTO "Item"(id, other) VALUES (2, 'b'), (3, '\#(text)')"#)
    let error = try #require(throws: StoreError.self) { try store.engine.assignPendingChanges() }
    #expect(error.code == .constraint)
    #expect(error.reason == "Item 3: what shout would be is too long for an index")
    #expect(
      error.hint == "Shorten the text with SQL, or delete the row: until then nothing else is computed.")
    try store.psql(#"DELETE FROM "Item" WHERE id = 3"#)
    #expect(try store.psql(#"SELECT shout FROM "Item" WHERE id = 2"#) == "")
    try store.engine.verify { Issue.record("\($0)") }
    #expect(try store.psql(#"SELECT shout FROM "Item" WHERE id = 2"#) == "B")
  }

  @Test(arguments: ["[text]", "[spelt]"])
  func `an index over what is too long is refused, and so says the plan`(index: String) throws {
    let model = Self.model.replacing("index: [[spelt], [low], [shout, note]]\n", with: "")
    let store = try ServerStore(model)
    try store.take([#"{"id": 1, "text": "\#(Self.letters(9000))"}"#])
    let more = model.replacing("key: id\n", with: "key: id\nindex: [\(index)]\n")
    let pipeline = try Pipeline(yaml: more, file: "items.yaml", directory: ".")
    let sentence = "some values are too long for an index. PostgreSQL says: index row "
    let plan = try store.engine.migrationPlan(for: pipeline, dropping: [])
    #expect(plan.map(\.kind) == [.change, .conflict])
    #expect(plan.last?.description.hasPrefix("cannot: \(sentence)") == true, "\(plan)")
    for body in [
      { _ = try store.engine.migrate(pipeline, dropping: [], lockWait: 10) { _ in } },
      { try store.take([#"{"id": 2}"#], settings: "\n", model: more) },
    ] {
      let error = #expect(throws: (any Error).self) { try body() }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains(sentence), "\(text)")
      #expect(text.contains("Shorten them with SQL, or leave the index out."))
    }
    #expect(
      try store.psql(
        "SELECT count(*) FROM pg_indexes WHERE schemaname = '\(store.schema)' AND indexname ~ 'Item[.](text|spelt)'"
      )
        == "0")
    try store.psql(#"UPDATE "Item" SET text = 'Ab'"#)
    try store.take([#"{"id": 2}"#], settings: "\n", model: more)
    try store.engine.verify { Issue.record("\($0)") }
  }
}
