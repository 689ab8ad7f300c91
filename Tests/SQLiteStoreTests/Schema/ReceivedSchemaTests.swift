import Foundation
import GRDB
import ImportModel
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// A store that came from elsewhere is looked at before anything of it is used.
@Suite struct ReceivedSchemaTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()

  init() throws {
    temporary = try TemporaryStore()
    _ = try temporary.open(pipeline).take(pipeline, [["id": "a", "@region": "west", "magnitude": 1.5]])
  }

  private let hint =
    "Do not use a store that you do not trust. Restore your own store from a backup, or import into a new one."

  /// Both who reads and who writes are rejected, with the same sentence.
  private func expectRefused(_ problem: String) {
    for open in [{ _ = try SQLiteEngine(reading: temporary.path) }, { _ = try temporary.open(pipeline) }] {
      let error = #expect(throws: StoreError.self) { try open() }
      #expect(error?.code == .foreignSchema && error?.hint == hint)
      #expect(
        error?.message == "\(temporary.path): the schema is not the one that Bolide created: \(problem)")
    }
  }

  @Test(arguments: ["bolide_run", "bolide_model", "Quake"])
  func `A view or a virtual table in the place of a table is rejected by its name`(_ table: String) throws {
    try temporary.shell("PRAGMA foreign_keys = OFF; ALTER TABLE \(table) RENAME TO old_one;")
    try temporary.shell("CREATE VIEW \(table) AS SELECT * FROM old_one;")
    expectRefused("\(table) is a view, and not the table that Bolide made")
    try temporary.shell("DROP VIEW \(table); CREATE VIRTUAL TABLE \(table) USING fts5(a);")
    expectRefused("\(table) is a virtual table, and not the table that Bolide made")
    try temporary.shell("DROP TABLE \(table);")
    if table != "Quake" { expectRefused("the table \(table) is missing") }
  }

  @Test(arguments: [
    ("bolide_run", "a"), ("bolide_entity", "entity INTEGER, name TEXT"),
    ("bolide_gap", "number TEXT, reason TEXT"),
  ])
  func `A table of Bolide's that is another is rejected by its name`(_ table: String, _ columns: String)
    throws
  {
    try temporary.shell("PRAGMA foreign_keys = OFF; DROP TABLE \(table); CREATE TABLE \(table)(\(columns));")
    expectRefused("the table \(table) is not as Bolide made it")
  }

  @Test func `A table of Bolide's with a column more is a later version's, and good`() throws {
    try temporary.shell("ALTER TABLE bolide_run ADD COLUMN later TEXT;")
    _ = try SQLiteEngine(reading: temporary.path)
    _ = try temporary.open(pipeline)
  }

  @Test func `A trigger on a table of Bolide's is rejected, one on a table of the user's stays`() throws {
    try temporary.shell(
      """
      CREATE TABLE mine(a); CREATE VIEW ours AS SELECT 1;
      CREATE TRIGGER mine_too AFTER INSERT ON mine BEGIN DELETE FROM mine; END;
      """)
    _ = try SQLiteEngine(reading: temporary.path)
    try temporary.shell("CREATE TRIGGER evil AFTER INSERT ON bolide_run BEGIN DELETE FROM Quake; END;")
    expectRefused("the trigger evil of bolide_run is not Bolide's")
    try temporary.shell(
      """
      DROP TRIGGER evil; DROP TRIGGER bolide_author_signs;
      CREATE TRIGGER bolide_author_signs AFTER INSERT ON bolide_author BEGIN DELETE FROM Quake; END;
      """)
    expectRefused("the trigger bolide_author_signs of bolide_author is not Bolide's")
  }

  @Test func `A row of the schema that gives a trigger another name is damage to SQLite itself`() throws {
    try temporary.shell(
      """
      .dbconfig defensive off
      PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES('trigger', 'quiet', 'Quake', 0,
        'CREATE TRIGGER evil AFTER INSERT ON bolide_run BEGIN DELETE FROM Quake; END');
      """)
    let error = #expect(throws: StoreError.self) { try SQLiteEngine(reading: temporary.path) }
    #expect(error?.code == .corrupt)
  }

  @Test func `A store whose texts are UTF-16 is rejected`() throws {
    let script = """
      import os, sqlite3, sys
      old = sqlite3.connect(sys.argv[1])
      new = sqlite3.connect(sys.argv[1] + "-16", isolation_level=None)
      new.execute("PRAGMA encoding = 'UTF-16le'")
      for line in old.iterdump(): new.execute(line) if line not in ("BEGIN TRANSACTION;", "COMMIT;") else None
      for pragma in "application_id", "user_version":
        new.execute("PRAGMA %s = %d" % (pragma, *old.execute("PRAGMA " + pragma).fetchone()))
      old.close(), new.close()
      os.replace(sys.argv[1] + "-16", sys.argv[1])
      """
    _ = try temporary.python(script)
    expectRefused("its texts are not UTF-8")
  }

  @Test func `A model that no pipeline could have is rejected before anything is made from it`() throws {
    let cases = [
      (#"[{"name":"bolide_x","key":["a"]}]"#, "reserved"),
      (#"[{"name":"E","key":["none"]}]"#, "none"),
      (
        #"[{"name":"E","key":["id"],"unique":[["\#u{d4e}\" ON E(id); DROP TABLE Quake; --"]]}]"#, "DROP TABLE"
      ),
      (#"[{"name":"a\u0000b","key":["id"]}]"#, "U+0000"),
    ]
    for (entities, part) in cases {
      let model = try model(entities)
      try temporary.shell("UPDATE bolide_model SET model = \(literal(model))")
      let error = #expect(throws: StoreError.self) { try SQLiteEngine(reading: temporary.path) }
      #expect(error?.code == .foreignSchema && error?.hint == hint, "\(String(describing: error))")
      #expect(
        error?.message.contains("the schema is not the one that Bolide created: its model is invalid: ")
          == true)
      #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    }
    #expect(try temporary.shell("SELECT count(*) FROM Quake") == "1\n")
  }

  /// The links of a many-to-many relationship follow from its ends.
  @Test func `A model without the table of its links is rejected`() throws {
    let ends = [("Post", "tags", "Tag", "posts"), ("Tag", "posts", "Post", "tags")]
    let model = Model(
      entities: ends.map { name, end, destination, inverse in
        Entity(
          name: name, key: ["id"], attributes: [Attribute(name: "id", type: .string, isRequired: true)],
          relationships: [Relationship(name: end, kind: .toMany, destination: destination, inverse: inverse)])
      })
    #expect(
      model.problems().map(\.message) == [
        "the links of a many-to-many relationship have no table 'Post_tags'"
      ])
    #expect(model.withJoins.problems() == [])
  }

  /// A model's JSON with other entities, each with an attribute `id`.
  private func model(_ entities: String) throws -> String {
    let attribute = try JSONEncoder().encode(Attribute(name: "id", type: .string, isRequired: true))
    let short = try JSONSerialization.jsonObject(with: Data(entities.utf8)) as? [[String: Any]] ?? []
    let whole = try short.map { entity in
      [
        "name": entity["name"] ?? "", "key": entity["key"] ?? [], "relationships": [],
        "uniquenessConstraints": entity["unique"] ?? [],
        "attributes": [try JSONSerialization.jsonObject(with: attribute)],
      ]
    }
    return String(decoding: try JSONSerialization.data(withJSONObject: ["entities": whole]), as: UTF8.self)
  }

  @Test(arguments: [
    ("UPDATE bolide_transaction SET last_change = 9223372036854775807", "last_change"),
    ("UPDATE bolide_transaction SET first_change = -9223372036854775808", "first_change"),
    ("UPDATE bolide_transaction SET nonce = char(27) || '[31m'", "nonce"),
    ("UPDATE bolide_store SET id = 'a-b'", "id"),
    ("UPDATE sqlite_sequence SET seq = -5 WHERE name = 'bolide_transaction'", "ifnull(max(seq), 0)"),
    ("UPDATE bolide_change SET first = 1, last = 9223372036854775806 WHERE kind = 0", "last"),
  ]) func `A number that Bolide never writes is a sentence`(_ sql: String, _ column: String) throws {
    try temporary.shell(sql)
    let store = try SQLiteEngine(reading: temporary.path)
    let error = #expect(throws: StoreError.self) { _ = try store.history(HistoryRequest(from: .beginning)) }
    #expect(error?.code == .malformed)
    #expect(
      error?.message
        == "\(temporary.path): the column '\(column)' of one of Bolide's tables contains a value that Bolide never writes"
    )
    #expect(
      error?.hint == "Restore the store from a backup. To find the problem, verify the store.")
  }

  @Test func `A token holds no number that cannot be reckoned with`() {
    #expect(HistoryToken("b1-k3v9qd-9007199254740992-x7mw2p") != nil)
    #expect(HistoryToken("b1-k3v9qd-9007199254740993-x7mw2p") == nil)
    #expect(HistoryToken("b1-k3v9qd-1-x7mw2p-9223372036854775807.0") == nil)
  }

  @Test func `A connection has no further files but where it needs them`() throws {
    let store = try temporary.open(pipeline)
    let refusal = "too many attached databases - max 0"
    for reach in [store.reading, store.writing] as [((Database) throws -> Void) throws -> Void] {
      let error = #expect(throws: StoreError.self) { try reach { try $0.run("ATTACH ':memory:' AS other") } }
      #expect(error?.message.contains(refusal) == true, "\(error?.message ?? "")")
    }
    try store.vacuum()
  }

  @Test func `A statement that was cancelled a second ago is ended`() throws {
    let store = try temporary.open(pipeline)
    let start = ContinuousClock.now
    let error = #expect(throws: StoreError.self) {
      try store.writing(waiting: 5, isCancelled: { start.duration(to: .now) > .milliseconds(200) }) {
        try $0.run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
      }
    }
    #expect(error?.code == .interrupted)
    #expect(error?.message == "\(temporary.path): the statement was interrupted")
    // The connection goes on, and hears of no cancellation any more.
    #expect(try store.writing { try $0.integer("SELECT count(*) FROM Quake") } == 1)
  }
}
