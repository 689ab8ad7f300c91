import Foundation
import Testing

/// A wider type is a migration without loss: rows, history, keys and what is derived stay true.
@Suite struct WideningTests {
  private let folder: Folder

  private static func yaml(
    at: String = "date", n: String = "integer16", m: String = "integer64",
    price: String = "{ type: decimal, scale: 2 }", seen: String = "{ type: date, precision: ms }",
    place: String = "string", note: String = "{ type: string, max-length: 3 }"
  ) -> String {
    """
    bolide: 1
    name: readings
    author: keeper
    store: s.sqlite
    entity: Reading
    key: [at, n]
    attributes:
      at:    \(at)
      n:     \(n)
      m:     \(m)
      price: \(price)
      seen:  \(seen)
      place: \(place)
      note:  \(note)
    unique: [[price, n]]
    link:
      site: { to: { code: place }, when: always }
    entities:
      Site:
        key: code
        attributes:
          code:    string
          prices:  { derived: readings.price.@sum }
          dearest: { derived: readings.price.@max }
          mean:    { derived: readings.price.@average }
          first:   { derived: readings.at.@min }
          all:     { derived: readings.m.@sum }
          ns:      { derived: readings.n.@sum, where: price > 1.5 }
          early:   { derived: readings.@count, where: "at < '2026-01-01T00:00:05'" }
        relationships:
          readings: { to-many: Reading, inverse: site }
    """
  }

  private static let wide = yaml(
    at: "{ type: date, precision: ms }", n: "integer32", m: "double", price: "{ type: decimal, scale: 4 }",
    seen: "{ type: date, precision: us }", place: "{ type: string, required: true }",
    note: "{ type: string, max-length: 30 }")

  init() throws {
    folder = try Folder()
    try folder.write(Self.yaml().replacing("unique: [[price, n]]\n", with: ""), to: "old.yaml")
    try folder.write(Self.wide.replacing("unique: [[price, n]]\n", with: ""), to: "new.yaml")
    try folder.python(
      """
      import json
      rows = [{"at": f"2026-01-01T00:00:{i:02}Z", "n": i % 7 - 3, "m": i * 10**12 or None, "price": f"{i}.{i % 4 * 25:02}",
        "seen": None if i % 5 == 0 else f"2026-02-01T00:00:00.{i:03}Z", "place": "ab"[i % 2], "note": "x"} for i in range(40)]
      json.dump(rows, open("feed.json", "w"))
      for row in rows[:9]: row["price"] = "7.25"; row["m"] = 3
      json.dump(rows[:9], open("later.json", "w"))
      """)
    for feed in ["feed.json", "later.json"] {
      #expect(try folder.bolide("import", "old.yaml", feed, "-q", "--chunk-rows", "13").status == 0)
    }
    try folder.sqlite(
      "s.sqlite", "UPDATE Reading SET m = -7 WHERE n = 2; DELETE FROM Reading WHERE at LIKE '%:1_Z' AND n = 1"
    )
  }

  private func token() throws -> String {
    try folder.bolide("token", "s.sqlite").output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static let steps = """
    widen Reading.at from date to date with precision ms
    widen Reading.n from integer16 to integer32
    widen Reading.m from integer64 to double
    widen Reading.price from decimal with scale 2 to decimal with scale 4
    widen Reading.seen from date with precision ms to date with precision us
    make Reading.place required
    change the rules of Reading.note

    """

  @Test func `the plan says what the import does, and readers learn of it`() throws {
    let before = try token()
    _ = try folder.shell(#""$bolide" snapshot s.sqlite > before.ndjson"#)
    let dump = try folder.sqlite("s.sqlite", ".dump")
    let plan = try folder.bolide("migrate", "s.sqlite", "new.yaml", "--plan")
    #expect(plan.status == 0)
    #expect(plan.output.hasPrefix(Self.steps), "\(plan.output)")
    #expect(try folder.sqlite("s.sqlite", ".dump") == dump)

    // The same feed in the wider types is the same.
    let again = try folder.bolide("import", "new.yaml", "feed.json", "--dry-run", "-v")
    #expect(again.status == 0, "\(again.errors)")
    let migrated = try folder.bolide("migrate", "s.sqlite", "new.yaml")
    #expect(migrated.status == 0, "\(migrated.errors)")
    #expect(
      try folder.sqlite(
        "s.sqlite", "SELECT at, n, m, typeof(m), price, seen FROM Reading WHERE at LIKE '%:03%'")
        == ["2026-01-01T00:00:03.000Z|0|3.0|real|72500|2026-02-01T00:00:00.003000Z"])
    #expect(try folder.bolide("verify", "s.sqlite").output == "")
    #expect(try folder.sqlite("s.sqlite", "PRAGMA integrity_check; PRAGMA foreign_key_check") == ["ok"])

    let changes = try folder.bolide("changes", "s.sqlite", "--since", before, "--values", "--previous")
    try folder.write(changes.output, to: "changes.ndjson")
    let net = try folder.bolide("changes", "s.sqlite", "--since", before, "--values", "--net")
    try folder.write(net.output, to: "net.ndjson")
    _ = try folder.shell(#""$bolide" snapshot s.sqlite > after.ndjson"#)
    for entity in ["Reading", "Site"] {
      _ = try folder.shell(#""$bolide" fetch s.sqlite \#(entity) --at \#(before) > past-\#(entity).ndjson"#)
    }
    try folder.python(
      """
      import json
      from decimal import Decimal as D
      def lines(name): return [json.loads(line, parse_float=D, parse_int=D) for line in open(name)]
      def rows(name):
        return {(x["entity"], x["id"]): x["values"] for x in lines(name) if "values" in x}
      def same(x):
        return {k: v.rstrip("Z").rstrip("0").rstrip(".") if isinstance(v, str) and v[:3] == "202" and "." in v
          else v.rstrip("Z") if isinstance(v, str) and v[:3] == "202" else v for k, v in x.items()}
      old, new = rows("before.ndjson"), rows("after.ndjson")
      assert old and set(old) == set(new)
      for key in old: assert same(old[key]) == same(new[key]), (old[key], new[key])
      for name in ("changes.ndjson", "net.ndjson"):
        mirror = dict(old)
        for x in lines(name):
          if x.get("kind") == "update": mirror[x["entity"], x["id"]] = x["values"]
        assert mirror == new, name
      commits = [x for x in lines("changes.ndjson") if "commit" in x]
      assert len(commits) == 1 and commits[0]["author"] == "keeper", commits
      assert [(w["attribute"], w["was"], w["type"]) for w in commits[0]["widened"] if w["entity"] == "Reading"] == [
        ("at", "date", "date with precision ms"), ("n", "integer16", "integer32"), ("m", "integer64", "double"),
        ("price", "decimal with scale 2", "decimal with scale 4"),
        ("seen", "date with precision ms", "date with precision us")], commits[0]["widened"]
      assert "widened" in lines("net.ndjson")[-1]
      for entity in ("Reading", "Site"):
        past = lines(f"past-{entity}.ndjson")
        now = [v for k, v in new.items() if k[0] == entity]
        assert len(past) == len(now), entity
        for x in past: assert any(all(v.get(k) == x[k] for k in x if k in v) for v in now), x
      """)
    // The whole of history is told in the wider types: what it takes back and gives comes to the rows.
    #expect(try folder.bolide("changes", "s.sqlite", "--values", "--previous").status == 0)
    #expect(
      try folder.sqlite("s.sqlite", "SELECT count(*) FROM bolide_previous WHERE value LIKE '20%:__Z'") == [
        "0"
      ])

    let unchanged = try folder.bolide("import", "new.yaml", "later.json", "-v")
    #expect(
      unchanged.errors.contains("9 read = 1 inserted + 1 updated + 7 unchanged") || unchanged.status == 0)
    #expect(try folder.bolide("migrate", "s.sqlite", "new.yaml", "--plan").output == "")
    let older = try folder.bolide("import", "old.yaml", "feed.json")
    #expect(older.status == 78)
    #expect(
      older.errors.contains(
        "s.sqlite: Reading.at is date with precision ms in the store and date in the pipeline"),
      "\(older.errors)")
  }

  @Test func `an import widens by itself, and goes on`() throws {
    try folder.python(
      """
      import json
      json.dump([{"at": "2026-01-01T00:00:03.5Z", "n": 70000, "m": 0.5, "price": "1.2345", "seen": None, "place": "c",
        "note": "longer"}], open("more.json", "w"))
      """)
    #expect(try folder.bolide("import", "new.yaml", "more.json", "-q").status == 0)
    #expect(
      try folder.sqlite(
        "s.sqlite", "SELECT at, n, m, price, note FROM Reading ORDER BY bolide_id DESC LIMIT 1")
        == ["2026-01-01T00:00:03.500Z|70000|0.5|12345|longer"])
    #expect(
      try folder.sqlite("s.sqlite", "SELECT first, dearest, ns FROM Site WHERE code = 'c'") == [
        "2026-01-01T00:00:03.500Z|12345|0"
      ])
    #expect(try folder.bolide("verify", "s.sqlite").output == "")
    // Other programs go on too.
    try folder.sqlite(
      "s.sqlite",
      "UPDATE Reading SET price = 99999, at = '2020-01-01T00:00:00.250Z' WHERE n = 70000; DELETE FROM Reading WHERE n = 3"
    )
    _ = try token()
    #expect(try folder.bolide("verify", "s.sqlite").output == "")
    #expect(
      try folder.sqlite("s.sqlite", "SELECT first, dearest FROM Site WHERE code = 'c'") == [
        "2020-01-01T00:00:00.250Z|99999"
      ])
  }

  @Test func `what would lose a value is rejected, and nothing is changed`() throws {
    try folder.sqlite("s.sqlite", "UPDATE Reading SET m = 9007199254740993 WHERE n = 2 AND at LIKE '%:05Z'")
    _ = try token()
    try folder.sqlite(
      "s.sqlite",
      "UPDATE Reading SET m = 1 WHERE m > 9000000000000000; UPDATE Reading SET place = NULL WHERE n = 3")
    _ = try token()
    let dump = try folder.sqlite("s.sqlite", ".dump")
    let plan = try folder.bolide("migrate", "s.sqlite", "new.yaml", "--plan")
    #expect(plan.status == 78)
    #expect(
      plan.output.contains(
        "cannot: Reading.m cannot become double: a stored value, or one in history, would change\n"))
    #expect(
      plan.output.contains(
        "cannot: Reading.place cannot become required: some of its objects have no value\n"))
    for outcome in [
      try folder.bolide("migrate", "s.sqlite", "new.yaml"),
      try folder.bolide("import", "new.yaml", "feed.json"),
    ] {
      #expect(outcome.status == 78)
      #expect(outcome.errors.contains("Keep the type, or give the attribute another name."))
    }
    try folder.write(
      try String(decoding: folder.bytes(of: "new.yaml"), as: UTF8.self).replacing(
        "m:     double", with: "m:     integer64"),
      to: "new.yaml")
    let outcome = try folder.bolide("import", "new.yaml", "feed.json")
    #expect(
      outcome.errors.contains(
        #"Find them with SQL: SELECT * FROM "Reading" WHERE "place" IS NULL; then change or delete them, or keep the attribute optional."#
      ), "\(outcome.errors)")
    #expect(try folder.sqlite("s.sqlite", ".dump") == dump)
  }
}
