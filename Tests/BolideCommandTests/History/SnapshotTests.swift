import Foundation
import Testing

/// `bolide snapshot`: everything at one place of history, from which changes lead on.
@Suite struct SnapshotTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "place": "x", "magnitude": 1.5, "time": "2020-01-01"}, {"id": "b"}]"#, to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  private func token() throws -> String {
    try folder.bolide("token", "quakes.sqlite").output.trimmingCharacters(in: .newlines)
  }

  @Test func `the lines: a head, the rows, an end`() throws {
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 2 WHERE id = 'a'")
    let lines = try folder.bolide("snapshot", "quakes.sqlite").lines
    let token = try token()
    // What another program wrote was assigned first: the token covers it.
    #expect(token.contains("-2-"))
    #expect(
      lines.map { $0.replacing(/"at":"[^"]+"/, with: #""at":"NOW""#) } == [
        #"{"snapshot":true,"token":"\#(token)","at":"NOW","rows":{"Quake":2,"Region":1}}"#,
        #"{"entity":"Quake","id":1,"key":{"id":"a"},"values":{"id":"a","time":"2020-01-01T00:00:00Z","magnitude":2,"region":1}}"#,
        #"{"entity":"Quake","id":2,"key":{"id":"b"},"values":{"id":"b","time":null,"magnitude":null,"region":null}}"#,
        #"{"entity":"Region","id":1,"key":{"name":"x"},"values":{"name":"x","quakeCount":1,"total":2}}"#,
        #"{"end":true,"token":"\#(token)","rows":3}"#,
      ])
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", token) == .silent)
    #expect(try folder.bolide("snapshot", "quakes.sqlite", "Region").lines.count == 3)
    let unknown = try folder.bolide("snapshot", "quakes.sqlite", "Qake")
    #expect(unknown == .failure(64, "quakes.sqlite: the store has no entity 'Qake'", "It has Quake, Region."))
  }

  @Test func `a reader begins again after a snapshot that its command took`() throws {
    try folder.bolide("readers", "quakes.sqlite", "add", "map", "--from", "beginning").expectSilence()
    try folder.sqlite("quakes.sqlite", "UPDATE bolide_reader SET diverged = 1")
    let failed = try folder.shell(
      #""$bolide" snapshot quakes.sqlite --reader map -- sh -c 'cat > copy; exit 3'"#)
    #expect(failed.status == 3)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map").status == 81)
    let taken = try folder.shell(#""$bolide" snapshot quakes.sqlite --reader map -- tee copy"#)
    #expect(taken.status == 0 && taken.lines.count == 5)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map") == .silent)
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'b'")
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "map").lines.count == 2)
    // One that is not there is added, when the command has taken it all.
    #expect(try folder.shell(#""$bolide" snapshot quakes.sqlite --reader new -- false"#).status == 1)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "new").status == 64)
    #expect(try folder.shell(#""$bolide" snapshot quakes.sqlite --reader new -- tee copy"#).status == 0)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--reader", "new") == .silent)
    #expect(try folder.bolide("snapshot", "quakes.sqlite", "--reader", "map").status == 64)
  }

  @Test func `a snapshot and the changes after it are the store, while imports go on`() throws {
    // An import runs meanwhile, and a program that writes plain SQL.
    let feed = (0..<400).map { #"{"id": "f\#($0 * 7 % 400)", "magnitude": \#($0)}"# }
    let running = try folder.starting(
      "import", "quakes.yaml", "-", "--chunk-rows", "5", "--on-absent-field", "ignore")
    defer { running.send(SIGKILL) }
    try running.write(Data(feed.joined(separator: "\n").utf8))
    try eventually { try folder.count("Quake", in: "quakes.sqlite") > 20 }
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = -1 WHERE bolide_id % 3 = 0")
    let snapshot = try folder.bolide("snapshot", "quakes.sqlite")
    try running.close()
    #expect(try running.outcome() == .silent)
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE bolide_id % 5 = 0")
    try folder.write(snapshot.output, to: "snapshot.ndjson")
    let since = String(try #require(snapshot.output.firstMatch(of: /"token":"([^"]+)"/)?.1))
    for net in ["", "--net"] {
      let changes = try folder.bolide(
        "changes", "quakes.sqlite", "--since", since, "--values", net.isEmpty ? "--previous" : net)
      try folder.write(changes.output, to: "changes.ndjson")
      let problems = try folder.python(Self.follow)
      #expect(problems == "fine\n")
    }
  }

  /// Applies the changes to the snapshot, and compares with a snapshot of now.
  private static let follow = #"""
    import json, sqlite3
    rows, ended = {}, False
    for line in open("snapshot.ndjson"):
      row = json.loads(line)
      ended = ended or "end" in row
      if "entity" in row: rows[row["entity"], row["id"]] = row["values"]
    assert ended
    for line in open("changes.ndjson"):
      change = json.loads(line)
      if "commit" in change: continue
      key = change["entity"], change["id"]
      if change["kind"] == "delete":
        del rows[key]
      else:
        rows[key] = change["values"]
    store = sqlite3.connect("quakes.sqlite")
    now = {("Quake", i): m for i, m in store.execute("SELECT bolide_id, magnitude FROM Quake")}
    held = {key: row["magnitude"] for key, row in rows.items() if key[0] == "Quake" and row}
    assert held == now, (len(held), len(now))
    print("fine")
    """#

  @Test func `a plain SQLite file for those who may only read`() throws {
    try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", "plain.sqlite").expectSilence()
    #expect(
      try folder.sqlite("plain.sqlite", "PRAGMA journal_mode; PRAGMA integrity_check") == ["delete", "ok"])
    #expect(
      try folder.sqlite("plain.sqlite", "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        == ["Quake", "Region", "bolide_snapshot", "sqlite_sequence"])
    #expect(
      try folder.sqlite("plain.sqlite", "SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'") == ["0"])
    for (table, columns) in [("Quake", "*"), ("Region", "bolide_id, name, quakeCount, total")] {
      let rows = "SELECT \(columns) FROM \(table)"
      #expect(try folder.sqlite("plain.sqlite", rows) == folder.sqlite("quakes.sqlite", rows))
    }
    #expect(try folder.sqlite("plain.sqlite", "SELECT token FROM bolide_snapshot") == [token()])
    // A folder that cannot be written, as for another user: a WAL file could not be opened there.
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "public"), withIntermediateDirectories: false)
    try folder.bolide("snapshot", "quakes.sqlite", "Region", "--sqlite", "public/plain.sqlite")
      .expectSilence()
    #expect(
      try folder.python(
        "import sqlite3; print(sqlite3.connect('file:public/plain.sqlite?mode=ro&immutable=0', uri=True).execute('SELECT count(*) FROM Region').fetchone()[0])"
      ) == "1\n")
    // The next one takes its place, and leaves nothing else behind.
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake")
    try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", "public/plain.sqlite").expectSilence()
    #expect(try folder.sqlite("public/plain.sqlite", "SELECT count(*) FROM Quake") == ["0"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("public")) == ["plain.sqlite"])
  }

  @Test func `a snapshot never takes a store's place`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("quakes.sqlite"))
    for file in ["quakes.sqlite", "link"] {
      #expect(
        try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", file)
          == .failure(
            64, "\(file): the file is a store, and the snapshot would overwrite it",
            "Use another file for the snapshot."))
    }
    let missing = try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", "no/such/folder.sqlite")
    #expect(missing.status == 73 && missing.errors.contains("no/such/folder.sqlite"))
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 2)
  }

  /// As /dev/null and /dev/stdout must, whoever runs the command.
  @Test func `a pipe, and a link to an empty file, stay what they are`() throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    try folder.write("", to: "empty")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("link"), withDestinationPath: folder.path("empty"))
    func kinds() throws -> [FileAttributeType?] {
      try ["pipe", "link"].map {
        try FileManager.default.attributesOfItem(atPath: folder.path($0))[.type] as? FileAttributeType
      }
    }
    let before = try kinds()
    #expect(before[1] == .typeSymbolicLink)
    for name in ["pipe", "link"] {
      #expect(
        try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", name)
          == .failure(
            64, "\(name): the file is not a snapshot, and the snapshot would overwrite it",
            "Use another file, or remove this one first."))
      #expect(
        try folder.bolide("backup", "quakes.sqlite", name)
          == .failure(
            64, "\(name): the file is not an earlier state of the store, and the backup would overwrite it",
            "Use another file, or remove this one first."))
    }
    #expect(
      try folder.bolide("restore", "quakes.sqlite", "pipe")
        == .failure(
          73, "pipe: a store must be a regular file",
          "Use a file, or try the import without keeping it: bolide import --dry-run"))
    #expect(try kinds() == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(names.filter { $0.contains("pipe") || $0.contains("link") }.sorted() == ["link", "pipe"])
  }

  @Test func `a plain file has the model's columns and no others`() throws {
    try folder.write(#"[{"id": "z", "place": "x", "magnitude": 1.5}]"#, to: "sum.json")
    #expect(try folder.bolide("import", "quakes.yaml", "sum.json").status == 0)
    try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", "plain.sqlite").expectSilence()
    #expect(
      try folder.sqlite("plain.sqlite", "SELECT name FROM pragma_table_info('Region')")
        == ["bolide_id", "name", "quakeCount", "total"])
  }
}

extension Outcome {
  /// Success without a word.
  func expectSilence(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try #require(self == .silent, sourceLocation: sourceLocation)
  }
}
