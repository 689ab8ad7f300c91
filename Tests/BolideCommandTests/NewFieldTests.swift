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

  @Test func `a new field is told of once, with an example`() throws {
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    let outcome = try folder.bolide("import", "quakes.yaml", "next.json")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors == """
        quakes: the feed has a new field 'new', such as {"x": [1, "yyyyyyyyyyyyyyyyyyyyyyyyyyyyy…; the pipeline does not use it
        quakes: the feed has a new field 'a\\u{1b}"', such as 12.50; the pipeline does not use it

        """)
    #expect(try folder.bolide("import", "quakes.yaml", "next.json", "--force") == .silent)
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

  @Test func `rows tell of a new column, and texts that are not kept are not shown`() throws {
    try pipeline("keep-text: false\n")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json") == .silent)
    try folder.write(#"{"fields": ["id", "depth", "mag"], "data": [["k", "5 km", 1]]}"#, to: "rows.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "rows.json")
    #expect(outcome.errors == "quakes: the feed has a new field 'depth'; the pipeline does not use it\n")
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
            "Give it an attribute in the pipeline, or say `on-new-field: warn`."))
    }
    #expect(try folder.sqlite("q.sqlite", "SELECT id, mag FROM Quake") == ["a|1.0"])
    try pipeline("on-new-field: fail\natomic: true\n")
    #expect(
      try folder.bolide("import", "quakes.yaml", "next.json").errors.hasSuffix(
        "       Nothing of this import is in the store. Give it an attribute in the pipeline, or say `on-new-field: warn`.\n"
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
        == "quakes: the feed has a new field 'late', such as 1; the pipeline does not use it\n")
  }
}
