import Testing

/// `bolide schema`, and what `bolide verify --rebuild` and an import do where a store's schema was damaged.
@Suite struct SchemaCommandTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "place": "x", "magnitude": 1}, {"id": "b", "place": "x", "magnitude": 0.5}]"#,
      to: "feed.json")
  }

  @Test func `a pipeline's schema is the one that its import makes, and makes it`() throws {
    let planned = try folder.bolide("schema", "quakes.yaml")
    #expect(planned.status == 0)
    _ = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(try folder.bolide("schema", "quakes.sqlite") == planned)
    try folder.write(planned.output, to: "schema.sql")
    #expect(try folder.shell("sqlite3 -bail copy.sqlite < schema.sql") == .silent)
    #expect(
      try folder.sqlite(
        "copy.sqlite",
        "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'")
        == folder.sqlite(
          "quakes.sqlite",
          "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'sqlite_sequence'"))
    // Each thing has a line that says what it is for.
    let lines = planned.lines
    for (index, line) in lines.enumerated() where line.hasPrefix("CREATE ") {
      #expect(lines[index - 1].hasPrefix("-- "), "\(line)")
    }
    #expect(lines.first == "-- Quake: one row an object, known by id.")
    #expect(lines.contains("-- Region: a row that OR REPLACE took away is booked as deleted."))
  }

  @Test(arguments: ["canonical", "uppercase", "lowercase"])
  func `a pipeline's schema may have other spellings of texts`(spelling: String) throws {
    try folder.write(
      "bolide: 1\nname: w\nentity: W\nkey: id\nindex: [s]\nattributes:\n  id: string\n  s: { derived: \"\(spelling):(id)\" }\n",
      to: "w.yaml")
    try folder.write(#"[{"id": "Ä"}]"#, to: "w.json")
    let planned = try folder.bolide("schema", "w.yaml")
    #expect(planned.status == 0 && planned.errors.isEmpty)
    try #require(try folder.bolide("import", "w.yaml", "w.json", "--store", "w.sqlite") == .silent)
    #expect(try folder.bolide("schema", "w.sqlite") == planned)
  }

  @Test func `what has no schema is an error`() throws {
    #expect(try folder.bolide("schema", "none.sqlite").status == 73)
    try folder.write("bolide: 1\nentity: A", to: "bad.yaml")
    #expect(try folder.bolide("schema", "bad.yaml").status == 78)
  }

  @Test func `a missing index is restored without a gap, also where the input is known again`() throws {
    _ = try folder.bolide("import", "quakes.yaml", "feed.json")
    let token = try folder.bolide("token", "quakes.sqlite").output
    _ = try folder.sqlite("quakes.sqlite", #"DROP INDEX "bolide_index_Quake.region_id""#)
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json", "-v")
    #expect(
      outcome.errors.hasPrefix(
        "Note: the index bolide_index_Quake.region_id is missing; it has been restored.\nquakes: "))
    #expect(outcome.errors.contains("(same bytes as run 1)"))
    #expect(try folder.bolide("token", "quakes.sqlite").output == token)
  }

  @Test func `an import says what it restores, and a rebuild what it repairs`() throws {
    _ = try folder.bolide("import", "quakes.yaml", "feed.json")
    _ = try folder.sqlite(
      "quakes.sqlite", "DROP TRIGGER bolide_Quake_delete; DELETE FROM Quake WHERE id = 'a'")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(
      outcome.errors
        == """
        Note: the trigger bolide_Quake_delete is missing; it has been restored.
              Derived attributes were recomputed. History has a gap: readers start again from a snapshot.

        """)
    #expect(outcome.status == 0)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    _ = try folder.sqlite("quakes.sqlite", derivedly("UPDATE Region SET total = 7"))
    let repaired = try folder.bolide("verify", "--rebuild", "quakes.sqlite")
    #expect(repaired == Outcome(status: 0, output: "repaired: Region 1 total: stored 7.0, true 1.5\n"))
    #expect(try folder.bolide("verify", "--rebuild", "quakes.sqlite") == .silent)
    // What cannot be repaired is still told.
    _ = try folder.sqlite("quakes.sqlite", "UPDATE Quake SET region_id = 9 WHERE id = 'b'")
    let left = try folder.bolide("verify", "--rebuild", "quakes.sqlite")
    #expect(left == Outcome(status: 65, output: "Quake 2: refers to a Region that does not exist\n"))
  }

  @Test func `what is derived from now() has its type by itself`() throws {
    try folder.write(
      """
      bolide: 1
      store: n.sqlite
      entity: Post
      key: id
      attributes:
        id:    integer64
        at:    { derived: now() }
        again: { derived: at }
        wide:  { derived: blog.changed }
      link: { blog: { to: { name: id } } }
      entities:
        Blog:
          key: name
          attributes:
            name:    integer64
            changed: { derived: now() }
            last:    { derived: posts.at.@max }
            first:   { derived: posts.again.@min }
          relationships: { posts: { to-many: Post, inverse: blog } }
      """, to: "n.yaml")
    try folder.write(#"[{"id": 1}]"#, to: "post.json")
    try folder.bolide("import", "n.yaml", "post.json").expectSilence()
    #expect(
      try folder.sqlite(
        "n.sqlite",
        "SELECT at = again, wide = changed, at = last, first = last FROM Post JOIN Blog ON Blog.bolide_id = blog_id"
      )
        == ["1|1|1|1"])
    #expect(try folder.bolide("verify", "n.sqlite") == .silent)
  }

  @Test func `a default with U+0000 is one`() throws {
    let text = try String(decoding: folder.bytes(of: "quakes.yaml"), as: UTF8.self)
    try folder.write(
      text.replacing("time:      date", with: #"note: { type: string, default: "a\0b" }"#), to: "quakes.yaml")
    #expect(try folder.bolide("check", "quakes.yaml", "feed.json").status == 0)
    try folder.bolide("import", "quakes.yaml", "feed.json").expectSilence()
    try folder.sqlite("quakes.sqlite", "INSERT INTO Quake(id) VALUES ('z')")
    #expect(try folder.sqlite("quakes.sqlite", "SELECT DISTINCT hex(note) FROM Quake") == ["610062"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }
}
