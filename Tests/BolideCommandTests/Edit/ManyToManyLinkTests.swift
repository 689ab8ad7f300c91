import BolideBench
import Foundation
import Testing

/// `bolide link` at the ends of many-to-many relationships.
@Suite struct ManyToManyLinkTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(Folder.blog, to: "blog.yaml")
    try folder.write(
      """
      [{"id": 1, "words": 10, "tags": ["moon", "sky"]}, {"id": 2, "words": 20, "tags": ["moon"]},
       {"id": 3, "words": 40, "tags": [], "notes": [{"number": 1}]}]
      """, to: "feed.json")
    try #require(try folder.bolide("import", "blog.yaml", "feed.json") == .silent)
  }

  private func link(_ arguments: String...) throws -> Outcome {
    try Running(Folder.tool, ["link", "blog.sqlite"] + arguments, in: folder, input: .nothing).outcome()
  }

  private func links(_ store: String = "blog.sqlite") throws -> [String] {
    try folder.sqlite(
      store,
      """
      SELECT id || ' ' || name FROM Post_tags JOIN Post ON Post.bolide_id = posts_id
      JOIN Tag ON Tag.bolide_id = tags_id ORDER BY id, name
      """)
  }

  private func tags() throws -> [String] {
    try folder.sqlite("blog.sqlite", "SELECT name, postCount, wordCount FROM Tag ORDER BY name")
  }

  @Test func `links are added and taken away, and both ends follow`() throws {
    let token = try folder.bolide("token", "blog.sqlite").lines[0]
    #expect(
      try link("Post", "tags", "--where", "words >= 20", "--to", "name=sky", "--dry-run").output
        == "Post: 2 updated\nTag: 1 updated\nPost_tags: 2 inserted\n")
    #expect(try links() == ["1 moon", "1 sky", "2 moon"])
    #expect(try folder.bolide("token", "blog.sqlite").lines[0] == token)
    let added = try link(
      "Post", "tags", "--where", "words >= 20", "--to", "name=sky", "--author", "anna", "-v")
    #expect(
      added.errors.wholeMatch(
        of: /Post: 2 updated; Tag: 1 updated; Post_tags: 2 inserted · token \S+\n/) != nil)
    #expect(try links() == ["1 moon", "1 sky", "2 moon", "2 sky", "3 sky"])
    #expect(try tags() == ["moon|2|30", "sky|3|70"])
    let changes = try folder.bolide("changes", "blog.sqlite", "--since", token, "--entity", "Post_tags").lines
    #expect(changes.count == 3)
    #expect(
      changes.first?.contains(
        #""kind":"insert","entity":"Post_tags","id":4,"key":{"posts":2,"tags":2}"#) == true)
    #expect(changes.last?.contains(#""author":"anna","pipeline":null,"run":null"#) == true)
    // From the other end, and one link alone.
    #expect(try link("Tag", "posts", "--where", "name = 'moon'", "--remove", "id=1") == .silent)
    #expect(try links() == ["1 sky", "2 moon", "2 sky", "3 sky"])
    #expect(
      try link("Post", "tags", "--where", "id > 1", "--to-none", "--json").output.contains(
        #""exitStatus":0,"entities":{"Post":{"inserted":0,"updated":2,"deleted":0},"Tag":{"inserted":0,"updated":2,"deleted":0},"Post_tags":{"inserted":0,"updated":0,"deleted":3}}"#
      ))
    #expect(try links() == ["1 sky"])
    #expect(try tags() == ["moon|0|0", "sky|1|10"])
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
    // The next import leaves them as they are.
    #expect(try folder.bolide("import", "blog.yaml", "feed.json", "--force") == .silent)
    #expect(try links() == ["1 sky"])
  }

  @Test func `what is so already is not touched`() throws {
    let token = try folder.bolide("token", "blog.sqlite")
    #expect(
      try link("Post", "tags", "--where", "id < 3", "--to", "name=moon", "-v").errors == "nothing changes\n")
    #expect(try link("Post", "tags", "--where", "id > 1", "--remove", "name=sky") == .silent)
    #expect(try link("Post", "tags", "--where", "id = 3", "--to-none") == .silent)
    #expect(try link("Note", "post", "--where", "0", "--to-none") == .silent)
    #expect(try folder.bolide("token", "blog.sqlite") == token)
    // Of the three posts only one gets a link.
    #expect(
      try link("Post", "tags", "--all", "--to", "name=moon", "--dry-run").output
        == "Post: 1 updated\nTag: 1 updated\nPost_tags: 1 inserted\n")
  }

  @Test func `a to-one link is taken away where it leads to an object`() throws {
    let fireballs = try Folder.withFireballs()
    try fireballs.write(
      #"{"fields": ["date"], "data": [["2001-01-01 00:00:00"], ["2002-01-01 00:00:00"]]}"#, to: "two.json")
    #expect(try fireballs.bolide("import", "fireballs.yaml", "two.json") == .silent)
    #expect(
      try fireballs.bolide(
        "link", "fireballs.sqlite", "Fireball", "group", "--all", "--remove", "year=2001", "--dry-run"
      ).output == "Fireball: 1 updated\nFireballGroup: 1 updated\n")
    #expect(
      try fireballs.bolide("link", "fireballs.sqlite", "Fireball", "group", "--all", "--remove", "year=2001")
        == .silent)
    #expect(
      try fireballs.sqlite(
        "fireballs.sqlite", "SELECT date, group_id IS NULL FROM Fireball ORDER BY 1")
        == ["2001-01-01T00:00:00Z|1", "2002-01-01T00:00:00Z|0"])
  }

  @Test(
    arguments: [
      (
        ["Post", "tags", "--all", "--to", "name=sun"], Int32(65),
        "there is no Tag with this key: nothing was changed", "Import it first."
      ),
      (
        ["Post", "tags", "--all", "--remove", "name=sun"], 65,
        "there is no Tag with this key: nothing was changed", nil
      ),
      (
        ["Post", "notes", "--all", "--to", "number=1"], 64,
        "'notes' of Post is to-many; link from its to-one end",
        "Link from the other end: bolide link blog.sqlite Note post"
      ),
      (
        ["Post", "tags", "--all", "--remove", "id=3"], 64,
        "an object of Tag is named by its key, name", "Use name=…."
      ),
      (
        ["Post", "tag", "--all", "--to-none"], 64, "Post has no relationship 'tag'; did you mean 'tags'?", nil
      ),
    ] as [([String], Int32, String, String?)])
  func `what cannot be done is told, and nothing is changed`(
    arguments: [String], status: Int32, sentence: String, hint: String?
  ) throws {
    let token = try folder.bolide("token", "blog.sqlite")
    let outcome = try Running(
      Folder.tool, ["link", "blog.sqlite"] + arguments, in: folder, input: .nothing
    ).outcome()
    #expect(outcome == .failure(status, "blog.sqlite: " + sentence, hint))
    #expect(try folder.bolide("token", "blog.sqlite") == token)
  }

  /// Links through the tool, at either end, and through the `sqlite3` shell come to the same.
  @Test(arguments: 1...3) func `random links are what plain SQL makes`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try #require(try folder.run("cp", ["blog.sqlite", "shell.sqlite"]).status == 0)
    for _ in 0..<12 {
      let (post, name) = (random.next(below: 3) + 1, ["moon", "sky"][random.next(below: 2)])
      let (posts, tag) = (
        "SELECT bolide_id FROM Post WHERE id >= \(post)", "SELECT bolide_id FROM Tag WHERE name = '\(name)'"
      )
      let sql: String
      switch random.next(below: 5) {
      case 0, 1:
        #expect(try link("Post", "tags", "--where", "id >= \(post)", "--to", "name=\(name)") == .silent)
        sql =
          "INSERT INTO Post_tags(posts_id, tags_id) SELECT p.bolide_id, t.bolide_id FROM Post p, Tag t "
          + "WHERE p.id >= \(post) AND t.name = '\(name)' ON CONFLICT DO NOTHING"
      case 2:
        #expect(try link("Post", "tags", "--where", "id >= \(post)", "--remove", "name=\(name)") == .silent)
        sql = "DELETE FROM Post_tags WHERE posts_id IN (\(posts)) AND tags_id = (\(tag))"
      case 3:
        #expect(try link("Tag", "posts", "--all", "--to", "id=\(post)") == .silent)
        sql =
          "INSERT INTO Post_tags(posts_id, tags_id) SELECT p.bolide_id, t.bolide_id FROM Post p, Tag t "
          + "WHERE p.id = \(post) ON CONFLICT DO NOTHING"
      default:
        #expect(try link("Tag", "posts", "--where", "name = '\(name)'", "--to-none") == .silent)
        sql = "DELETE FROM Post_tags WHERE tags_id = (\(tag))"
      }
      try folder.sqlite("shell.sqlite", sql)
      #expect(try links() == links("shell.sqlite"))
    }
    #expect(try folder.bolide("verify", "blog.sqlite") == .silent)
  }
}
