import Foundation
import Testing

/// Refused children: rejects of their own, which leave their record and its other children alone.
@Suite struct ChildRejectTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withOrders()
  }

  private static let bad = """
    [{"id": "a", "items": [{"sku": "x", "amount": 1},
      {"sku": "y", "amount": "n/a"}, 7, null,
      {"amount": 3}, {"sku": null}, {"sku": "h", "hidden": true}, {"sku": ["s"]}, {"sku": "z", "amount": 2}]},
     {"id": "b", "items": "none"},
     {"id": "c", "items": [{"sku": "x", "amount": 1}], "version": 1.5}]
    """

  @Test(arguments: [1, 2, 100]) func `each is told with its place, and the others land`(chunkRows: Int) throws
  {
    let outcome = try folder.importOrders(Self.bad, "--chunk-rows", "\(chunkRows)")
    #expect(outcome.status == 65)
    #expect(try Counts(outcome) == Counts(read: 3, inserted: 1, rejected: 2))
    #expect(try Counts("Line", outcome) == Counts(read: 9, inserted: 2, rejected: 7))
    #expect(
      outcome.errors.hasPrefix(
        """
        feed.json:2:26: record 1: Line 2: amount: expected a number such as 12.8
        feed.json:2:34: record 1: Line 3: expected an object, found a number
        feed.json:2:37: record 1: Line 4: expected an object, found null
        feed.json:3:3: record 1: Line 5: sku is part of the key and is missing
        feed.json:3:26: record 1: Line 6: sku is part of the key and is null
        feed.json:3:33: record 1: Line 7: the check does not hold: hidden IS NOT 1
        feed.json:3:71: record 1: Line 8: sku: expected one value, found an object or an array
        feed.json:4:23: record 2: items: expected an array of objects, found a text
        feed.json:5:63: record 3: version: expected a whole number; this one has decimals
        orders: 3 read = 1 inserted + 2 rejected; Line 9 read = 2 inserted + 7 rejected · 
        """))
    #expect(try folder.orders() == ["a||2|3.0|2.0|0", "a|x|1.0||||", "a|z|2.0||||"])
    let kept = try folder.bolide("rejects", "orders.sqlite", "--format", "ndjson").lines
    #expect(kept.count == 9)
    #expect(kept.filter { $0.contains(#""record":1,"entity":"Line","child":"#) }.count == 7)
    #expect(
      kept.first?.contains(#""code":"not-a-number","message":"amount: expected a number such as 12.8""#)
        == true)
    #expect(
      try folder.bolide("rejects", "orders.sqlite").lines.first
        == "feed.json:2:26: record 1: Line 2: amount: expected a number such as 12.8 (orders, run 1)")
  }

  @Test func `they count towards the limit, with the records`() throws {
    let feed =
      #"[{"id": "a", "items": [{"sku": "x"}, {"sku": "y", "amount": "?"}]}, {"id": "b", "items": [{"sku": 1}]}]"#
    #expect(try folder.importOrders(feed).status == 65)
    #expect(try folder.importOrders(feed, "--max-rejects", "1").status == 3)
    #expect(try folder.importOrders(feed, "--max-rejects", "20%").status == 3)
    let outcome = try folder.importOrders(feed, "--max-rejects", "19%", "-q")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("Error: orders: 1 of 5 records and children was rejected.\n"))
  }

  @Test func `a record that the store refuses takes its children along, unread`() throws {
    try folder.writeOrders("unique: status")
    let outcome = try folder.importOrders(
      #"[{"id": "a", "status": "s", "items": [{"sku": "x"}]}, {"id": "b", "status": "s", "items": [{"sku": "x"}, {"sku": 1, "amount": "?"}]}, {"id": "c", "items": [{"sku": "x"}]}]"#
    )
    #expect(try Counts(outcome) == Counts(read: 3, inserted: 1, rejected: 2))
    #expect(try Counts("Line", outcome) == Counts(read: 1, inserted: 1))
    #expect(try folder.orders().map { $0.prefix(3) } == ["a|s", "a|x"])
  }

  @Test func `no text is kept of them where none is to be kept`() throws {
    try folder.writeOrders("keep-text: false")
    try folder.importOrders(Self.bad)
    #expect(try folder.sqlite("orders.sqlite", "SELECT count(*), count(text) FROM bolide_reject") == ["9|0"])
    #expect(try folder.bolide("import", "orders.yaml", "--replay", "--json").output.contains(#""read":0,"#))
  }

  @Test(arguments: [1, 2, 100], [false, true])
  func `the first rejected child ends an import that stops there`(chunkRows: Int, isLate: Bool) throws {
    try folder.writeOrders(amount: "{ type: double, required: true }")
    let bad = isLate ? #"{"sku": "y"}"# : #"{"sku": "y", "amount": "?"}"#
    let outcome = try folder.importOrders(
      """
      [{"id": "a", "items": [{"sku": "x", "amount": 1}]},
       {"id": "b", "items": [{"sku": "x", "amount": 1}, \(bad), {"sku": "z", "amount": 1}, {"sku": 1, "amount": []}]},
       {"id": "c", "items": [{"sku": "x", "amount": 1}]}, {"id": null}]
      """, "--stop-on-reject", "--chunk-rows", "\(chunkRows)")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("record 2: Line 2: amount"))
    #expect(
      outcome.errors.contains(
        "The import stops at the first rejected record; the 2 records before it are in the store."))
    #expect(try Counts(outcome) == Counts(read: 2, inserted: 2))
    #expect(try Counts("Line", outcome) == Counts(read: 3, inserted: 2, rejected: 1))
    #expect(try folder.orders() == ["a||1|1.0|1.0|0", "b||1|1.0|1.0|0", "a|x|1.0||||", "b|x|1.0||||"])
  }

  @Test func `all or nothing holds for them`() throws {
    let outcome = try folder.importOrders(Self.bad, "--atomic")
    #expect(outcome.status == 65)
    #expect(try folder.sqlite("orders.sqlite", "SELECT count(*) FROM Line") == ["0"])
    #expect(
      try folder.sqlite(
        "orders.sqlite", "SELECT entity, read, inserted, rejected, rolled_back FROM bolide_run_child")
        == ["Line|9|0|7|2"])
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT count(*), count(entity) FROM bolide_reject") == ["9|7"])
    #expect(try folder.bolide("verify", "orders.sqlite") == .silent)
    #expect(try folder.importOrders(Self.bad, "--atomic", "--max-rejects", "9").status == 3)
    #expect(try folder.orders().count == 3)
    #expect(try folder.sqlite("orders.sqlite", "SELECT count(*) FROM bolide_transaction") == ["1"])
  }
}
