import Foundation
import Testing

private let hint = "To import a new field, add an attribute to the pipeline, or set `on-new-field: add`."

/// Feeds whose records get new fields, or lose some.
@Suite struct NewFieldTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try pipeline("")
    try folder.write(#"[{"id": "a", "mag": 1, "old": 1}]"#, to: "first.json")
    try folder.write(
      #"[{"id": "a", "old": 2}, {"id": "b", "new": {"x": [1, "\#(String(repeating: "y", count: 60))"]}}, {"id": "c", "a\u001b\"": 12.50}]"#,
      to: "next.json")
  }

  private func pipeline(_ more: String) throws {
    try folder.write(
      "bolide: 1\nstore: q.sqlite\nentity: Quake\nkey: id\non-absent-field: ignore\n"
        + "attributes: { id: string, mag: double }\n" + more,
      to: "quakes.yaml")
  }

  @Test func `a new field is told of once, by its kind`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    let outcome = try folder.bolide("import", "quakes.yaml", "next.json")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors == """
        quakes: the feed has a new field 'new', an object; the pipeline does not use it
        quakes: the feed has a new field 'a\\u{1b}"', a number; the pipeline does not use it
        \(hint)

        """)
    #expect(try folder.bolide("import", "quakes.yaml", "next.json", "--force") == .silent)
  }

  @Test func `values are shown when they are asked for, of new fields and of rejected records`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    let outcome = try folder.bolide("import", "quakes.yaml", "next.json", "--show-values")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors == """
        quakes: the feed has a new field 'new', an object such as {"x": [1, "yyyyyyyyyyyyyyyyyyyyyyyyyyyyy…; the pipeline does not use it
        quakes: the feed has a new field 'a\\u{1b}"', a number such as 12.50; the pipeline does not use it
        \(hint)

        """)
    let long = String(repeating: "z", count: 300)
    try folder.write(#"[{"id": null, "mag": "\u001b[2J\#(long)"}]"#, to: "bad.json")
    try pipeline("show-values: true\n")
    let shown = try folder.bolide("import", "quakes.yaml", "bad.json")
    let text = #"{"id": null, "mag": "\u001b[2J"# + String(repeating: "z", count: 170)
    #expect(
      shown.errors.hasPrefix("bad.json:1:9: record 1: id is part of the key and is null\n       \(text)…\n"),
      "\(shown.errors)")
    let hidden = try folder.bolide("import", "quakes.yaml", "bad.json", "--no-show-values")
    #expect(!hidden.errors.contains("zzz"))
  }

  @Test func `it stands in the report, and what records leave out is counted`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    let text = try folder.bolide("import", "quakes.yaml", "next.json", "--json", "-q")
    #expect(text.errors.isEmpty)
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(text.output.utf8)) as? [String: Any])
    #expect((report["newFields"] as? [[String: String]])?.map { $0["name"] } == ["new", "a\u{1b}\""])
    #expect(report["absent"] as? [String: Int] == ["mag": 3])
  }

  @Test func `rows tell of a new column`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    try folder.write(#"{"fields": ["id", "depth", "mag"], "data": [["k", "5 km", 1]]}"#, to: "rows.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "rows.json")
    #expect(
      outcome.errors
        == "quakes: the feed has a new field 'depth', a text; the pipeline does not use it\n\(hint)\n")
    #expect(outcome.status == 0)
  }

  @Test func `a new field that is null at first is of the kind of its first value`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    try folder.write(
      #"{"fields": ["id", "depth", "felt"], "data": [["k", null, null], ["l", null, null], ["m", 5.5, null]]}"#,
      to: "rows.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "rows.json", "--show-values").errors == """
        quakes: the feed has a new field 'depth', a number such as 5.5; the pipeline does not use it
        quakes: the feed has a new field 'felt', null; the pipeline does not use it
        \(hint)

        """)
    // Not every record of a large feed is asked.
    let nulls = (1...1001).map { #"{"id": "\#($0)", "late": null}"# } + [#"{"id": "x", "late": 1}"#]
    try folder.write(nulls.joined(separator: "\n"), to: "late.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "late.json").errors
        == "quakes: the feed has a new field 'late', null; the pipeline does not use it\n\(hint)\n")
  }

  @Test func `under fail the import ends there, each time, until the pipeline says otherwise`() throws {
    try pipeline("on-new-field: fail\n")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    for _ in 1...2 {
      #expect(
        try folder.bolide("import", "quakes.yaml", "next.json")
          == .failure(
            65, "next.json:1:25: record 2: new field 'new'",
            "Add an attribute to the pipeline, set `on-new-field: add`, or import the input once all the same: "
              + "--accept on-new-field"))
    }
    #expect(try folder.sqlite("q.sqlite", "SELECT id, mag FROM Quake") == ["a|1.0"])
    try pipeline("on-new-field: fail\natomic: true\n")
    #expect(
      try folder.bolide("import", "quakes.yaml", "next.json").errors.hasSuffix(
        "       Nothing of this import is in the store. Add an attribute to the pipeline, set `on-new-field: add`, or import "
          + "the input once all the same: --accept on-new-field\n"))
    try pipeline("on-new-field: ignore\n")
    #expect(try folder.bolide("import", "quakes.yaml", "next.json") == .silent)
    // Known by now.
    try pipeline("on-new-field: fail\n")
    #expect(try folder.bolide("import", "quakes.yaml", "next.json", "--force") == .silent)
  }

  @Test func `what fails is accepted once, and known from then on`() throws {
    try pipeline("on-new-field: fail\n")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    let outcome = try folder.bolide("import", "quakes.yaml", "next.json", "--accept", "on-new-field")
    #expect(outcome.status == 0)
    #expect(try folder.bolide("import", "quakes.yaml", "next.json") == .silent)
  }

  @Test func `a run that fails does not make a field known`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    try folder.write(#"[{"id": "x", "late": 1}, {"id""#, to: "cut.json")
    #expect(try folder.bolide("import", "quakes.yaml", "cut.json").status == 65)
    try folder.write(#"[{"id": "x", "late": 1}]"#, to: "whole.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "whole.json").errors
        == "quakes: the feed has a new field 'late', a number; the pipeline does not use it\n\(hint)\n")
  }

  @Test func `very many columns that nobody asks for are told apart up to a bound, in linear time`() throws {
    let names = (0..<60_000).map { "\"u\($0)\"" }.joined(separator: ",")
    let row = String(repeating: ",0", count: 60_000)
    try folder.write(#"{"fields": ["id", \#(names)], "data": [["a"\#(row)]]}"#, to: "wide.json")
    // Each name compared with all before it takes minutes, and the tool is given one.
    #expect(try folder.bolide("import", "quakes.yaml", "wide.json") == .silent)
    #expect(
      try folder.sqlite("q.sqlite", "SELECT count(*), min(name), max(name) FROM bolide_field") == [
        "256|u0|u99"
      ])
  }

  @Test func `long keys that nobody asks for are told apart all the same`() throws {
    let long = String(repeating: "k", count: 900)
    let records = (0..<2_000).map { #"{"id": "\#($0)", "\#(long)\#($0 % 200)": 1}"# }
    try folder.write("[\(records.joined(separator: ","))]", to: "long.json")
    #expect(try folder.bolide("import", "quakes.yaml", "long.json") == .silent)
    #expect(try folder.sqlite("q.sqlite", "SELECT count(*) FROM bolide_field") == ["200"])
  }
}

/// `on-new-field: add`: the store keeps attributes that the pipeline's file does not name.
@Suite struct AddedFieldTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try pipeline("")
    try folder.write(#"[{"id": "a", "mag": 1, "old": 1}]"#, to: "first.json")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    try folder.write(
      """
      [{"id": "a", "mag": 1, "old": 2, "felt-by": 3, "at": "2026-01-02T03:04:05Z", "empty": null, "a/b": true},
       {"id": "b", "mag": 2, "felt-by": 4.5, "where": {"x": [1]}, "at": null, "Mag": "big", "text": "007"}]
      """, to: "next.json")
  }

  private func pipeline(_ more: String, attributes: String = "id: string, mag: double") throws {
    try folder.write(
      "bolide: 1\nstore: q.sqlite\nentity: Quake\nkey: id\non-new-field: add\n"
        + "attributes: { \(attributes) }\n" + more, to: "quakes.yaml")
  }

  private func note(_ name: String, _ kind: String, _ attribute: String, _ type: String) -> String {
    "quakes: the feed has a new field '\(name)', \(kind); "
      + "from the next import on the new attribute \(attribute) (\(type)) holds it\n"
  }

  private var notes: String {
    note("felt-by", "a number", "feltBy", "double") + note("at", "a text", "at", "date")
      + note("a/b", "a boolean", "aB", "boolean") + note("where", "an object", "where", "json")
      + note("Mag", "a text", "mag2", "string") + note("text", "a text", "text", "string")
  }

  @Test func `an import that fails adds nothing, and says nothing else`() throws {
    try folder.write(#"[{"id": "a", "mag": "x"}, {"id": "b", "mag": 2, "felt-by": 3}]"#, to: "bad.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "bad.json", "--json")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.contains(
        "quakes: the feed has a new field 'felt-by', a number; the pipeline does not use it\n"), "\(outcome)")
    #expect(!outcome.output.contains("feltBy"))
    #expect(try !rows().joined().contains("feltBy"))
  }

  private func rows() throws -> [String] {
    try folder.bolide("fetch", "q.sqlite", "Quake", "--sort", "id").lines
  }

  @Test func `a new field becomes a typed attribute, which the next imports fill`() throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "next.json")
    #expect(outcome.status == 0)
    #expect(outcome.errors == notes)
    #expect(
      try rows() == [
        #"{"bolide_id":1,"id":"a","mag":1,"feltBy":null,"at":null,"aB":null,"where":null,"mag2":null,"text":null}"#,
        #"{"bolide_id":2,"id":"b","mag":2,"feltBy":null,"at":null,"aB":null,"where":null,"mag2":null,"text":null}"#,
      ])
    // The same file again: it is not taken for unchanged.
    #expect(try folder.bolide("import", "quakes.yaml", "next.json") == .silent)
    #expect(
      try rows() == [
        #"{"bolide_id":1,"id":"a","mag":1,"feltBy":3,"at":"2026-01-02T03:04:05Z","aB":true,"where":null,"mag2":null,"text":null}"#,
        #"{"bolide_id":2,"id":"b","mag":2,"feltBy":4.5,"at":null,"aB":null,"where":{"x": [1]},"mag2":"big","text":"007"}"#,
      ])
    #expect(try folder.bolide("verify", "q.sqlite") == .silent)
    // A field of theirs that vanishes is missed like any other.
    let gone = try folder.bolide("import", "quakes.yaml", "first.json")
    #expect(gone.errors.contains("no record has the fields"), "\(gone.errors)")
  }

  @Test func `it stands in the report, and a dry run adds nothing`() throws {
    let trial = try folder.bolide("import", "quakes.yaml", "next.json", "--dry-run", "-q")
    #expect(trial.status == 0)
    #expect(try rows() == [#"{"bolide_id":1,"id":"a","mag":1}"#])
    let text = try folder.bolide("import", "quakes.yaml", "next.json", "--json", "-q").output
    let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(
      (report["newFields"] as? [[String: String]])?.map { $0["attribute"] }
        == ["feltBy", "at", "aB", "where", "mag2", "text"])
  }

  @Test func `the file goes before, and what is dropped is not added again`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "next.json").status == 0)
    try pipeline("", attributes: "id: string, mag: double, felt: { type: double, from: felt-by }")
    #expect(try folder.bolide("import", "quakes.yaml", "next.json").status == 0)
    #expect(
      try folder.sqlite("q.sqlite", "SELECT felt, feltBy, at FROM Quake ORDER BY id")
        == ["3.0||2026-01-02T03:04:05Z", "4.5||"])
    let drops = ["feltBy", "at", "aB", "where", "mag2"].flatMap { ["--drop", "Quake.\($0)"] }
    #expect(
      try folder.bolide(arguments: ["migrate", "q.sqlite", "quakes.yaml"] + drops).status == 0)
    #expect(try folder.bolide("import", "quakes.yaml", "next.json", "--force", "-q") == .silent)
    #expect(
      try rows() == [
        #"{"bolide_id":1,"id":"a","mag":1,"text":null,"felt":3}"#,
        #"{"bolide_id":2,"id":"b","mag":2,"text":"007","felt":4.5}"#,
      ])
  }

  @Test func `rows get columns, replays fill them, and access keys are left out`() throws {
    try folder.write(
      #"{"fields": ["id", "mag", "depth", "link"], "data": [["k", 1, 5, "https://x.org/?api_key=DEMO_KEY"]]}"#,
      to: "rows.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "rows.json")
    #expect(
      outcome.errors
        == note("depth", "a number", "depth", "integer64")
        + "quakes: the feed has a new field 'link', a text; the pipeline does not use it\n"
        + "To import a new field, add an attribute to the pipeline.\n")
    try folder.write(
      #"{"fields": ["id", "mag", "depth"], "data": [["k", 1, 5], ["l", 2, "deep"]]}"#, to: "rows.json")
    let refused = try folder.bolide("import", "quakes.yaml", "rows.json")
    #expect(refused.status == 65)
    #expect(refused.errors.contains("record 2: depth"), "\(refused.errors)")
    #expect(try folder.sqlite("q.sqlite", "SELECT depth FROM Quake WHERE id = 'k'") == ["5"])
    let replay = try folder.bolide("import", "quakes.yaml", "--replay")
    #expect(replay.status == 65 && replay.errors.contains("record 2: depth"))
  }

  @Test func `no name is taken from another attribute, in any case of letters`() throws {
    try pipeline("", attributes: "id: string, mag: double, Depth: { type: integer64, from: dd }")
    try folder.write(
      "bolide: 1\nstore: q.sqlite\nentity: Quake\nkey: id\nattributes: { id: string, note: string }\n",
      to: "other.yaml")
    try folder.write(#"[{"id": "a", "note": "precious"}]"#, to: "notes.json")
    #expect(try folder.bolide("import", "other.yaml", "notes.json", "-q") == .silent)
    #expect(try folder.bolide("import", "quakes.yaml", "first.json", "-q") == .silent)
    try folder.write(#"[{"id": "a", "mag": 1, "note": 7, "depth": 5, "": 3}]"#, to: "more.json")
    #expect(try folder.bolide("import", "quakes.yaml", "more.json", "-q") == .silent)
    #expect(try folder.bolide("import", "quakes.yaml", "more.json", "-q") == .silent)
    #expect(
      try folder.sqlite("q.sqlite", "SELECT note, note2, depth2 FROM Quake WHERE id = 'a'") == [
        "precious|7|5"
      ])
  }

  @Test func `no more are added than the store can hold`() throws {
    for part in 0..<3 {
      let fields = (0..<60).map { #""f\#(part)x\#($0)": 1"# }.joined(separator: ", ")
      try folder.write(#"[{"id": "a", "mag": 1, \#(fields)}]"#, to: "wide\(part).json")
      #expect(try folder.bolide("import", "quakes.yaml", "wide\(part).json", "-q") == .silent)
    }
    #expect(
      try folder.sqlite("q.sqlite", "SELECT count(*) FROM bolide_field WHERE added IS NOT NULL") == ["100"])
    #expect(
      try folder.bolide("import", "quakes.yaml", "wide2.json", "-q", "--on-absent-field", "ignore") == .silent
    )
  }

  @Test func `an import that fails accepts nothing for later`() throws {
    try pipeline("feed: full\nmax-missing: 5%\non-absent-field: fail\n")
    try folder.write(#"[{"id": "a", "mag": 1}, {"id": "b", "mag": 2}]"#, to: "two.json")
    #expect(try folder.bolide("import", "quakes.yaml", "two.json", "-q") == .silent)
    try folder.write(#"[{"id": "a", "late": 1}]"#, to: "bare.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "bare.json", "--accept", "on-absent-field").status == 65)
    #expect(!(try rows().joined().contains("late")))
    #expect(
      try folder.bolide("import", "quakes.yaml", "bare.json", "--accept", "max-missing").errors.contains(
        "'mag'"))
  }

  @Test func `an import that fails adds nothing`() throws {
    try folder.write(#"[{"id": "x", "late": 1}, {"id""#, to: "cut.json")
    #expect(try folder.bolide("import", "quakes.yaml", "cut.json").status == 65)
    #expect(try rows().allSatisfy { !$0.contains("late") })
  }
}
