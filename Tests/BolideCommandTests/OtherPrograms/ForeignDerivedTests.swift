import Foundation
import Testing

/// What other programs write into derived attributes, and totals that no number is.
@Suite struct ForeignDerivedTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      name: posts
      store: blog.sqlite
      entity: Post
      key: id
      on-absent-field: ignore
      attributes:
        id:    string
        title: string
        size:  double
        words: integer64
        writer: { type: string, transient: true }
        shout: { derived: uppercase:(title) }
        by:    { derived: author.name }
        at:    { derived: now() }
      link:
        author: { to: { name: writer } }
      entities:
        Author:
          key: name
          attributes:
            name:  string
            posts: { derived: texts.@count }
            sizes: { derived: texts.size.@sum }
            total: { derived: texts.words.@sum }
            mean:  { derived: texts.size.@average }
          relationships:
            texts: { to-many: Post, inverse: author, on-delete: cascade }
      """, to: "posts.yaml")
    try folder.write(
      #"[{"id": "a", "title": "one", "size": 1.5, "words": 5, "writer": "x"}, {"id": "b", "size": 2, "writer": "x"}]"#,
      to: "feed.json")
    try #require(try folder.bolide("import", "posts.yaml", "feed.json") == .silent)
  }

  private func rows(_ sql: String) throws -> [String] { try folder.sqlite("blog.sqlite", sql) }

  @Test(
    arguments: [
      "UPDATE Author SET posts = 99, sizes = 1e9, bolide_sizes_2 = 7, mean = 8",
      "UPDATE Author SET name = 'x', total = 77, bolide_mean_count = 4",
      "UPDATE Post SET shout = 'FALSE', by = 'nobody', at = '2000-01-01T00:00:00Z'",
      "INSERT INTO Author(name, posts, sizes, mean) VALUES ('x', 9, 9, 9) ON CONFLICT DO UPDATE SET posts = excluded.posts",
      "UPDATE OR IGNORE Author SET posts = posts + 1; UPDATE OR REPLACE Author SET total = NULL",
    ], ["", "PRAGMA recursive_triggers = ON; ", "PRAGMA foreign_keys = ON; "])
  func `derived attributes keep their values in the same statement, and history hears nothing`(
    sql: String, settings: String
  ) throws {
    let everything = "SELECT * FROM Author; SELECT * FROM Post"
    let before = try rows(everything)
    let token = try folder.bolide("token", "blog.sqlite").output
    _ = try rows(settings + sql)
    #expect(try rows(everything) == before)
    #expect(try folder.bolide("token", "blog.sqlite").output == token)
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `an object mapper saves all columns long after it read them`() throws {
    _ = try rows(
      """
      CREATE TEMP TABLE read AS SELECT * FROM Author;
      INSERT INTO Post(id, size, words, author_id) VALUES ('c', 0.1, 3, 1);
      UPDATE Author SET (name, posts, sizes, total) = (SELECT name, posts, sizes, total FROM temp.read) WHERE bolide_id = 1;
      UPDATE Post SET title = 'two', shout = 'FALSE', size = 5, by = NULL WHERE id = 'a';
      INSERT INTO Author(name, posts, sizes, bolide_sizes_3) VALUES ('y', 55, 5.5, 5);
      INSERT INTO Post(id, title, shout, by, at) VALUES ('d', 'new', 'FALSE', 'FALSE', '2000-01-01T00:00:00Z');
      """)
    #expect(try rows("SELECT posts, sizes, total FROM Author") == ["3|7.1|8", "0|0.0|0"])
    let changes = try folder.bolide("changes", "blog.sqlite", "--values", "--previous")
    #expect(
      !changes.output.contains("FALSE") && !changes.output.contains(#":55,"#)
        && !changes.output.contains(#":55}"#))
    #expect(
      try rows("SELECT id, shout, by, at > '2020' FROM Post WHERE id IN ('a', 'd')") == [
        "a|TWO|x|1", "d|NEW||1",
      ])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test(arguments: ["", "PRAGMA recursive_triggers = ON; ", "PRAGMA foreign_keys = ON; "])
  func `an object replaced under its own id begins anew`(settings: String) throws {
    _ = try rows(settings + "INSERT OR REPLACE INTO Author(bolide_id, name, posts) VALUES (1, 'new', -3)")
    #expect(try rows("SELECT name, posts, sizes, total FROM Author") == ["new|0|0.0|0"])
    #expect(try rows("SELECT count(*) FROM Post") == ["0"])
    let changes = try folder.bolide("changes", "blog.sqlite", "--values", "--previous").output
    #expect(!changes.contains(":-1") && !changes.contains(":-3"))
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `a total beyond 64 bits is null, all rows land, and its owner is named`() throws {
    try folder.write(
      #"[{"id": "c", "words": 9223372036854775807, "writer": "x"}, {"id": "d", "words": 1, "writer": "y"}]"#,
      to: "more.json")
    let note = "Author 1 total: null, as the sum is beyond the range of 64 bits"
    let outcome = try folder.bolide("import", "posts.yaml", "more.json", "--json")
    #expect(outcome.status == 0 && outcome.errors == "Note: \(note)\n")
    #expect(
      outcome.output.contains(
        #""nullTotals":1,"nullTotalsOf":[{"entity":"Author","id":1,"attribute":"total"}]"#))
    #expect(try rows("SELECT posts, total FROM Author") == ["3|", "1|1"])
    #expect(try folder.bolide("verify", "blog.sqlite") == Outcome(status: 0, output: note + "\n"))
    let status = try folder.bolide("status", "blog.sqlite")
    #expect(status.output.contains("totals") && status.output.contains(note))
    #expect(try folder.bolide("fetch", "blog.sqlite", "Author", "--where", "total IS NULL").lines.count == 1)
    // Without the value the total is a number again.
    try folder.write(#"[{"id": "c", "words": 2}]"#, to: "more.json")
    #expect(try folder.bolide("import", "posts.yaml", "more.json") == .silent)
    #expect(try rows("SELECT total FROM Author") == ["7", "1"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `many null totals are named as far as ten, and counted`() throws {
    let records = (0..<12).map { #"{"id": "\#($0)", "size": 1e308, "writer": "w\#($0 / 2)"}"# }
    try folder.write("[\(records.joined(separator: ","))]", to: "more.json")
    let more = (0..<24).map { #"{"id": "m\#($0)", "words": 9223372036854775807, "writer": "w\#($0 / 2)"}"# }
    try folder.write("[\(more.joined(separator: ","))]", to: "more2.json")
    #expect(try folder.bolide("import", "posts.yaml", "more.json").errors.split(separator: "\n").count == 6)
    let outcome = try folder.bolide("import", "posts.yaml", "more2.json")
    #expect(
      outcome.errors.contains("Note: Author 2 sizes: null, as the sum is beyond the range of a double\n"))
    #expect(outcome.errors.hasSuffix("Note: and 8 more\n"))
  }

  @Test func `an infinity of another program is a string in JSON`() throws {
    _ = try rows("UPDATE Post SET size = CASE id WHEN 'a' THEN 9e999 ELSE -9e999 END")
    let lines = try folder.bolide("fetch", "blog.sqlite", "Post", "--format", "ndjson").lines
    #expect(
      lines.map { $0.contains(#""size":"Infinity""#) || $0.contains(#""size":"-Infinity""#) } == [true, true])
    let changes = try folder.bolide("changes", "blog.sqlite", "--values").output
    #expect(changes.contains(#""size":"Infinity""#) && changes.contains(#""size":"-Infinity""#))
    #expect(try rows("SELECT ifnull(sizes, 'null'), ifnull(mean, 'null') FROM Author") == ["null|null"])
  }
}
