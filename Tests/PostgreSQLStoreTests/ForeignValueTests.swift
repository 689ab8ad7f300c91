import Bolide
import StoreInterface
import TestServer
import Testing

/// Values that the server takes for a type and Bolide does not: the triggers refuse them, and `verify` names those that are there.
struct ForeignValueTests {
  private func store() throws -> ServerStore {
    let store = try ServerStore(
      """
      bolide: 1
      name: items
      entity: Item
      key: id
      attributes:
        id: integer64
        size: double
        price: { type: decimal, scale: 2 }
        seen: { type: date, precision: ms }
        made: date
        day: day
        word: string
      relationships: { owner: { to-one: Owner, inverse: items } }
      entities:
        Owner:
          key: id
          attributes:
            id: integer64
            total: { derived: items.size.@sum }
            price: { derived: items.price.@sum }
          relationships: { items: { to-many: Item, inverse: owner } }

      """)
    try store.psql(
      """
      INSERT INTO "Owner"(id) VALUES (1);
      INSERT INTO "Item"(id, size, price, owner_id) VALUES (1, 1.5, 2, 1), (2, 2, 3, 1)
      """)
    return store
  }

  private static let wrong: [(column: String, value: String)] = [
    ("size", "NaN"), ("size", "Infinity"), ("size", "-Infinity"), ("price", "NaN"),
    ("price", "92233720368547758.08"), ("price", "-92233720368547758.09"), ("seen", "infinity"),
    ("seen", "0002-12-31 23:59:59Z BC"), ("made", "9999-12-31 23:59:59.5Z"), ("day", "-infinity"),
    ("day", "10000-01-01"), ("day", "0002-12-31 BC"),
  ]

  @Test(arguments: wrong) func `a statement by which one comes is refused`(column: String, value: String)
    throws
  {
    let store = try store()
    try store.engine.assignPendingChanges()
    let before = try store.engine.newestToken()
    for (statement, sentence) in [
      (
        "INSERT INTO \"Item\"(id, \(column), owner_id) VALUES (3, '\(value)', 1)",
        "Item.\(column): the value is out of range"
      ),
      (
        "INSERT INTO \"Item\"(id, \(column)) VALUES (3, NULL), (4, '\(value)')",
        "Item: a value is out of range"
      ),
      (
        "UPDATE \"Item\" SET \(column) = '\(value)' WHERE id = 1", "Item.\(column): the value is out of range"
      ),
      ("UPDATE \"Item\" SET \(column) = '\(value)'", "Item: a value is out of range"),
    ] {
      let error = #expect(throws: (any Error).self) { try store.psql(statement) }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.contains("ERROR:  \(sentence)\n"), "\(text)")
      #expect(
        text.contains(
          "HINT:  Numbers are finite, decimals have 64 bits, and times are of the years 0000 to 9999."))
    }
    #expect(try store.changes(after: before) == [])
    #expect(try store.psql(#"SELECT total, price FROM "Owner""#) == "3.5|5.00")
  }

  @Test(arguments: [#"{"id": 3, "size": 1}"#, #"{"id": 2, "size": 5}{"id": 1, "size": 5}"#])
  func `one that another program's trigger makes of an import's rows ends the import`(feed: String) throws {
    let store = try store()
    try store.psql(
      """
      CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.size := 'NaN'; RETURN NEW; END $$;
      CREATE TRIGGER aa BEFORE INSERT OR UPDATE ON "Item" FOR EACH ROW EXECUTE FUNCTION other();
      """)
    let error = #expect(throws: ImportError.self) { try store.take([feed]) }
    #expect(
      error.map { "\($0)" }?.contains("Item: a value is out of range") == true,
      "\(error.map { "\($0)" } ?? "")")
    #expect(try store.psql(#"SELECT total FROM "Owner""#) == "3.5")
    #expect(try store.psql(#"SELECT count(*) FROM "Item" WHERE size = 'NaN'"#) == "0")
  }

  @Test func `the largest and the smallest are taken`() throws {
    let store = try store()
    try store.psql(
      """
      UPDATE "Item" SET size = 1.7976931348623157e308, price = 92233720368547758.07, seen = '9999-12-31 23:59:59.999Z',
        made = '9999-12-31 23:59:59.4Z', day = '9999-12-31' WHERE id = 1;
      UPDATE "Item" SET size = -1.7976931348623157e308, price = -92233720368547758.08, seen = '0001-01-01 00:00:00Z BC',
        made = '0001-01-01 00:00:00Z BC', day = '0001-01-01 BC' WHERE id = 2;
      """)
    #expect(try store.engine.verified() == [])
    var rows: [[String]] = []
    try store.engine.readRows(ObjectQuery("Item"), at: nil) { row in
      rows.append(row.values.filter { ["seen", "made", "day"].contains($0.name) }.map(\.value.text))
    }
    #expect(
      rows == [
        ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59Z", "9999-12-31"],
        ["0000-01-01T00:00:00.000Z", "0000-01-01T00:00:00Z", "0000-01-01"],
      ])
  }

  /// As in a store of an earlier version.
  @Test func `one that is there is named, and its row can be changed`() throws {
    let store = try store()
    try store.psql(
      """
      ALTER TABLE "Item" DISABLE TRIGGER USER;
      UPDATE "Item" SET size = 'NaN', price = 'NaN', seen = 'infinity', day = '-infinity' WHERE id = 2;
      ALTER TABLE "Item" ENABLE TRIGGER USER;
      UPDATE "Owner" SET bolide_sum_total = 'NaN', bolide_sum_price = 'NaN';
      """)
    try store.psql(#"UPDATE "Item" SET word = 'a'; UPDATE "Item" SET word = 'b' WHERE id = 2"#)
    let named = try store.engine.verified().map { "\($0)" }.filter { $0.contains("valid") }
    #expect(
      named == [
        "Item 2 size: the stored value is not a valid double",
        "Item 2 price: the stored value is not a valid decimal",
        "Item 2 seen: the stored value is not a valid date",
        "Item 2 day: the stored value is not a valid day",
      ])
    func times(at token: HistoryToken?) throws -> [String] {
      var times: [String] = []
      try store.engine.readRows(ObjectQuery("Item", where: .init(text: "id = 2", values: [])), at: token) {
        row in
        times = row.values.filter { ["seen", "made", "day"].contains($0.name) }.map(\.value.text)
      }
      return times
    }
    try store.psql(
      """
      UPDATE "Item" SET size = 4, price = 4 WHERE id = 2;
      ALTER TABLE "Item" DISABLE TRIGGER USER; UPDATE "Item" SET made = '4000-01-01 BC' WHERE id = 2;
      ALTER TABLE "Item" ENABLE TRIGGER USER;
      """)
    let (token, before) = (try store.engine.newestToken(), try times(at: nil))
    #expect(before == ["9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "0000-01-01"])
    try store.psql(#"UPDATE "Item" SET seen = NULL, day = NULL, made = now() WHERE id = 2"#)
    #expect(try times(at: token) == before)
    try store.engine.rebuild { _ in }
    #expect(try store.engine.verified() == [])
    #expect(try store.psql(#"SELECT total, price FROM "Owner""#) == "5.5|6.00")
  }
}
