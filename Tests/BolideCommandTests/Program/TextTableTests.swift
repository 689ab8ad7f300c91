import Foundation
import Testing

/// Tables on standard output that is a terminal.
@Suite struct TextTableTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(Folder.quakes + "\nmax-age: 26h\n", to: "daily.yaml")
    try folder.write(#"[{"id": "a", "place": "x", "magnitude": 1}, {"id": "b"}]"#, to: "feed.json")
    try folder.write(#"[{"id": "c"}, {"id": null}]"#, to: "bad.json")
    try #require(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    try #require(try folder.bolide("import", "daily.yaml", "feed.json") == .silent)
    try #require(try folder.bolide("import", "daily.yaml", "bad.json").status == 65)
    try folder.write(Folder.quakes.replacing("quakes.sqlite", with: "other.sqlite"), to: "other.yaml")
  }

  /// What a terminal of so many columns shows, with times replaced.
  private func shown(columns: Int, _ arguments: String..., setting: String = "") throws -> [String] {
    let outcome = try folder.bolide(onTerminalOf: columns, setting: setting, arguments)
    return outcome.output.replacing(#/just now|\d+ s ago/#, with: "AGE")
      .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d UTC/#, with: "TIME")
      .replacing(#/\d+\.\d\d s/#, with: "TOOK").components(separatedBy: "\n")
  }

  private func status(columns: Int, setting: String = "") throws -> String {
    try shown(columns: columns, "status", "quakes.sqlite", "other.yaml", setting: setting).map {
      $0.replacing(#/ +/#, with: " ")
    }.joined(separator: "\n")
  }

  @Test func `a window that is wide enough shows all that there is, and the latest runs`() throws {
    #expect(
      try status(columns: 120) == """
        PIPELINE STATE LAST GOOD RUN DUE LAST CHANGE RECENT REJECTED STORE
        daily failed: too-many-refused AGE every 26 h AGE █·× 1 quakes.sqlite
        other never never never 0 other.sqlite

        """)
  }

  @Test(arguments: ["NO_COLOR=1", "TERM=dumb"]) func `the latest runs can be left out`(setting: String) throws
  {
    #expect(try !status(columns: 120, setting: setting).contains("RECENT"))
  }

  @Test func `a narrower window leaves out what is of less interest`() throws {
    #expect(
      try status(columns: 80) == """
        PIPELINE STATE LAST GOOD RUN REJECTED STORE
        daily failed: too-many-refused AGE 1 quakes.sqlite
        other never never 0 other.sqlite

        """)
  }

  @Test func `a narrow window shows a block for each row`() throws {
    #expect(
      try status(columns: 40) == """
        PIPELINE daily
        STATE failed: too-many-refused
        LAST GOOD RUN AGE
        DUE every 26 h
        LAST CHANGE AGE
        RECENT █·×
        REJECTED 1
        STORE quakes.sqlite

        PIPELINE other
        STATE never
        LAST GOOD RUN never
        LAST CHANGE never
        REJECTED 0
        STORE other.sqlite

        """)
  }

  @Test(arguments: [40, 60, 80, 100, 120, 200]) func `no line of the runs is wider than the window`(
    columns: Int
  )
    throws
  {
    let lines = try shown(columns: columns, "runs", "quakes.sqlite")
    #expect(lines.count > 3 && lines.allSatisfy { $0.count <= columns })
    #expect(lines.joined().contains("bad.json"))
  }

  @Test func `a pipe gets every column`() throws {
    let head = try folder.bolide("status", "quakes.sqlite", "other.yaml").output.prefix { $0 != "\n" }
    #expect(
      head.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
        == ["PIPELINE", "STATE", "LAST GOOD RUN", "DUE", "LAST CHANGE", "REJECTED", "MISSING", "STORE"])
  }
}
