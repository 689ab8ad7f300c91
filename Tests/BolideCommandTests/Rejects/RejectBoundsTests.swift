import Foundation
import Testing

/// What a store keeps of rejected records costs what they weigh, and a bound at most; nothing of their counts is lost.
@Suite struct RejectBoundsTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func write(_ keys: String...) throws {
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      max-rejects: 100%
      \(keys.joined(separator: "\n"))
      attributes:
        id:        string
        magnitude: { type: double, missing: "-" }
      """, to: "quakes.yaml")
  }

  /// A good record, and rejected ones.
  private func writeFeed(_ rejected: [String]) throws {
    try folder.write("[\(([#"{"id": "good"}"#] + rejected).joined(separator: ",\n"))]", to: "feed.json")
  }

  private func sqlite(_ sql: String) throws -> [String] { try folder.sqlite("quakes.sqlite", sql) }

  @Test(arguments: ["", "atomic: true", "atomic: true\nmax-rejects: 1%"])
  func `so many are kept, and the others are counted`(
    keys: String
  ) throws {
    let limit = keys.contains("1%") ? "" : "max-rejects: 100%"
    try write("reject-rows: 20")
    let text = try String(contentsOf: folder.url.appending(path: "quakes.yaml"), encoding: .utf8)
    try folder.write(text.replacing("max-rejects: 100%", with: "\(keys)\n\(limit)"), to: "quakes.yaml")
    try writeFeed((1...30).map { #"{"id": "k\#($0)", "magnitude": "?\#($0)"}"# })
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "--chunk-rows", "7")
    #expect(outcome.output.contains(#""rejected":30,"#) && outcome.output.contains(#""unkept":10,"#))
    #expect(outcome.errors.contains("30 rejected"))
    #expect(outcome.errors.contains("; 10 of the rejected are not kept"))
    #expect(
      try sqlite("SELECT count(*), min(record), max(record), count(text) FROM bolide_reject") == [
        "20|2|21|20"
      ])
    #expect(try sqlite("SELECT rejected, unkept FROM bolide_run") == ["30|10"])
    #expect(try sqlite("SELECT count(*) FROM bolide_reject_text") == ["20"])
    // The same again is the same rows.
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(try sqlite("SELECT count(*), min(times), max(times) FROM bolide_reject") == ["20|2|2"])
    let status = try folder.bolide("status", "quakes.sqlite", "--json")
    #expect(status.output.contains(#""unkept":10,"#))
  }

  @Test func `nothing is kept where nothing is to be kept`() throws {
    try write("reject-rows: 0")
    try writeFeed([#"{"id": "a", "magnitude": "?"}"#])
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.hasPrefix("feed.json:2:26: record 2: magnitude: expected a number such as 12.8\n"))
    #expect(try sqlite("SELECT count(*) FROM bolide_reject") == ["0"])
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--stop-on-reject", "-q").status == 65)
    #expect(try sqlite("SELECT rejected, unkept FROM bolide_run") == ["1|1", "1|1"])
  }

  @Test func `each text is cut, and all of them have a bound`() throws {
    try write("reject-text: 100", "reject-total: 250")
    let pad = String(repeating: "x", count: 200)
    try writeFeed((1...4).map { #"{"id": "k\#($0)", "magnitude": "?", "pad": "\#(pad)"}"# })
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(
      try sqlite(
        """
        SELECT record, is_cut, length(t.text) FROM bolide_reject AS r LEFT JOIN bolide_reject_text AS t ON t.id = r.text
        """) == ["2|1|100", "3|1|100", "4|0|", "5|0|"])
    let list = try folder.bolide("rejects", "quakes.sqlite", "--format", "ndjson")
    #expect(list.lines.count == 4 && list.lines[2].contains(#""text":null,"isCut":false"#))
  }

  @Test func `a key that is not kept counts as seen, and overtakes what is kept`() throws {
    try write("feed: full")
    try writeFeed([#"{"id": "a"}"#, #"{"id": "b"}"#, #"{"id": "c"}"#])
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try write("feed: full", "reject-rows: 1")
    try writeFeed([
      #"{"id": "a", "magnitude": "-1-"}"#, #"{"id": "b", "magnitude": "?"}"#,
      #"{"id": "a", "magnitude": "??"}"#,
    ])
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "-q")
    // Of the rejected ones only the first is kept, and all are there: c alone is gone.
    #expect(outcome.output.contains(#""unkept":2,"missing":1,"#))
    #expect(try folder.bolide("missing", "quakes.sqlite", "quakes").output.contains("c"))
    #expect(try sqlite("SELECT record, read_since FROM bolide_reject") == ["2|2"])
  }

  @Test func `what surrounds rejected records is kept once, and not at all beyond its bound`() throws {
    let names = (0..<50).map { "\"column\($0)\"" }.joined(separator: ",")
    let rows = (1...40).map { #"["k\#($0)", "?"]"# }.joined(separator: ",\n")
    try folder.write(
      #"{"fields": ["id", "magnitude", \#(names)], "data": [["good"\#(String(repeating: ",1", count: 51))], \#(rows)]}"#,
      to: "feed.json")
    try write("reject-text: 1KiB")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(
      try sqlite("SELECT count(*), count(text), count(DISTINCT around) FROM bolide_reject") == ["40|40|1"])
    #expect(try sqlite("SELECT count(*) FROM bolide_reject_text") == ["41"])
    #expect(try folder.bolide("import", "quakes.yaml", "--replay", "--json").output.contains(#""read":40,"#))
    // Without the columns' names a row cannot be read again.
    try write("reject-text: 500")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q", "--store", "quakes.sqlite", "--force")
    #expect(
      try sqlite("SELECT count(*), count(text), count(around) FROM bolide_reject WHERE first_run = 3")
        == ["40|0|0"])
  }

  @Test func `rejected children of one record share its text, and beyond the bound their number is known`()
    throws
  {
    let orders = try Folder.withOrders("reject-rows: 1000\nreject-text: 1MiB")
    let items = (0..<3_000).map { #"{"sku": "\#($0)", "amount": "-"}"# }.joined(separator: ",")
    let outcome = try orders.importOrders(
      #"[{"id": "a", "items": [\#(items)]}, {"id": "b", "items": [{"sku": 1}]}]"#)
    #expect(try Counts("Line", outcome) == Counts(read: 3_001, inserted: 1, rejected: 3_000))
    #expect(outcome.output.contains(#""unkept":2000,"#))
    #expect(
      try orders.sqlite(
        "orders.sqlite", "SELECT count(*), max(child), count(DISTINCT text) FROM bolide_reject")
        == ["1000|1000|1"])
    #expect(try orders.sqlite("orders.sqlite", "SELECT count(*) FROM bolide_reject_text") == ["1"])
    try orders.writeOrders("reject-rows: 1000\nreject-text: 1MiB", amount: #"{ type: double, missing: "-" }"#)
    let replay = try orders.bolide("import", "orders.yaml", "--replay", "--json", "-q")
    #expect(try Counts("Line", replay) == Counts(read: 3_000, inserted: 3_000))
    #expect(replay.output.contains(#""stillKept":0,"#))
    // What landed leaves no text behind.
    #expect(try orders.sqlite("orders.sqlite", "SELECT count(*) FROM bolide_reject_text") == ["0"])
  }

  @Test func `rejected records of one key take constant time each`() throws {
    try write("repeated-key: reject", "reject-rows: 30000")
    try writeFeed((1...30_000).map { #"{"id": "same", "magnitude": \#($0)}"# })
    // Where each looks at all before it, this takes minutes, and the tool is given one.
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(try sqlite("SELECT count(*), sum(read_since IS NULL) FROM bolide_reject") == ["29999|1"])
    let plan = try sqlite(
      """
      EXPLAIN QUERY PLAN UPDATE bolide_reject SET read_since = 1 WHERE pipeline = 'p' AND key = 1 AND read_since IS NULL
      """)
    #expect(plan.contains { $0.contains("USING INDEX bolide_reject_key (pipeline=? AND key=?)") })
  }
}
