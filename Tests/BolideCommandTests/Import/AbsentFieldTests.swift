import Foundation
import Testing

/// Feeds that lose a field: one that was renamed, or that nobody fills any more.
@Suite struct AbsentFieldTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try pipeline("")
    try folder.write(
      #"[{"id": "a", "mag": 1, "at": {"depth": 5}}, {"id": "b", "mag": null}]"#, to: "first.json")
    try folder.write(#"[{"id": "a", "magnitude": 1, "at": {"depth": 5}}, {"id": "c"}]"#, to: "renamed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
  }

  private func pipeline(_ more: String, mag: String = "double") throws {
    try folder.write(
      """
      bolide: 1
      store: q.sqlite
      entity: Quake
      key: id
      on-new-field: ignore
      attributes: { id: string, mag: \(mag), depth: { type: double, from: at/depth } }
      \(more)
      """, to: "quakes.yaml")
  }

  /// When the run of a number ended.
  private func ended(_ run: Int) throws -> String {
    try folder.sqlite("q.sqlite", "SELECT ended FROM bolide_run WHERE run = \(run)").first ?? ""
  }

  private func note(_ field: String = "mag", of attribute: String = "mag", last run: Int = 1) throws -> String
  {
    "quakes: no record has the field '\(field)' of the attribute \(attribute); it was last in an input on "
      + "\(try ended(run)). If the feed has renamed it, set the new name with `from:`; if it is gone for good, accept that "
      + "once: --accept on-absent-field\n"
  }

  private func importing(_ input: String, _ options: String...) throws -> Outcome {
    try folder.bolide(arguments: ["import", "quakes.yaml", input] + options)
  }

  @Test func `it is told of at every import, also of the same file, until the field is back`() throws {
    for _ in 1...3 {
      let outcome = try importing("renamed.json")
      #expect(outcome.status == 0)
      #expect(try outcome.errors == note())
    }
    #expect(try importing("renamed.json", "-q") == .silent)
    #expect(try importing("first.json", "--force") == .silent)
    #expect(try importing("renamed.json").errors == note(last: 6), "that run had it last")
    #expect(
      try folder.sqlite(
        "q.sqlite",
        "SELECT records, present, nulls FROM bolide_run_field WHERE attribute = 'mag' ORDER BY run")
        == ["2|2|1", "2|0|0", "2|0|0", "2|0|0", "2|0|0", "2|2|1", "2|0|0"])
  }

  @Test(arguments: ["on-absent-field: ignore", "mag"]) func `the pipeline settles it`(by more: String) throws
  {
    #expect(try importing("renamed.json").errors == note())
    if more == "mag" {
      try pipeline("", mag: "{ type: double, from: magnitude }")
    } else {
      try pipeline(more)
    }
    #expect(try importing("renamed.json") == .silent)
  }

  @Test func `it is accepted once, and is absent from then on`() throws {
    #expect(try importing("renamed.json", "--accept", "on-absent-field") == .silent)
    #expect(try importing("renamed.json") == .silent)
    #expect(try importing("first.json", "--force") == .silent)
    #expect(try importing("renamed.json", "--force").errors == note(last: 4), "until it came back")
  }

  @Test func `under fail nothing of one chunk lands, each time`() throws {
    try pipeline("on-absent-field: fail")
    let failure = Outcome.failure(
      65,
      "renamed.json: the field 'mag' of the attribute mag is in none of the 2 records; it was last in an input on "
        + (try ended(1)),
      "If the feed has renamed the field, set its new name with `from:` in the pipeline. If it is gone for good, import "
        + "the input once all the same: --accept on-absent-field")
    for _ in 1...2 { #expect(try importing("renamed.json") == failure) }
    #expect(try folder.count("Quake", in: "q.sqlite") == 2)
    try folder.write(#"[{"id": "c"}]"#, to: "bare.json")
    #expect(
      try importing("bare.json").errors.contains("(1 other field is absent too)") == false, "half had a depth"
    )
    let outcome = try importing("renamed.json", "--chunk-rows", "1")
    #expect(outcome.errors.contains(". The 2 records committed before are in the store"), "\(outcome.errors)")
    #expect(try importing("renamed.json", "--on-absent-field", "warn").status == 0)
    #expect(try importing("renamed.json", "--on-absent-field", "ignore") == .silent)
    #expect(try importing("renamed.json", "--accept", "on-absent-field") == .silent)
    #expect(try importing("renamed.json") == .silent)
    #expect(
      try folder.sqlite("q.sqlite", "SELECT DISTINCT outcome FROM bolide_run")
        == ["ok", "on-absent-field"])
  }

  @Test func `what only some records have is missed when chance does not explain it`() throws {
    try folder.write(
      "[" + (0..<8).map { #"{"id": "\#($0)", "mag": 1}"# }.joined(separator: ",") + "]", to: "8.json")
    #expect(try importing("8.json") == .silent, "one of two records had a depth: 1 in 256")
    try folder.write(
      "[" + (0..<11).map { #"{"id": "\#($0)", "mag": 1}"# }.joined(separator: ",") + "]", to: "11.json")
    #expect(try importing("11.json").errors == note("at/depth", of: "depth"), "1 in 2,048")
    try folder.write("[]", to: "empty.json")
    #expect(try importing("empty.json") == .silent)
  }

  @Test func `it stands in the report`() throws {
    let text = try importing("renamed.json", "--json", "-q").output
    let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(
      try report["absentFields"] as? [[String: String]]
        == [["attribute": "mag", "field": "mag", "lastSeen": ended(1)]])
  }

  @Test func `columns of rows and fields of children are missed too`() throws {
    try folder.write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      on-new-field: ignore
      attributes: { id: integer64, total: double }
      children:
        lines:
          entity: Line
          inverse: order
          key: [order, sku]
          attributes: { sku: string, pieces: integer64 }
      """, to: "orders.yaml")
    try folder.write(
      #"{"fields": ["id", "total", "lines"], "data": [[1, 9, [{"sku": "x", "pieces": 1}]]]}"#, to: "one.json")
    let first = try folder.bolide("import", "orders.yaml", "one.json")
    #expect(first == .silent, "\(first.errors)")
    try folder.write(
      #"{"fields": ["id", "lines"], "data": [[1, [{"sku": "x"}, {"sku": "y"}]]]}"#, to: "two.json")
    let outcome = try folder.bolide("import", "orders.yaml", "two.json")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors.prefix { $0 != "2" }
        == "orders: no record has the fields 'total' and 'lines/pieces' of the attributes total and Line.pieces; they were last "
        + "in an input on ")
    let failed = try folder.bolide("import", "orders.yaml", "two.json", "--on-absent-field", "fail")
    #expect(failed.errors.contains("is in none of the 1 records (1 other field is absent too); it was"))
  }

  @Test func `the counts of a hundred runs are kept, and those of the last that had a field`() throws {
    try folder.sqlite(
      "q.sqlite",
      """
      WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i < 150)
      INSERT INTO bolide_run(run, pipeline, author, input, started, ended, outcome, before, model)
      SELECT i, 'quakes', 'q', 'f', '2020', '2020', 'ok', 0, 1 FROM n
      """)
    try folder.sqlite(
      "q.sqlite",
      """
      INSERT INTO bolide_run_field SELECT run, 'Quake', 'mag', 'mag', 1, 0, 0 FROM bolide_run WHERE run > 1;
      INSERT INTO bolide_run_field SELECT run, 'Quake', 'id', 'id', 1, 1, 0 FROM bolide_run WHERE run > 1
      """)
    #expect(try importing("renamed.json").errors == note())
    func kept(_ attribute: String) throws -> [String] {
      try folder.sqlite(
        "q.sqlite", "SELECT count(*), min(run) FROM bolide_run_field WHERE attribute = '\(attribute)'")
    }
    #expect(try kept("mag") == ["101|1"])
    #expect(try kept("id") == ["100|52"])
  }
}
