import Foundation
import Testing

/// The shipped blog: tags many-to-many, attachments of each post, on its sample and on changed ones.
@Suite struct BlogTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.takePipeline("blog")
    try FileManager.default.copyItem(
      at: Folder.repository.appending(path: "SampleData/blog.json"),
      to: folder.url.appending(path: "blog.json"))
  }

  private func importFeed(_ feed: String, _ arguments: String...) throws -> Outcome {
    try folder.write(feed, to: "feed.json")
    return try Running(
      Folder.tool, ["import", "blog.yaml", "feed.json", "--json", "-q"] + arguments, in: folder,
      input: .nothing
    ).outcome()
  }

  private func change(_ old: String, _ new: String) throws {
    let text = try String(contentsOf: folder.url.appending(path: "blog.yaml"), encoding: .utf8)
    try #require(text.contains(old))
    try folder.write(text.replacing(old, with: new), to: "blog.yaml")
  }

  private func links() throws -> [String] {
    try folder.sqlite(
      "blog.sqlite",
      """
      SELECT id, name FROM Post_tags JOIN Post ON Post.bolide_id = posts_id JOIN Tag ON Tag.bolide_id = tags_id
      ORDER BY id, name
      """)
  }

  @Test(arguments: ["1", "5", "10000"]) func `the store is what other programs read in the sample`(
    chunkRows: String
  ) throws {
    #expect(try folder.bolide("check", "blog.yaml", "blog.json").status == 0)
    let outcome = try folder.bolide("import", "blog.yaml", "blog.json", "--chunk-rows", chunkRows, "--json")
    #expect(outcome.status == 0)
    #expect(try Counts(outcome) == Counts(read: 12, inserted: 12))
    #expect(try Counts("Post_tags", outcome) == Counts(read: 23, inserted: 23))
    #expect(try Counts("Attachment", outcome) == Counts(read: 8, inserted: 8))
    #expect(try Counts("Tag", outcome).inserted == 9)
    let program = """
      import base64, json, sqlite3
      feed = json.load(open("blog.json"))
      store = sqlite3.connect("file:blog.sqlite?mode=ro", uri=True)
      found = store.execute("SELECT id, title, published, words, tagCount, attachmentBytes FROM Post ORDER BY id").fetchall()
      assert found == [(p["id"], p["title"], p["published"], p["words"], len(p["tags"]),
        sum(a["size"] for a in p.get("attachments", []))) for p in feed], "the posts differ"
      tags = {}
      for post in feed:
        for tag in post["tags"]: tags.setdefault(tag, []).append(post)
      found = store.execute("SELECT name, postCount, wordCount, lastPost, longPosts FROM Tag ORDER BY name").fetchall()
      assert found == [(name, len(posts), sum(p["words"] for p in posts), max(p["published"] for p in posts),
        sum(p["words"] > 1000 for p in posts)) for name, posts in sorted(tags.items())], "the tags differ"
      found = store.execute('''SELECT id, name FROM Post_tags JOIN Post ON Post.bolide_id = posts_id
        JOIN Tag ON Tag.bolide_id = tags_id ORDER BY id, name''').fetchall()
      assert found == sorted((p["id"], tag) for p in feed for tag in p["tags"]), "the links differ"
      found = store.execute('''SELECT id, name, mediaType, size, data FROM Attachment JOIN Post ON Post.bolide_id = post_id
        ORDER BY id, name''').fetchall()
      assert found == sorted((p["id"], a["name"], a["media-type"], a["size"], base64.b64decode(a["data"]))
        for p in feed for a in p.get("attachments", [])), "the attachments differ"
      assert all(len(row[4]) == row[3] for row in found), "a size is wrong"
      """
    try folder.python(program)
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
    #expect(
      try folder.bolide("import", "blog.yaml", "blog.json", "--force", "-q", "--json").output.contains(
        #""token":null"#))
  }

  @Test func `the line for people has the links behind the objects`() throws {
    let outcome = try folder.bolide("import", "blog.yaml", "blog.json", "-v")
    #expect(
      (outcome.output + outcome.errors).contains(
        "blog: 12 read = 12 inserted; Tag 23 read = 9 inserted + 14 duplicate; Post_tags 23 read = 23 inserted; "
          + "Attachment 8 read = 8 inserted"))
    let changes = try folder.bolide("changes", "blog.sqlite", "--entity", "Post_tags").lines
    #expect(changes.count == 24)
    #expect(
      changes.first?.contains(#""kind":"insert","entity":"Post_tags","id":1,"key":{"posts":1,"tags":1}"#)
        == true)
  }

  @Test func `a deleted post takes attachments and links along, whatever the program's settings`() throws {
    for keys in ["ON", "OFF"] {
      #expect(try folder.bolide("import", "blog.yaml", "blog.json", "--force", "-q").status == 0)
      try folder.sqlite("blog.sqlite", "PRAGMA foreign_keys = \(keys); DELETE FROM Post WHERE id IN (2, 11)")
      #expect(
        try folder.sqlite(
          "blog.sqlite", "SELECT postCount FROM Tag WHERE name = 'fireballs'; SELECT count(*) FROM Attachment"
        )
          == ["2", "5"])
      #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
    }
    #expect(
      try folder.bolide("changes", "blog.sqlite", "--entity", "Post_tags", "--kind", "delete", "--net").status
        == 0)
  }

  @Test func `elements of a wrong kind are rejected with their places`() throws {
    let outcome = try importFeed(
      #"[{"id": 1, "tags": ["a", null, 7, {"name": "b"}, "c"]},"# + "\n" + #" {"id": 2, "tags": "a"}]"#)
    #expect(outcome.status == 65)
    #expect(try Counts(outcome) == Counts(read: 2, inserted: 1, rejected: 1))
    #expect(try Counts("Tag", outcome) == Counts(read: 5, inserted: 3, rejected: 2))
    #expect(try Counts("Post_tags", outcome) == Counts(read: 3, inserted: 3))
    #expect(
      try folder.sqlite(
        "blog.sqlite",
        "SELECT code, attribute, record, line, column, entity, child, message FROM bolide_reject ORDER BY reject"
      )
        == [
          "null-key|name|1|1|26|Tag|2|name is part of the key and is null",
          "not-one-value|name|1|1|35|Tag|4|name: expected one value, found an object or an array",
          "not-an-array||2|2|20||0|tags: expected an array, found a text",
        ])
    #expect(try links() == ["1|7", "1|a", "1|c"])
  }

  @Test func `a rejected element that is replayed gets its link, and brings back none that was removed`()
    throws
  {
    try change(
      "name:        { type: string, from: . }", "name:        { type: string, from: ., max-length: 3 }")
    let feed = #"[{"id": 1, "tags": ["one", "three", "two"]}, {"id": 2, "tags": ["three", "one"]}]"#
    let outcome = try importFeed(feed)
    #expect(try Counts("Tag", outcome) == Counts(read: 5, inserted: 2, duplicates: 1, rejected: 2))
    try folder.sqlite("blog.sqlite", "DELETE FROM Post_tags WHERE posts_id = 1 AND tags_id = 1")
    try change("max-length: 3", "max-length: 9")
    let replay = try folder.bolide("import", "blog.yaml", "--replay", "--json", "-q")
    #expect(try Counts(replay) == Counts(read: 2, unchanged: 2))
    #expect(try Counts("Tag", replay) == Counts(read: 5, inserted: 1, unchanged: 2, duplicates: 2))
    #expect(try Counts("Post_tags", replay) == Counts(read: 2, inserted: 2))
    #expect(replay.output.contains(#""stillKept":0"#))
    #expect(try links() == ["1|three", "1|two", "2|one", "2|three"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `an import that keeps nothing keeps no tag and no link`() throws {
    #expect(try importFeed(#"[{"id": 1, "tags": ["a"]}]"#).status == 0)
    let outcome = try importFeed(#"[{"id": 2, "tags": ["b"]}, {"id": "x"}]"#, "--atomic")
    #expect(outcome.status == 65)
    #expect(try links() == ["1|a"])
    #expect(try folder.sqlite("blog.sqlite", "SELECT name, postCount FROM Tag") == ["a|1"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `an import that stops at a refusal has linked what came before it`() throws {
    let outcome = try importFeed(
      #"[{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["b", null, "c"]}, {"id": 3, "tags": ["a"]}]"#,
      "--stop-on-reject")
    #expect(outcome.status == 65)
    #expect(try links() == ["1|a", "1|b", "2|b"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `a full feed that owns its links knows which of them are gone`() throws {
    try change("key: id\n", "key: id\nfeed: full\n")
    let feed =
      #"[{"id": 1, "tags": ["a", "b", "c"]}, {"id": 2, "tags": ["a", "b"]}, {"id": 3, "tags": ["a"]}]"#
    // A tag that nobody holds is missing; links of posts that were there are not looked at.
    #expect(try importFeed(feed).status == 0)
    let fewer = #"[{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["b"]}, {"id": 3, "tags": ["a"]}]"#
    #expect(try importFeed(fewer).output.contains(#""missing":1"#))
    try change("many-to-many: true", "many-to-many: true\n    when: always")
    #expect(try importFeed(feed).output.contains(#""missing":0"#))
    try folder.sqlite("blog.sqlite", "INSERT INTO Post_tags(posts_id, tags_id) VALUES (3, 2)")
    #expect(try importFeed(fewer).output.contains(#""missing":3"#))
    #expect(
      try folder.bolide("missing", "blog.sqlite", "--delete", "--guard", "50%").status == 0)
    // The link that another program made was never the feed's.
    #expect(try links() == ["1|a", "1|b", "2|b", "3|a", "3|b"])
    #expect(try folder.sqlite("blog.sqlite", "SELECT name, postCount FROM Tag ORDER BY 1") == ["a|2", "b|3"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }

  @Test func `a post may name a tag that its tags hold too`() throws {
    try change(
      "  attachmentBytes:", "  mainName: { type: string, from: main, transient: true }\n  attachmentBytes:")
    try change(
      "children:\n",
      "relationships: { main: { to-one: Tag } }\nlink: { main: { to: { name: mainName } } }\nchildren:\n")
    let outcome = try importFeed(
      #"[{"id": 1, "main": "a", "tags": ["a", "b"]}, {"id": 2, "main": "b", "tags": []}, {"id": 3, "main": "c"}]"#
    )
    #expect(outcome.status == 0)
    #expect(try Counts("Tag", outcome) == Counts(read: 2, unchanged: 2))
    #expect(try links() == ["1|a", "1|b"])
    #expect(
      try folder.sqlite(
        "blog.sqlite", "SELECT id, name FROM Post JOIN Tag ON Tag.bolide_id = main_id ORDER BY 1")
        == ["1|a", "2|b", "3|c"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }
}

/// Random posts with random tags, several times revised, in chunks of all sizes: the links are those that the rules give.
@Suite struct BlogPropertyTests {
  @Test(arguments: 0..<6) func `links follow the rules, whatever the chunks`(seed: UInt64) throws {
    let folder = try Folder()
    var random = SeededGenerator(seed: seed)
    let isAlways = seed % 2 == 1
    let chunkRows = [1, 3, 1000][Int(seed % 3)]
    try folder.write(
      """
      bolide: 1
      store: blog.sqlite
      entity: Post
      key: id
      attributes: { id: integer64, words: integer64, tagCount: { derived: tags.@count }, rarest: { derived: tags.n.@max } }
      children:
        tags:
          entity: Tag
          inverse: posts
          many-to-many: true
          when: \(isAlways ? "always" : "insert")
          key: n
          attributes: { n: { type: integer64, from: . }, words: { derived: posts.words.@sum } }
      """, to: "blog.yaml")
    var stored: [Int: Set<Int>] = [:]
    for round in 0..<5 {
      let feed = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        (
          id: Int.random(in: 0..<25, using: &random),
          tags: (0..<Int.random(in: 0...5, using: &random)).map { _ in Int.random(in: 0..<12, using: &random)
          }
        )
      }
      for (id, tags) in feed where isAlways || stored[id] == nil {
        stored[id, default: []].formUnion(tags)
      }
      let json = feed.map { #"{"id": \#($0.id), "words": \#($0.id * 10), "tags": \#($0.tags)}"# }
      try folder.write("[\(json.joined(separator: ",\n"))]", to: "feed.json")
      let outcome = try folder.bolide(
        "import", "blog.yaml", "feed.json", "--chunk-rows", "\(chunkRows)", "--json", "-q", "--force")
      try #require(outcome.status == 0, "\(outcome.errors)")
      let links = try folder.sqlite(
        "blog.sqlite",
        "SELECT id, n FROM Post_tags JOIN Post ON Post.bolide_id = posts_id JOIN Tag ON Tag.bolide_id = tags_id "
          + "ORDER BY id, n")
      let wanted = stored.keys.sorted().flatMap { id in stored[id, default: []].sorted().map { "\(id)|\($0)" }
      }
      try #require(links == wanted, "seed \(seed), round \(round)")
      let sums = try folder.sqlite("blog.sqlite", "SELECT n, words FROM Tag ORDER BY n")
      for line in sums {
        let parts = line.split(separator: "|").compactMap { Int($0) }
        let words = stored.filter { $0.value.contains(parts[0]) }.reduce(0) { $0 + $1.key * 10 }
        #expect(parts[1] == words)
      }
      try #require(try folder.bolide("verify", "blog.sqlite") == .silent)
      let gone = Int.random(in: 0..<25, using: &random)
      let tag = Int.random(in: 0..<12, using: &random)
      try folder.sqlite(
        "blog.sqlite",
        "DELETE FROM Post_tags WHERE posts_id = (SELECT bolide_id FROM Post WHERE id = \(gone)) "
          + "OR tags_id = (SELECT bolide_id FROM Tag WHERE n = \(tag))")
      stored[gone] = stored[gone].map { _ in [] }
      for id in stored.keys { stored[id]?.remove(tag) }
    }
  }
}
