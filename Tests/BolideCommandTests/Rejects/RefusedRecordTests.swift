import Foundation
import Testing

/// A record that cannot be used is rejected, with its place; the others land.
@Suite struct RefusedRecordTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
  }

  private static let good = #"["2020-01-02 03:04:05","5.7",".19","10.5","N","20.5","W","35.0","12.1"]"#

  @Test(arguments: [
    (
      #"["2020-01-02 03:04:05","5.7",".19","10.5","N","20.5","W","35.0"]"#,
      "1: record 2: the row has 8 values, and there are 9 names", "wrong-length"
    ),
    (
      #"["2020-01-02 03:04:05","much",".19","10.5","N","20.5","W","35.0","12.1"]"#,
      "24: record 2: energy: expected a number such as 12.8", "not-a-number"
    ),
    (
      #"[null,"5.7",".19","10.5","N","20.5","W","35.0","12.1"]"#,
      "2: record 2: date is part of the key and is null", "null-key"
    ),
    (
      #"["2020-01-02 03:04:05","5.7",".19","10.5","X","20.5","W","35.0","12.1"]"#,
      "43: record 2: latDir is not one of N, S", "not-one-of"
    ),
    (
      #"["2020-01-02 03:04:05","5.7",".19","10.5",null,"20.5","W","35.0","12.1"]"#,
      "1: record 2: the check does not hold: (lat IS NULL) = (latDir IS NULL)", "check-failed"
    ),
    (
      #"["2020-13-02 03:04:05","5.7",".19","10.5","N","20.5","W","35.0","12.1"]"#,
      "2: record 2: date: the calendar has no such day", "no-such-day"
    ),
    (
      #"["yesterday","5.7",".19","10.5","N","20.5","W","35.0","12.1"]"#,
      "2: record 2: date: expected a date such as 2026-05-12 03:14:07", "not-a-date"
    ),
    (
      #"["2020-01-02 03:04:05",[5.7],".19","10.5","N","20.5","W","35.0","12.1"]"#,
      "24: record 2: energy: expected one value, found an object or an array", "not-one-value"
    ),
    (
      #"{"date":"2020-01-02 03:04:05"}"#,
      "1: record 2: expected a row, found an object", "not-an-array"
    ),
  ])
  func `a bad record is rejected with its line, column and reason`(
    row: String, sentence: String, code: String
  ) throws {
    try folder.write(feed(row), to: "feed.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json")
    #expect(outcome.status == 65)
    #expect(outcome.output.isEmpty)
    let errors = outcome.errors.split(separator: "\n").map(String.init)
    #expect(errors.first == "feed.json:3:\(sentence)")
    // The good rows before and after it are in the store, and the rejected one is kept with its text.
    #expect(try dates() == ["2020-01-01T00:00:00Z", "2020-01-03T00:00:00Z"])
    #expect(
      try folder.sqlite(
        "fireballs.sqlite",
        "SELECT code, record, line, t.text FROM bolide_reject AS r JOIN bolide_reject_text AS t ON t.id = r.text"
      )
        == ["\(code)|2|3|\(row)"])
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT outcome, read, inserted, rejected FROM bolide_run")
        == ["too-many-refused|3|2|1"])
    // Mended, it gives what a clean run gives.
    try folder.write(feed(Self.good), to: "feed.json")
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    try folder.check(against: "feed.json")
  }

  @Test func `a pattern holds for the whole text, scalar by scalar`() throws {
    let pipeline = """
      bolide: 1
      store: a.sqlite
      entity: Code
      key: text
      attributes:
        text: { type: string, pattern: "[a-z]{2}-?[0-9]+|\u{e9}|" }
        none: { type: string, pattern: "x" }

      """
    try folder.write(pipeline, to: "codes.yaml")
    let fine = ["ab1", "ab-99", "\u{e9}", ""]
    let other = ["Ab1", "ab", "ab1 ", " ab1", "ab1\nab1", "e\u{301}", "ab\u{661}"]
    let rows = (fine + other).map { "{\"text\": \"\($0.replacing("\n", with: "\\n"))\", \"none\": null}" }
    try folder.write(rows.joined(separator: "\n"), to: "codes.json")
    let outcome = try folder.bolide("import", "codes.yaml", "codes.json", "--max-rejects", "7")
    #expect(outcome.status == 3)
    let errors = outcome.errors.split(separator: "\n")
    #expect(errors.first == "codes.json:5:10: record 5: text does not match its pattern (and 6 more like it)")
    #expect(
      errors.dropFirst().first
        == "List them: bolide rejects a.sqlite. To import them again, once the pipeline fits: --replay")
    let kept = try folder.sqlite(
      "a.sqlite", "SELECT DISTINCT code FROM bolide_reject; SELECT count(*) FROM Code")
    #expect(kept == ["pattern", "4"])
  }

  @Test func `a text too long for its pattern is rejected, and other rules come first`() throws {
    let pipeline = #"""
      bolide: 1
      store: a.sqlite
      entity: Code
      key: id
      attributes:
        id:    string
        text:  { type: string, pattern: "((a?){300})*b" }
        short: { type: string, max-length: 10, pattern: "([a-z]+)*[0-9]" }

      """#
    try folder.write(pipeline, to: "codes.yaml")
    let (long, longest) = (String(repeating: "a", count: 30), String(repeating: "a", count: 3_000))
    try folder.write(
      """
      {"id": "1", "text": "\(longest)"}
      {"id": "2", "short": "\(long)"}
      {"id": "3", "short": "aaaaaaaaaa"}
      {"id": "4", "text": "aab", "short": "a1"}
      """, to: "codes.json")
    let outcome = try folder.bolide("import", "codes.yaml", "codes.json", "--max-rejects", "3")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.split(separator: "\n").prefix(3) == [
        "codes.json:1:21: record 1: text is too long to be compared with its pattern",
        "codes.json:2:22: record 2: short is longer than its maximum length of 10",
        "codes.json:3:22: record 3: short does not match its pattern",
      ])
  }

  @Test func `a limit of rejected records decides the exit status`() throws {
    try folder.write(feed(#"["bad"]"#), to: "feed.json")
    for (limit, status) in [("0", 65), ("1", 3), ("33%", 65), ("34%", 3), ("100%", 3)] as [(String, Int32)] {
      let outcome = try folder.bolide(
        "import", "fireballs.yaml", "feed.json", "--max-rejects", limit, "--json")
      #expect(outcome.status == status, "--max-rejects \(limit)")
      #expect(try Counts(outcome).rejected == 1)
    }
    // The same record again is the same row, with a count.
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT first_run, last_run, times FROM bolide_reject")
        == ["1|5|5"])
  }

  @Test func `when every record is rejected no limit makes it a success`() throws {
    try folder.write(#"[{"date": null}, {"date": 5}]"#, to: "feed.json")
    let outcome = try folder.bolide(
      "import", "fireballs.yaml", "feed.json", "--max-rejects", "100%", "--json")
    #expect(outcome.status == 65)
    #expect(try Counts(outcome) == Counts(read: 2, rejected: 2))
  }

  @Test func `rejected records are shown by what is wrong with them, in the order of the first`() throws {
    // Those that a check refuses among those that a type refuses.
    let rows = (1...14).map { number in
      let day = number < 10 ? "0\(number)" : "\(number)"
      return number.isMultiple(of: 2)
        ? #"["2020-01-\#(day) 00:00:00",null,null,"1",null,null,null,null,null]"#
        : #"["2020-01-\#(day) 00:00:00","x",null,null,null,null,null,null,null]"#
    }
    try folder.write(feed(rows.joined(separator: ",\n")), to: "feed.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json")
    #expect(outcome.status == 65)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    let (more, rest) = lines.count > 2 ? (lines[0], lines[1]) : ("", "")
    #expect(
      more.hasPrefix("feed.json:3:24: record 2: energy: ") && more.hasSuffix(" (and 6 more like it)"),
      "\(lines)")
    #expect(
      rest.hasPrefix("feed.json:4:1: record 3: ") && rest.hasSuffix(" (and 6 more like it)"), "\(lines)")
    #expect(
      lines[2]
        == "List them: bolide rejects fireballs.sqlite. To import them again, once the pipeline fits: --replay"
    )
    #expect(lines[3].hasPrefix("fireballs: 16 read = "))
  }

  @Test func `ten kinds are shown, and the others counted`() throws {
    let columns = (1...8).map { column in
      let cells = (1...8).map { $0 == column ? #""?""# : "null" }.joined(separator: ",")
      return "[\"2020-01-0\(column) 00:00:00\",\(cells)]"
    }
    let others = [
      "[null]", "7", #"["soon",1,1,1,"N",1,"E",1,1]"#, "[null,1,1,1,\"N\",1,\"E\",1,1]", "[1]", "8",
    ]
    try folder.write(feed((columns + others).joined(separator: ",\n")), to: "feed.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json")
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    #expect(lines.prefix(10).allSatisfy { $0.hasPrefix("feed.json:") }, "\(lines)")
    #expect(lines.dropFirst(10).first == "… and 2 more records were rejected", "\(lines)")
  }

  @Test func `an input of which the first thousand records are rejected is not read on`() throws {
    let rows = (1...3_000).map { _ in #"{"date": "soon"}"# }.joined(separator: ",\n")
    try folder.write("[\(rows)]", to: "feed.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json")
    #expect(
      outcome
        == .failure(
          65, "feed.json: the first 1000 records were all rejected",
          "The last reason: date: expected a date such as 2026-05-12 03:14:07. Check that the pipeline fits this input."
        ))
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT outcome, read, rejected FROM bolide_run")
        == ["all-refused|1000|1000"])
  }

  @Test func `an input of which a check refuses the first thousand records is not read on`() throws {
    let rows = (1...1_500).map { #"{"date": "2020-01-01 00:00:00", "lat": \#($0)}"# }.joined(separator: ",\n")
    try folder.write("[\(rows)]", to: "feed.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "feed.json", "--chunk-rows", "700")
    #expect(
      outcome
        == .failure(
          65, "feed.json: the first 1000 records were all rejected",
          "The last reason: the check does not hold: (lat IS NULL) = (latDir IS NULL). Check that the pipeline fits this input."
        ))
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT outcome, read, rejected FROM bolide_run")
        == ["all-refused|1000|1000"])
  }

  @Test func `an input of which the store refuses all records is not read on either`() throws {
    try folder.write(
      Folder.quakes.replacing("magnitude: double", with: "magnitude: { type: double, required: true }"),
      to: "quakes.yaml")
    let rows = (1...5_000).map { #"{"id": "\#($0)"}"# }.joined(separator: ",\n")
    try folder.write("[\(rows)]", to: "feed.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--chunk-rows", "500")
        == .failure(
          65, "feed.json: the first 1000 records were all rejected",
          "The last reason: magnitude is required, and a new row has no value for it. Check that the pipeline fits this input."
        ))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT outcome, read, rejected FROM bolide_run")
        == ["all-refused|1000|1000"])
  }

  private func dates() throws -> [String] {
    try folder.sqlite("fireballs.sqlite", "SELECT date FROM Fireball ORDER BY date")
  }

  private func feed(_ row: String) -> String {
    """
    {"fields":["date","energy","impact-e","lat","lat-dir","lon","lon-dir","alt","vel"],"data":[
    ["2020-01-01 00:00:00","5.7",".19","10.5","N","20.5","W","35.0","12.1"],
    \(row),
    ["2020-01-03 00:00:00","5.7",".19","10.5","S","20.5","E",null,null]]}
    """
  }
}
