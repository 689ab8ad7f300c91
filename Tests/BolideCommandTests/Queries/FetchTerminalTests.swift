import Foundation
import Testing

/// What `bolide fetch` shows on a terminal.
@Suite struct FetchTerminalTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      """
      bolide: 1
      store: notes.sqlite
      entity: Note
      key: id
      attributes: { id: integer64, at: date, weight: double, title: string, body: string }
      """, to: "notes.yaml")
    let wide = String(repeating: "a long story ", count: 9)
    try folder.write(
      #"""
      [{"id": 1, "at": "2026-05-12T06:00:00Z", "weight": 2.25, "title": "short", "body": "\#(wide)"},
       {"id": 1234567, "at": "2026-05-13T06:00:00Z", "weight": -10, "title": "ein ü und 東京", "body": "\u001b[2J\u202e\n"},
       {"id": 3, "title": "\#(wide)"}]
      """#, to: "notes.json")
    try #require(try folder.bolide("import", "notes.yaml", "notes.json") == .silent)
  }

  /// What the tool writes to a terminal on standard output.
  private func onTerminal(columns: Int, _ arguments: String...) throws -> String {
    let outcome = try folder.bolide(onTerminalOf: columns, arguments)
    #expect(outcome.status == 0)
    return outcome.output
  }

  @Test func `a table fits 80 columns`() throws {
    #expect(
      try onTerminal(columns: 80, "fetch", "notes.sqlite", "Note") == #"""
        bolide_id       id  at                    weight  title           body
                1        1  2026-05-12T06:00:00Z    2.25  short           a long story …
                2        3                                a long story …
                3  1234567  2026-05-13T06:00:00Z     -10  ein ü und 東京  \u{1b}[2J\u{2…

        """#)
  }

  @Test func `at 40 columns fewer of them do, and otherwise an object is a list`() throws {
    #expect(
      try onTerminal(columns: 40, "fetch", "notes.sqlite", "Note", "--only", "id,title,body,weight") == #"""
             id  title       body         weight
              1  short       a long sto…    2.25
              3  a long st…
        1234567  ein ü und…  \u{1b}[2J\…     -10

        """#)
    #expect(
      try onTerminal(columns: 40, "fetch", "notes.sqlite", "Note", "--offset", "1") == #"""
        bolide_id  2
        id         3
        at
        weight
        title      a long story a long story a …
        body

        bolide_id  3
        id         1234567
        at         2026-05-13T06:00:00Z
        weight     -10
        title      ein ü und 東京
        body       \u{1b}[2J\u{202e}\n

        """#)
  }

  @Test(arguments: [12, 20, 40, 57, 80, 132])
  func `no line is wider than the terminal, unless a number or a time is`(columns: Int) throws {
    for arguments in [["--only", "title,body"], ["--only", "id,title"], []] {
      let text = try Running(
        "/usr/bin/env",
        ["COLUMNS=\(columns)", Folder.tool, "fetch", "notes.sqlite", "Note", "--format", "table"] + arguments,
        in: folder, input: .nothing
      ).outcome().output
      let widest =
        text.split(separator: "\n").map { $0.count + $0.count(where: { "東京".contains($0) }) }.max() ?? 0
      #expect(widest <= max(columns, arguments.isEmpty ? 31 : 19), "\(text)")
    }
  }

  @Test func `later rows are cut to the first ones' widths, numbers never`() throws {
    try folder.sqlite(
      "notes.sqlite",
      """
      DELETE FROM Note;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
      INSERT INTO Note(id, title) SELECT CASE WHEN i < 240 THEN i % 10 ELSE 1000 END * 1000000 + i, CASE WHEN i < 240 THEN 'abc' ELSE 'abcdefgh' END FROM n
      """)
    let lines = try folder.bolide("fetch", "notes.sqlite", "Note", "--only", "title,id", "--format", "table")
      .lines
    #expect(lines.count == 251)
    #expect(lines[0] == "title       id" && lines[1] == "abc    1000001" && lines[245] == "abcd…  1000000245")
  }

  @Test func `csv and ndjson on a terminal have nothing that it obeys`() throws {
    for format in ["csv", "ndjson", "table"] {
      let text = try onTerminal(columns: 80, "fetch", "notes.sqlite", "Note", "--format", format)
      let obeyed = text.unicodeScalars.filter {
        $0 != "\n" && $0 != "\r"
          && ($0.value < 0x20 || (0x7f...0x9f).contains($0.value) || $0.value == 0x202e)
      }
      #expect(obeyed.isEmpty && text.contains("1234567"), "\(text.debugDescription)")
    }
  }
}
