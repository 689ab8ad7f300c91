import Foundation
import Testing

/// An expression has limits: of the size of a value, of time, and of what it may ask for.
@Suite struct ExpressionLimitTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  /// A pipeline with one more attribute or key.
  private func pipeline(_ line: String) -> String {
    """
    bolide: 1
    store: things.sqlite
    entity: Thing
    key: id
    attributes:
      id: string
      at: string
      zone: string
      day: day
      n: integer64
      \(line)
    """
  }

  private func problem(_ expression: String) -> Outcome {
    Outcome(
      status: 78, errors: "Error: things.yaml:11:29: the expression cannot be used: \(expression).\n")
  }

  private func check(_ expression: String) throws -> Outcome {
    try folder.write(pipeline("x: { type: string, value: \"\(expression)\" }"), to: "things.yaml")
    return try folder.bolide("check", "things.yaml")
  }

  @Test(arguments: [
    "zeroblob(1000000000)", "length(replace(printf('%.*c',30000,'x'),'x',printf('%.*c',30000,'y')))",
  ])
  func `a value longer than a record may be is none`(expression: String) throws {
    #expect(try check(expression) == problem("string or blob too big"))
  }

  @Test func `an expression that takes long is rejected in a few seconds`() throws {
    let outcome = try check("instr(printf('%.*c',60000000,'x'), printf('%.*c',30000000,'x')||'y')")
    #expect(outcome == problem("it takes more than 5 seconds for one record"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("things.sqlite")))
  }

  @Test func `a result that is too large refuses its record alone`() throws {
    try folder.write(pipeline("x: { type: binary, value: zeroblob(n) }"), to: "things.yaml")
    try folder.write(
      #"[{"id": "a", "n": 3}, {"id": "b", "n": 70000000}, {"id": "c", "n": 4}]"#, to: "feed.json")
    let outcome = try folder.bolide("import", "things.yaml", "feed.json", "--max-rejects", "1")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.hasPrefix("feed.json:1:23: record 2: an expression failed: string or blob too big\n"))
    #expect(try folder.sqlite("things.sqlite", "SELECT id, length(x) FROM Thing") == ["a|3", "c|4"])
  }

  @Test func `results that are large together are rejected past 256 MiB`() throws {
    try folder.write(
      pipeline("x: { type: binary, transient: true, value: zeroblob(n) }"), to: "things.yaml")
    let records = (1...6).map { #"{"id": "\#($0)", "n": 60000000}"# }
    try folder.write("[\(records.joined(separator: ","))]", to: "feed.json")
    let outcome = try folder.bolide("import", "things.yaml", "feed.json", "--max-rejects", "2")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.contains(
        "record 5: an expression failed: the results for this record and those beside it are larger than 256 MiB "
          + "(and 1 more like it)\n"
      ))
    #expect(try folder.sqlite("things.sqlite", "SELECT count(*) FROM Thing") == ["4"])
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends an import within an expression`(
    number: Int32
  ) throws {
    // One call that takes hours, for one record.
    try folder.write(
      pipeline("x: { type: integer64, value: \"instr(at, zone)\" }"), to: "things.yaml")
    let text = String(repeating: "x", count: 20_000_000)
    try folder.write(
      "[{\"id\": \"a\", \"at\": \"\(text)\", \"zone\": \"\(text.prefix(10_000_000))y\"}]", to: "feed.json")
    let running = try folder.starting("import", "things.yaml", "feed.json")
    try eventually { try folder.count("bolide_run", in: "things.sqlite") == 1 }
    usleep(500_000)
    running.send(number)
    #expect(try running.outcome(within: 10) == Outcome(status: 128 + number))
    #expect(try folder.sqlite("things.sqlite", "SELECT outcome, read FROM bolide_run") == ["cancelled|0"])
  }

  @Test(arguments: [
    ("iif(day IS NULL, NULL, julianday('now') - julianday(day))", "julianday"),
    ("CASE WHEN day IS NOT NULL THEN day > strftime('%Y','NOW','-4 seconds') END", "strftime"),
    ("iif(day IS NULL, 1, date())", "date"), ("iif(day IS NULL, 1, [DateTime]())", "datetime"),
    ("iif(day IS NULL, 1, strftime('%s'))", "strftime"), ("iif(n, time(/* ' */ 'now' -- '\n), 1)", "time"),
    ("iif(n, unixepoch(coalesce(at, 'now')), 1)", "unixepoch"),
  ])
  func `the present time is rejected in whatever branch it stands`(
    expression: String, function: String
  ) throws {
    let text = expression.replacing("\n", with: "\\n")
    #expect(
      try check(text)
        == problem("\(function)() depends on the current time, so another run would give another result"))
  }

  @Test(arguments: ["localtime", "UTC"]) func `the zone of the machine is rejected too`(zone: String) throws {
    #expect(
      try check("datetime(at, '\(zone)')")
        == problem("datetime() depends on the time zone of this machine"))
  }

  @Test(arguments: ["x: { type: string, value: CURRENT_TIMESTAMP || at }", "check: \"at < current_date\""])
  func `the words for the present time are rejected`(line: String) throws {
    let indent = line.hasPrefix("x") ? "  " : ""
    try folder.write(
      pipeline("").trimmingCharacters(in: .whitespaces) + indent + line, to: "things.yaml")
    let outcome = try folder.bolide("check", "things.yaml")
    #expect(outcome.status == 78)
    #expect(outcome.errors.contains("non-deterministic functions prohibited in generated columns"))
  }

  @Test(arguments: [
    (
      "CASE WHEN at IS NOT NULL THEN at > datetime('now') END",
      "datetime() depends on the current time, so another run would give another result"
    ),
    ("at > date(id)", timeOfAnyText),
    ("at > date('2020-01-01', id)", timeOfAnyText),
    ("strftime('%Y', at) = date('2020-01-01', '-1 day')", nil),
  ])
  func `a filter of a derived attribute has no present time`(filter: String, problem: String?) throws {
    try folder.write(
      """
      bolide: 1
      store: things.sqlite
      entity: Thing
      key: id
      attributes: { id: string, at: date }
      link: { owner: { to: { name: "'x'" } } }
      entities:
        Owner:
          key: name
          attributes:
            name: string
            recent: { derived: things.@count, where: "\(filter)" }
          relationships:
            things: { to-many: Thing, inverse: owner }
      """, to: "things.yaml")
    let outcome = try folder.bolide("check", "things.yaml")
    #expect(outcome.status == (problem == nil ? 0 : 78))
    #expect(
      problem.map { outcome.errors.contains("the expression cannot be used: \($0)") }
        ?? outcome.errors.isEmpty)
  }

  private static let timeOfAnyText =
    "date() could depend on the current time: in the `where` of a derived attribute, its arguments must be literals or attributes that are not strings"

  @Test func `what a record brings is no present time either`() throws {
    try folder.write(
      pipeline("x: { type: string, value: \"datetime(substr(at, 1), zone)\" }"), to: "things.yaml")
    try folder.write(
      """
      [{"id": "a", "at": "2026-01-02", "zone": "+1 day"}, {"id": "b", "at": "Now", "zone": "+1 day"},
      {"id": "c", "at": "2026-01-02", "zone": "localtime"}, {"id": "d", "at": null, "zone": null}]
      """, to: "feed.json")
    let outcome = try folder.bolide("import", "things.yaml", "feed.json", "--max-rejects", "2")
    #expect(outcome.status == 3)
    let reason = "a date function depends on the current time, or on the time zone of this machine"
    let lines: [Substring] = outcome.errors.split(separator: "\n")
    #expect(lines[0] == "feed.json:1:53: record 2: an expression failed: \(reason) (and 1 more like it)")
    #expect(
      lines[1]
        == "List them: bolide rejects things.sqlite. To import them again, once the pipeline fits: --replay")
    #expect(
      try folder.sqlite("things.sqlite", "SELECT id, x FROM Thing") == ["a|2026-01-03 00:00:00", "d|"])
  }
}
