import Bolide
import ImportModel
@testable import RowExpressions
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// Many-to-many relationships: the table of their links, how imports fill it, and what deletions do to it.
struct ManyToManyTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private let links = """
    SELECT slug, name FROM Post_tags JOIN Post ON Post.bolide_id = posts_id JOIN Tag ON Tag.bolide_id = tags_id
    ORDER BY slug, name
    """

  /// Runs an import of posts, each with the names of its tags; `NAME/WEIGHT` is a tag with a weight.
  private func take(
    _ store: SQLiteEngine, _ pipeline: Pipeline = Blog.posts(), _ chunks: [(slug: String, tags: [String])]...
  ) throws -> [String] {
    let run = try SQLiteImport(store, pipeline, input: "test")
    let chunk = Chunk(layout: run.layout)
    for posts in chunks {
      chunk.clear()
      for (slug, tags) in posts {
        chunk.append(["slug": .text(slug), "@author": "a"])
        for (number, tag) in tags.enumerated() {
          let parts = tag.split(separator: "/")
          var record: Record = ["name": .text(String(parts[0]))]
          if parts.count > 1 { record["weight"] = .integer(Int64(parts[1]) ?? 0) }
          chunk.children[0].append(record, of: chunk.count - 1, number: number + 1)
        }
      }
      chunk.children[0].flushBatch()
      chunk.sortAndFold()
      try run.apply(chunk, bytes: 1)
    }
    try run.finish(outcome: "ok", bytes: 1)
    #expect(run.progress.total.read == run.progress.counts.read + run.progress.children[0].counts.read)
    return [run.progress.counts.line] + run.progress.children.map { "\($0.entity) \($0.counts.line)" }
  }

  private func expectTrue(_ store: SQLiteEngine) throws {
    #expect(try store.findings() == [])
    #expect(try temporary.python(Blog.oracle) == "")
    #expect(try Replay(store, model: Blog.model.withJoins).problems() == [])
  }

  @Test func `The links have a table, the same from both ends`() throws {
    let store = try temporary.open(Blog.posts())
    #expect(
      try store.rows("SELECT sql FROM sqlite_schema WHERE name = 'Post_tags'") == [
        [
          """
          CREATE TABLE "Post_tags"(
            bolide_id INTEGER PRIMARY KEY AUTOINCREMENT,
            "posts_id" INTEGER NOT NULL REFERENCES "Post" ON DELETE CASCADE,
            "tags_id" INTEGER NOT NULL REFERENCES "Tag" ON DELETE CASCADE,
            UNIQUE ("posts_id", "tags_id")
          ) STRICT
          """
        ]
      ])
    #expect(
      try store.rows("SELECT sql FROM sqlite_schema WHERE name = 'bolide_index_Post_tags.tags_id'") == [
        [#"CREATE INDEX "bolide_index_Post_tags.tags_id" ON "Post_tags"("tags_id")"#]
      ])
    var turned = Blog.posts()
    turned.model.entities.reverse()
    #expect(turned.model.withJoins.entities.suffix(2).map(\.name) == ["Post_tags", "Post_related"])
    #expect(Set(turned.model.withJoins.entities) == Set(Blog.model.withJoins.entities))
    // A pipeline that knows less finds the same tables, and leaves the model as it is.
    var fewer = Blog.tags
    fewer.model.entities = [Blog.tag, Blog.post].map { entity in
      var entity = entity
      entity.attributes.removeAll { $0.derivation != nil }
      entity.relationships.removeAll { !["tags", "posts"].contains($0.name) }
      return entity
    }
    _ = try temporary.open(turned)
    _ = try temporary.open(fewer)
    #expect(try store.integer("SELECT count(*) FROM bolide_model") == 1)
    #expect(try store.schemaText() == Blog.posts().schemaText())
    #expect(
      try store.schemaText().contains("-- Post_tags: a row for each link between Post.tags and Tag.posts.\n"))
  }

  @Test func `Tags are made once, and linked to each post that has them`() throws {
    let store = try temporary.open(Blog.posts())
    let report = try take(
      store, Blog.posts(), [("p", ["a", "b/2", "a"]), ("q", ["b", "c"])], [("r", ["a/5"]), ("s", [])])
    #expect(
      report == [
        "4 = 4 inserted", "Tag 6 = 3 inserted + 1 updated + 2 duplicate",
        "Post_tags 6 = 5 inserted + 1 duplicate",
      ])
    #expect(try store.rows(links) == [["p", "a"], ["p", "b"], ["q", "b"], ["q", "c"], ["r", "a"]])
    #expect(
      try store.rows("SELECT name, weight, postCount FROM Tag ORDER BY 1")
        == [["a", 5, 2], ["b", 2, 2], ["c", .null, 1]])
    let history = try Replay(store, model: Blog.model.withJoins)
    let made = history.changes.filter { $0.entity == "Post_tags" }
    #expect(made.map(\.kind) == Array(repeating: .insert, count: 5))
    #expect(made.first?.key.map(\.name) == ["posts", "tags"])
    #expect(made.first?.key.map(\.value) == [1, 1])
    try expectTrue(store)
  }

  @Test func `Only posts that the import makes are linked, unless it owns the links`() throws {
    let store = try temporary.open(Blog.posts())
    _ = try take(store, Blog.posts(), [("p", ["a", "b"]), ("q", ["a"])])
    try temporary.shell("DELETE FROM Post_tags WHERE posts_id = 1 AND tags_id = 1")
    let again = try take(store, Blog.posts(), [("p", ["a", "b", "c"]), ("q", []), ("r", ["a"])])
    #expect(
      again == [
        "3 = 1 inserted + 2 unchanged", "Tag 4 = 1 inserted + 2 unchanged + 1 duplicate",
        "Post_tags 1 = 1 inserted",
      ])
    #expect(try store.rows(links) == [["p", "b"], ["q", "a"], ["r", "a"]])
    let token = try store.rows("SELECT max(number) FROM bolide_transaction")
    #expect(try take(store, Blog.posts(), [("p", ["a", "b", "c"])])[2] == "Post_tags 0 = ")
    #expect(try store.rows("SELECT max(number) FROM bolide_transaction") == token)
    let owned = try take(store, Blog.posts(when: .always), [("p", ["a", "b", "c"]), ("q", [])])
    #expect(owned[2] == "Post_tags 3 = 2 inserted + 1 unchanged")
    // What the record does not say any more stays.
    #expect(
      try store.rows(links) == [["p", "a"], ["p", "b"], ["p", "c"], ["q", "a"], ["r", "a"]])
    try expectTrue(store)
  }

  @Test func `Of a new post that comes twice the first one is linked, in one chunk as in two`() throws {
    let store = try temporary.open(Blog.posts())
    let report = try take(store, Blog.posts(), [("p", ["a"]), ("q", ["a"]), ("p", ["b"])])
    #expect(report[2] == "Post_tags 2 = 2 inserted")
    #expect(try take(store, Blog.posts(), [("r", ["b"])])[2] == "Post_tags 1 = 1 inserted")
    #expect(try take(store, Blog.posts(), [("r", ["a"])])[2] == "Post_tags 0 = ")
    #expect(try store.rows(links) == [["p", "a"], ["q", "a"], ["r", "b"]])
  }

  @Test func `The policies of records do not refuse tags that come again`() throws {
    for (merge, repeated) in [
      (MergePolicy.fail, RepeatedKeyPolicy.reject), (.ignore, .first), (.update, .reject),
    ] {
      let temporary = try TemporaryStore()
      var pipeline = Blog.posts()
      (pipeline.mergePolicy, pipeline.repeatedKeyPolicy) = (merge, repeated)
      let store = try temporary.open(pipeline)
      let first = try take(
        store, pipeline, [("p", ["a", "b"]), ("q", ["b"])], [("p", ["c"]), ("r", ["a"])])
      #expect(
        first[0] == (repeated == .first ? "4 = 3 inserted + 1 duplicate" : "4 = 3 inserted + 1 rejected"))
      #expect(try take(store, pipeline, [("s", ["a"])])[0] == "1 = 1 inserted")
      #expect(
        try store.rows(links) == [["p", "a"], ["p", "b"], ["q", "b"], ["r", "a"], ["s", "a"]], "\(merge)")
    }
  }

  @Test func `Deletions take links with them, or are denied`() throws {
    var denying = Blog.posts()
    for entity in denying.model.entities.indices where denying.model.entities[entity].name == "Tag" {
      denying.model.entities[entity].relationships[0].deleteRule = .deny
    }
    let store = try temporary.open(denying)
    _ = try take(store, denying, [("p", ["a", "b"]), ("q", ["a"])])
    for keys in ["ON", "OFF"] {
      #expect(
        try temporary.refusal("PRAGMA foreign_keys = \(keys); DELETE FROM Tag WHERE name = 'a'")?
          .contains("FOREIGN KEY constraint failed") == true)
    }
    try temporary.shell("PRAGMA foreign_keys = ON; DELETE FROM Post WHERE slug = 'p'")
    try temporary.shell("DELETE FROM Post_tags; DELETE FROM Tag WHERE name = 'a'")
    _ = try take(store, denying, [("r", ["b", "c"])])
    try temporary.shell("PRAGMA foreign_keys = OFF; DELETE FROM Post WHERE slug = 'r'")
    try store.assignPending()
    #expect(try store.rows("SELECT name, postCount FROM Tag ORDER BY 1") == [["b", 0], ["c", 0]])
    #expect(try store.rows("SELECT * FROM Post_tags") == [])
    try expectTrue(store)
  }

  @Test func `A relationship and aggregates that come later find what is there`() throws {
    var bare = Blog.posts()
    bare.children = []
    for index in bare.model.entities.indices {
      bare.model.entities[index].attributes.removeAll { $0.derivation != nil }
      bare.model.entities[index].relationships.removeAll { $0.kind == .toMany && $0.inverse != "author" }
    }
    let store = try temporary.open(bare)
    try store.take(bare, [["slug": "p", "score": 2.5]])
    let linked = try temporary.open(Blog.posts())
    _ = try take(linked, Blog.posts(when: .always), [("p", ["a/3", "b/4"])])
    #expect(try linked.rows("SELECT weights, tagCount FROM Post") == [[7, 2]])
    #expect(try linked.rows("SELECT scores FROM Tag") == [[2.5], [2.5]])
    try expectTrue(linked)
  }

  @Test func `Triggers of other programs on the links' table fire`() throws {
    let store = try temporary.open(Blog.posts())
    try temporary.shell(
      """
      CREATE TABLE seen(post INTEGER, tag INTEGER);
      CREATE TRIGGER mine AFTER INSERT ON Post_tags BEGIN INSERT INTO seen VALUES (NEW.posts_id, NEW.tags_id); END;
      """)
    _ = try take(store, Blog.posts(), [("p", ["a/1", "b/2"]), ("q", ["b"])])
    #expect(try store.rows("SELECT * FROM seen") == [[1, 1], [1, 2], [2, 2]])
    #expect(try store.rows("SELECT weights, tagPosts FROM Post") == [[3, 3], [2, 2]])
    try expectTrue(store)
  }

  @Test func `Wrong values and lost links are found, and repaired`() throws {
    let store = try temporary.open(Blog.posts())
    _ = try take(store, Blog.posts(), [("p", ["a/1", "b/2"]), ("q", ["b"])])
    try temporary.shell(
      derivedly(
        "UPDATE Post SET weights = 9, relatedScores = 1.5; UPDATE Tag SET reach = 7; DELETE FROM bolide_dirty"
      ))
    let findings = try store.findings()
    #expect(
      Set(findings.compactMap(\.attribute)) == ["weights", "relatedScores", "reach"])
    try store.rebuild { _ in }
    try expectValuesTrue(store)
    try temporary.shell("DROP TRIGGER bolide_Post_tags_delete; DELETE FROM Post_tags WHERE tags_id = 2")
    #expect(try store.restoreTriggers().problems == ["the trigger bolide_Post_tags_delete is missing"])
    try expectValuesTrue(store)
  }

  private func expectValuesTrue(_ store: SQLiteEngine) throws {
    #expect(try store.findings() == [])
    #expect(try temporary.python(Blog.oracle) == "")
  }

  @Test func `A sum over links beyond 64 bits is null, and all rows land`() throws {
    let store = try temporary.open(Blog.posts())
    _ = try take(store, Blog.posts(), [("p", ["a/1"])])
    _ = try take(store, Blog.posts(), [("q", ["b/9223372036854775807", "c/1"])])
    #expect(try store.rows("SELECT weights FROM Post") == [[1], [.null]])
    #expect(try store.status().nullTotals.named.contains { $0.id == 2 && $0.attribute == "weights" })
  }

  @Test func `A filter names attributes of the objects, not of their links`() {
    var pipeline = Blog.posts()
    for text in ["posts_id = 1", "tags_id = 1", "postCount > 1", "wieght > 1"] {
      pipeline[entity: "Post"]["titled"].derivation = .count(relationship: "tags", where: text)
      #expect(pipeline.expressionProblems().count == 1, "\(text)")
    }
  }
}
