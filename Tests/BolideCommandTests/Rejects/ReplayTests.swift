import Foundation
import Testing

/// `--replay`: rejected records land once the pipeline is mended, from every shape of input.
@Suite struct ReplayTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try write(pipeline())
  }

  /// - Parameters:
  ///   - shape: further keys of the pipeline.
  ///   - missing: what counts as no magnitude.
  private func pipeline(
    _ shape: String = "", missing: String = "[]", day: String = "day", keepText: Bool = true
  )
    -> String
  {
    """
    bolide: 1
    store: quakes.sqlite
    entity: Quake
    key: id
    keep-text: \(keepText)
    \(shape)
    attributes:
      id:        string
      magnitude: { type: double, missing: \(missing) }
      day:       { type: string, from: \(day) }
      place:     { type: string, transient: true }
      region:    { type: string, value: upper(place) }
    """
  }

  private func write(_ pipeline: String) throws {
    try folder.write(pipeline.replacing("\n\n", with: "\n"), to: "quakes.yaml")
  }

  private static let first = #"{"id": "a", "magnitude": 1.5, "day": "Mon", "place": "x"}"#
  private static let bad = #"{"id": "b\u00e9", "magnitude": "n/a", "day": "Tue", "place": "y\"y"}"#

  @Test(arguments: [
    ("", "[\(first), \(bad)]", "day"),
    ("", "\(first)\n\(bad)\n", "day"),
    ("records: result/items", #"{"result": {"items": [\#(first), \#(bad)]}}"#, "day"),
    (
      "records: days/<d>", #"{"days": {"Mon": [\#(first)], "Tue": [\#(bad)], "Wed": []}}"#, "<d>"
    ),
    (
      "records: by/<d>/rows/<n>",
      #"{"by": {"Mon": {"rows": {"1": \#(first)}}, "Tue": {"rows": {"2": \#(bad)}}}}"#, "<d>"
    ),
    (
      "",
      #"{"fields": ["id", "magnitude", "day", "place"], "data": [["a", 1.5, "Mon", "x"], ["b\u00e9", "n/a", "Tue", "y\"y"]]}"#,
      "day"
    ),
    (
      "",
      #"{"data": [["a", 1.5, "Mon", "x"], ["b\u00e9", "n/a", "Tue", "y\"y"]], "fields": ["id", "magnitude", "day", "place"]}"#,
      "day"
    ),
    (
      "columns: [id, magnitude, day, place]",
      #"[["a", 1.5, "Mon", "x"], ["b\u00e9", "n/a", "Tue", "y\"y"]]"#, "day"
    ),
    (
      "",
      "[\"id\", \"magnitude\", \"day\", \"place\"]\n[\"a\", 1.5, \"Mon\", \"x\"]\n[\"bé\", \"n/a\", \"Tue\", \"y\\\"y\"]\n",
      "day"
    ),
  ])
  func `a record lands as if the input had been read by the mended pipeline`(
    shape: String, feed: String, day: String
  ) throws {
    try write(pipeline(shape, day: day))
    try folder.write(feed, to: "feed.json")
    let refused = try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "-q")
    #expect(refused.status == 65)
    #expect(try Counts(refused) == Counts(read: 2, inserted: 1, rejected: 1))
    try write(pipeline(shape, missing: "[n/a]", day: day))
    let replayed = try folder.bolide("import", "quakes.yaml", "--replay", "--json", "-v")
    #expect(replayed.status == 0)
    #expect(try Counts(replayed) == Counts(read: 1, inserted: 1))
    #expect(replayed.output.contains(#""stillKept":0"#))
    #expect(replayed.errors.hasPrefix("quakes: 1 replayed = 1 inserted · 0 still kept · "))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT id, magnitude, day, region FROM Quake ORDER BY id")
        == ["a|1.5|Mon|X", #"bé||Tue|Y"Y"#])
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM bolide_reject") == ["0"])
    // There is nothing more to replay, and the input itself changes nothing.
    let empty = try folder.bolide("import", "quakes.yaml", "--replay", "--json")
    #expect(empty.status == 0)
    #expect(try Counts(empty) == Counts(read: 0))
    let again = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
    #expect(try Counts(again) == Counts(read: 2, unchanged: 2))
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `what is rejected again stays where it stood, with its new reason`() throws {
    try folder.write("[\n{\"id\": \"a\", \"magnitude\": \"n/a\", \"day\": 5}]", to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    try write(pipeline(missing: "[n/a]").replacing("type: string, from: day", with: "type: day, from: day"))
    let outcome = try folder.bolide("import", "quakes.yaml", "--replay")
    // The model cannot change a column's type: the replay ends like an import.
    #expect(outcome.status == 78)
    try write(pipeline(missing: "[x]") + "\n  mag:       { type: double, from: magnitude }\n")
    let refused = try folder.bolide("import", "quakes.yaml", "--replay")
    #expect(refused.status == 65)
    #expect(refused.errors.hasPrefix("feed.json:2:26: record 1: magnitude: expected a number such as 12.8\n"))
    #expect(refused.errors.contains("quakes: 1 replayed = 1 rejected · 1 still kept · "))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT times, first_run, last_run, record, line FROM bolide_reject")
        == ["2|1|2|1|2"])
  }

  @Test func `an older record never takes the place of a newer one`() throws {
    // Of each key one record is rejected: f before a good one of the same input, g before one of a later run, h before
    // another rejected one, i after a good one; n has no key that could be read.
    try folder.write(
      """
      [{"id": "f", "magnitude": "n/a", "day": "old"}, {"id": "g", "magnitude": "n/a", "day": "old"},
       {"id": "h", "magnitude": "n/a", "day": "old"}, {"id": "i", "magnitude": 1, "day": "old"},
       {"id": "f", "magnitude": 2, "day": "new"}, {"id": "h", "magnitude": "n/a", "day": "new"},
       {"id": "i", "magnitude": "n/a", "day": "new"}]
      """, to: "one.json")
    try folder.write(#"[{"id": "g", "magnitude": 3, "day": "new"}]"#, to: "two.json")
    for rows in ["1", "3", "100"] {
      _ = try folder.shell("rm -f quakes.sqlite*")
      try write(pipeline())
      _ = try folder.bolide("import", "quakes.yaml", "one.json", "-q", "--chunk-rows", rows)
      // The later run finds what it brings in the store already: nothing but the rejected record knows of it.
      try folder.sqlite("quakes.sqlite", "INSERT INTO Quake(id, magnitude, day) VALUES ('g', 3, 'new')")
      #expect(try folder.bolide("import", "quakes.yaml", "two.json") == .silent)
      try write(pipeline(missing: "[n/a]"))
      let outcome = try folder.bolide("import", "quakes.yaml", "--replay", "--json", "--max-rejects", "9")
      #expect(try Counts(outcome) == Counts(read: 2, inserted: 1, updated: 1))
      #expect(
        try folder.sqlite("quakes.sqlite", "SELECT id, day FROM Quake ORDER BY id")
          == ["f|new", "g|new", "h|new", "i|new"])
      #expect(
        try folder.sqlite(
          "quakes.sqlite",
          """
          SELECT json_extract(t.text, '$.id'), read_since FROM bolide_reject AS r
          JOIN bolide_reject_text AS t ON t.id = r.text ORDER BY 1
          """)
          == [], "the good run has closed those whose key it or a run before it has read")
    }
  }

  @Test func `a record whose key could not be read makes a row, and changes none`() throws {
    let strict = """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: time
      attributes:
        time: date
        name: string
      """
    try folder.write(strict, to: "quakes.yaml")
    try folder.write(
      """
      [{"time": "2020-01-02 00:00:00", "name": "good"},
       {"time": "01/02/2020", "name": "older"}, {"time": "01/03/2020", "name": "new"}]
      """, to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    try folder.write(
      strict.replacing("time: date", with: "time: { type: date, format: month-first }"), to: "quakes.yaml")
    let outcome = try folder.bolide("import", "quakes.yaml", "--replay", "--json")
    #expect(outcome.status == 0)
    #expect(try Counts(outcome) == Counts(read: 1, inserted: 1))
    #expect(outcome.output.contains(#""stillKept":1"#))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT time, name FROM Quake ORDER BY time")
        == ["2020-01-02T00:00:00Z|good", "2020-01-03T00:00:00Z|new"])
  }

  @Test func `a text that was cut or is not kept is not replayed`() throws {
    let long = String(repeating: "é", count: 33_000)
    try folder.write(#"[{"id": "a", "magnitude": "n/a", "place": "\#(long)"}]"#, to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    try write(pipeline(keepText: false))
    try folder.write(#"[{"id": "b", "magnitude": "n/a"}]"#, to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT is_cut, text IS NULL FROM bolide_reject") == ["1|0", "0|1"])
    try write(pipeline(missing: "[n/a]"))
    let outcome = try folder.bolide("import", "quakes.yaml", "--replay", "-v")
    #expect(outcome.errors.hasPrefix("quakes: 0 replayed · 2 still kept · "))
    #expect(outcome.status == 0)
  }

  @Test func `thousands of records are replayed in steps, those of other pipelines are not`() throws {
    let rows = (1...2_500).map { #"{"id": "k\#($0 % 2_400)", "magnitude": "n/a", "day": "\#($0)"}"# }
    let good = #"{"id": "good"}"#
    try folder.write("[\(good), \(rows.joined(separator: ",")), \(good)]", to: "feed.json")
    try folder.write(pipeline(), to: "others.yaml")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    _ = try folder.bolide("import", "others.yaml", "feed.json", "-q")
    try write(pipeline(missing: "[n/a]"))
    let outcome = try folder.bolide("import", "quakes.yaml", "--replay", "--json")
    #expect(outcome.status == 0)
    // Of the keys that came twice the first record was overtaken.
    #expect(try Counts(outcome) == Counts(read: 2_400, inserted: 2_400))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT pipeline, count(*) FROM bolide_reject GROUP BY 1 ORDER BY 1")
        == ["others|2500", "quakes|100"])
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT day FROM Quake WHERE id IN ('k1', 'k2399') ORDER BY id")
        == ["2401", "2399"])
  }

  @Test func `a replay takes no input, and makes no store`() throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--replay")
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("Error: --replay imports the kept records: remove the input\n"))
    let missing = try folder.bolide("import", "quakes.yaml", "--replay")
    #expect(
      missing
        == .failure(73, "quakes.sqlite: no such store", "Check the path, or import first."))
  }
}
