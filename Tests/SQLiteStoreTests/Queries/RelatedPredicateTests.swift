import Bolide
import ImportModel
import SQLiteQueries
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Predicates about the objects of to-many relationships, over posts, tags and authors.
struct RelatedPredicateTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(Blog.posts())
  }

  private func ids(_ entity: String, _ predicate: String, _ values: [Value] = []) throws -> [Int64] {
    var ids: [Int64] = []
    try store.readRows(ObjectQuery(entity, where: .init(text: predicate), values), at: nil) {
      ids.append($0.id)
    }
    return ids
  }

  /// Three authors: one with posts, one with a post of unknown score, one without any.
  private func fill() throws {
    try temporary.shell(
      """
      INSERT INTO Author(name) VALUES ('a'), ('b'), ('c');
      INSERT INTO Post(slug, score, author_id) VALUES ('p1', 1, 1), ('p2', 5, 1), ('p3', NULL, 2), ('p4', 9, NULL);
      INSERT INTO Tag(name, weight, cost) VALUES ('x', 1, 150), ('y', 2, NULL);
      INSERT INTO Post_tags(posts_id, tags_id) VALUES (1, 1), (1, 2), (2, 2), (4, 1);
      INSERT INTO Post_related(relatedBy_id, related_id) VALUES (1, 4), (4, 2), (2, 2);
      """)
  }

  @Test(
    arguments: [
      ("Author", "any(posts, score > 3)", [1]), ("Author", "all(posts, score > 0)", [1, 3]),
      ("Author", "none(posts, score > 3)", [2, 3]), ("Author", "any(posts)", [1, 2]),
      ("Author", "none(posts)", [3]),
      ("Author", "count(posts) = 2", [1]), ("Author", "count(posts, score > 3)", [1]),
      // What is null is not met, and the answer never is null itself.
      ("Author", "any(posts, score IS NULL)", [2]), ("Author", "all(posts, score)", [1, 3]),
      ("Author", "NOT any(posts, score > 3)", [2, 3]), ("Author", "any(posts, score > 3) IS NULL", []),
      ("Author", "count(posts, score > 3) = count(posts)", [3]),
      // Paths from the objects and to them, links that lead nowhere, calls within calls.
      ("Post", "any(author.posts, slug = 'p2')", [1, 2]),
      ("Post", "all(author.posts, score > 0)", [1, 2, 4]),
      ("Post", "any(tags, name = 'y')", [1, 2]), ("Post", "count(TAGS, weight < 2) = 1", [1, 4]),
      ("Tag", "any(posts, author.name = 'a' AND score < 2)", [1, 2]),
      ("Author", "any(posts, all(tags, weight = 2) AND any(tags))", [1]),
      ("Post", "any(related, any(related, slug = 'p2'))", [1, 2, 4]),
      ("Post", "count(related, count(tags) > count(relatedBy)) > 0", []),
      // Decimals, and other names in the same expression.
      ("Post", "any(tags, cost > 1.4)", [1, 4]), ("Post", "any(tags, cost IN (1.5, 2)) AND score < 5", [1]),
      ("Post", "any ( \"tags\" , ( name = 'x' ) ) OR author.name = 'b'", [1, 3, 4]),
      ("Post", "CASE count(tags) WHEN 2 THEN 1 ELSE 0 END", [1]),
      ("Post", "count(tags) BETWEEN 1 AND 1", [2, 4]),
    ] as [(String, String, [Int64])])
  func `what is asked about related objects`(entity: String, predicate: String, expected: [Int64]) throws {
    try fill()
    #expect(try ids(entity, predicate) == expected)
  }

  @Test func `values take their places in the order of the text`() throws {
    try fill()
    #expect(try ids("Post", "slug <> ? AND any(tags, weight = ?) AND score > ?", ["p2", 1, 0]) == [1, 4])
    #expect(
      try ids("Author", "any(posts, score > ? AND any(tags, name = ?)) OR name = ?", [3, "y", "c"]) == [1, 3])
  }

  @Test(
    arguments: [
      ("any(name, 1)", "'name' of Tag is not a to-many relationship, which any requires", "Tag has posts."),
      (
        "none(post)",
        "'post' of Tag is not a to-many relationship, which none requires; did you mean 'posts'?", nil
      ),
      (
        "any(posts, all(author, 1))",
        "'author' of Post is not a to-many relationship, which all requires",
        "Post has tags, related, relatedBy."
      ),
      (
        "count(weight) > 1", "'weight' of Tag is not a to-many relationship, which count requires",
        "Tag has posts."
      ),
      ("all(posts)", "'all' in the predicate requires a condition", "Write all(posts, CONDITION)."),
      (
        "any(score > 1)", "'any' in the predicate requires a to-many relationship",
        "Write any(RELATIONSHIP, CONDITION)."
      ),
      (
        "any() > 1", "'any' in the predicate requires a to-many relationship",
        "Write any(RELATIONSHIP, CONDITION)."
      ),
      ("any(posts, )", "the predicate ends where a value is expected", nil),
      ("any(posts, score > 1", "the predicate ends within a parenthesis", nil),
      (
        "any(posts", "'any' in the predicate requires a to-many relationship",
        "Write any(RELATIONSHIP, CONDITION)."
      ),
      ("any(posts, name = 1)", "Post has no attribute or relationship 'name'", nil),
      (
        "any(posts, score 1)", "the predicate is not a valid expression over Post (near \"1\": syntax error)",
        "Write one SQL expression over the entity's attributes and to-one paths, such as magnitude > 5."
      ),
      (
        "any(posts, score > 1, 2)", "the predicate is not a valid expression over Post (row value misused)",
        nil
      ),
      (
        "any(posts, (SELECT 1))",
        "the predicate contains a subquery at 'SELECT'; use any(…), all(…), none(…) or count(…) for related objects",
        nil
      ),
      ("count(posts), 1", "the predicate is not a valid expression over Tag (row value misused)", nil),
      (
        "any(posts, sum(score))",
        "the predicate is not a valid expression over Post (misuse of aggregate function sum())", nil
      ),
      (
        "posts > 1", "'posts' of Tag is to-many; a fetch follows to-one relationships only",
        "A predicate can ask about its objects: any(posts, …), all(posts, …), none(posts, …), count(posts)."
      ),
    ] as [(String, String, String?)])
  func `what is told otherwise`(predicate: String, sentence: String, hint: String?) throws {
    let error = #expect(throws: StoreError.self) { try ids("Tag", predicate) }
    #expect(error?.message.hasPrefix("\(temporary.path): \(sentence)") == true, "\(error?.message ?? "")")
    if let hint { #expect(error?.hint == hint) }
  }

  @Test func `calls within calls have an end`() throws {
    try fill()
    func nested(_ depth: Int) -> String {
      String(repeating: "any(related, ", count: depth) + "1" + String(repeating: ")", count: depth)
    }
    #expect(try ids("Post", nested(4)) == [1, 2, 4])
    let error = #expect(throws: StoreError.self) { try ids("Post", nested(100_000)) }
    #expect(
      error?.message
        == "\(temporary.path): the predicate has any, all, none or count within each other more than 4 deep")
  }

  // MARK: Beside the sqlite3 shell

  /// Fills the tables: many equal values, nulls, objects without links, links in both directions.
  private func fill(seed: Int) throws {
    _ = try temporary.python(
      """
      import random, sqlite3, sys
      random.seed(int(sys.argv[2]))
      db = sqlite3.connect(sys.argv[1])
      pick = random.choice
      for i in range(8): db.execute('INSERT INTO Author(name) VALUES (?)', (f'a{i}',))
      for i in range(12): db.execute('INSERT INTO Tag(name, weight, cost) VALUES (?, ?, ?)',
        (f't{i}', pick([None, 0, 1, 2, 3]), pick([None, 0, 100, 150, 250])))
      for i in range(60): db.execute('INSERT INTO Post(slug, score, author_id) VALUES (?, ?, ?)',
        (f'p{i}', pick([None, 0, 1, 2.5, 3]), pick([None, 1, 2, 3, 4, 5])))
      for i in range(70): db.execute('INSERT OR IGNORE INTO Post_tags(posts_id, tags_id) VALUES (?, ?)',
        (random.randint(1, 50), random.randint(1, 10)))
      for i in range(70): db.execute('INSERT OR IGNORE INTO Post_related(relatedBy_id, related_id) VALUES (?, ?)',
        (random.randint(1, 50), random.randint(1, 50)))
      db.commit()
      """, ["\(seed)"])
  }

  /// A condition as a predicate writes it, and as SQL does for a table's alias.
  private struct Condition {
    var dice: Dice
    private var aliases = 0

    init(_ dice: Dice) { self.dice = dice }

    mutating func make(_ entity: String, _ alias: String, depth: Int) -> (ours: String, theirs: String) {
      guard depth > 0 else { return comparison(entity, alias) }
      switch dice.int(0...5) {
      case 0:
        let (left, right) = (
          make(entity, alias, depth: depth - 1), make(entity, alias, depth: depth - 1)
        )
        let word = dice.pick(["AND", "OR"])
        return ("(\(left.ours) \(word) \(right.ours))", "(\(left.theirs) \(word) \(right.theirs))")
      case 1:
        let inner = make(entity, alias, depth: depth - 1)
        return ("NOT (\(inner.ours))", "NOT (\(inner.theirs))")
      case 2: return comparison(entity, alias)
      default: return related(entity, alias, depth: depth)
      }
    }

    private mutating func related(_ entity: String, _ alias: String, depth: Int) -> (String, String) {
      aliases += 1
      let name = "t\(aliases)"
      let posts = "Post AS \(name) WHERE \(name).author_id = \(alias)"
      func linked(_ table: String, _ join: String, _ to: String, _ from: String) -> String {
        "\(table) AS \(name) WHERE \(name).bolide_id IN (SELECT \(to) FROM \(join) WHERE \(from) = \(alias).bolide_id)"
      }
      let ways: [(String, destination: String, from: String)] =
        switch entity {
        case "Author": [("posts", "Post", "\(posts).bolide_id")]
        case "Tag": [("posts", "Post", linked("Post", "Post_tags", "posts_id", "tags_id"))]
        default:
          [
            ("tags", "Tag", linked("Tag", "Post_tags", "tags_id", "posts_id")),
            ("related", "Post", linked("Post", "Post_related", "related_id", "relatedBy_id")),
            ("relatedBy", "Post", linked("Post", "Post_related", "relatedBy_id", "related_id")),
            ("author.posts", "Post", "\(posts).author_id"),
          ]
        }
      let way = dice.pick(ways)
      let inner = make(way.destination, name, depth: depth - 1)
      let (all, met) = (
        "(SELECT count(*) FROM \(way.from))", "(SELECT count(*) FROM \(way.from) AND (\(inner.theirs)))"
      )
      switch dice.int(0...4) {
      case 0: return ("any(\(way.0), \(inner.ours))", "\(met) > 0")
      case 1: return ("all(\(way.0), \(inner.ours))", "\(met) = \(all)")
      case 2: return ("none(\(way.0), \(inner.ours))", "\(met) = 0")
      case 3: return ("count(\(way.0), \(inner.ours)) < 2", "\(met) < 2")
      default: return ("count(\(way.0)) = 1", "\(all) = 1")
      }
    }

    private mutating func comparison(_ entity: String, _ alias: String) -> (String, String) {
      let author = "(SELECT name FROM Author WHERE bolide_id = \(alias).author_id)"
      return switch entity {
      case "Author":
        dice.pick([("name > 'a3'", "\(alias).name > 'a3'"), ("postCount > 1", "\(alias).postCount > 1")])
      case "Tag":
        dice.pick([
          ("weight > 1", "\(alias).weight > 1"), ("cost >= 1.5", "\(alias).cost >= 150"),
          ("cost * 2 < 4", "\(alias).cost < 200"), ("weight IS NULL", "\(alias).weight IS NULL"),
        ])
      default:
        dice.pick([
          ("score > 1", "\(alias).score > 1"), ("slug LIKE '%2'", "\(alias).slug LIKE '%2'"),
          ("author.name < 'a3'", "\(author) < 'a3'"), ("author IS NULL", "\(alias).author_id IS NULL"),
        ])
      }
    }
  }

  @Test(arguments: 0..<2)
  func `a predicate gives what the sqlite3 shell gives, now and of the past`(seed: Int) throws {
    try fill(seed: seed)
    var condition = Condition(Dice(seed))
    let cases = (0..<60).map { _ in
      let entity = condition.dice.pick(["Author", "Post", "Tag"])
      return (entity, condition.make(entity, "t", depth: 3))
    }
    let sql = cases.map { entity, texts in
      """
      SELECT ifnull(group_concat(id, ' '), '') FROM (SELECT t.bolide_id AS id FROM \(entity) AS t
      WHERE \(texts.theirs) ORDER BY 1);
      """
    }
    let shell = try temporary.shell(sql.joined(separator: "\n"))
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    try #require(shell.count == cases.count)
    _ = try ids("Post", "1")
    let token = try store.newestToken()
    var found = 0
    func compare(at token: HistoryToken?) throws {
      for (index, (entity, texts)) in cases.enumerated() {
        var ids: [Int64] = []
        let request = ObjectQuery(entity, where: .init(text: texts.ours))
        try store.readRows(request, at: token) { ids.append($0.id) }
        let line = ids.map(String.init).joined(separator: " ")
        try #require(line == shell[index], "\(entity): \(texts.ours)")
        found += ids.count
      }
    }
    try compare(at: nil)
    #expect(found > 300)
    try temporary.shell(
      """
      PRAGMA foreign_keys = ON;
      DELETE FROM Post WHERE bolide_id % 5 = 0;
      UPDATE Post SET author_id = 6, score = 3 WHERE bolide_id % 3 = 0;
      UPDATE Tag SET weight = 3, cost = 175 WHERE bolide_id % 2 = 0;
      DELETE FROM Post_tags WHERE posts_id % 4 = 1;
      INSERT OR IGNORE INTO Post_tags(posts_id, tags_id) SELECT bolide_id, 12 FROM Post;
      DELETE FROM Post_related WHERE related_id % 4 = 2;
      """)
    try compare(at: token)
  }
}
