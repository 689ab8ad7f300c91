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

  private static let tables = [
    "runs", "changes", "changes --transactions", "changes --values --previous", "changes --count", "readers",
    "missing", "log", "status",
  ]

  @Test(arguments: tables) func `no line of a table is wider than the window`(table: String) throws {
    try folder.write(Folder.quakes + "\nfeed: full\n", to: "daily.yaml")
    try folder.bolide("import", "daily.yaml", "feed.json", "--force").expectSilence()
    #expect(try folder.bolide("import", "daily.yaml", "bad.json", "--max-rejects", "1", "-q").status == 3)
    try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning").expectSilence()
    let words = table.split(separator: " ").map(String.init)
    let arguments =
      [words[0], "quakes.sqlite"] + (table == "log" ? ["Quake", "a"] : []) + words.dropFirst()
    for columns in [40, 80, 120] {
      let lines = try folder.bolide(onTerminalOf: columns, arguments).output.components(separatedBy: "\n")
      #expect(lines.count > 1 && lines.allSatisfy { $0.count <= columns }, "\(lines)")
    }
  }

  @Test func `changes in a narrow window go on in further lines`() throws {
    func changes(_ columns: Int) throws -> String {
      let arguments = ["changes", "quakes.sqlite", "--values", "--entity", "Quake", "--limit", "1"]
      return try folder.bolide(onTerminalOf: columns, arguments).output
        .replacing(#/\d{4}-\d\d-\d\dT[\d:.]+Z/#, with: "2026-05-12T06:00:03.118Z")
        .replacing(#/b1-\S+/#, with: "TOKEN")
    }
    #expect(
      try changes(40) == """
            tx  what    entity                id
                key
                changed
             1  insert  Quake                  1
                "a"                       now id
                "a", time null, magnitude 1,
                region 1
             1  page  1 change at
                2026-05-12T06:00:03.118Z by
                daily, run 1, token
                TOKEN

        """)
    #expect(
      try changes(200) == """
            tx  what    entity                id  key                       changed
             1  insert  Quake                  1  "a"                       now id "a", time null, magnitude 1, region 1
             1  page  1 change at 2026-05-12T06:00:03.118Z by daily, run 1, token TOKEN

        """)
    // Whatever the window, a pipe and a command get the wide lines.
    let table = ["changes", "quakes.sqlite", "--format", "table", "--reader", "map"]
    try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning").expectSilence()
    let piped = try folder.bolide(arguments: table).output
    #expect(piped.split(separator: "\n").contains { $0.count > 80 })
    #expect(try folder.bolide(onTerminalOf: 40, table + ["--", "cat"]).output == piped)
  }

  @Test func `the status of one store goes on beside its names`() throws {
    let lines = try shown(columns: 80, "status", "quakes.sqlite")
    let last = try #require(lines.firstIndex { $0.hasPrefix("last run ") })
    #expect(lines[last] == "last run       run 3, AGE, TIME: 2 read = 1 inserted + 1")
    #expect(lines[last + 1] == "               rejected; too-many-refused")
  }

  @Test(arguments: [40, 80, 120]) func `the bench fits the window`(columns: Int) throws {
    let arguments = ["bench", "first-load", "--rows", "1000", "--runs", "1", "--no-peers"]
    let outcome = try folder.bolide(onTerminalOf: columns, arguments + ["--folder", "."])
    #expect(outcome.status == 0)
    let lines = outcome.output.components(separatedBy: "\n")
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    for word in ["floor: prepared insert", "seconds", "the thread that writes"] {
      #expect(outcome.output.contains(word), "\(word)")
    }
  }

  @Test func `a pipe gets every column`() throws {
    let head = try folder.bolide("status", "quakes.sqlite", "other.yaml").output.prefix { $0 != "\n" }
    #expect(
      head.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
        == ["PIPELINE", "STATE", "LAST GOOD RUN", "DUE", "LAST CHANGE", "REJECTED", "MISSING", "STORE"])
  }
}
