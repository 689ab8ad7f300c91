import Foundation
import Testing

/// `merge: update-non-null`: neither null nor an absent field erases a value.
@Suite struct NonNullMergeTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: s.sqlite
      entity: Post
      key: id
      merge: update-non-null
      attributes:
        id:    integer64
        title: string
        words: { type: integer64, default: 7 }
        note:  json
      link: { author: { to: { name: title }, when: always } }
      children:
        tags:
          entity: Tag
          inverse: post
          key: [post, name]
          attributes:
            name:   string
            weight: double
      entities:
        Author:
          key: name
          attributes:
            name:  string
            words: { derived: posts.words.@sum }
          relationships:
            posts: { to-many: Post, inverse: author }
      """, to: "p.yaml")
  }

  private func run(_ feed: String, _ more: String...) throws -> String {
    try folder.write(feed, to: "feed.json")
    let command = (["\"$bolide\" import p.yaml feed.json -v"] + more).joined(separator: " ")
    let outcome = try folder.shell(command)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.errors
  }

  @Test func `null leaves what is there`() throws {
    let first = #"[{"id":1,"title":"a","words":3,"note":{"x":1},"tags":[{"name":"t","weight":2.5}]},"#
    _ = try run(first + #"{"id":2,"title":null,"words":null,"note":null,"tags":[]}]"#)
    #expect(
      try folder.sqlite("s.sqlite", "SELECT id, title, words, note FROM Post") == [#"1|a|3|{"x":1}"#, "2|||"])
    let before = try folder.bolide("token", "s.sqlite").output
    let again = try run(
      #"[{"id":1,"title":null,"words":null,"note":null,"tags":[{"name":"t","weight":null}]}]"#)
    #expect(again.contains("1 read = 1 unchanged"))
    #expect(try folder.bolide("token", "s.sqlite").output == before)
    // What is new is taken, and history knows of that alone.
    let mixed = try run(#"[{"id":1,"title":null,"words":4,"note":null},{"id":2,"title":"b","words":null}]"#)
    #expect(mixed.contains("2 updated"))
    #expect(
      try folder.sqlite("s.sqlite", "SELECT id, title, words, note FROM Post") == [
        #"1|a|4|{"x":1}"#, "2|b||",
      ])
    #expect(try folder.sqlite("s.sqlite", "SELECT name, words FROM Author") == ["a|4", "b|0"])
    let changes = try folder.bolide("changes", "s.sqlite", "--previous", "--entity", "Post").output
    #expect(changes.contains(#""changed":["words"],"previous":{"words":3}"#))
    #expect(changes.contains(#""changed":["title","author"],"previous":{"title":null,"author":null}"#))
    #expect(try folder.bolide("verify", "s.sqlite").status == 0)
  }

  @Test(arguments: 0..<1) func `records in one chunk are those in many`(seed: Int) throws {
    try folder.python(
      """
      import json, random, sys
      r = random.Random(int(sys.argv[1]))
      def record():
        x = {"id": r.randrange(12)}
        for name, values in (("title", ["a", "b", None]), ("words", [1, 2, None]), ("note", [{"y": [1]}, None])):
          if r.random() < .6: x[name] = r.choice(values)
        return x
      feeds = [[record() for _ in range(40)] for _ in range(3)]
      rows = {}
      for x in sum(feeds, []):
        row = rows.setdefault(x["id"], {"title": None, "words": x.get("words", 7), "note": None})
        for name, value in x.items():
          if value is not None: row[name] = value
      for i, feed in enumerate(feeds): json.dump(feed, open(f"f{i}.json", "w"))
      json.dump(sorted([i, x["title"], x["words"], x["note"]] for i, x in rows.items()), open("true.json", "w"))
      """, "\(seed)")
    for size in ["1", "7", "10000"] {
      let outcome = try folder.shell(
        """
        rm -f s.sqlite*
        for i in 0 1 2; do "$bolide" import p.yaml f$i.json -q --chunk-rows \(size) || exit 1; done
        "$bolide" verify s.sqlite
        """)
      #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
      try folder.python(
        """
        import json, sqlite3
        db = sqlite3.connect("s.sqlite")
        rows = [[i, t, w, n and json.loads(n)] for i, t, w, n in db.execute("SELECT id, title, words, note FROM Post ORDER BY id")]
        expected = json.load(open("true.json"))
        assert rows == expected, (rows, expected)
        sums = dict(db.execute("SELECT name, words FROM Author"))
        found = dict(db.execute("SELECT a.name, total(p.words) FROM Author a LEFT JOIN Post p ON p.author_id = a.bolide_id GROUP BY 1"))
        assert sums == found, (sums, found)
        """)
    }
  }
}
