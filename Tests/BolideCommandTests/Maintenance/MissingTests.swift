import BolideBench
import Foundation
import Testing

/// `bolide missing`: rows that a full feed brought once and has no more.
@Suite struct MissingTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    let text = try String(decoding: folder.bytes(of: "fireballs.yaml"), as: UTF8.self)
    try folder.write(text.replacing("feed: window", with: "feed: full"), to: "fireballs.yaml")
  }

  private func rows(_ arguments: String...) throws -> [[String: Any]] {
    let outcome = try Running(Folder.tool, ["missing"] + arguments, in: folder, input: .nothing).outcome()
    #expect(outcome.errors == "")
    try #require(outcome.status == 0)
    return try outcome.lines.map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func feed(_ dates: [String]) -> String {
    #"{"fields": ["date", "energy"], "data": [\#(dates.map { #"["\#($0)", "5"]"# }.joined(separator: ", "))]}"#
  }

  // MARK: Catalogues

  @Test func `a catalogue that moved its keys keeps ids and links when they are merged`() throws {
    let later = FireballFeed(rows: 2_000, seed: 3, rekey: 20, drop: 2)
    let tally = later.tally()
    try folder.generate(FireballFeed(rows: 2_000, seed: 3), to: "first.json")
    try folder.generate(later, to: "later.json")
    #expect(try folder.bolide("import", "fireballs.yaml", "first.json") == .silent)
    let before = try folder.sqlite("fireballs.sqlite", "SELECT bolide_id, group_id FROM Fireball ORDER BY 1")
    let report = try folder.bolide("import", "fireballs.yaml", "later.json", "--json").output
    #expect(report.contains(#""missing":\#(tally.rekeyed + tally.dropped),"#))
    let missing = try rows("fireballs.sqlite")
    #expect(missing.count == tally.rekeyed + tally.dropped)
    let moved = missing.filter { $0["newcomer"] != nil }.count
    // Some rows have an energy alone, and several have the same.
    #expect(moved <= tally.rekeyed && moved > tally.rekeyed * 8 / 10)

    let merged = try folder.bolide("missing", "fireballs.yaml", "--merge", "-v")
    #expect(merged.errors.wholeMatch(of: /(\d+) rows merged · token \S+\n/)?.1 == "\(moved)")
    #expect(merged.status == 0 && merged.output == "")
    // Every row has the id and the owner that it had, and the key that the feed has now.
    let after = try folder.sqlite(
      "fireballs.sqlite", "SELECT bolide_id, group_id FROM Fireball WHERE bolide_id <= 2000 ORDER BY 1")
    #expect(after == before)
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 2_000 + tally.rekeyed - moved)
    #expect(try rows("fireballs.sqlite").count == missing.count - moved)
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
    // The same catalogue again finds every row where it is now.
    let again = try folder.bolide("import", "fireballs.yaml", "later.json", "--json").output
    #expect(again.contains(#""inserted":0,"updated":0,"repeated":0,"unchanged":\#(tally.count),"#))
    #expect(again.contains(#""missing":\#(missing.count - moved),"#))
    // History tells it as the pipeline's, and a reader that follows has what the store has.
    let changes = try folder.bolide("changes", "fireballs.sqlite").lines
    #expect(changes.last?.contains(#""author":"fireballs","pipeline":null,"run":null"#) == true)
  }

  @Test func `rows are deleted only as far as the guard lets them`() throws {
    try folder.write(feed((1...9).map { "200\($0)-01-01 00:00:00" }), to: "nine.json")
    try folder.write(feed((1...8).map { "200\($0)-01-01 00:00:00" }), to: "eight.json")
    #expect(try folder.bolide("import", "fireballs.yaml", "nine.json") == .silent)
    #expect(try folder.bolide("missing", "fireballs.yaml", "--delete") == .silent)
    #expect(try folder.bolide("import", "fireballs.yaml", "eight.json") == .silent)
    let token = try folder.bolide("token", "fireballs.sqlite")
    #expect(
      try folder.bolide("missing", "fireballs.yaml", "--delete")
        == .failure(
          65,
          "fireballs.sqlite: 1 of 9 rows are missing, which is 11.2 % and more than 5 %: nothing was deleted",
          "Review the missing rows, and allow a larger share to delete them: bolide missing fireballs.sqlite --delete --guard SHARE"
        ))
    #expect(try folder.bolide("token", "fireballs.sqlite") == token)
    let outcome = try folder.bolide("missing", "fireballs.yaml", "--delete", "--guard", "12%", "-v")
    #expect(outcome.errors.wholeMatch(of: /1 row deleted · token \S+\n/) != nil)
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 8)
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT fireballCount FROM FireballGroup WHERE year = 2009") == [
        "0"
      ])
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
    #expect(try rows("fireballs.sqlite").isEmpty)
    let change = try folder.bolide("changes", "fireballs.sqlite", "--since", token.lines[0], "--previous")
      .lines
    #expect(
      change[0].contains(#""kind":"delete","entity":"Fireball","id":9,"key":{"date":"2009-01-01T00:00:00Z"}"#)
    )
  }

  @Test func `an empty catalogue never deletes`() throws {
    try folder.write(feed(["2001-01-01 00:00:00"]), to: "one.json")
    try folder.write(#"{"count": "0"}"#, to: "none.json")
    #expect(try folder.bolide("import", "fireballs.yaml", "one.json") == .silent)
    #expect(try folder.bolide("import", "fireballs.yaml", "none.json") == .silent)
    #expect(try rows("fireballs.sqlite").count == 1)
    #expect(
      try folder.bolide("missing", "fireballs.sqlite", "--delete", "--guard", "100%")
        == .failure(
          65,
          "fireballs.sqlite: the last complete run of 'fireballs' had no rows: nothing was deleted",
          "If the feed was empty by mistake, import a good one first."))
  }

  @Test func `a file that is known again brings its rows back from the missing`() throws {
    let two = ["2001-01-01 00:00:00", "2002-01-01 00:00:00"]
    try folder.write(feed(two), to: "two.json")
    try folder.write(feed([two[0]]), to: "one.json")
    for (file, missing) in [("two", 0), ("two", 0), ("one", 1), ("one", 1), ("two", 0), ("one", 1)] {
      let report = try folder.bolide("import", "fireballs.yaml", "\(file).json", "--json").output
      #expect(report.contains(#""missing":\#(missing),"#), "\(file)")
      #expect(try rows("fireballs.yaml").count == missing)
    }
  }

  @Test func `a rule that denies keeps everything`() throws {
    try folder.write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      feed: full
      attributes: { id: string }
      children:
        lines:
          { entity: Line, inverse: order, key: [order, sku], on-delete: deny, attributes: { sku: string } }
      """, to: "orders.yaml")
    try folder.write(
      #"[{"id": "a", "lines": [{"sku": "x"}, {"sku": "y"}]}, {"id": "b", "lines": [{"sku": "x"}]}]"#,
      to: "a.json")
    try folder.write(#"[{"id": "a", "lines": [{"sku": "x"}]}]"#, to: "b.json")
    #expect(try folder.bolide("import", "orders.yaml", "a.json") == .silent)
    let report = try folder.bolide("import", "orders.yaml", "b.json", "-v").errors
    #expect(report.contains("orders: 1 read = 1 unchanged; Line 1 read = 1 unchanged; 3 missing · "))
    // A child that went from a record that is there, and the child of a record that went.
    #expect(
      try folder.bolide("missing", "orders.yaml", "--format", "table").output == """
        ENTITY  ID  KEY     IS NOW
        Line     2  1, "y"
        Line     3  2, "x"
        Order    2  "b"
        3 rows not in run 2, the last complete one, which saw 2

        """)
    // Where a child is refused, nobody knows which children are gone: those of the record stay as they were.
    try folder.write(#"[{"id": "a", "lines": [{"sku": null}]}, {"id": "b"}]"#, to: "c.json")
    #expect(try folder.bolide("import", "orders.yaml", "c.json", "--max-rejects", "1", "-q").status == 3)
    #expect(try rows("orders.sqlite").map { $0["entity"] as? String } == ["Line", "Line"])
    #expect(try folder.bolide("import", "orders.yaml", "b.json") == .silent)
    // A line of an order that goes with it is deleted before it or not at all.
    try folder.sqlite(
      "orders.sqlite", "PRAGMA foreign_keys = ON; INSERT INTO Line(order_id, sku) VALUES (2, 'z')")
    #expect(
      try folder.bolide("missing", "orders.sqlite", "--delete", "--guard", "90%")
        == .failure(
          65,
          "orders.sqlite: a row of Order, or of its dependents, has related objects that deny its deletion: nothing is deleted",
          "Delete those objects first, or set another `on-delete` rule in the model."))
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT count(*) FROM Line UNION ALL SELECT count(*) FROM \"Order\"")
        == ["4", "2"])
    try folder.sqlite("orders.sqlite", "DELETE FROM Line WHERE sku = 'z'")
    #expect(try folder.bolide("missing", "orders.sqlite", "--delete", "--guard", "90%").status == 0)
    #expect(
      try folder.sqlite("orders.sqlite", "SELECT count(*) FROM Line UNION ALL SELECT count(*) FROM \"Order\"")
        == ["1", "1"])
  }

  // MARK: The model of it

  /// Runs of all kinds with other programs' rows in between, beside sets that say what is missing.
  @Test(arguments: 1...3) func `nothing is ever listed that the pipeline did not bring`(seed: UInt64) throws {
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      feed: full
      attributes: { id: string, magnitude: { type: double, max: 12 } }
      """, to: "quakes.yaml")
    try folder.write(
      """
      bolide: 1
      name: other
      store: quakes.sqlite
      entity: Quake
      key: id
      attributes: { id: string, magnitude: double }
      """, to: "other.yaml")
    var random = SplitMix64(seed: seed)
    var (last, missing, there): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    func keys() -> Set<String> { Set((0..<12).filter { _ in random.next(below: 3) > 0 }.map { "k\($0)" }) }
    func record(_ key: String, _ magnitude: Int) -> String {
      #"{"id": "\#(key)", "magnitude": \#(magnitude)}"#
    }
    // What a run that is not complete has met is there.
    func meet(_ met: Set<String>) {
      last.formUnion(missing.intersection(met))
      missing.subtract(met)
    }
    var hasRun = false
    for step in 0..<14 {
      let seen = keys()
      let records = seen.map { record($0, random.next(below: 3)) }
      let kind = random.next(below: 7)
      switch kind {
      case 0, 1:
        try folder.write("[" + records.joined(separator: ",") + "]", to: "a.json")
      case 2:
        // Refused with a key that can be read: it counts as seen, and makes no row.
        let refused = "k\(random.next(below: 12))"
        try folder.write(
          "["
            + (records.filter { !$0.contains(#""\#(refused)""#) } + [record(refused, 99)]).joined(
              separator: ",") + "]",
          to: "a.json")
        let others = seen.subtracting([refused])
        #expect(
          [3, 65].contains(
            try folder.bolide("import", "quakes.yaml", "a.json", "--max-rejects", "1", "-q").status))
        // A row that complete runs never saw is not one of theirs by a record that was refused.
        let known = missing.union(last)
        missing = known.subtracting(others).subtracting([refused]).intersection(there)
        last = others.union(known.intersection([refused]))
        there.formUnion(others)
        hasRun = true
      case 3:
        try folder.write("[" + (records + [#"{"magnitude": 1}"#]).joined(separator: ",") + "]", to: "a.json")
        #expect(
          [3, 65].contains(
            try folder.bolide("import", "quakes.yaml", "a.json", "--max-rejects", "1", "-q").status))
        there.formUnion(seen)
        meet(seen)
      case 4:
        try folder.write("[" + records.map { $0 + "," }.joined(), to: "a.json")
        #expect(try folder.bolide("import", "quakes.yaml", "a.json", "--chunk-rows", "3").status == 65)
        there.formUnion(seen)
        meet(seen)
      case 5:
        try folder.write("[" + records.joined(separator: ",") + "]", to: "a.json")
        #expect(try folder.bolide("import", "other.yaml", "a.json").status == 0)
        there.formUnion(seen)
      default:
        let gone = "k\(random.next(below: 12))"
        let made = "k\(random.next(below: 12))"
        if there.isEmpty { continue }
        try folder.sqlite(
          "quakes.sqlite",
          "DELETE FROM Quake WHERE id = '\(gone)'; INSERT OR IGNORE INTO Quake(id) VALUES ('\(made)')")
        there.remove(gone)
        // A row that another program makes is nobody's, whatever key it has.
        last.remove(gone)
        missing.remove(gone)
        there.insert(made)
      }
      if kind < 2 {
        #expect(try folder.bolide("import", "quakes.yaml", "a.json").status == 0)
        missing = missing.union(last).subtracting(seen).intersection(there)
        last = seen
        there.formUnion(seen)
        hasRun = true
      }
      guard hasRun else { continue }
      let listed = Set(
        try rows("quakes.sqlite").compactMap { ($0["key"] as? [String: Any])?["id"] as? String })
      #expect(listed == missing, "step \(step), kind \(kind)")
    }
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  // MARK: Words

  @Test func `what is asked for wrongly is told`() throws {
    try folder.write(feed(["2001-01-01 00:00:00"]), to: "one.json")
    let window = try String(decoding: folder.bytes(of: "fireballs.yaml"), as: UTF8.self)
      .replacing("feed: full", with: "feed: window").replacing("name: fireballs", with: "name: window")
    try folder.write(window, to: "window.yaml")
    #expect(try folder.bolide("import", "window.yaml", "one.json") == .silent)
    let hint =
      "If each input is the whole catalogue, set `feed: full` in the pipeline, and complete an import."
    #expect(
      try folder.bolide("missing", "fireballs.sqlite")
        == .failure(64, "fireballs.sqlite: no complete run of a full feed is known", hint))
    #expect(
      try folder.bolide("missing", "window.yaml")
        == .failure(64, "fireballs.sqlite: no complete run of 'window' is known", hint))
    #expect(try folder.bolide("import", "fireballs.yaml", "one.json") == .silent)
    let second = window.replacing("feed: window", with: "feed: full").replacing(
      "name: window", with: "name: second")
    try folder.write(second, to: "second.yaml")
    #expect(try folder.bolide("import", "second.yaml", "one.json") == .silent)
    #expect(
      try folder.bolide("missing", "fireballs.sqlite")
        == .failure(
          64, "fireballs.sqlite: several pipelines with a full feed write to the store",
          "Name one of them: fireballs, second."))
    for name in ["second", "second.yaml"] {
      #expect(
        try folder.bolide("missing", "fireballs.sqlite", name, "--format", "table").output
          == "0 rows not in run 3, the last complete one, which saw 1\n")
    }
    #expect(
      try folder.bolide("missing", "fireballs.sqlite", "--merge", "--delete").errors
        .hasPrefix("Error: --merge and --delete cannot be combined; merge first\n"))
    #expect(
      try folder.bolide("missing", "fireballs.sqlite", "--guard", "5%").errors
        .hasPrefix("Error: --guard requires --delete\n"))
    try folder.write("bolide: 1\nfeed: whole\n", to: "wrong.yaml")
    let problem = try folder.bolide("check", "wrong.yaml").errors
    #expect(problem.contains("wrong.yaml:2:7: 'feed' is window or full, not 'whole'"))
  }
}
