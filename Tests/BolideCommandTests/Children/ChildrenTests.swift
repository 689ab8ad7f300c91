import Foundation
import Testing

/// Nested arrays as rows of another entity.
@Suite struct ChildrenTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withOrders()
  }

  private static let feed = """
    [{"id": "a", "status": "open", "items": [
       {"sku": "x", "amount": 2, "pack": {"pieces": 4}, "note": "say \\"hi\\""},
       {"sku": "y", "amount": "0", "pack": {"pieces": "-"}, "note": {"a": [1, 2]}}]},
     {"id": "b", "items": {"sku": "x", "amount": 5.5}},
     {"id": "c", "items": []},
     {"id": "d", "items": null},
     {"id": "e"}]
    """

  @Test func `an array, an object alone and nothing at all become rows, and what is derived is true`() throws
  {
    let first = try folder.importOrders(Self.feed)
    #expect(first.status == 0 && first.errors == "")
    #expect(try Counts(first) == Counts(read: 5, inserted: 5))
    #expect(try Counts("Line", first) == Counts(read: 3, inserted: 3))
    let rows = try folder.orders()
    #expect(
      rows == [
        "a|open|2|2.0|2.0|1", "b||1|5.5|5.5|0", "c||0|0.0||0", "d||0|0.0||0", "e||0|0.0||0",
        #"a|x|2.0|4|0.5|"say \"hi\""|open"#, #"a|y|0.0|||{"a": [1, 2]}|open"#, "b|x|5.5||||",
      ])
    let again = try folder.importOrders(Self.feed, "--force")
    #expect(try Counts(again) == Counts(read: 5, unchanged: 5))
    #expect(try Counts("Line", again) == Counts(read: 3, unchanged: 3))
    #expect(try folder.orders() == rows)
    #expect(try folder.sqlite("orders.sqlite", "SELECT count(*) FROM bolide_transaction") == ["1"])
  }

  @Test func `one chunk is one transaction, and a row's history says whose child it is`() throws {
    try folder.importOrders(#"[{"id": "a", "items": [{"sku": "x", "amount": 1}]}]"#)
    try folder.importOrders(
      #"[{"id": "a", "items": [{"sku": "x", "amount": 3}, {"sku": "z", "amount": 1}]}, {"id": "b", "items": [{"sku": "x"}]}]"#
    )
    let lines = try folder.bolide("changes", "orders.sqlite").lines.map {
      $0.replacing(#/,"token.*|"at":"[^"]*",?/#, with: "")
    }
    #expect(
      lines == [
        #"{"tx":1,"kind":"insert","entity":"Order","id":1,"key":{"id":"a"}}"#,
        #"{"tx":1,"kind":"insert","entity":"Line","id":1,"key":{"order":1,"sku":"x"}}"#,
        #"{"tx":1,"commit":true"#,
        #"{"tx":2,"kind":"insert","entity":"Order","id":2,"key":{"id":"b"}}"#,
        #"{"tx":2,"kind":"update","entity":"Line","id":1,"key":{"order":1,"sku":"x"},"changed":["amount"]}"#,
        #"{"tx":2,"kind":"insert","entity":"Line","id":2,"key":{"order":1,"sku":"z"}}"#,
        #"{"tx":2,"kind":"insert","entity":"Line","id":3,"key":{"order":2,"sku":"x"}}"#,
        #"{"tx":2,"kind":"update","entity":"Order","id":1,"key":{"id":"a"},"changed":["lineCount","total","largest"],"derived":true}"#,
        #"{"tx":2,"commit":true"#,
      ])
  }

  @Test func `the report, the run's row and the status say what became of them`() throws {
    try folder.write(Self.feed, to: "feed.json")
    let first = try folder.bolide("import", "-v", "orders.yaml", "feed.json")
    #expect(first.errors.hasPrefix("orders: 5 read = 5 inserted; Line 3 read = 3 inserted · "))
    let known = try folder.bolide("import", "-v", "orders.yaml", "feed.json")
    #expect(
      known.errors.hasPrefix(
        "orders: 5 read = 5 unchanged; Line 3 read = 3 unchanged (same bytes as run 1) · "))
    #expect(
      try folder.sqlite(
        "orders.sqlite", "SELECT run, entity, read, inserted, unchanged FROM bolide_run_child")
        == ["1|Line|3|3|0", "2|Line|3|0|3"])
    let status = try folder.bolide("status", "orders.sqlite").output
    #expect(status.contains("5 read = 5 unchanged; Line 3 read = 3 unchanged"))
    let json = try folder.bolide("status", "orders.sqlite", "--json").output
    #expect(json.contains(#""children":{"Line":{"read":3,"#))
    try folder.sqlite("orders.sqlite", "UPDATE bolide_run_child SET read = 4 WHERE run = 1")
    #expect(
      try folder.bolide("verify", "orders.sqlite").output
        == "bolide_run_child 1 Line read: stored 4, true 3\n")
  }

  @Test func `check tries the children too`() throws {
    try folder.write(
      #"[{"id": "a", "items": [{"sku": "x", "amount": 1}, {"amount": 2}]}, {"id": "b", "more": 1, "items": 7}]"#,
      to: "feed.json")
    let outcome = try folder.bolide("check", "orders.yaml", "feed.json")
    #expect(outcome.status == 65)
    #expect(
      outcome.output == """
        orders.yaml: fine; orders imports Order by id into orders.sqlite: Order (7 attributes), Line (6 attributes)
        feed.json: objects; 2 records
          1 of 2 records would be rejected:
          Line: 2 read, 1 would be rejected:
            feed.json:1:51: record 1: Line 2: sku is part of the key and is missing
            feed.json:1:100: record 2: items: expected an array of objects, found a number
          no two records have the same key
          never in the input: status, version, Line.pieces from items/pack/pieces, Line.note from items/note, Line.hidden from items/hidden
          not used by the pipeline: more

        """)
  }

  @Test func `the schema shows the foreign key, which is no index of its own`() throws {
    let schema = try folder.bolide("schema", "orders.yaml").output
    #expect(schema.contains(#""order_id" INTEGER NOT NULL REFERENCES "Order" ON DELETE CASCADE"#))
    #expect(schema.contains(#"UNIQUE ("order_id", "sku")"#))
    #expect(!schema.contains("bolide_index_Line"))
    #expect(schema.contains("-- Line: one row an object, known by order and sku."))
  }

  @Test func `other programs may delete orders and move lines, and all stays true`() throws {
    try folder.importOrders(Self.feed)
    try folder.sqlite("orders.sqlite", "PRAGMA foreign_keys = ON; DELETE FROM \"Order\" WHERE id = 'b'")
    try folder.sqlite("orders.sqlite", "UPDATE Line SET order_id = 3 WHERE sku = 'y'")
    try folder.sqlite("orders.sqlite", "DELETE FROM Line WHERE sku = 'x' AND order_id = 1")
    // Refreshes what triggers only mark.
    _ = try folder.bolide("changes", "orders.sqlite")
    #expect(
      try folder.orders() == [
        "a|open|0|0.0||0", "c||1|0.0|0.0|1", "d||0|0.0||0", "e||0|0.0||0", #"c|y|0.0|||{"a": [1, 2]}|"#,
      ])
    let again = try folder.importOrders(Self.feed)
    #expect(try Counts("Line", again) == Counts(read: 3, inserted: 3))
    #expect(try folder.orders().first == "a|open|2|2.0|2.0|1")
  }

  @Test func `a trigger of somebody else's fires for children`() throws {
    try folder.importOrders(#"[{"id": "a"}]"#)
    try folder.sqlite(
      "orders.sqlite",
      "CREATE TABLE seen(sku TEXT); CREATE TRIGGER mine AFTER INSERT ON Line BEGIN INSERT INTO seen VALUES (NEW.sku); END"
    )
    let outcome = try folder.importOrders(Self.feed)
    #expect(try Counts("Line", outcome) == Counts(read: 3, inserted: 3))
    #expect(try folder.sqlite("orders.sqlite", "SELECT sku FROM seen ORDER BY 1") == ["x", "x", "y"])
    #expect(try folder.orders().first == "a|open|2|2.0|2.0|1")
  }

  @Test func `columns may hold arrays, and a wildcard's key is the record's`() throws {
    try folder.importOrders(
      #"{"data": [["a", [{"sku": "x", "amount": 1}]], ["b", [{"sku": "x"}, {"sku": "y"}]]], "fields": ["id", "items"]}"#
    )
    #expect(try folder.sqlite("orders.sqlite", "SELECT id, lineCount FROM \"Order\"") == ["a|1", "b|2"])
    try folder.writeOrders("records: orders/<day>")
    let outcome = try folder.importOrders(
      #"{"orders": {"Mon": [{"id": "b", "items": [{"sku": "z"}]}], "Tue": [{"id": "f", "items": [{"sku": "z"}]}]}}"#
    )
    #expect(try Counts("Line", outcome) == Counts(read: 2, inserted: 2))
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT id, lineCount FROM \"Order\"") == ["a|1", "b|3", "f|1"])
  }

  @Test func `a record with more children than a window holds them all`() throws {
    let items = (0..<5000).map { #"{"sku": "s\#($0)", "amount": \#($0 % 7)}"# }.joined(separator: ",")
    let outcome = try folder.importOrders(
      #"[{"id": "a", "items": [\#(items)]}, {"id": "b", "items": [\#(items)]}]"#)
    #expect(try Counts("Line", outcome) == Counts(read: 10_000, inserted: 10_000))
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT lineCount, total FROM \"Order\"") == [
        "5000|14995.0", "5000|14995.0",
      ])
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
  }
}
