import BolideBench
import Foundation
import Testing

/// The same finished file again is known by its bytes, as long as nothing can have changed since.
@Suite struct RepeatTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(Folder.quakes + "\nrepeated-key: last\n", to: "quakes.yaml")
    try folder.write(feed, to: "feed.json")
  }

  private let feed = #"[{"id": "a", "magnitude": 1, "place": "x"}, {"id": "b"}, {"id": "a", "magnitude": 2}]"#

  @Test func `a file counts as imported with every row unchanged, and nothing is read`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    // Other programs' changes of other tables, and runs that change nothing, are no reason to read it again.
    try folder.sqlite("quakes.sqlite", "CREATE TABLE notes(text); INSERT INTO notes VALUES ('mine')")
    try #require(try folder.bolide("import", "quakes.yaml", "-", input: .file("feed.json")) == .silent)
    let again = try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "-v")
    #expect(again.status == 0)
    #expect(try Counts(again) == Counts(read: 3, unchanged: 2, superseded: 1))
    #expect(again.output.contains(#""sameAs":1,"#) && again.output.contains(#""token":null"#))
    #expect(again.errors.hasPrefix("quakes: 3 read = 2 unchanged + 1 superseded (same bytes as run 1) · "))
    #expect(
      try folder.sqlite(
        "quakes.sqlite", "SELECT read, unchanged, superseded, chunks, same_as, outcome FROM bolide_run")
        == ["3|0|1|1||ok", "3|2|1|1||ok", "3|2|1|0|1|ok"])
    // Another name for the same bytes.
    try folder.write(feed, to: "copy.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "copy.json", "--json").output.contains(#""sameAs":1,"#))
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test(arguments: [
    "nothing", "force", "stdin", "value", "other value", "delete", "pending", "insert", "pipeline", "model",
    "other pipeline", "killed", "group",
  ])
  func `it is read again when anything may have changed`(what: String) throws {
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    let store = "quakes.sqlite"
    var arguments = ["import", "quakes.yaml", "feed.json", "--json"]
    var wanted = Counts(read: 3, unchanged: 2, superseded: 1)
    switch what {
    case "force": arguments.append("--force")
    case "stdin": arguments[2] = "-"
    case "value":
      try folder.sqlite(store, "UPDATE Quake SET magnitude = 7 WHERE id = 'a'")
      wanted = Counts(read: 3, updated: 1, unchanged: 1, superseded: 1)
    case "other value":
      try folder.sqlite(store, "UPDATE Quake SET time = '2020-01-01T00:00:00Z' WHERE id = 'a'")
    case "delete":
      try folder.sqlite(store, "DELETE FROM Quake WHERE id = 'b'")
      wanted = Counts(read: 3, inserted: 1, unchanged: 1, superseded: 1)
    case "pending":
      // Assigned by somebody who only reads the history.
      try folder.sqlite(store, "UPDATE Quake SET magnitude = 7 WHERE id = 'a'")
      try #require(try folder.bolide("changes", store).status == 0)
      wanted = Counts(read: 3, updated: 1, unchanged: 1, superseded: 1)
    case "insert": try folder.sqlite(store, "INSERT INTO Quake(id) VALUES ('c')")
    case "group": try folder.sqlite(store, "UPDATE Region SET name = 'z'")
    case "pipeline":
      try folder.write(Folder.quakes + "\ncheck: magnitude IS NULL OR magnitude > 0\n", to: "quakes.yaml")
    case "model":
      try folder.write(
        Folder.quakes.replacing("  magnitude: double", with: "  magnitude: double\n  depth:     double"),
        to: "others.yaml")
      try folder.write("[]", to: "empty.json")
      try #require(
        try folder.bolide("import", "others.yaml", "empty.json", "--store", store) == .silent)
    case "other pipeline":
      try folder.write(Folder.quakes, to: "others.yaml")
      try folder.write(#"[{"id": "a", "magnitude": 5}]"#, to: "other.json")
      try #require(try folder.bolide("import", "others.yaml", "other.json", "--store", store) == .silent)
      wanted = Counts(read: 3, updated: 1, unchanged: 1, superseded: 1)
    case "killed":
      let running = try folder.starting("import", "quakes.yaml", "-", "--chunk-rows", "1")
      try running.write(Data(#"[{"id": "a", "magnitude": 9}, "#.utf8))
      try eventually { try folder.sqlite(store, "SELECT magnitude FROM Quake WHERE id = 'a'") == ["9.0"] }
      running.send(SIGKILL)
      _ = try running.outcome()
      wanted = Counts(read: 3, updated: 1, unchanged: 1, superseded: 1)
    default: break
    }
    let input = what == "stdin" ? Input.file("feed.json") : .nothing
    let outcome = try Running(Folder.tool, arguments, in: folder, input: input).outcome()
    #expect(outcome.status == 0)
    #expect(try Counts(outcome) == wanted)
    #expect(outcome.output.contains("sameAs") == (what == "nothing"))
    if what == "nothing" || what == "stdin" || what == "killed" { return }
    // Read once more, the file is known again.
    let third = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
    #expect(
      third.output.contains(#""sameAs":2,"#) || third.output.contains(#""sameAs":3,"#), "\(third.output)")
  }

  @Test func `other bytes of the same size are read`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.write(feed.replacing(#""magnitude": 2"#, with: #""magnitude": 3"#), to: "feed.json")
    let other = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
    #expect(try Counts(other) == Counts(read: 3, updated: 1, unchanged: 1, superseded: 1))
    // The first one is another file again, since the store has moved on.
    try folder.write(feed, to: "feed.json")
    let back = try folder.bolide("import", "quakes.yaml", "feed.json", "--json")
    #expect(try Counts(back) == Counts(read: 3, updated: 1, unchanged: 1, superseded: 1))
  }

  @Test func `a run that rejected records or ended early is not taken for the file's`() throws {
    try folder.write(#"[{"id": "a"}, {"id": null}]"#, to: "refused.json")
    for status in [65, 65, 65] as [Int32] {
      let outcome = try folder.bolide("import", "quakes.yaml", "refused.json", "--json", "-q")
      #expect(outcome.status == status)
      #expect(try Counts(outcome).rejected == 1)
    }
    #expect(try folder.sqlite("quakes.sqlite", "SELECT times FROM bolide_reject") == ["3"])
    try folder.write(#"[{"id": "z"}, {"id""#, to: "cut.json")
    for _ in 1...2 { #expect(try folder.bolide("import", "quakes.yaml", "cut.json").status == 65) }
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(digest) FROM bolide_run") == ["0"])
  }

  @Test func `a packed file, and one that sends its rows before their names`() throws {
    let large = try Folder.withFireballs()
    try large.generate(FireballFeed(rows: 3_000, seed: 2, options: .init(dataFirst: true)), to: "feed.json")
    try large.gzip("feed.json")
    for name in ["feed.json.gz", "feed.json"] {
      let first = try large.bolide("import", "fireballs.yaml", name, "--json")
      #expect(!first.output.contains("sameAs"))
      let again = try large.bolide("import", "fireballs.yaml", name, "--json")
      #expect(again.output.contains("sameAs"))
      #expect(try Counts(again) == Counts(read: 3_000, unchanged: 3_000))
    }
    let digests = try large.sqlite(
      "fireballs.sqlite", "SELECT lower(hex(digest)) FROM bolide_run WHERE digest NOT NULL")
    let sums = try large.run("sha256sum", ["feed.json.gz", "feed.json"])
    #expect(digests == sums.lines.map { String($0.prefix(64)) })
  }

  @Test func `force may stand in the pipeline, and an option wins over it`() throws {
    try folder.write(Folder.quakes + "\nforce: true\n", to: "quakes.yaml")
    for _ in 1...2 {
      #expect(!(try folder.bolide("import", "quakes.yaml", "feed.json", "--json").output.contains("sameAs")))
    }
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json", "--json", "--no-force").output.contains(
        "sameAs"))
  }
}
