import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Other programs sign what they write, and nobody else's changes come under their name.
struct AuthorTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(Quakes.pipeline())
  }

  private func sign(_ name: String, _ sql: String, end: String = "COMMIT") throws {
    try temporary.shell(
      "BEGIN IMMEDIATE; INSERT INTO bolide_author(name) VALUES ('\(name)'); \(sql); DELETE FROM bolide_author; \(end)"
    )
  }

  private func told() throws -> [String] {
    try store.assignPending()
    return try store.history(HistoryRequest()).map { transaction in
      "\(transaction.author ?? "-"): "
        + transaction.changes.map { "\($0.key[0].value)" }.joined(separator: " ")
    }
  }

  private func name(_ ids: String...) -> String {
    ids.map { "\(Value.text($0))" }.joined(separator: " ")
  }

  @Test func `An entity may be called Author`() throws {
    let temporary = try TemporaryStore()
    let author = Entity(
      name: "Author", key: ["name"], attributes: [Attribute(name: "name", type: .string, isRequired: true)])
    let pipeline = Pipeline(
      name: "authors", entity: "Author", model: Model(entities: [author]), fields: [Field("name")])
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["name": "a"]])
    try temporary.shell(
      "BEGIN; INSERT INTO bolide_author(name) VALUES ('me'); INSERT INTO Author(name) VALUES ('b'); "
        + "DELETE FROM bolide_author; COMMIT")
    try store.assignPending()
    #expect(try store.history(HistoryRequest()).map(\.author) == ["authors", "me"])
  }

  @Test func `What is signed is a transaction of its own`() throws {
    try temporary.shell("INSERT INTO Quake(id) VALUES ('a')")
    try sign("map", "INSERT INTO Quake(id) VALUES ('b'), ('c')")
    try temporary.shell("INSERT INTO Quake(id) VALUES ('d')")
    try temporary.shell("INSERT INTO Quake(id) VALUES ('e')")
    try sign("map", "INSERT INTO Quake(id) VALUES ('f')")
    try sign("app", "INSERT INTO Quake(id) VALUES ('g')")
    #expect(
      try told() == [
        "-: " + name("a"), "map: " + name("b", "c"), "-: " + name("d", "e"), "map: " + name("f"),
        "app: " + name("g"),
      ])
    var request = HistoryRequest()
    request.excludedAuthors = ["map"]
    #expect(try store.history(request).flatMap(\.changes).count == 4)
    #expect(try Replay(store).problems() == [])
    // An import assigns first, and signs its own.
    try sign("map", "DELETE FROM Quake WHERE id = 'g'")
    try store.take(Quakes.pipeline(), [["id": "h"]])
    #expect(try told().suffix(2) == ["map: " + name("g"), "quakes: " + name("h")])
    #expect(try store.rows("SELECT 1 FROM bolide_author UNION ALL SELECT 1 FROM bolide_signed").isEmpty)
  }

  @Test func `A name without changes, or rolled back, or left behind, signs nothing`() throws {
    try sign("map", "SELECT 1")
    try sign("map", "INSERT INTO Quake(id) VALUES ('a')", end: "ROLLBACK")
    #expect(try told() == [])
    // Its transaction has ended, and what comes after it is others'.
    try temporary.shell("INSERT INTO bolide_author(name) VALUES ('map'); INSERT INTO Quake(id) VALUES ('b')")
    try temporary.shell("INSERT INTO Quake(id) VALUES ('c')")
    try sign("app", "INSERT INTO Quake(id) VALUES ('d')")
    #expect(try told() == ["-: " + name("b", "c"), "app: " + name("d")])
    try temporary.shell("INSERT INTO bolide_author(name) VALUES ('map'); INSERT INTO Quake(id) VALUES ('e')")
    #expect(try told().last == "-: " + name("e"))
    try temporary.shell("INSERT INTO Quake(id) VALUES ('f'); DELETE FROM bolide_author")
    #expect(try told().last == "-: " + name("f"))
  }

  @Test func `A name after the transaction's first changes signs what follows`() throws {
    try temporary.shell(
      """
      BEGIN IMMEDIATE; INSERT INTO Quake(id) VALUES ('a'); INSERT INTO bolide_author(name) VALUES ('map');
      INSERT INTO Quake(id) VALUES ('b'); DELETE FROM bolide_author; INSERT INTO Quake(id) VALUES ('c'); COMMIT;
      """)
    #expect(try told() == ["-: " + name("a"), "map: " + name("b"), "-: " + name("c")])
    _ = try store.prune(.keepingTransactions(0))
    try sign("map", "INSERT INTO Quake(id) VALUES ('d')")
    #expect(try told() == ["map: " + name("d")])
  }

  @Test func `What follows from signed changes is signed too, unless others wrote as well`() throws {
    let temporary = try TemporaryStore()
    let store = try temporary.open(
      Quakes.pipeline { pipeline in
        pipeline.model.entities[1].attributes = [
          Attribute(name: "code", type: .string, isRequired: true),
          Attribute(
            name: "strongest", type: .double,
            derivation: .aggregate(.init(.max, of: "magnitude", over: "quakes"))),
        ]
      })
    try temporary.shell(
      "INSERT INTO Region(code) VALUES ('r'); INSERT INTO Quake(id, magnitude, region_id) VALUES ('a', 1, 1), ('b', 2, 1)"
    )
    func told() throws -> [String] {
      try store.assignPending()
      return try store.history(HistoryRequest()).dropFirst().map { transaction in
        "\(transaction.author ?? "-"): \(transaction.changes.map(\.entity).sorted().joined(separator: " "))"
      }
    }
    #expect(try told() == [])
    func write(_ sql: String, by name: String? = nil) throws {
      let sign = name.map { "INSERT INTO bolide_author(name) VALUES ('\($0)');" } ?? ""
      try temporary.shell("BEGIN IMMEDIATE; \(sign) \(sql); DELETE FROM bolide_author; COMMIT")
    }
    // The largest one goes: the next one has to be looked for, by whoever assigns.
    try write("UPDATE Quake SET magnitude = 0 WHERE id = 'b'", by: "app")
    #expect(try told() == ["app: Quake Region"])
    try write("UPDATE Quake SET magnitude = -1 WHERE id = 'a'", by: "app")
    try write("UPDATE Quake SET depth = 1", by: "app")
    #expect(try told().dropFirst() == ["app: Quake", "app: Quake Quake Region"])
    try write("UPDATE Quake SET magnitude = -2 WHERE id = 'b'", by: "app")
    try write("UPDATE Quake SET depth = 2")
    #expect(try told().suffix(2) == ["app: Quake", "-: Quake Quake Region"])
  }

  /// SQLite does not note the last number of a statement that ends so.
  @Test func `What a statement with OR FAIL has done before it failed is history, and is signed`() throws {
    func fails(_ sql: String) throws {
      #expect(throws: (any Error).self) { try temporary.shell(sql) }
    }
    try temporary.shell("INSERT INTO Quake(id) VALUES ('a'), ('b'), ('c')")
    #expect(try told() == ["-: " + name("a", "b", "c")])
    try fails("INSERT OR FAIL INTO Quake(id) VALUES ('d'), ('e'), ('a'), ('f')")
    #expect(try told().last == "-: " + name("d", "e"))
    let said = try temporary.python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("BEGIN IMMEDIATE")
      store.execute("INSERT INTO bolide_author(name) VALUES ('app')")
      try:
        store.execute("INSERT OR FAIL INTO Quake(id) VALUES ('h'), ('a')")
      except sqlite3.IntegrityError:
        store.execute("DELETE FROM bolide_author")
        store.execute("COMMIT")
      """)
    #expect(said == "")
    #expect(try told().last == "app: " + name("h"))
    // The next one has numbers of its own.
    try store.take(Quakes.pipeline(), [["id": "i"]])
    #expect(try told().suffix(2) == ["app: " + name("h"), "quakes: " + name("i")])
    #expect(try Replay(store).problems() == [])
  }
}
