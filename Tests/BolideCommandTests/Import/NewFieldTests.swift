import Foundation
import Testing

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
      "bolide: 1\nstore: q.sqlite\nentity: Quake\nkey: id\nattributes: { id: string, mag: double }\n" + more,
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
      outcome.errors == "quakes: the feed has a new field 'depth', a text; the pipeline does not use it\n")
    #expect(outcome.status == 0)
  }

  @Test func `under fail the import ends there, each time, until the pipeline says otherwise`() throws {
    try pipeline("on-new-field: fail\n")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    for _ in 1...2 {
      #expect(
        try folder.bolide("import", "quakes.yaml", "next.json")
          == .failure(
            65, "next.json:1:25: record 2: new field 'new'",
            "Add an attribute to the pipeline, or set `on-new-field: warn`."))
    }
    #expect(try folder.sqlite("q.sqlite", "SELECT id, mag FROM Quake") == ["a|1.0"])
    try pipeline("on-new-field: fail\natomic: true\n")
    #expect(
      try folder.bolide("import", "quakes.yaml", "next.json").errors.hasSuffix(
        "       Nothing of this import is in the store. Add an attribute to the pipeline, or set `on-new-field: warn`.\n"
      ))
    try pipeline("on-new-field: ignore\n")
    #expect(try folder.bolide("import", "quakes.yaml", "next.json") == .silent)
    // Known by now.
    try pipeline("on-new-field: fail\n")
    #expect(try folder.bolide("import", "quakes.yaml", "next.json", "--force") == .silent)
  }

  @Test func `a run that fails does not make a field known`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    try folder.write(#"[{"id": "x", "late": 1}, {"id""#, to: "cut.json")
    #expect(try folder.bolide("import", "quakes.yaml", "cut.json").status == 65)
    try folder.write(#"[{"id": "x", "late": 1}]"#, to: "whole.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "whole.json").errors
        == "quakes: the feed has a new field 'late', a number; the pipeline does not use it\n")
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
