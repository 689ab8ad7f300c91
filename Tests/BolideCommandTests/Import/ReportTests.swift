import Foundation
import Testing

/// What an import says: nothing, a line for people, an object for programs.
@Suite struct ReportTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "place": "x", "magnitude": 1}, {"id": "a", "place": "x"}, {"id": "b"}, {"id": null}]"#,
      to: "feed.json")
    try folder.write(#"[{"id": "a", "magnitude": 2}, {"id": "b"}, {"id": "c"}]"#, to: "next.json")
  }

  @Test func `the object for programs has every key, in its order and type`() throws {
    let first = try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "-q", "--max-rejects", "1")
    #expect(first.status == 3)
    #expect(first.errors.isEmpty)
    #expect(
      masked(first.output)
        == #"{"pipeline":"quakes","run":1,"outcome":"ok","exitStatus":3,"read":4,"inserted":2,"updated":0,"repeated":0,"unchanged":0,"ignored":0,"duplicates":1,"superseded":0,"#
        + #""rejected":1,"rolledBack":0,"chunks":1,"bytes":97,"absent":{"time":3,"magnitude":2,"place":1},"seconds":S,"rowsPerSecond":R,"token":"T"}"#
        + "\n")
    let again = try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "-q", "--max-rejects", "1")
    #expect(
      masked(again.output)
        == #"{"pipeline":"quakes","run":2,"outcome":"ok","exitStatus":3,"read":4,"inserted":0,"updated":0,"repeated":0,"unchanged":2,"ignored":0,"duplicates":1,"superseded":0,"#
        + #""rejected":1,"rolledBack":0,"chunks":1,"bytes":97,"absent":{"time":3,"magnitude":2,"place":1},"seconds":S,"rowsPerSecond":R,"token":null}"#
        + "\n")
  }

  @Test func `different records of one key are told, unless the pipeline says which counts`() throws {
    try folder.write(
      #"[{"id": "a", "magnitude": 1}, {"id": "a", "magnitude": 1}, {"id": "a", "magnitude": 2}, {"id": "b"}]"#,
      to: "feed.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(
      outcome
        == Outcome(
          status: 0,
          errors: "quakes: 1 record has the key of another record and different values; only one counts. To "
            + "choose, set `repeated-key`: last, first or reject\n"))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT read, inserted, duplicates, superseded FROM bolide_run") == [
        "4|2|1|1"
      ])
    try folder.write(Folder.quakes + "\nrepeated-key: last\n", to: "quakes.yaml")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
  }

  @Test func `the line for people leaves out what is nought`() throws {
    try folder.write(#"[{"id": "a", "magnitude": 1}, {"id": "b"}]"#, to: "feed.json")
    let lines = try ["feed.json", "next.json", "next.json"].map { feed in
      let outcome = try folder.bolide("import", "quakes.yaml", feed, "-v")
      #expect(outcome.status == 0)
      #expect(outcome.output.isEmpty)
      return masked(outcome.errors)
    }
    #expect(
      lines == [
        "quakes: 2 read = 2 inserted · S s · token T\n",
        "quakes: 3 read = 1 inserted + 1 updated + 1 unchanged · S s · token T\n",
        "quakes: 3 read = 3 unchanged (same bytes as run 2) · S s\n",
      ])
  }

  @Test func `rejected records are shown without being asked; quiet says only how many`() throws {
    let shown = """
      feed.json:1:92: record 4: id is part of the key and is null
      quakes: 4 read = 2 inserted + 1 duplicate + 1 rejected · S s · token T

      """
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(outcome.status == 65)
    #expect(outcome.output.isEmpty)
    #expect(masked(outcome.errors) == shown)
    let quiet = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(quiet.status == 65 && quiet.output.isEmpty)
    #expect(
      quiet.errors == """
        Error: quakes: 1 of 4 records was rejected.
               List them with `bolide rejects quakes.sqlite`.

        """)
  }

  @Test func `a token of the line is a token of the object, and of the history`() throws {
    let outcome = try folder.bolide("import", "quakes.yaml", "next.json", "-v", "--json")
    let token = try #require(outcome.errors.firstMatch(of: /token (b1-\w+-\d+-\w+)/)?.1)
    #expect(outcome.output.contains(#""token":"\#(token)""#))
    #expect(
      try folder.sqlite(
        "quakes.sqlite",
        "SELECT 'b1-' || id || '-' || number || '-' || nonce FROM bolide_store, bolide_transaction")
        == [String(token)])
  }

  @Test func `an import that ends early still reports what it did`() throws {
    try folder.write(#"[{"id": "a"}, {"id": "b"}, {"#, to: "feed.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("Error: feed.json:1:29: the input ends inside record 3 (byte 28)."))
    #expect(try Counts(outcome) == Counts(read: 2, inserted: 2))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
  func `a report that cannot be written is an error`() throws {
    let outcome = try folder.shell(
      """
      "$bolide" import quakes.yaml next.json --json > /dev/full
      echo $?
      """)
    #expect(outcome.output == "74\n")
    #expect(
      outcome.errors
        == """
        Error: standard output cannot be written (No space left on device).
               Check its destination, and run the same command again.

        """)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT outcome FROM bolide_run") == ["ok"])
  }

  @Test func `on a terminal there is a line without being asked`() throws {
    let output = try folder.python(
      """
      import os, pty, subprocess, sys
      terminal, side = pty.openpty()
      tool = subprocess.run([sys.argv[1], "import", "quakes.yaml", "next.json"], stderr=side, timeout=30)
      os.close(side)
      print(tool.returncode, os.read(terminal, 4096).decode(), sep="|", end="")
      """, Folder.tool)
    #expect(masked(output) == "0|quakes: 3 read = 3 inserted · S s · token T\r\n")
  }

  /// The text without what differs from run to run.
  private func masked(_ text: String) -> String {
    text.replacing(/"seconds":[0-9.e-]+/, with: #""seconds":S"#).replacing(
      /"rowsPerSecond":\d+/, with: #""rowsPerSecond":R"#
    ).replacing(/\d+\.\d\d s/, with: "S s").replacing(/b1-[a-z0-9]{6}-\d+-[a-z0-9]{6}/, with: "T")
  }
}
