import Foundation
import Testing

/// Why a record is rejected, and what keeps an import from its end, word for word.
@Suite struct RejectionMessageTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func write(_ more: String = "", store: Bool = true) throws {
    try folder.write(
      """
      bolide: 1
      \(store ? "store: quakes.sqlite" : "name: quakes")
      entity: Quake
      key: id
      \(more)
      attributes:
        id:     string
        title:  { type: string, required: true, default: none }
        size:   { type: double, min: 1, max: 10 }
        text:   { type: string, transient: true }
        source: { type: string, value: "json_extract('{}', text)" }
      """.replacing("\n\n", with: "\n"), to: "quakes.yaml")
  }

  @Test(arguments: [
    (#"{"id": "a", "title": null}"#, "23: record 1: title is required and is null"),
    (#"{"id": "a", "size": 0.5}"#, "22: record 1: size is less than its minimum"),
    (#"{"id": "a", "size": 11}"#, "22: record 1: size is greater than its maximum"),
    (#"{"id": "a\ud800"}"#, "2: record 1: a text contains an unpaired surrogate"),
    ("true", "2: record 1: expected an object, found a boolean"),
    // What SQLite quotes is the record's.
    (
      #"{"id": "a", "text": "my secret"}"#,
      "2: record 1: an expression failed: JSON path error near '…'"
    ),
  ])
  func `a record is rejected with its sentence`(record: String, sentence: String) throws {
    try write()
    try folder.write("[\(record)]", to: "feed.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("feed.json:1:\(sentence)\n"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("secret"))
  }

  @Test(arguments: [
    ("{}", "feed.json: there are no rows; the input is an object without keys"),
    (
      #"{"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1, "i": 1}"#,
      "feed.json: there are no rows; the input is an object with the keys 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', …"
    ),
  ])
  func `an envelope without rows`(input: String, sentence: String) throws {
    try write("shape: columnar")
    try folder.write(input, to: "feed.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json")
        == .failure(65, sentence, "The input may be an error message of the server: check it."))
  }

  @Test func `rows whose columns have no names`() throws {
    try write("shape: columnar")
    try folder.write(#"{"data": [[1]]}"#, to: "feed.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasSuffix(
        """
        : found rows without column names; expected names.
               Name the columns in the pipeline: `columns: [date, energy, …]`.

        """))
  }

  @Test(arguments: [
    "", "nonsense", #"{"id": "a", "size": 1"#, #"{"id": "a", "size": 1} {"id": "b", "size": 1}"#, "5 5",
  ])
  func `a rejected record of which another program has made something else`(text: String) throws {
    try write()
    try folder.write(#"[{"id": "a", "size": 0}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json").status == 65)
    try folder.sqlite("quakes.sqlite", "UPDATE bolide_reject_text SET text = '\(text)'")
    let outcome = try folder.bolide("import", "quakes.yaml", "--replay")
    #expect(outcome.status == 74)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM Quake") == ["0"])
    #expect(
      outcome.errors
        == """
        Error: the kept text of rejected record 1 is not one record.
               Import it by hand, from its kept text: bolide rejects STORE

        """)
  }

  @Test func `a command that cannot be started, or is not there`() throws {
    try write()
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.write("cat\n", to: "script")
    let outcome = try folder.shell(#"chmod +x script; "$bolide" changes quakes.sqlite -- ./script"#)
    #expect(
      outcome
        == .failure(
          74, "'./script' cannot be started (Exec format error)",
          "A script starts with #! and its interpreter."))
    try folder.write("#!/no/such/interpreter\n", to: "script")
    #expect(
      try folder.shell(#""$bolide" changes quakes.sqlite -- ./script"#)
        == .failure(
          74, "'./script' cannot be started (No such file or directory)",
          "Check that the file exists, is executable, and that the limit on processes is not reached."))
    let folders = "A name that contains / is a path; any other name is searched for in PATH."
    // Not an assignment, and neither a folder nor a file that cannot be run.
    for command in ["FOO=1", "./nothing", "quakes.yaml", "..", ""] {
      #expect(
        try folder.bolide("changes", "quakes.sqlite", "--", command, "true")
          == .failure(127, "there is no command '\(command)'", folders))
    }
    try folder.write("#!/bin/sh\ncat > got-$1\n", to: "FOO=1")
    let found = try folder.shell(
      #"chmod +x FOO=1; PATH=.:$PATH "$bolide" changes quakes.sqlite -- FOO=1 true"#)
    #expect(found == .silent)
    #expect(try folder.bytes(of: "got-true").count > 100)
  }

  @Test(.enabled(if: canHide, "nothing can be mounted here"))
  func `a call without its arguments is not taken for another`() throws {
    let outcome = try folder.shell(
      #"unshare -m sh -c 'mount -t tmpfs none /proc && "$0" check quakes.yaml' "$bolide""#)
    #expect(
      outcome
        == .failure(
          74, "the command line cannot be read: /proc is not there", "Mount it where the tool runs."))
  }

  @Test func `a pipeline that names no store`() throws {
    try write(store: false)
    try folder.write("[]", to: "feed.json")
    let sentence = "quakes.yaml: the pipeline names no store"
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json")
        == .failure(64, sentence, "Set `store:` in the pipeline, or use --store."))
    #expect(
      try folder.bolide("status", "quakes.yaml")
        == .failure(64, sentence, "Set `store:` in the pipeline, or pass the path of the store instead."))
    #expect(
      try folder.bolide("changes", "quakes.yaml").errors
        == "Error: \(sentence).\n       Pass the path of the store instead.\n")
  }
}

private let canHide: Bool = {
  guard geteuid() == 0, let folder = try? Folder() else { return false }
  return (try? folder.shell("unshare -m mount -t tmpfs none /proc"))?.status == 0
}()
