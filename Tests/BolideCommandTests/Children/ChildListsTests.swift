import Foundation
import Testing

/// Two lists of children beside a link, under a wildcard, with values that are derived over them and further.
@Suite struct ChildListsTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try write()
  }

  private func write(amount: String = "double", longest: Int = 10) throws {
    try folder.write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      records: days/<day>
      key: id
      attributes:
        id:        string
        day:       { type: day, from: <day> }
        raw:       { type: json, from: items }
        place:     { type: string, transient: true }
        lineCount: { derived: lines.@count }
        noteCount: { derived: notes.@count }
        longest:   { derived: notes.length.@max }
      link: { region: { to: { name: place } } }
      entities:
        Region:
          key: name
          attributes: { name: string, lineCount: { derived: orders.lineCount.@sum } }
          relationships: { orders: { to-many: Order, inverse: region } }
      children:
        lines:
          entity: Line
          inverse: order
          records: items
          key: [order, sku]
          attributes:
            sku:     string
            amount:  \(amount)
            half:    { type: double, value: amount / 2 }
            quarter: { type: double, value: half / 2 }
            notes:   { derived: order.noteCount }
        notes:
          entity: Note
          inverse: order
          records: more/notes
          key: [number, order]
          attributes:
            number: { type: integer32, from: n }
            text:   string
            length: { type: integer32, value: length(text) }
          check: length < \(longest)
      """, to: "orders.yaml")
  }

  private static let feed = """
    {"days": {
      "2026-01-01": [
        {"id": "a", "place": "N", "more": {"notes": [{"n": 1, "text": "abc"}, {"n": 2, "text": "much too long"}]},
         "items": [{"sku": "x", "amount": 2}, {"sku": "y", "amount": "?"}]}],
      "2026-01-02": [
        {"id": "b", "place": "N", "items": [{"sku": "x", "amount": 2}], "more": null},
        {"id": "c", "place": "S", "more": {"notes": {"n": 1, "text": "x"}}}]}}
    """

  private func store() throws -> [String] {
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
    return try folder.sqlite(
      "orders.sqlite",
      """
      SELECT o.id, day, o.lineCount, noteCount, longest, name FROM "Order" AS o JOIN Region AS r ON r.bolide_id = region_id ORDER BY 1;
      SELECT id, sku, amount, quarter, l.notes FROM Line AS l JOIN "Order" AS o ON o.bolide_id = order_id ORDER BY 1, 2;
      SELECT id, number, text, length FROM Note JOIN "Order" AS o ON o.bolide_id = order_id ORDER BY 1, 2;
      SELECT name, lineCount FROM Region ORDER BY 1
      """)
  }

  @Test(arguments: [1, 2, 100]) func `both land, and are replayed with their record's surroundings`(
    chunkRows: Int
  ) throws {
    let outcome = try folder.importOrders(Self.feed, "--chunk-rows", "\(chunkRows)")
    #expect(try Counts(outcome) == Counts(read: 3, inserted: 3))
    #expect(try Counts("Line", outcome) == Counts(read: 3, inserted: 2, rejected: 1))
    #expect(try Counts("Note", outcome) == Counts(read: 3, inserted: 2, rejected: 1))
    #expect(
      outcome.errors.hasPrefix(
        """
        feed.json:4:66: record 1: Line 2: amount: expected a number such as 12.8
        feed.json:3:75: record 1: Note 2: the check does not hold: length < 10
        orders: 3 read = 3 inserted; Line 3 read = 2 inserted + 1 rejected; Note 3 read = 2 inserted + 1 rejected · 
        """), "\(outcome.errors)")
    #expect(
      try store() == [
        "a|2026-01-01|1|1|3|N", "b|2026-01-02|1|0||N", "c|2026-01-02|0|1|1|S", "a|x|2.0|0.5|1",
        "b|x|2.0|0.5|0",
        "a|1|abc|3", "c|1|x|1", "N|2", "S|0",
      ])
    try write(amount: #"{ type: double, missing: "?" }"#, longest: 100)
    let replayed = try folder.bolide("import", "orders.yaml", "--replay", "--json")
    #expect(try Counts(replayed) == Counts(read: 1, unchanged: 1))
    #expect(try Counts("Line", replayed) == Counts(read: 2, inserted: 1, unchanged: 1))
    #expect(try Counts("Note", replayed) == Counts(read: 2, inserted: 1, unchanged: 1))
    #expect(
      try store() == [
        "a|2026-01-01|2|2|13|N", "b|2026-01-02|1|0||N", "c|2026-01-02|0|1|1|S", "a|x|2.0|0.5|2", "a|y|||2",
        "b|x|2.0|0.5|0", "a|1|abc|3", "a|2|much too long|13", "c|1|x|1", "N|3", "S|0",
      ])
    #expect(try folder.sqlite("orders.sqlite", "SELECT count(*) FROM bolide_reject") == ["0"])
  }

  @Test func `what a chunk makes is inserted in history, and not updated besides`() throws {
    try folder.importOrders(Self.feed)
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT kind, count(*) FROM bolide_change GROUP BY kind") == ["0|4"])
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT inserted, updated FROM bolide_transaction") == ["9|0"])
  }

  @Test(arguments: [1, 2, 100]) func `an import that stops does so between the lists`(chunkRows: Int) throws {
    let outcome = try folder.importOrders(Self.feed, "--chunk-rows", "\(chunkRows)", "--stop-on-reject")
    #expect(outcome.status == 65)
    #expect(try Counts(outcome) == Counts(read: 1, inserted: 1))
    // The lists are read one after the other, whatever their place in the record.
    #expect(try Counts("Line", outcome) == Counts(read: 2, inserted: 1, rejected: 1))
    #expect(try Counts("Note", outcome) == Counts(read: 0))
    #expect(try store() == ["a|2026-01-01|1|0||N", "a|x|2.0|0.5|0", "N|1"])
  }

  @Test func `children may come to an entity that is there`() throws {
    let text = try String(contentsOf: folder.url.appending(path: "orders.yaml"), encoding: .utf8)
    let plain = text.prefix(upTo: try #require(text.range(of: "children:")).lowerBound)
    let old = String(plain).replacing(", lineCount: { derived: orders.lineCount.@sum }", with: "")
      .replacing(#/ +(lineCount|noteCount|longest): .*derived.*\n/#, with: "")
    try folder.write(old, to: "orders.yaml")
    #expect(try folder.importOrders(Self.feed).status == 0)
    try write(amount: #"{ type: double, missing: "?" }"#, longest: 100)
    let outcome = try folder.importOrders(Self.feed)
    #expect(try Counts(outcome) == Counts(read: 3, unchanged: 3))
    #expect(try Counts("Line", outcome) == Counts(read: 3, inserted: 3))
    #expect(try store().first == "a|2026-01-01|2|2|13|N")
  }
}
