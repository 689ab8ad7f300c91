import Foundation
import Testing

/// Rows that another program has written in a way that no import would.
@Suite struct ForeignRowTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: words.sqlite
      entity: Word
      key: id
      attributes:
        id:    string
        text:  string
        upper: { derived: uppercase:(text) }
        plain: { derived: canonical:(text) }
      """, to: "words.yaml")
    try folder.write(#"[{"id": "a", "text": "x\u0000Ä"}]"#, to: "feed.json")
    try #require(try folder.bolide("import", "words.yaml", "feed.json") == .silent)
  }

  @Test func `the largest id there is leaves none for a new object`() throws {
    try folder.sqlite("words.sqlite", "INSERT INTO Word(bolide_id, id) VALUES (9223372036854775807, 'max')")
    try folder.write(#"[{"id": "b"}]"#, to: "new.json")
    for arguments in [["words.yaml", "new.json"], ["words.yaml", "new.json", "--dry-run"]] {
      let outcome = try Running(Folder.tool, ["import"] + arguments, in: folder, input: .nothing).outcome()
      #expect(outcome.status == 65)
      #expect(
        outcome.errors.contains(
          "Word has no bolide_id left for a new object: another program has used the largest integer."))
      let hint =
        "Delete that row, then: UPDATE sqlite_sequence SET seq = (SELECT max(bolide_id) FROM \"Word\") WHERE name = 'Word'"
      #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }
    // Those that are there are imported all the same.
    #expect(try folder.bolide("import", "words.yaml", "feed.json", "--force") == .silent)
    try folder.sqlite(
      "words.sqlite",
      """
      DELETE FROM Word WHERE id = 'max';
      UPDATE sqlite_sequence SET seq = (SELECT max(bolide_id) FROM "Word") WHERE name = 'Word'
      """)
    #expect(try folder.bolide("import", "words.yaml", "new.json", "-q") == .silent)
    #expect(try folder.bolide("verify", "words.sqlite") == .silent)
  }

  /// Owners that a chunk makes, and links that a command makes.
  @Test func `the largest id there is leaves none for an owner or a link`() throws {
    try folder.write(
      """
      bolide: 1
      store: posts.sqlite
      entity: Post
      key: id
      attributes: { id: integer64, author: string }
      link: { writer: { to: { name: author } } }
      relationships: { tags: { to-many: Tag, inverse: posts } }
      entities:
        Writer: { key: name, attributes: { name: string }, relationships: { posts: { to-many: Post, inverse: writer } } }
        Tag:    { key: name, attributes: { name: string }, relationships: { posts: { to-many: Post, inverse: tags } } }
      """, to: "posts.yaml")
    try folder.write(#"[{"id":1,"author":"a"}]"#, to: "post.json")
    try folder.bolide("import", "posts.yaml", "post.json").expectSilence()
    let links = try folder.sqlite(
      "posts.sqlite",
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'Post%' AND name <> 'Post'")[0]
    try folder.sqlite(
      "posts.sqlite",
      """
      INSERT INTO Tag(name) VALUES ('x');
      INSERT INTO Writer(bolide_id, name) VALUES (9223372036854775807, 'max');
      UPDATE sqlite_sequence SET seq = 9223372036854775807 WHERE name = '\(links)';
      INSERT INTO sqlite_sequence(name, seq) SELECT '\(links)', 9223372036854775807
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '\(links)')
      """)
    try folder.write(#"[{"id":2,"author":"b"}]"#, to: "post.json")
    let owner = try folder.bolide("import", "posts.yaml", "post.json")
    #expect(owner.status == 65 && owner.errors.contains("Writer has no bolide_id left for a new object"))
    let link = try folder.bolide(
      "link", "posts.sqlite", "Post", "tags", "--where", "id = 1", "--to", "name=x")
    #expect(link.status == 65 && link.errors.contains("\(links) has no bolide_id left for a new object"))
    try folder.bolide("verify", "posts.sqlite").expectSilence()
  }

  @Test(arguments: ["bolide_id", "rowid", "_rowid_", "oid", "OID"])
  func `an object keeps its id, whatever name it is called by`(name: String) throws {
    let outcome = try folder.run("sqlite3", [folder.path("words.sqlite"), "UPDATE Word SET \(name) = 77"])
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("bolide_id is the identity of an object and never changes"))
    #expect(try folder.sqlite("words.sqlite", "SELECT bolide_id FROM Word") == ["1"])
    try folder.sqlite("words.sqlite", "UPDATE Word SET \(name) = \(name)")
  }

  @Test func `U+0000 cuts no folded text`() throws {
    #expect(
      try folder.sqlite("words.sqlite", "SELECT hex(upper), hex(plain) FROM Word") == ["5800C384|780061"])
    try folder.sqlite("words.sqlite", "UPDATE Word SET text = 'é' || char(0) || 'b'")
    #expect(try folder.bolide("token", "words.sqlite").status == 0)
    #expect(
      try folder.sqlite("words.sqlite", "SELECT hex(upper), hex(plain) FROM Word") == ["C3890042|650062"])
    #expect(try folder.bolide("verify", "words.sqlite") == .silent)
  }

  @Test(arguments: [
    "2026-99-99", "2026-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-11-22T25:00:00Z",
    "2026-11-22T12:60",
    "2026-11-22T12:00:61.5",
  ])
  func `a day or an instant that there is not is none to begin at, or to end at`(text: String) throws {
    for arguments in [
      ["changes", "words.sqlite", "--since", text], ["prune", "words.sqlite", "--before", text],
    ] {
      let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
      #expect(
        outcome
          == .failure(
            64, "'\(text)' is not a valid day or instant", "Write it as 2026-05-12T06:00:03Z."),
        "\(outcome)")
    }
    #expect(try folder.sqlite("words.sqlite", "SELECT count(*) FROM bolide_transaction") == ["1"])
  }

  @Test(arguments: ["2024-02-29", "2026-11-22T23:59:59.999Z", "2026-11-22T00"])
  func `one that there is`(text: String) throws {
    #expect(try folder.bolide("prune", "words.sqlite", "--before", text).status == 0)
  }

  @Test func `a snapshot takes the place of a snapshot or an empty file, and of nothing else`() throws {
    try folder.sqlite("app.db", "CREATE TABLE users(a); INSERT INTO users VALUES (1)")
    for file in ["app.db", "words.yaml", "feed.json"] {
      let before = try folder.bytes(of: file)
      #expect(
        try folder.bolide("snapshot", "words.sqlite", "--sqlite", file)
          == .failure(
            64, "\(file): the file is not a snapshot, and the snapshot would overwrite it",
            "Use another file, or remove this one first."))
      #expect(try folder.bytes(of: file) == before)
    }
    try folder.write("", to: "copy.sqlite")
    for _ in 0..<2 {
      #expect(try folder.bolide("snapshot", "words.sqlite", "--sqlite", "copy.sqlite") == .silent)
      #expect(try folder.count("Word", in: "copy.sqlite") == 1)
    }
  }

  @Test(arguments: [
    (#"[{"id": "b"}, {"id": 5}, {"id": "c"}, @"#, "2", ". The 3 records before it are in the store"),
    (
      #"[{"id": "b"}, {"id": [5]}, {"id": "c"}, @"#, "2",
      ". Of the 3 records before it 2 are in the store, and 1 was rejected"
    ),
    (
      #"[{"id": [1]}, {"id": [5]}, {"id": "c"}, @"#, "2",
      ". Of the 3 records before it 1 is in the store, and 2 were rejected"
    ),
    (#"[{"id": [1]}, {"id": [5]}, @"#, "2", ". The 2 records before it were rejected"),
    (#"[{"id": [1]}, @"#, "1", ". The record before it was rejected"),
    (#"[{"id": "b"}, @"#, "0", ". The record before it is in the store"),
  ])
  func `what is in the store of a damaged feed is what was not rejected`(
    feed: String, limit: String, end: String
  )
    throws
  {
    try folder.write(feed, to: "cut.json")
    let outcome = try folder.bolide("import", "words.yaml", "cut.json", "--max-rejects", limit)
    #expect(outcome.status == 65)
    let error = try #require(outcome.errors.split(separator: "\n").first { $0.hasPrefix("Error: ") })
    #expect(error.hasSuffix("found '@'; expected a value\(end)."), "\(outcome.errors)")
    let counts = try folder.sqlite("words.sqlite", "SELECT count(*) FROM Word")
    #expect(
      counts == [
        "\(1 + (end.contains("3 records before it are") ? 3 : end.contains(" 2 are") ? 2 : end.hasSuffix("rejected") && !end.contains(" 1 is") ? 0 : 1))"
      ])
  }
}
