import ImportModel
@testable import RowExpressions
@testable import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// Single forms of derived attributes, where the moment or the history matters.
struct DerivedFormsTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(World.quakes())
  }

  /// Imports quakes at a given instant.
  private func take(_ clock: String, _ records: [Record]...) throws {
    let run = try SQLiteImport(store, World.quakes(when: .always), input: "test", clock: { clock })
    for records in records {
      let chunk = Chunk(layout: run.layout)
      chunk.fill(records)
      try run.apply(chunk, bytes: 1)
    }
    try run.finish(outcome: "ok", bytes: 1)
  }

  private func quake(_ id: String, _ code: Int64, _ more: Record = [:]) -> Record {
    ["id": .text(id), "code": .integer(code)].merging(more) { $1 }
  }

  @Test func `The clock is asked once a chunk, and only a real change moves it`() throws {
    let changed = "SELECT id, changed FROM Quake ORDER BY id"
    try take("2026-01-01T00:00:00.001Z", [quake("a", 1, ["@region": "r"]), quake("b", 2)])
    let records = [quake("a", 1, ["seen": 9]), quake("b", 2, ["depth": 5])]
    try take("2026-01-02T00:00:00.002Z", records)
    #expect(
      try store.rows(changed) == [["a", "2026-01-01T00:00:00.001Z"], ["b", "2026-01-02T00:00:00.002Z"]])
    #expect(try store.rows("SELECT changed FROM Region") == [["2026-01-01T00:00:00Z"]])
    // A link is stored; what it changes in derived attributes is not.
    try take("2026-01-03T00:00:00.003Z", [quake("a", 1), quake("b", 2, ["@region": "r"])])
    #expect(
      try store.rows(changed) == [["a", "2026-01-01T00:00:00.001Z"], ["b", "2026-01-03T00:00:00.003Z"]])
    #expect(try store.rows("SELECT count, changed FROM Region") == [[2, "2026-01-01T00:00:00Z"]])
  }

  @Test func `No derived value moves the clock, whoever writes and whoever reads`() throws {
    try take("2026-01-01T00:00:00.000Z", [quake("a", 1, ["@region": "r", "place": "west"])])
    let changed = "SELECT shout, regionTitle, changed FROM Quake"
    // Another program gives the region another title; what waits is computed by who comes next.
    try temporary.shell("UPDATE Region SET title = 'east'")
    try store.assignPending()
    #expect(try store.rows(changed) == [["EAST", "east", "2026-01-01T00:00:00.000Z"]])
    // The quake's own place is stored: that moves it, and the canonical text computed later does not.
    try temporary.shell("UPDATE Quake SET place = 'West'")
    let moved = try store.rows(changed)
    #expect(moved != [["EAST", "east", "2026-01-01T00:00:00.000Z"]])
    guard case .text(let instant) = moved[0][2] else {
      Issue.record("\(moved)")
      return
    }
    while timestamp() <= instant { continue }
    try store.assignPending()
    #expect(try store.rows(changed) == moved)
    #expect(try store.rows("SELECT canonical FROM Quake") == [["west"]])
    // An import that changes the region alone.
    try take("2026-02-01T00:00:00.000Z", [quake("b", 2, ["@region": "r"])])
    #expect(try store.rows(changed + " WHERE id = 'a'") == moved)
  }

  @Test func `One instant serves a record, its children and their links`() throws {
    let temporary = try TemporaryStore()
    var pipeline = Blog.posts()
    for entity in ["Post", "Tag"] {
      pipeline[entity: entity].attributes.append(
        Attribute(
          name: "at", type: .date(precision: .milliseconds),
          derivation: try Derivation(parsing: "now()", where: nil)))
    }
    let store = try temporary.open(pipeline)
    var ticks = 0
    let run = try SQLiteImport(
      store, pipeline, input: "test",
      clock: {
        ticks += 1
        return "2026-01-01T00:00:00.00\(ticks)Z"
      })
    let chunk = Chunk(layout: run.layout)
    for slug in ["p", "q"] {
      chunk.clear()
      chunk.append(["slug": .text(slug), "@author": "a"])
      chunk.children[0].append(["name": .text("tag of \(slug)")], of: 0, number: 1)
      chunk.children[0].flushBatch()
      chunk.sortAndFold()
      try run.apply(chunk, bytes: 1)
    }
    try run.finish(outcome: "ok", bytes: 1)
    for entity in ["Post", "Tag"] {
      #expect(
        try store.rows("SELECT at FROM \(entity) ORDER BY bolide_id")
          == [["2026-01-01T00:00:00.001Z"], ["2026-01-01T00:00:00.002Z"]])
    }
  }

  @Test func `Other programs see counts, sums, copies and the clock at once`() throws {
    try take("2026-01-01T00:00:00.000Z", [quake("a", 1, ["@region": "r", "magnitude": 1.5])])
    try temporary.shell(
      """
      UPDATE Region SET title = 'Öst';
      INSERT INTO Quake(id, code, place, magnitude, region_id) VALUES ('b', 2, 'Kåre', 2.5, 1);
      INSERT INTO Country(code, name) VALUES ('c', 'See');
      UPDATE Region SET country_id = 1;
      UPDATE Country SET name = 'Sea';
      """)
    #expect(
      try store.rows("SELECT count, total, countryName, changed > '2026-02' FROM Region") == [
        [2, 4.0, "Sea", 1]
      ])
    #expect(
      try store.rows("SELECT regionTitle, placeCopy, changed > '2026-02' FROM Quake ORDER BY id")
        == [["Öst", .null, 0], ["Öst", "Kåre", 1]])
    // The rest waits, and `verify` knows.
    #expect(try store.rows("SELECT largest, mean FROM Region") == [[1.5, 1.5]])
    #expect(try store.findings() == [])
    try store.assignPending()
    #expect(try store.rows("SELECT largest, mean, canonical FROM Region") == [[2.5, 2.0, "ost"]])
    #expect(try store.rows("SELECT canonical, countryName FROM Quake WHERE id = 'b'") == [["kare", "Sea"]])
    #expect(try Replay(store, model: World.model).problems() == [])
  }

  @Test func `An insertion's own derived values are no update of it`() throws {
    try temporary.shell("INSERT INTO Region(name, title) VALUES ('r', 'T')")
    try take(
      "2026-01-01T00:00:00.000Z",
      [quake("a", 1, ["@region": "r", "place": "P"]), quake("b", 2, ["@region": "s"])])
    try temporary.shell("INSERT INTO Quake(id, code, place, region_id) VALUES ('c', 3, 'Q', 1)")
    try store.assignPending()
    let updates = try Replay(store, model: World.model).changes.filter { $0.kind == .update }
    // Region r gets a quake twice; what is refreshed later for quake c is one more change.
    #expect(updates.filter { $0.entity == "Quake" && $0.id <= 2 }.isEmpty)
    #expect(updates.filter { $0.entity == "Region" && $0.id == 2 }.isEmpty)
    #expect(updates.allSatisfy { change in change.isDerived })
  }

  @Test func `An extreme that leaves is looked for among the children`() throws {
    let records = (1...5).map { quake("q\($0)", Int64($0), ["@region": "r", "depth": .integer(Int64($0))]) }
    try take("2026-01-01T00:00:00.000Z", records)
    let extremes = "SELECT shallowest, deepest, meanDepth FROM Region"
    try take("2026-01-01T00:00:00.000Z", [quake("q1", 1, ["depth": 9]), quake("q2", 2, ["depth": .null])])
    #expect(try store.rows(extremes) == [[3, .null, 5.25]])
    try take(
      "2026-01-01T00:00:00.000Z", [quake("q3", 3, ["@region": "other"]), quake("q5", 5, ["cost": 101])])
    #expect(try store.rows(extremes) == [[4, 5, 6.0], [3, .null, 3.0]])
  }

  @Test func `What an import changes in a filter's attribute alone moves an aggregate over derived values`()
    throws
  {
    try store.take(World.regions(), [["name": "r", "title": "x", "@country": "c"]])
    try take("2026-01-01T00:00:00.001Z", [quake("a", 1, ["@region": "r"]), quake("b", 2, ["@region": "r"])])
    func counts() throws -> [[Value]] { try store.rows("SELECT quakeCount, titledQuakes FROM Country") }
    #expect(try counts() == [[2, 2]])
    try store.take(World.regions(), [["name": "r", "title": .null]])
    #expect(try counts() == [[2, 0]])
    try store.take(World.regions(), [["name": "r", "title": "y"]])
    #expect(try counts() == [[2, 2]])
  }

  @Test func `A text that another version folded is folded anew`() throws {
    try take("2026-01-01T00:00:00.000Z", [quake("a", 1, ["place": "Ä"])])
    try store.execute("UPDATE Quake SET canonical = 'old'; UPDATE bolide_store SET folding = 0")
    try take("2026-01-02T00:00:00.000Z", [])
    #expect(try store.rows("SELECT canonical, copyOfCanonical FROM Quake") == [["a", "a"]])
    #expect(try store.integer("SELECT folding FROM bolide_store") == TextFolding.version)
  }

  @Test func `Attributes that come later are computed for the rows that are there`() throws {
    let temporary = try TemporaryStore()
    var bare = World.quakes()
    for index in bare.model.entities.indices {
      bare.model.entities[index].attributes.removeAll { $0.derivation != nil }
    }
    let store = try temporary.open(bare)
    try store.take(
      bare,
      [quake("a", 1, ["@region": "r", "place": "Å", "magnitude": 6.5, "day": "2026-01-01"]), quake("b", 2)])
    let again = try temporary.open(World.quakes())
    try again.take(World.quakes(), [quake("c", 3)])
    #expect(
      try again.rows("SELECT canonical, regionTotal FROM Quake ORDER BY id")
        == [["a", 6.5], [.null, .null], [.null, .null]])
    #expect(
      try again.rows("SELECT count, mean, firstDay, strong FROM Region") == [[1, 6.5, "2026-01-01", 1]])
    #expect(try again.findings() == [])
  }

  @Test func `A filter that cannot be used is rejected where it stands`() {
    var pipeline = World.quakes()
    pipeline[entity: "Region"]["strong"].derivation = .count(relationship: "quakes", where: "magnitud > 5")
    #expect(
      pipeline.expressionProblems().map(\.message)
        == ["the expression cannot be used: no such column: magnitud"])
    for text in ["canonical = 'a'", "region_id = 1", "count(*) > 1", "(SELECT 1)", "random() > 0"] {
      pipeline[entity: "Region"]["strong"].derivation = .count(relationship: "quakes", where: text)
      #expect(pipeline.expressionProblems().count == 1, "\(text)")
    }
  }

  @Test func `Wrong derived values are found, whatever their form`() throws {
    try take("2026-01-01T00:00:00.000Z", [quake("a", 1, ["@region": "r", "place": "P", "depth": 4])])
    for (number, (table, column)) in [
      ("Region", "mean"), ("Region", "shallowest"), ("Region", "strong"), ("Country", "largest"),
      ("Quake", "canonical"), ("Quake", "countryName"), ("Quake", "copyOfCanonical"), ("Region", "again"),
    ].enumerated() {
      try temporary.shell("INSERT OR IGNORE INTO Country(code) VALUES ('c')")
      try store.assignPending()
      try temporary.shell(
        derivedly("UPDATE \(table) SET \(quoted(column)) = \(90 + number); DELETE FROM bolide_dirty"))
      let findings = try store.findings()
      #expect(findings.contains { $0.entity == table && $0.attribute == column }, "\(table).\(column)")
    }
  }
}
