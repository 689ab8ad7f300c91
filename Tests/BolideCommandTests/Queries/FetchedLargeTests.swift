import Foundation
import Testing

/// Fetched properties of many objects, and while others write.
@Suite struct FetchedLargeTests {
  private let folder: Folder

  init() throws { folder = try Folder.withRecipes() }

  @Test func `120,000 owners take no more memory than a few`() throws {
    let fetches = [
      ["recipes.sqlite", "Recipe", "--with=comments", "--format=ndjson"],
      [
        "recipes.sqlite", "Recipe", "--with=comments,praise", "--sort=-minutes", "--format=table",
        "--only=slug",
      ],
      ["recipes.sqlite", "Recipe", "--dangling=comments", "--with=praise", "--format=csv"],
      ["comments.sqlite", "Comment", "--dangling=recipe", "--sort=-at"],
    ]
    let few = try fetches.map { try folder.fetchMeasured($0).memory }
    try folder.sqlite(
      "recipes.sqlite",
      """
      WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
      INSERT INTO Recipe(slug, title, minutes) SELECT 'recipe number ' || i, 'title ' || i, i % 100 FROM n
      """)
    try folder.sqlite(
      "comments.sqlite",
      """
      WITH n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 120100)
      INSERT INTO Comment(id, recipeSlug, stars, text, at)
      SELECT i, 'recipe number ' || (i * 7919 % 150000), i % 5 + 1, 'a comment ' || i, '2026-01-01T00:00:00Z' FROM n
      """)
    for (arguments, few) in zip(fetches, few) {
      let (lines, memory) = try folder.fetchMeasured(arguments)
      #expect(lines > 20_000)
      // In KiB: two hundred bytes an owner.
      #expect(memory - few < 24_000, "\(arguments): \(few) to \(memory)")
    }
  }

  @Test func `one state of each store is seen while both are written`() throws {
    // Whoever writes keeps this: each recipe has as many comments as any other, whose stars are all the same.
    try folder.write(
      """
      import os, sqlite3
      db = sqlite3.connect("comments.sqlite", timeout=60, isolation_level=None)
      catalogue = sqlite3.connect("recipes.sqlite", timeout=60, isolation_level=None)
      n = 0
      while not os.path.exists("stop"):
        n += 1
        db.execute("BEGIN IMMEDIATE")
        db.execute("DELETE FROM Comment")
        for i in range(5 * (n % 4)):
          db.execute("INSERT INTO Comment(id, recipeSlug, stars) VALUES (?, ?, ?)",
            (n * 100 + i, ["lentil-soup", "potato-cakes", "plum-tart", "bean-salad", "rye-bread"][i % 5], n % 5 + 1))
        db.execute("COMMIT")
        catalogue.execute("BEGIN IMMEDIATE")
        catalogue.execute("UPDATE Recipe SET minutes = ?", (n % 1000,))
        catalogue.execute("COMMIT")
        if n == 20: open("busy", "w").close()
      """, to: "write.py")
    let writer = try Running("/usr/bin/env", ["python3", "write.py"], in: folder, input: .nothing)
    try eventually { FileManager.default.fileExists(atPath: folder.path("busy")) }
    var seen: Set<String> = []
    for round in 0..<25 {
      let form = round % 2 == 0 ? ["--with", "comments"] : ["--with", "comments,praise", "--sort", "-title"]
      let outcome = try Running(
        Folder.tool, ["fetch", "recipes.sqlite", "Recipe", "--format", "ndjson"] + form, in: folder,
        input: .nothing
      ).outcome()
      try #require(outcome.status == 0, "\(outcome.errors)")
      let rows = try outcome.lines.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      try #require(rows.count == 5)
      var (counts, stars, minutes): (Set<Int>, Set<Int?>, Set<Int?>) = ([], [], [])
      for row in rows {
        let comments = row?["comments"] as? [[String: Any]] ?? []
        counts.insert(comments.count)
        for comment in comments { stars.insert(comment["stars"] as? Int) }
        minutes.insert(row?["minutes"] as? Int)
      }
      #expect(counts.count == 1 && stars.count <= 1 && minutes.count == 1)
      seen.insert("\(rows.first??["minutes"] ?? "")")
    }
    try folder.write("", to: "stop")
    #expect(try writer.outcome().status == 0)
    #expect(seen.count > 5)
  }
}
