import Foundation
import Testing

/// Texts in which a sign of a format combines with its neighbour into one letter: to SQLite, to a path and to a metric
/// they are bytes.
@Suite struct StrangeTextTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
  }

  private func pipeline(_ entity: String = "Thing", name: String = "things") -> String {
    "bolide: 1\nname: \"\(name)\"\nstore: things.sqlite\nentity: \"\(entity)\"\nkey: id\nattributes: { id: string }\n"
  }

  @Test(arguments: ["sqlite_\u{301}", "BOLIDE_\u{20e3}x"])
  func `a reserved name is one before a combining mark`(
    name: String
  ) throws {
    try folder.write(pipeline(name), to: "things.yaml")
    let outcome = try folder.bolide("check", "things.yaml")
    #expect(outcome.status == 78)
    #expect(outcome.errors.hasPrefix("Error: things.yaml:4:9: "))
  }

  @Test func `an attribute's name with U+0000 is named`() throws {
    try folder.write(pipeline() + "  # none\n", to: "things.yaml")
    #expect(try folder.bolide("check", "things.yaml").status == 0)
    try folder.write(
      pipeline().replacing("{ id: string }", with: "{ id: string, \"a\\0b\": string }"), to: "things.yaml")
    let outcome = try folder.bolide("check", "things.yaml")
    #expect(outcome.status == 78)
    #expect(
      outcome.errors.hasPrefix(
        "Error: things.yaml:6:27: the name of an attribute contains the character U+0000"))
  }

  /// SQLite knows the case of ASCII letters alone.
  @Test func `names that differ by the case of another letter are two`() throws {
    try folder.write(
      pipeline().replacing("{ id: string }", with: "{ id: string, Ä: string, ä: string }"), to: "things.yaml")
    try folder.write(
      #"[{"id": "1", "Ä": "k", "ä": "Q"}, {"id": "2", "Ä": "Q", "ä": "z"}]"#, to: "feed.json")
    try #require(try folder.bolide("import", "things.yaml", "feed.json") == .silent)
    let rows = try folder.bolide("fetch", "things.sqlite", "Thing", "--where", "ä = 'Q'", "--only", "id,Ä,ä")
    #expect(rows.output.contains(#""Ä":"k","ä":"Q""#) && rows.lines.count == 1, "\(rows)")
    #expect(
      try folder.bolide(
        "fetch", "things.sqlite", "Thing", "--group-by", "ä", "--aggregate", "count", "--format", "csv"
      ).output.contains("ä,count"))
    try #require(try folder.bolide("copy", "things.sqlite", "copy.sqlite", "Thing", "--all").status == 0)
    #expect(try folder.sqlite("copy.sqlite", #"SELECT id, "Ä", "ä" FROM Thing"#) == ["1|k|Q", "2|Q|z"])
    try #require(try folder.bolide("delete", "things.sqlite", "Thing", "--where", "ä = 'Q'").status == 0)
    #expect(try folder.sqlite("things.sqlite", "SELECT id FROM Thing") == ["2"])
  }

  @Test func `a name is its bytes, as to SQLite`() throws {
    try folder.write(
      pipeline().replacing("key: id", with: "key: \"e\\u0301\"").replacing("{ id", with: "{ \"\\u00e9\""),
      to: "things.yaml")
    let outcome = try folder.bolide("check", "things.yaml")
    #expect(outcome.status == 78)
    #expect(
      outcome.errors.hasPrefix(
        "Error: things.yaml:5:6: the key attribute 'e\u{301}' is not declared in Thing"))
  }

  @Test func `labels of metrics are escaped byte by byte`() throws {
    try folder.write(
      pipeline(name: #"a\u0d4e\",evil=\"1\u0301\r\nforged_metric 1"#), to: "things.yaml")
    #expect(try folder.bolide("import", "things.yaml", "feed.json") == .silent)
    let text = try folder.bolide("status", "--format", "prometheus", "things.sqlite").output
    let lines = text.unicodeScalars.split(separator: "\n").map(String.init)
    #expect(lines.allSatisfy { $0.utf8.starts(with: "# ".utf8) || $0.utf8.starts(with: "bolide_".utf8) })
    #expect(lines.contains { $0.utf8.contains(0x5c) && $0.contains("forged_metric 1\"}") })
    // A quote that is not escaped ends a label.
    let labels = try #require(lines.first { $0.contains("forged_metric") })
    #expect(labels.unicodeScalars.split(separator: "\"").count == 7)
    #expect(!text.unicodeScalars.contains("\r"))
  }

  @Test func `a slash before a combining mark still ends a folder`() throws {
    try FileManager.default.createDirectory(atPath: folder.path("sub"), withIntermediateDirectories: true)
    try folder.write(pipeline(), to: "sub/\u{301}x.yaml")
    #expect(try folder.bolide("import", "sub/\u{301}x.yaml", "feed.json") == .silent)
    #expect(FileManager.default.fileExists(atPath: folder.path("sub/things.sqlite")))
  }

  @Test func `a draft has short names, and no path that means another thing`() throws {
    let long = String(repeating: "k\u{e9}", count: 900)
    try folder.write(
      #"[{"id": "a", ".": 1, "\#(long)": 2, "\#(long)b": 3}, {"id": "b", ".": 1, "\#(long)": 2, "\#(long)b": 3}]"#,
      to: "long.json")
    let draft = try folder.shell(
      "$bolide init long.json > draft.yaml && $bolide import -v draft.yaml long.json")
    #expect(draft.status == 0 && draft.errors.hasPrefix("long: 2 read = 2 inserted"), "\(draft)")
    let text = try String(decoding: folder.bytes(of: "draft.yaml"), as: UTF8.self)
    #expect(text.contains("# A value under the key '.' is left out: no path leads there.\n"))
    #expect(!text.contains("from: \".\""))
  }

  // MARK: What is typed, and where it is typed

  @Test(arguments: [["--limit", "x\u{1b}[31m"], ["--no\u{1b}[31m"], ["--kind", "\u{202e}x"]])
  func `a wrong argument is repeated as a terminal may show it`(arguments: [String]) throws {
    let outcome = try folder.run(Folder.tool, ["changes", "things.sqlite"] + arguments)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("\\u{"))
    #expect(outcome.errors.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0 != "\u{202e}" })
  }

  @Test func `a token that is none is said in a sentence`() throws {
    let outcome = try folder.bolide("fetch", "things.sqlite", "Thing", "--at", "x")
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.hasPrefix(
        "Error: The value 'x' is invalid for '--at <token>': 'x' is not a token. A token looks like "))
  }

  @Test(arguments: ["-9223372036854775808", "0", "9223372036854775807", "x"])
  func `a width that no window has is none`(columns: String) throws {
    try folder.write(pipeline(), to: "things.yaml")
    let outcome = try folder.shell(
      """
      "$bolide" import things.yaml feed.json
      COLUMNS=\(columns) "$bolide" fetch things.sqlite Thing --format table
      """)
    #expect(outcome == Outcome(status: 0, output: "bolide_id  id\n        1  a\n"))
  }

  @Test func `a pipeline may come from a pipe, and what is none is called what it is`() throws {
    try folder.write(pipeline(), to: "things.yaml")
    let pipe = try folder.shell("mkfifo pipe; cat things.yaml > pipe & \"$bolide\" check pipe")
    #expect(pipe.status == 0 && pipe.output.hasPrefix("pipe: fine; things imports Thing"))
    #expect(
      try folder.bolide("check", ".").errors == "Error: .: this is a directory; expected a file.\n")
    #expect(
      try folder.bolide("check", "/dev/null").errors
        == "Error: /dev/null: the file is empty; its first line is `bolide: 1`.\n")
    #expect(try folder.bolide("check", "/dev/zero").status == 78)
  }

  @Test func `a TMPDIR that is no folder is said, and an empty one is none`() throws {
    try folder.write(pipeline(), to: "things.yaml")
    let file = try folder.shell("TMPDIR=$PWD/feed.json \"$bolide\" import things.yaml feed.json --dry-run")
    #expect(file.status == 73)
    #expect(
      file.errors.contains(": the folder for a temporary store cannot be created (Not a directory).\n")
        && file.errors.hasSuffix("\n       Set TMPDIR to a writable folder with free space.\n"))
    let running = try Running(
      "/usr/bin/env", ["TMPDIR=", Folder.tool, "import", "things.yaml", "-", "--dry-run"], in: folder,
      input: .open)
    defer { running.send(SIGKILL) }
    var open: [String] = []
    try eventually {
      open = try folder.shell("readlink /proc/\(running.processID)/fd/*").lines.filter {
        $0.hasSuffix("/store.sqlite")
      }
      return !open.isEmpty
    }
    #expect(open.allSatisfy { $0.hasPrefix("/tmp/bolide-") }, "\(open)")
  }
}
