import Foundation
import TestServer
import Testing

/// Commands say and do with a store on a server what they say and do with a file.
@Suite struct ServerCommandTests {
  let folder: Folder
  let server: TestServer
  let address: String

  init() throws {
    folder = try Folder()
    server = try TestServer.shared.get()
    address = server.freshAddress()
    try folder.write(Folder.quakes, to: "quakes.yaml")
    try folder.write(
      """
      [{"id": "a", "magnitude": 1, "time": "2024-01-01", "place": "X"},
       {"id": "b", "magnitude": 2, "time": "2024-01-02", "place": "X"}, {"id": "c", "time": "2024-01-03"}]
      """, to: "first.json")
    try folder.write(
      #"[{"id": "a", "magnitude": 7, "place": "Y"}, {"id": "b", "magnitude": 8}, {"id": "c", "magnitude": 9}]"#,
      to: "second.json")
    try folder.write(#"[{"id": "a", "magnitude": "x"}, {"id": "d", "magnitude": 3}]"#, to: "bad.json")
  }

  func masked(_ text: String) -> String {
    text.naming(address, "S").replacing("quakes.sqlite", with: "S")
      .replacing(/[0-9a-z]{6,8}-[0-9]+-[0-9a-z]{6}/, with: "T")
      .replacing(/token [^ \n]+/, with: "token T")
      .replacing(/[0-9]+\.[0-9]+ s\b/, with: "N s")
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/, with: "D")
  }

  /// Runs a command on both, and expects the same.
  @discardableResult
  func same(
    _ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    try same(running: arguments, sourceLocation: sourceLocation)
  }

  @discardableResult
  func same(
    running arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    func run(_ store: String) throws -> Outcome {
      var outcome = try folder.bolide(arguments: arguments.map { $0 == "S" ? store : $0 })
      outcome.output = masked(outcome.output)
      outcome.errors = masked(outcome.errors)
      return outcome
    }
    let (file, server) = (try run("quakes.sqlite"), try run(address))
    #expect(server == file, sourceLocation: sourceLocation)
    return file
  }

  @Test func `the same bytes again are not read, until anybody changes anything`() throws {
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-v")
    for _ in 1...2 {
      let again = try same("import", "quakes.yaml", "first.json", "--store", "S", "-v")
      #expect(again.errors.contains("(same bytes as run 1)"))
    }
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 5 WHERE id = 'a'")
    try psql(#"UPDATE "Quake" SET magnitude = 5 WHERE id = 'a'"#)
    let changed = try same("import", "quakes.yaml", "first.json", "--store", "S", "-v")
    #expect(changed.errors.contains("1 updated + 2 unchanged"))
  }

  @Test func `full feeds: rejected records are not missing, and the same bytes are known`() throws {
    try folder.write(Folder.quakes.replacing("key: id\n", with: "key: id\nfeed: full\n"), to: "quakes.yaml")
    for feed in ["first.json", "first.json", "bad.json", "second.json", "second.json", "first.json"] {
      try same("import", "quakes.yaml", feed, "--store", "S", "-v")
      try same("missing", "S")
    }
    let left = try same("missing", "S")
    #expect(left.output.contains("d"))
  }

  @Test func `a field that no record has any more is told of`() throws {
    try folder.write(Folder.quakes + "\non-absent-field: warn\n", to: "quakes.yaml")
    for feed in ["first.json", "second.json", "first.json", "second.json"] {
      try same("import", "quakes.yaml", feed, "--store", "S")
    }
    let outcome = try same("import", "quakes.yaml", "second.json", "--store", "S")
    #expect(outcome.errors.contains("no record has the field 'time'"))
    try same("import", "quakes.yaml", "second.json", "--store", "S", "--accept", "on-absent-field")
    #expect(try same("import", "quakes.yaml", "second.json", "--store", "S") == .silent)
  }

  @Test(arguments: [false, true])
  func `an input that changes too many rows fails`(isAtomic: Bool) throws {
    try folder.write(Folder.quakes + "\nmax-changed: 50%\natomic: \(isAtomic)\n", to: "quakes.yaml")
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-q")
    let refused = try same("import", "quakes.yaml", "second.json", "--store", "S", "-q")
    #expect(refused.status == 65 && refused.errors.contains("100 %"), "\(refused)")
    try same("import", "quakes.yaml", "second.json", "--store", "S", "-q", "--accept", "max-changed")
    try same("import", "quakes.yaml", "second.json", "--store", "S", "-q", "--force")
  }

  @Test(
    arguments: [
      #"{"id": "bad", "magnitude": "x", "size": 1}"#, #"{"id": "bad", "magnitude": 11, "size": 1}"#,
      #"{"id": "bad", "magnitude": 1}"#,
    ], [1, 100])
  func `the first rejected record ends an import that stops there`(bad: String, chunkRows: Int) throws {
    try folder.write(
      """
      bolide: 1
      entity: Quake
      key: id
      check: magnitude IS NULL OR magnitude < 10
      attributes: { id: string, magnitude: double, size: { type: integer32, required: true } }
      """, to: "quakes.yaml")
    let good = (1...6).map { #"{"id": "k\#($0 % 4)", "magnitude": \#($0), "size": \#($0)}"# }
    try folder.write("[\((good + [bad, good[0], bad]).joined(separator: ", "))]", to: "feed.json")
    for options in [["--atomic"], []] {
      let arguments = ["import", "quakes.yaml", "feed.json", "--store", "S", "-v", "--stop-on-reject"]
      let outcome = try same(running: arguments + ["--chunk-rows", "\(chunkRows)"] + options)
      #expect(outcome.status == 65)
      // What is taken back leaves its ids unused on a server.
      try same("fetch", "S", "Quake", "--only", "id,magnitude,size")
      try same("rejects", "S")
    }
  }

  @Test func `an import takes away what its pipeline does not keep of history, but not from a reader`()
    throws
  {
    try folder.write(Folder.quakes + "\nhistory: { transactions: 2 }\n", to: "quakes.yaml")
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-q")
    try same("readers", "S", "add", "map", "--from", "now")
    for feed in ["second.json", "first.json", "second.json", "first.json"] {
      try same("import", "quakes.yaml", feed, "--store", "S", "-q")
    }
    let since = try same("changes", "S", "--from", "oldest", "--count")
    #expect(since.status == 0)
    try same("readers", "S", "drop", "map")
    try same("import", "quakes.yaml", "second.json", "--store", "S", "-q")
    try same("changes", "S", "--from", "oldest", "--count")
  }

  // MARK: Questions

  @Test func `objects, differences and logs are those of a file`() throws {
    try same("import", "quakes.yaml", "first.json", "--store", "S", "-q")
    let tokens = try ["quakes.sqlite", address].map { store in
      try folder.bolide("token", store).output.trimmingCharacters(in: .newlines)
    }
    try same("import", "quakes.yaml", "second.json", "--store", "S", "-q")
    for words in [
      ["Quake"], ["Quake", "--format", "table"], ["Quake", "--format", "csv", "--only", "id,magnitude"],
      ["Quake", "--where", "magnitude > 7 AND time >= '2024-01-02'", "--sort", "-magnitude"],
      ["Quake", "--sort", "magnitude", "--limit", "1"], ["Quake", "--where", "magnitude > 7", "--count"],
      ["Quake", "--aggregate", "count, sum(magnitude), average(magnitude), max(time)"],
      ["Quake", "--distinct", "--only", "time"],
      ["Quake", "--where", "deep > 1"], ["Nothing"], ["Quake", "--where", "magnitude >"],
      ["Quake", "--sort", "deep"],
    ] {
      let fetched = try same(running: ["fetch", "S"] + words)
      #expect(fetched.status == 0 ? !fetched.output.isEmpty : fetched.status == 64)
    }
    try same("log", "S", "Quake", "a")
    try same("log", "S", "Quake", "a", "--derived", "--format", "table")
    try same("log", "S", "Quake", "z")
    for words in [["--where", "magnitude < 9", "--sort", "-magnitude"], ["--sections", "time"]] {
      let (file, server) = try (
        folder.bolide(arguments: ["diff", "quakes.sqlite", "Quake", "--since", tokens[0]] + words),
        folder.bolide(arguments: ["diff", address, "Quake", "--since", tokens[1]] + words)
      )
      #expect(file.status == 0 && !file.output.isEmpty && server == file)
    }
    let past = try folder.bolide(
      "fetch", address, "Quake", "--at", tokens[1], "--where", "magnitude = 1", "--count")
    #expect(past == Outcome(status: 0, output: "1\n"))
    let refused = try folder.bolide("fetch", address, "Quake", "--where", "round(magnitude) = 1")
    #expect(
      refused.errors.hasSuffix("PostgreSQL stores do not support the function round in a predicate.\n")
        && refused.status == 64)
    let schema = try folder.bolide("schema", address)
    try server.psql("CREATE SCHEMA again; SET search_path = again;\n\(schema.output)", schema: "public")
    #expect(schema.output.contains(#"CREATE TABLE "Quake"("#))
    let report = try folder.bolide("report", address, "--output", "page.html")
    #expect(report == .silent)
  }

  @Test func `a filter that has no translation makes no store`() throws {
    try folder.write(
      Folder.quakes.replacing("quakes.@count }", with: "quakes.@count, where: round(magnitude) = 1 }"),
      to: "rounded.yaml")
    let refused = try folder.bolide("import", "rounded.yaml", "first.json", "--store", address)
    #expect(refused.status == 78)
    #expect(
      refused.errors.contains(
        "PostgreSQL stores do not support the function round in the filter of Region.quakeCount: round(magnitude) = 1.\n"
      ),
      "\(refused)")
    #expect(try folder.bolide("status", address).status == 73)
  }

  @Test func `a pipeline whose store is on a server has its state, before the first import and behind it`()
    throws
  {
    try folder.write(Folder.quakes.replacing("quakes.sqlite", with: address), to: "there.yaml")
    let before = try folder.bolide("status", "there.yaml")
    #expect(before.status == 79 && before.output.contains("never"), "\(before)")
    try #require(try folder.bolide("import", "there.yaml", "first.json").status == 0)
    let after = try folder.bolide("status", "there.yaml")
    #expect(after.status == 0 && after.output.contains("ok"), "\(after)")
    let page = try folder.bolide("report", "there.yaml")
    #expect(page.status == 0 && page.output.contains("Quake"))
  }

  @Test func `no command shows the password of an address`() throws {
    let secret = address.replacing("postgres@", with: "postgres:hunter2@")
    try #require(secret != address)
    try folder.write(Folder.quakes.replacing("quakes.sqlite", with: secret), to: "there.yaml")
    for arguments in [
      ["status", "there.yaml"], ["import", "there.yaml", "first.json", "-v"],
      ["import", "there.yaml", "bad.json", "--json"],
      ["status", "there.yaml"], ["status", secret, "--json"],
      ["status", "there.yaml", "--format", "prometheus"],
      ["report", "there.yaml"], ["runs", secret], ["runs", secret, "--json"], ["rejects", secret],
      ["missing", secret],
      ["readers", secret], ["verify", secret], ["fetch", secret, "Quake"], ["fetch", secret, "Nothing"],
      ["changes", secret, "--since", "x"], ["log", secret, "Quake", "id=a"], ["schema", secret],
      ["backup", secret, "x"],
      ["delete", secret, "Quake", "--all"], ["token", secret + "x"], ["copy", "there.yaml", secret, "--all"],
      ["copy", "there.yaml", secret, "Quake", "--all"],
      ["copy", secret, secret + "x", "Quake", "--all", "-v"],
      ["import", "there.yaml", "first.json", "--dry-run"], ["migrate", "there.yaml"],
    ] {
      let outcome = try folder.bolide(arguments: arguments)
      #expect(!outcome.output.contains("hunter2") && !outcome.errors.contains("hunter2"), "\(arguments)")
    }
  }

  // MARK: Migrations

  @Test func `a pipeline that has changed: the plan, the steps and the refusals are a file's`() throws {
    try same("import", "quakes.yaml", "first.json", "--store", "S")
    let newer = Folder.quakes.replacing(
      "magnitude: double",
      with: "size: { type: double, was: magnitude, from: magnitude }\n  felt: integer32"
    ).replacing("quakes.magnitude.@sum", with: "quakes.size.@sum").replacing("  time:      date\n", with: "")
    try folder.write(newer.replacing("bolide: 1", with: "bolide: 1\nname: quakes"), to: "newer.yaml")
    let plan = try same("migrate", "S", "newer.yaml", "--plan")
    #expect(
      plan.output == """
        rename Quake.magnitude to size
        add Quake.felt, integer32
        keep Quake.time, which the pipeline does not name; --drop Quake.time would drop it

        """)
    try same("fetch", "S", "Quake")
    #expect(try same("migrate", "S", "newer.yaml", "--drop", "Quake.id").status == 64)
    #expect(
      try same("migrate", "S", "newer.yaml", "--drop", "Quake.time").output.hasPrefix("drop Quake.time\n"))
    #expect(try same("migrate", "S", "newer.yaml") == .silent)
    #expect(try same("import", "quakes.yaml", "first.json", "--store", "S").status == 78)
    try same("import", "newer.yaml", "second.json", "--store", "S", "-v")
    try same("fetch", "S", "Quake")
    #expect(try same("verify", "S").status == 0)
  }

  // MARK: A whole store moves to a server

  @Test func `a whole store moves to a server, and its pipeline goes on there`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "first.json").status == 0)
    try #require(try folder.bolide("import", "quakes.yaml", "bad.json", "-q").status == 65)
    let tried = try folder.bolide("copy", "quakes.sqlite", address, "--all", "--dry-run")
    #expect(tried == Outcome(status: 0, output: "Quake: 4 inserted\nRegion: 1 inserted\n"))
    #expect(try folder.bolide("status", address).errors.contains("there is no store"))
    let copied = try folder.bolide("copy", "quakes.sqlite", address, "--all", "-v")
    #expect(copied.status == 0, "\(copied)")
    #expect(
      masked(copied.errors) == "Quake: 4 inserted; Region: 1 inserted · token T\n")
    let again = try folder.bolide("import", "quakes.yaml", "first.json", "--store", address, "-v")
    #expect(again.errors.contains("3 read = 3 unchanged"), "\(again)")
    #expect(try folder.bolide("verify", address).status == 0)
    // Sums go on exactly from their parts, and ids behind those that came.
    try psql(#"UPDATE "Quake" SET magnitude = 0.1 WHERE id = 'b'"#)
    #expect(try psql(#"SELECT total, "quakeCount" FROM "Region""#) == "1.1|2")
    try psql(#"INSERT INTO "Quake"(id) VALUES ('z')"#)
    #expect(try psql(#"SELECT min(bolide_id), max(bolide_id), count(*) FROM "Quake""#) == "1|5|5")
    let changes = try folder.bolide("changes", address, "--from", "oldest", "--count")
    #expect(changes.status == 0, "\(changes)")
    let second = try folder.bolide("copy", "quakes.sqlite", address, "--all")
    #expect(
      second
        == .failure(
          64, "\(address): there is a store, and a whole store is copied into a new one",
          "Name another schema, or the entity whose objects are to be copied."))
  }

  @Test func `a whole store is not copied into a file, nor by half`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "first.json").status == 0)
    #expect(
      try folder.bolide("copy", "quakes.sqlite", "other.sqlite", "--all")
        == .failure(
          64, "other.sqlite: a whole store is copied to a server, and this is a file",
          "Name an entity whose objects are to be copied; a file is copied by bolide backup."))
    let half = try folder.bolide("copy", "quakes.sqlite", address, "--where", "1 = 1")
    #expect(half.status == 64)
    #expect(half.errors.hasPrefix("Error: name an entity, or copy --all of a store to a server\n"))
  }

  @discardableResult
  func psql(_ sql: String) throws -> String {
    try server.psql(sql, schema: String(address.split(separator: "#")[1]))
  }
}

extension String {
  /// The text with a short name in place of a server's address, which the commands of hints have in quotes.
  func naming(_ address: String, _ name: String) -> String {
    replacing("'\(address)'", with: name).replacing(address, with: name)
  }
}
