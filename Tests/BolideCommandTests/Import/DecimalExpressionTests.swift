import Foundation
import Testing

/// In expressions a decimal is its number: Python's decimals say what comes of it.
@Suite struct DecimalExpressionTests {
  private let folder: Folder

  private static let yaml = """
    bolide: 1
    store: lines.sqlite
    entity: Line
    key: id
    check: price IS NULL OR price < 900.5
    attributes:
      id:     integer64
      qty:    integer64
      price:  { type: decimal, scale: 2 }
      same:   { type: decimal, scale: 2, value: price }
      real:   { type: double, value: "\\"price\\"" }
      amount: { type: decimal, scale: 2, value: qty * Price }
      tenth:  { type: decimal, scale: 1, value: price }
      whole:  { type: decimal, scale: 0, value: price }
      twice:  { type: decimal, scale: 3, value: "same + [same]" }
    link:
      order: { to: { code: "price > 10" } }
    entities:
      Ord:
        key: code
        attributes:
          code:  string
          big:   { derived: lines.@count, where: price > 12.34 }
          small: { derived: lines.price.@sum, where: "price BETWEEN 0.5 AND 10" }
        relationships:
          lines: { to-many: Line, inverse: order }
    """

  init() throws {
    folder = try Folder()
    try folder.write(Self.yaml, to: "lines.yaml")
  }

  @Test(arguments: 0..<4) func `values, checks, links and filters`(seed: Int) throws {
    try folder.python(
      """
      import json, random, sys
      r = random.Random(int(sys.argv[1]))
      def price():
        return r.choice([None, 0, "10", "12.34", "12.35", "0.5", "-0.01", r.randrange(-9999, 95000) / 100,
          f"{r.randrange(-10**6, 10**6) / 100:.2f}"])
      json.dump([{"id": i, "qty": r.randrange(20), "price": price()} for i in range(300)], open("feed.json", "w"))
      """, "\(seed)")
    let outcome = try folder.bolide("import", "lines.yaml", "feed.json", "--max-rejects", "100%", "-q")
    #expect(outcome.status == 3)
    // Another program writes the same table.
    try folder.sqlite(
      "lines.sqlite",
      "INSERT INTO Line(id, price, order_id) SELECT 1000 + value, value * 37 - 500, 1 FROM generate_series(0, 60)"
    )
    #expect(try folder.bolide("token", "lines.sqlite").status == 0)
    try folder.python(
      """
      import json, sqlite3
      from decimal import Decimal as D, ROUND_HALF_EVEN
      db = sqlite3.connect("lines.sqlite")
      feed = {x["id"]: x for x in json.load(open("feed.json"), parse_float=D)}
      orders = dict(db.execute("SELECT bolide_id, code FROM Ord"))
      rows = db.execute("SELECT id, price, same, real, amount, tenth, whole, twice, order_id FROM Line").fetchall()
      found = {row[0] for row in rows}
      for id, x in feed.items():
        assert (id in found) == (x["price"] is None or D(x["price"]) < D("900.5")), x
      for id, price, same, real, amount, tenth, whole, twice, order in rows:
        if id >= 1000: continue
        n = None if feed[id]["price"] is None else D(feed[id]["price"])
        if n is None:
          assert (price, same, real, amount, tenth, whole, twice, order) == (None,) * 8
          continue
        def units(value, scale): return int(value.scaleb(scale).quantize(D(1), ROUND_HALF_EVEN))
        assert price == same == units(n, 2)
        assert real == float(n)
        assert amount == units(n * feed[id]["qty"], 2)
        assert (tenth, whole, twice) == (units(n, 1), units(n, 0), units(2 * n, 3)), (n, tenth, whole, twice)
        assert orders[order] == ("1" if n > 10 else "0")
      for id, big, small in db.execute("SELECT bolide_id, big, small FROM Ord").fetchall():
        mine = [D(row[1]) / 100 for row in rows if row[8] == id and row[1] is not None]
        assert big == sum(x > D("12.34") for x in mine), (id, big)
        assert small == sum(int(x * 100) for x in mine if D("0.5") <= x <= 10), (id, small)
      """)
    #expect(try folder.bolide("verify", "lines.sqlite") == .silent)
  }

  @Test(arguments: [
    ("price > 12.34", "x > D('12.34')"), ("price = 12.5", "x == D('12.5')"),
    ("12.34 <= price", "x >= D('12.34')"),
    ("price BETWEEN 3 AND 10.01", "3 <= x <= D('10.01')"),
    ("price IN (12.5, 3, '0.25')", "x in (D('12.5'), 3, D('0.25'))"),
    ("price * 2 = 25", "x * 2 == 25"), ("2 * price > 25", "2 * x > 25"),
    ("price <> 3 AND NOT price > 10", "x != 3 and x <= 10"),
    ("price = '12.50' OR price < -0.5", "x == D('12.5') or x < D('-0.5')"), ("price + 1 > 1e1", "x > 9"),
    ("CASE price WHEN 3 THEN 1 ELSE price = 12.5 END", "x in (3, D('12.5'))"),
    ("price >= 12.345", "x >= D('12.345')"),
    ("abs(price) > 5", "abs(x) > 5"), ("price IS 3", "x == 3"), ("price > qty", "x > 2"),
    ("order.small > 2.5 AND price = 3", "x == 3"), ("price > 99999999999999999999", "False"),
  ])
  func `predicates`(predicate: String, python: String) throws {
    let prices = ["12.5", "3", "0.25", "10.01", "12.34", "-0.75", "0", "-7.5", "12.35", "12.34"]
    let records = prices.enumerated().map { #"{"id": \#($0), "qty": 2, "price": \#($1)}"# }
    try folder.write("[\(records.joined(separator: ","))]", to: "feed.json")
    #expect(try folder.bolide("import", "lines.yaml", "feed.json") == .silent)
    let outcome = try folder.bolide(
      "fetch", "lines.sqlite", "Line", "--where", predicate, "--only", "id", "--format", "csv", "--sort", "id"
    )
    let expected = try folder.python(
      """
      import sys
      from decimal import Decimal as D
      print("id")
      for id, x in enumerate(sys.argv[2:]):
        x = D(x)
        if eval(sys.argv[1]): print(id)
      """, python, prices[0], prices[1], prices[2], prices[3], prices[4], prices[5], prices[6], prices[7],
      prices[8],
      prices[9])
    #expect(outcome.output.replacing("\r\n", with: "\n") == expected, "\(outcome)")
  }

  @Test func `values that are bound are numbers too`() throws {
    try folder.write(
      #"[{"id": 1, "price": "1.1"}, {"id": 2, "price": 110}, {"id": 3, "price": 2}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "lines.yaml", "feed.json") == .silent)
    let outcome = try folder.bolide(
      "fetch", "lines.sqlite", "Line", "--where", "price = ? OR price BETWEEN ? AND ?", "--bind", "1.1",
      "--bind", "2",
      "--bind", "2.5", "--only", "id", "--format", "csv")
    #expect(outcome.output == "id\r\n1\r\n3\r\n")
  }

  @Test func `a decimal whose number is not exact is rejected`() throws {
    try folder.write(
      #"[{"id": 1, "price": "90071992547409.93"}, {"id": 2, "price": "90071992547409.92"}]"#, to: "feed.json")
    try folder.write(
      Self.yaml.replacing("check: price IS NULL OR price < 900.5\n", with: ""), to: "lines.yaml")
    let outcome = try folder.bolide("import", "lines.yaml", "feed.json", "--max-rejects", "1")
    #expect(
      outcome.errors.hasPrefix(
        "feed.json:1:2: record 1: an expression failed: a decimal has more than 2^53 units, so it is not exact as a number\n"
      ))
    #expect(
      try folder.sqlite("lines.sqlite", "SELECT same FROM Line WHERE id = 2") == ["9007199254740992"])
  }
}
