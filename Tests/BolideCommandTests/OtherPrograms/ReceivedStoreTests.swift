import BolideBench
import Foundation
import Testing

/// Stores that came from elsewhere, texts that were made to break quoting, and what lies beside a store.
@Suite struct ReceivedStoreTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "time": "2020-01-01", "magnitude": 1.5, "place": "west"}, {"id": "b", "place": "east"}]"#,
      to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  // MARK: Texts

  @Test func `a quote that stands beside a character that joins it ends no literal`() throws {
    for scalar in ["\u{d4e}", "\u{600}", "\u{301}", "\u{20e3}", "\u{fe0f}", "\u{200d}", "\\"] {
      for text in ["\(scalar)' OR 1=1) --", "'\(scalar) OR 1=1) --", "\(scalar)'\(scalar)"] {
        let doubled = text.unicodeScalars.map { $0 == "'" ? "''" : "\($0)" }.joined()
        let outcome = try folder.bolide("delete", "quakes.sqlite", "Quake", "--where", "id = '\(doubled)'")
        #expect(outcome == .silent, "\(text): \(outcome)")
      }
    }
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 2)
  }

  @Test func `a description is only a description`() throws {
    let texts = [
      "it'\u{301}s", "5'\u{20e3} pipe", "\u{d4e}'); DROP TABLE bolide_run; --",
      "\u{d4e}\"; DELETE FROM Quake; --",
    ]
    for (index, text) in texts.enumerated() {
      let quoted = text.replacing("\\", with: "\\\\").unicodeScalars.map { $0 == "\"" ? "\\\"" : "\($0)" }
        .joined()
      try folder.write(
        """
        bolide: 1
        store: words.sqlite
        entity: Word\(index)
        key: id
        attributes:
          id: { type: string, description: "\(quoted)" }
        """, to: "words.yaml")
      #expect(try folder.bolide("import", "words.yaml", "feed.json").status == 0, "\(text)")
      let model = try folder.sqlite(
        "words.sqlite", "SELECT model FROM bolide_model ORDER BY version DESC LIMIT 1")
      #expect(model.joined().utf8.count > text.utf8.count)
      #expect(try folder.bolide("verify", "words.sqlite") == .silent)
    }
    #expect(try folder.sqlite("words.sqlite", "SELECT count(*) FROM bolide_run") == ["4"])
  }

  // MARK: Triggers of other programs

  @Test func `who reads runs no trigger of another program, and says what waits`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      CREATE TABLE fired(what);
      CREATE TRIGGER watch AFTER UPDATE ON Region BEGIN INSERT INTO fired VALUES ('region'); END;
      DELETE FROM fired; INSERT INTO bolide_dirty SELECT property, 0, 1 FROM bolide_property WHERE name = 'total';
      UPDATE Quake SET magnitude = 3 WHERE id = 'a'; DELETE FROM fired;
      """)
    let note =
      "Note: 2 changes by other programs are not in history yet, and 1 derived value is out of date: "
      + "the trigger watch of another program would run. The next command that writes, such as `bolide "
      + "import`, updates them.\n"
    for arguments in [
      ["fetch", "quakes.sqlite", "Quake"], ["changes", "quakes.sqlite"], ["token", "quakes.sqlite"],
    ] {
      let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
      #expect(outcome.status == 0 && outcome.errors == note, "\(arguments): \(outcome)")
    }
    #expect(try folder.bolide("snapshot", "quakes.sqlite").status == 0)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM fired") == ["0"])
    // A command that writes lets it fire, as any program that writes the table.
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force").status == 0)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) > 0 FROM fired") == ["1"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test(arguments: [
    (
      "ALTER TABLE Region ADD COLUMN made TEXT AS (printf('%.*c', 900000000, 'x'))",
      "an expression in the table Region"
    ),
    (
      "ALTER TABLE Region ADD COLUMN more TEXT CHECK (length(more) > 0)",
      nil
    ),
    ("CREATE INDEX slow ON Region(name, upper(name))", "an expression of the index slow"),
    ("CREATE INDEX part ON Region(name) WHERE total IS NOT NULL", "an expression of the index part"),
    ("CREATE INDEX plain ON Region(name COLLATE NOCASE DESC, \"total\")", nil),
  ])
  func `who reads computes no expression of another program's`(sql: String, what: String?) throws {
    try folder.sqlite(
      "quakes.sqlite",
      "\(sql); INSERT INTO bolide_dirty SELECT property, 0, 1 FROM bolide_property WHERE name = 'total'")
    let note = what.map {
      "Note: 1 derived value is out of date: \($0) of another program would be evaluated. The next "
        + "command that writes, such as `bolide import`, updates them.\n"
    }
    let outcome = try Running(Folder.tool, ["token", "quakes.sqlite"], in: folder, input: .nothing).outcome()
    #expect(outcome.status == 0 && outcome.errors == note ?? "", "\(outcome)")
  }

  @Test(arguments: [
    (
      "ALTER TABLE bolide_run ADD COLUMN more TEXT AS (hex(zeroblob(99)))",
      "the table bolide_run is not as Bolide made it"
    ),
    ("CREATE INDEX slow ON bolide_run(hex(zeroblob(99)))", "the index slow of bolide_run is not Bolide's"),
  ])
  func `an expression of another program's in a table of Bolide's own is refused`(
    sql: String, problem: String
  ) throws {
    // What SQLite does not take in a statement stands in the file all the same.
    try folder.sqlite("quakes.sqlite", sql)
    #expect(
      try Running(Folder.tool, ["token", "quakes.sqlite"], in: folder, input: .nothing).outcome().errors
        .hasPrefix("Error: quakes.sqlite: the schema is not the one that Bolide created: \(problem)"))
  }

  @Test func `a gap that cannot be written down is never passed over`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      DROP TRIGGER bolide_Quake_update;
      CREATE TRIGGER watch AFTER UPDATE ON Region BEGIN SELECT 1; END;
      UPDATE Quake SET magnitude = 7;
      """)
    let failure = Outcome.failure(
      80,
      "quakes.sqlite: history may have a gap: the trigger bolide_Quake_update is missing, and this command cannot restore it",
      "Open the store with write access once, and start again from a snapshot: bolide snapshot quakes.sqlite")
    for arguments in [
      ["changes", "quakes.sqlite"], ["token", "quakes.sqlite"], ["snapshot", "quakes.sqlite"],
    ] {
      #expect(try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome() == failure)
    }
    #expect(try folder.bolide("fetch", "quakes.sqlite", "Quake").status == 0)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force").status == 0)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a full-text index that triggers keep needs a schema that is trusted`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      CREATE VIRTUAL TABLE search USING fts5(id, content = 'Quake');
      CREATE TRIGGER search_ai AFTER INSERT ON Quake BEGIN
        INSERT INTO search(rowid, id) VALUES (NEW.bolide_id, NEW.id); END;
      """)
    try folder.write(#"[{"id": "c", "magnitude": 1}]"#, to: "more.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "more.json")
        == .failure(
          78,
          "quakes.sqlite: a trigger of another program uses a function or a table that is not "
            + "allowed (unsafe use of virtual table \"search\")",
          "If you trust the store like a program, trust its schema: --trust-schema"))
    #expect(try folder.bolide("fetch", "quakes.sqlite", "Quake").lines.count == 2)
    #expect(try folder.bolide("import", "quakes.yaml", "more.json", "--trust-schema", "-q") == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id FROM search('c')") == ["c"])
    #expect(
      try folder.bolide("delete", "quakes.sqlite", "Quake", "--where", "id = 'a'", "--trust-schema")
        == .silent)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `an import whose trigger never ends is stopped by a signal`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      CREATE TABLE sink(n);
      CREATE TRIGGER endless AFTER INSERT ON Quake BEGIN
        INSERT INTO sink WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n; END;
      """)
    try folder.write(#"[{"id": "c"}]"#, to: "more.json")
    let importing = try folder.starting("import", "quakes.yaml", "more.json")
    try importing.close()
    // The run has its row, and the trigger is at work: there is no other way for the process to be busy.
    try eventually { try self.folder.sqlite("quakes.sqlite", "SELECT count(*) FROM bolide_run") == ["2"] }
    importing.send(SIGTERM)
    #expect(try importing.outcome(within: 10).status == 128 + SIGTERM)
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 2)
  }

  // MARK: Files

  @Test func `a link beside a store is never written through`() throws {
    try folder.write(
      "a text of somebody's, longer than a token's line, which is 64 bytes long", to: "victim.txt")
    let before = try folder.bytes(of: "victim.txt")
    unlink(folder.path("quakes.sqlite-bolide"))
    symlink("victim.txt", folder.path("quakes.sqlite-bolide"))
    let problem = "quakes.sqlite-bolide: the file beside the store is a symbolic link"
    let failure = { (name: String) in
      Outcome.failure(
        73, "\(name): the file beside the store is a symbolic link",
        "Nothing was written. Find out which program created it, remove it, and run the command again.")
    }
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 9")
    let name = folder.url.resolvingSymlinksInPath().appending(path: "quakes.sqlite-bolide").path(
      percentEncoded: false)
    for arguments in [
      ["import", "quakes.yaml", "feed.json", "--force"], ["changes", "quakes.sqlite"],
      ["token", "quakes.sqlite"],
      ["delete", "quakes.sqlite", "Quake", "--all"],
    ] {
      #expect(
        try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome() == failure(name),
        "\(arguments)")
    }
    let fetch = try folder.bolide("fetch", "quakes.sqlite", "Quake")
    #expect(fetch.status == 0 && fetch.lines.count == 2)
    #expect(fetch.errors.contains("\(problem); the last token is unknown.\n"), "\(fetch.errors)")
    #expect(fetch.errors.contains("a file beside the store does not belong to it"))
    let status = try folder.bolide("status", "quakes.sqlite")
    #expect(status.status == 0 && status.errors.contains("\(problem); the last token"))
    #expect(try folder.bytes(of: "victim.txt") == before)
    #expect(
      status.errors
        == "Note: \(name): the file beside the store is a symbolic link; the last token is unknown.\n"
    )
    // A pipe that nobody writes hangs nobody.
    unlink(folder.path("quakes.sqlite-bolide"))
    mkfifo(folder.path("quakes.sqlite-bolide"), 0o600)
    #expect(try folder.bolide("status", "quakes.sqlite").status == 0)
    #expect(try folder.bolide("changes", "quakes.sqlite").status == 73)
  }

  @Test func `a fetched property of a received store reads no store elsewhere`() throws {
    try folder.write(
      """
      bolide: 1
      store: away/other.sqlite
      entity: Secret
      key: id
      attributes: { id: string, word: string }
      """, to: "other.yaml")
    _ = try folder.run("mkdir", ["away"])
    try folder.write(#"[{"id": "a", "word": "hunter2"}]"#, to: "words.json")
    try #require(try folder.bolide("import", "other.yaml", "words.json") == .silent)
    let with =
      "    fetched:\n      words: { entity: Secret, store: away/other.sqlite, where: \"id = $FETCH_SOURCE.id\" }\n"
    let whole = Folder.quakes.replacing(
      "link:\n", with: with.replacing("    fetched", with: "fetched") + "link:\n")
    try folder.write(whole, to: "quakes.yaml")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json", "--force").status == 0)
    let changes = { try folder.sqlite("away/other.sqlite", "SELECT count(*) FROM bolide_transaction") }
    let before = try changes()
    try folder.sqlite("away/other.sqlite", "UPDATE Secret SET word = 'hunter3'")
    let refused = try folder.bolide("fetch", "quakes.sqlite", "Quake", "--with", "words")
    #expect(
      refused
        == .failure(
          64, "away/other.sqlite: a fetched property refers to this store, which is in another folder",
          "Allow it by its path: --attach away/other.sqlite=away/other.sqlite"))
    // Whoever names the file, or the pipeline that names it, means it; and it is only read.
    for arguments in [
      ["fetch", "quakes.sqlite", "Quake", "--with", "words", "--attach", "other.sqlite=away/other.sqlite"],
      ["fetch", "quakes.yaml", "Quake", "--with", "words"],
    ] {
      let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
      #expect(outcome.status == 0 && outcome.output.contains("hunter3"), "\(outcome)")
    }
    #expect(try changes() == before)
  }

  @Test(.enabled(if: geteuid() == 0 && hasProgram("setpriv"), "there is no way to become another user"))
  func `who may not write a store reads it, and is told what that leaves out`() throws {
    let outcome = try folder.shell(
      """
      cp "$bolide" ./tool; chmod a+rx . tool; chmod 644 quakes.sqlite
      as="setpriv --reuid=65534 --regid=65534 --clear-groups"
      $as ./tool token quakes.sqlite; $as ./tool import quakes.yaml feed.json; echo $?; ls -A | grep -c sqlite-
      """)
    let file = folder.url.resolvingSymlinksInPath().appending(path: "quakes.sqlite-bolide")
      .path(percentEncoded: false)
    #expect(outcome.lines.dropFirst() == ["73", "1"], "\(outcome)")
    #expect(
      outcome.errors.hasPrefix(
        "Note: \(file): permission denied, so a store restored from a backup cannot be detected.\n"
      ))
    // Nor can the lock be taken there, so that imports would wait.
    #expect(try folder.run("stat", ["-c", "%a", "quakes.sqlite-bolide"]).output == "600\n")
  }

  @Test func `derived values in another spelling are out of date, though nobody knows how many`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      """
      UPDATE bolide_store SET folding = 0;
      CREATE TRIGGER watch AFTER UPDATE ON Region BEGIN SELECT 1; END;
      """)
    let outcome = try folder.bolide("fetch", "quakes.sqlite", "Quake")
    #expect(
      outcome.errors
        == "Note: derived values may be out of date: the trigger watch of another program would run. "
        + "The next command that writes, such as `bolide import`, updates them.\n")
  }

  @Test func `a snapshot has the mode of the file that it replaces, or of its store`() throws {
    _ = try folder.run("chmod", ["640", "quakes.sqlite"])
    #expect(try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", "copy.sqlite") == .silent)
    #expect(try folder.run("stat", ["-c", "%a", "copy.sqlite"]).output == "640\n")
    _ = try folder.run("chmod", ["604", "copy.sqlite"])
    #expect(try folder.bolide("snapshot", "quakes.sqlite", "--sqlite", "copy.sqlite") == .silent)
    #expect(try folder.run("stat", ["-c", "%a", "copy.sqlite"]).output == "604\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(!names.contains { $0.hasPrefix(".bolide-new") })
  }

  @Test func `reading makes no connection that writes`() throws {
    for arguments in [["status"], ["fetch"], ["changes"], ["token"], ["schema"], ["rejects"], ["verify"]] {
      let words = [arguments[0], "quakes.sqlite"] + (arguments[0] == "fetch" ? ["Quake"] : [])
      let before = try folder.bytes(of: "quakes.sqlite")
      #expect(try Running(Folder.tool, words, in: folder, input: .nothing).outcome().status == 0)
      #expect(try folder.bytes(of: "quakes.sqlite") == before)
    }
    // What SQLite leaves beside it is no crash to anybody.
    #expect(try folder.bolide("status", "quakes.sqlite").errors == "")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }
}
