import ImportModel

@testable import SQLiteStore
@testable import TypedRows

/// Posts and tags, many-to-many, and posts related to posts: with every form of aggregate over links.
enum Blog {
  private static func derived(
    _ name: String, _ type: AttributeType, _ text: String, where filter: String? = nil
  ) -> Attribute {
    do {
      return Attribute(name: name, type: type, derivation: try Derivation(parsing: text, where: filter))
    } catch {
      preconditionFailure(error.message)
    }
  }

  static let post = Entity(
    name: "Post", key: ["slug"],
    attributes: [
      Attribute(name: "slug", type: .string, isRequired: true),
      Attribute(name: "score", type: .double),
      Attribute(name: "day", type: .day),
      derived("tagCount", .integer64, "tags.@count"),
      derived("weights", .integer64, "tags.weight.@sum"),
      derived("heaviest", .integer64, "tags.weight.@max"),
      derived("lightest", .integer64, "tags.weight.@min", where: "weight > 0"),
      derived("meanWeight", .double, "tags.weight.@average"),
      derived("titled", .integer64, "tags.@count", where: "title IS NOT NULL"),
      derived("cost", .decimal(scale: 2), "tags.cost.@sum"),
      derived("tagPosts", .integer64, "tags.postCount.@sum"),
      derived("relatedCount", .integer64, "related.@count"),
      derived("relatedScores", .double, "related.score.@sum"),
      derived("citedBest", .double, "relatedBy.score.@max", where: "day > '2026-05'"),
      derived("relatedTags", .integer64, "related.tagCount.@max"),
    ],
    relationships: [
      Relationship(name: "tags", kind: .toMany, destination: "Tag", inverse: "posts"),
      Relationship(name: "related", kind: .toMany, destination: "Post", inverse: "relatedBy"),
      Relationship(name: "relatedBy", kind: .toMany, destination: "Post", inverse: "related"),
      Relationship(name: "author", kind: .toOne, destination: "Author", inverse: "posts"),
    ])

  static let tag = Entity(
    name: "Tag", key: ["name"],
    attributes: [
      Attribute(name: "name", type: .string, isRequired: true),
      Attribute(name: "title", type: .string),
      Attribute(name: "weight", type: .integer64),
      Attribute(name: "cost", type: .decimal(scale: 2)),
      derived("postCount", .integer64, "posts.@count"),
      derived("scores", .double, "posts.score.@sum"),
      derived("best", .double, "posts.score.@max"),
      derived("meanScore", .double, "posts.score.@average"),
      derived("good", .integer64, "posts.@count", where: "score > 5 OR slug LIKE 'p1%'"),
      derived("last", .day, "posts.day.@max"),
      derived("reach", .integer64, "posts.tagCount.@max"),
      derived("heavy", .integer64, "posts.weights.@sum", where: "score IS NOT NULL"),
    ],
    relationships: [Relationship(name: "posts", kind: .toMany, destination: "Post", inverse: "tags")])

  static let author = Entity(
    name: "Author", key: ["name"],
    attributes: [
      Attribute(name: "name", type: .string, isRequired: true),
      derived("postCount", .integer64, "posts.@count"),
      derived("tagCount", .integer64, "posts.tagCount.@sum"),
      derived("heaviest", .integer64, "posts.heaviest.@max"),
    ],
    relationships: [Relationship(name: "posts", kind: .toMany, destination: "Post", inverse: "author")])

  static let model = Model(entities: [post, tag, author])

  /// Records become posts, with tags by name.
  static func posts(when timing: Link.Timing = .insert) -> Pipeline {
    var pipeline = Pipeline(
      name: "posts", entity: "Post", model: model, fields: fields(post),
      links: [Link("author", ownerKey: [Link.KeyPart("name", "slug")], when: timing)])
    pipeline.children = [Children("tags", records: "tags", fields: fields(tag), when: timing)]
    return pipeline
  }

  /// Records become tags.
  static let tags = Pipeline(name: "tags", entity: "Tag", model: model, fields: fields(tag))

  private static func fields(_ entity: Entity) -> [Field] {
    entity.attributes.filter { $0.derivation == nil }.map { Field($0.name) }
  }

  /// What Python computes from the stored columns alone; prints each value that differs.
  static let oracle = """
    import math, sqlite3, sys
    from fractions import Fraction
    db = sqlite3.connect(sys.argv[1]); db.row_factory = sqlite3.Row
    load = lambda name: {row["bolide_id"]: dict(row) for row in db.execute(f"SELECT * FROM {name}")}
    posts, tags, authors, links, related = map(load, ["Post", "Tag", "Author", "Post_tags", "Post_related"])
    def check(entity, row, name, true):
        stored = row[name]
        same = stored == true and type(stored) == type(true)
        if not same: print(entity, row["bolide_id"], name, "is", repr(stored), "instead of", repr(true))
        row[name] = true
    def values(rows, name): return [row[name] for row in rows if row[name] is not None]
    def mean(numbers): return float(sum(map(Fraction, numbers)) / len(numbers)) if numbers else None
    def there(objects, ids): return [objects[id] for id in ids if id in objects]
    def tags_of(post): return there(tags, [link["tags_id"] for link in links.values() if link["posts_id"] == post["bolide_id"]])
    def posts_of(tag): return there(posts, [link["posts_id"] for link in links.values() if link["tags_id"] == tag["bolide_id"]])
    for post in posts.values():
        own = tags_of(post)
        def put(name, true): check("Post", post, name, true)
        put("tagCount", len(own)); put("weights", sum(values(own, "weight"))); put("heaviest", max(values(own, "weight"), default=None))
        put("lightest", min([weight for weight in values(own, "weight") if weight > 0], default=None))
        put("meanWeight", mean(values(own, "weight"))); put("titled", len(values(own, "title"))); put("cost", sum(values(own, "cost")))
        others = there(posts, [link["related_id"] for link in related.values() if link["relatedBy_id"] == post["bolide_id"]])
        put("relatedCount", len(others)); put("relatedScores", math.fsum(values(others, "score")))
        citing = there(posts, [link["relatedBy_id"] for link in related.values() if link["related_id"] == post["bolide_id"]])
        put("citedBest", max(values([other for other in citing if (other["day"] or "") > "2026-05"], "score"), default=None))
    for tag in tags.values():
        own = posts_of(tag)
        def put(name, true): check("Tag", tag, name, true)
        put("postCount", len(own)); put("scores", math.fsum(values(own, "score"))); put("best", max(values(own, "score"), default=None))
        put("meanScore", mean(values(own, "score"))); put("last", max(values(own, "day"), default=None))
        put("good", sum(1 for post in own if (post["score"] or 0) > 5 or post["slug"].lower().startswith("p1")))
        put("reach", max(values(own, "tagCount"), default=None))
        put("heavy", sum(values([post for post in own if post["score"] is not None], "weights")))
    for post in posts.values():
        check("Post", post, "tagPosts", sum(values(tags_of(post), "postCount")))
        others = there(posts, [link["related_id"] for link in related.values() if link["relatedBy_id"] == post["bolide_id"]])
        check("Post", post, "relatedTags", max(values(others, "tagCount"), default=None))
    for author in authors.values():
        own = [post for post in posts.values() if post["author_id"] == author["bolide_id"]]
        def put(name, true): check("Author", author, name, true)
        put("postCount", len(own)); put("tagCount", sum(values(own, "tagCount"))); put("heaviest", max(values(own, "heaviest"), default=None))
    for link in links.values():
        if link["posts_id"] not in posts or link["tags_id"] not in tags: print("a link leads nowhere", link)
    """
}

/// Random writes to the blog, by the importer and as SQL.
struct BlogWrites {
  var dice: Dice

  private mutating func score() -> Value {
    dice.once(in: 5) ? .null : .real(Double(dice.int(-1000...1000)) / 100)
  }
  private mutating func whole() -> Value { dice.once(in: 5) ? .null : .integer(Int64(dice.int(-50...50))) }
  private mutating func text() -> Value { dice.once(in: 4) ? .null : .text(dice.pick(["a", "b", "Ö"])) }
  private mutating func day() -> Value { dice.once(in: 5) ? .null : .text("2026-0\(dice.int(1...9))-11") }

  /// A record with some of its fields.
  private mutating func some(_ record: Record) -> Record {
    record.filter { ["slug", "name"].contains($0.key) || !dice.once(in: 4) }
  }

  private mutating func post() -> Record {
    some([
      "slug": .text("p\(dice.int(0...14))"), "score": score(), "day": day(),
      "@author": dice.once(in: 3) ? .null : .text("a\(dice.int(0...2))"),
    ])
  }

  private mutating func tag() -> Record {
    some(["name": .text("t\(dice.int(0...7))"), "title": text(), "weight": whole(), "cost": whole()])
  }

  /// One import of one of the two pipelines.
  mutating func take(_ store: SQLiteEngine) throws {
    let pipeline = dice.once(in: 3) ? Blog.tags : Blog.posts(when: dice.once(in: 2) ? .insert : .always)
    let run = try SQLiteImport(store, pipeline, input: "test")
    let chunk = Chunk(layout: run.layout)
    for _ in 0..<dice.int(1...3) {
      chunk.clear()
      for _ in 0..<6 {
        guard let tags = chunk.children.first else {
          chunk.append(tag())
          continue
        }
        chunk.append(post())
        for number in 0..<dice.int(0...4) { tags.append(tag(), of: chunk.count - 1, number: number + 1) }
      }
      chunk.children.first?.flushBatch()
      chunk.sortAndFold()
      try run.apply(chunk, bytes: 1)
    }
    try run.finish(outcome: "ok", bytes: 1)
  }

  // MARK: SQL

  private func sql(_ value: Value?) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text)'"
    default: "NULL"
    }
  }

  /// Statements as a person or a program would write them, under random settings.
  mutating func script(_ count: Int) -> String {
    var script = "PRAGMA foreign_keys = \(dice.once(in: 2) ? "ON" : "OFF");\n"
    script += "PRAGMA recursive_triggers = \(dice.once(in: 2) ? "ON" : "OFF");\n"
    let isOne = dice.once(in: 2)
    if isOne { script += "BEGIN;\n" }
    for _ in 0..<count { script += statement() + ";\n" }
    return script + (isOne ? "COMMIT;\n" : "")
  }

  private mutating func statement() -> String {
    let (post, other) = ("slug = 'p\(dice.int(0...14))'", "slug = 'p\(dice.int(0...14))'")
    let tag = "name = 't\(dice.int(0...7))'"
    let some = "bolide_id % \(dice.int(2...5)) = 0"
    let postID = "(SELECT bolide_id FROM Post WHERE \(post))"
    let tagID = "(SELECT bolide_id FROM Tag WHERE \(tag))"
    switch dice.int(0...19) {
    case 0...3:
      let verb = dice.pick(["INSERT OR IGNORE", "INSERT OR REPLACE", "REPLACE"])
      return "\(verb) INTO Post_tags(posts_id, tags_id) SELECT Post.bolide_id, Tag.bolide_id FROM Post, Tag "
        + "WHERE \(post) AND \(tag)"
    case 4:
      return
        "REPLACE INTO Post_tags(bolide_id, posts_id, tags_id) SELECT \(dice.int(1...20)), Post.bolide_id, "
        + "Tag.bolide_id FROM Post, Tag WHERE \(post) AND \(tag)"
    case 5: return "UPDATE OR IGNORE Post_tags SET tags_id = ifnull(\(tagID), tags_id) WHERE \(some)"
    case 6: return "UPDATE OR REPLACE Post_tags SET posts_id = ifnull(\(postID), posts_id) WHERE \(some)"
    case 7:
      return "UPDATE OR REPLACE Post_tags SET posts_id = ifnull(\(postID), posts_id), "
        + "tags_id = ifnull(\(tagID), tags_id) WHERE bolide_id = \(dice.int(1...30))"
    case 8:
      return "DELETE FROM Post_tags WHERE \(dice.pick([some, "posts_id = \(postID)", "tags_id = \(tagID)"]))"
    case 9, 10:
      let verb = dice.pick(["INSERT OR IGNORE", "REPLACE"])
      return "\(verb) INTO Post_related(relatedBy_id, related_id) SELECT p.bolide_id, o.bolide_id "
        + "FROM Post AS p, Post AS o WHERE p.\(post) AND o.\(other)"
    case 11: return "DELETE FROM Post_related WHERE \(some)"
    case 12:
      return "UPDATE Post SET score = \(sql(score())), day = \(sql(day())) WHERE \(dice.pick([some, post]))"
    case 13:
      return "UPDATE Tag SET weight = \(sql(whole())), title = \(sql(text())) WHERE \(dice.pick([some, tag]))"
    case 14: return "UPDATE Tag SET cost = \(sql(whole())) WHERE \(tag)"
    case 15: return "DELETE FROM \(dice.once(in: 2) ? "Post WHERE \(post)" : "Tag WHERE \(tag)")"
    case 16:
      return "\(dice.pick(["REPLACE", "INSERT OR IGNORE"])) INTO Post(slug, score, day) "
        + "VALUES ('p\(dice.int(0...14))', \(sql(score())), \(sql(day())))"
    case 17:
      return "\(dice.pick(["REPLACE", "INSERT OR IGNORE"])) INTO Tag(name, weight, title) "
        + "VALUES ('t\(dice.int(0...7))', \(sql(whole())), \(sql(text())))"
    case 18: return "UPDATE OR REPLACE Tag SET name = 't\(dice.int(0...7))' WHERE \(tag)"
    default:
      return "UPDATE Post SET author_id = (SELECT bolide_id FROM Author WHERE name = 'a\(dice.int(0...2))') "
        + "WHERE \(some)"
    }
  }
}

extension Chunk {
  /// Appends a record's child.
  func append(_ child: Record, of parent: Int, number: Int) {
    fillRow(child)
    commitChild(
      ParentReference(parent: parent, number: number, record: parent),
      RecordPosition(record: parent + 1, byte: 0, line: parent + 1, column: 1),
      text: nil)
  }
}
