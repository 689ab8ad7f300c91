import Foundation
import Testing

/// Feeds of lines with a broken one, several documents in one input, and pages of a feed.
@Suite struct LineFeedTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      "bolide: 1\nstore: w.sqlite\nentity: Word\nkey: id\nfeed: full\nattributes: { id: integer64, v: string }",
      to: "w.yaml")
  }

  private func ids() throws -> [String] { try folder.sqlite("w.sqlite", "SELECT id FROM Word ORDER BY id") }

  // MARK: Lines

  @Test(arguments: ["--chunk-rows", "--atomic"])
  func `a broken line is one rejected record, and the lines behind it land`(option: String) throws {
    var lines = (1...50).map { #"{"id":\#($0),"v":"word \#($0)"}"# }
    lines[20] = #"{"id":21,"v":"#
    try folder.write(lines.joined(separator: "\n"), to: "feed.json")
    let options = option == "--atomic" ? [option] : [option, "7"]
    func run(_ more: String...) throws -> Outcome {
      try Running(
        Folder.tool, ["import", "w.yaml", "feed.json"] + options + more, in: folder, input: .nothing
      )
      .outcome()
    }
    let within = try run("--max-rejects", "1")
    #expect(within.status == 3)
    #expect(
      within.errors.hasPrefix("feed.json:21:14: record 21: the line ends inside its record\nw: 50 read = 49 ")
    )
    #expect(try ids() == (1...50).filter { $0 != 21 }.map(String.init))
    let beyond = try run()
    let fate = option == "--atomic" ? "1 rejected + 49 rolled back" : "49 unchanged + 1 rejected"
    #expect(beyond.status == 65 && beyond.errors.contains("w: 50 read = \(fate)"))
    let rejects = try folder.sqlite(
      "w.sqlite",
      "SELECT code, record, byte, line, column, is_cut, t.text FROM bolide_reject r JOIN bolide_reject_text t ON t.id = r.text"
    )
    #expect(rejects == [#"broken-line|21|462|21|14|0|{"id":21,"v":"#])
    // No pipeline makes JSON of it; the line itself is at hand.
    let replay = try folder.bolide("import", "w.yaml", "--replay")
    #expect(replay.status == 65)
    #expect(
      replay.errors.hasPrefix(
        """
        feed.json:21:14: record 21: the line ends inside its record
        w: 1 replayed = 1 rejected · 1 still kept
        """))
    // Whose key it was nobody knows: nothing is missing by such a run.
    try folder.write((1...50).map { #"{"id":\#($0)}"# }.joined(separator: "\n"), to: "feed.json")
    #expect(try run().status == 0)
    try folder.write(lines.joined(separator: "\n"), to: "feed.json")
    _ = try run()
    #expect(try folder.bolide("missing", "w.sqlite") == .silent)
  }

  @Test func `check says which lines are broken`() throws {
    try folder.write("{\"id\":1}\n{\"id\":2]\n{\"id\":3}\n", to: "feed.json")
    let check = try folder.bolide("check", "w.yaml", "feed.json")
    #expect(check.status == 65)
    #expect(check.output.contains("feed.json: one object a line, or concatenated; 3 records\n"))
    #expect(check.output.contains("    feed.json:2:8: record 2: found ']'; expected ',' or '}'\n"))
  }

  @Test func `a line that is too long for a record is one rejected record`() throws {
    let long = String(repeating: "x", count: 65 << 20)
    try folder.write("{\"id\":1}\n{\"id\":2,\"v\":\"\(long)\"}\n{\"id\":3}\n", to: "feed.json")
    let outcome = try folder.bolide("import", "w.yaml", "feed.json", "--max-rejects", "1")
    #expect(outcome.status == 3)
    #expect(outcome.errors.hasPrefix("feed.json:2:"))
    #expect(try ids() == ["1", "3"])
  }

  // MARK: Documents

  @Test(arguments: [
    #"[{"id":1},{"id":2}][{"id":3}]"#, "{\"items\":[{\"id\":1}]}\n{\"items\":[{\"id\":2},{\"id\":3}]}",
    #"{"fields":["id"],"data":[[1]],"count":1}{"data":[[2,"b"],[3,"c"]],"count":"2","fields":["id","v"]}"#,
    #"{"data":[[1]],"fields":["id"]}{"data":[["a",2],["b",3]],"fields":["v","id"]}"#,
    "\u{feff}[{\"id\":1}]\n\u{feff}[{\"id\":2},{\"id\":3}]\n",
    "\u{feff}{\"id\":1}\n\u{feff}{\"id\":2}\n{\"id\":3}",
  ])
  func `documents one after another are one input`(feed: String) throws {
    try folder.write(feed, to: "feed.json")
    #expect(try folder.bolide("import", "w.yaml", "feed.json") == .silent)
    #expect(try ids() == ["1", "2", "3"])
    let check = try folder.bolide("check", "w.yaml", "feed.json")
    #expect(
      check.status == 0
        && check.output.contains(
          "; 3 records\n  no record would be rejected\n  no two records have the same key")
    )
    // A rejected record of the second one has its number in the input, and its place.
    try folder.write(feed.replacing("3", with: "\"x\""), to: "feed.json")
    let bad = try folder.bolide("import", "w.yaml", "feed.json", "--store", "bad.sqlite")
    #expect(bad.status == 65 && bad.errors.contains(": record 3: id: expected a whole number such as 12\n"))
  }

  @Test func `rows without names stand under a path`() throws {
    try folder.write(
      "bolide: 1\nstore: w.sqlite\nentity: Word\nkey: id\nrecords: sats/all\ncolumns: [v, id]\n"
        + "attributes: { id: integer64, v: string }", to: "w.yaml")
    try folder.write(#"{"at":"x","sats":{"all":[["a",1],["b","?"],["c",3]]}}"#, to: "feed.json")
    let outcome = try folder.bolide("import", "w.yaml", "feed.json")
    #expect(outcome.errors.hasPrefix("feed.json:1:39: record 2: id: expected a whole number such as 12\n"))
    #expect(try ids() == ["1", "3"])
    #expect(try folder.bolide("import", "w.yaml", "--replay").errors.contains("1 replayed = 1 rejected"))
  }

  // MARK: Pages

  private func page(_ ids: [Int], of count: Int, _ beside: String) -> String {
    #"{"count":\#(count),\#(beside),"results":[\#(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]}"#
  }

  @Test func `the pages of a feed add up to its count, or rows are not known to be missing`() throws {
    try folder.write(page([1, 2], of: 5, #""next":"?page=2""#), to: "p1.json")
    try folder.write(page([3, 4], of: 5, #""next":"?page=3""#), to: "p2.json")
    try folder.write(page([5], of: 5, #""next":null"#), to: "p3.json")
    let whole = try folder.bolide("import", "w.yaml", "p1.json", "p2.json", "p3.json", "--json", "-v")
    #expect(whole.status == 0 && whole.output.contains(#""missing":0,"#))
    #expect(whole.output.contains(#""onAllPages":5,"#) && !whole.errors.contains("pages"))
    // A page alone is a good import, of which nothing can be missing.
    let part = try folder.bolide("import", "w.yaml", "p2.json", "--json", "-v")
    #expect(part.status == 0 && !part.output.contains("missing"))
    #expect(part.errors.hasPrefix("w: 2 read = 2 unchanged; 5 on all pages · "))
    #expect(try folder.bolide("missing", "w.sqlite") == .silent)
    // In one input, as `curl` of several addresses prints them.
    let pages =
      page([1, 2], of: 4, #""limit":3,"offset":0"#) + page([3, 4], of: 4, #""limit":3,"offset":3"#)
    let joined = try folder.bolide("import", "w.yaml", "-", "--json", input: .pipe(Data(pages.utf8)))
    #expect(joined.status == 0 && joined.output.contains(#""missing":1,"#))
    #expect(try folder.bolide("missing", "w.sqlite").output.contains(#""id":5"#))
  }

  @Test(
    arguments: [
      (nil, #""a":1"#, 65), ("exact", #""next":null"#, 65), ("total", #""a":1"#, 0), ("ignore", #""a":1"#, 0),
      (nil, #""pageSize":2"#, 0), (nil, #""previous_page":null"#, 0), (nil, #""LIMIT":"2""#, 0),
      (nil, #""nextUpdate":"2026-01-01""#, 65), (nil, #""page_title":"x""#, 65), (nil, #""timeLimit":9"#, 65),
    ] as [(String?, String, Int32)])
  func `what count counts is told by what stands beside it, or by the pipeline`(
    count: String?, beside: String, status: Int32
  ) throws {
    let text = try String(decoding: folder.bytes(of: "w.yaml"), as: UTF8.self)
    try folder.write(text + (count.map { "\ncount: \($0)" } ?? ""), to: "w.yaml")
    try folder.write(page([1, 2], of: 7, beside), to: "feed.json")
    #expect(try folder.bolide("import", "w.yaml", "feed.json").status == status)
    #expect(try folder.bolide("check", "w.yaml", "feed.json").status == status)
    #expect(try ids() == ["1", "2"])
  }
}
