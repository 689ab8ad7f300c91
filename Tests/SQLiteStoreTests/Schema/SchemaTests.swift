import Bolide
import Foundation
import ImportModel
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// The file that a store is: other programs read and write it, so its form is a promise.
struct SchemaTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  @Test func `A model becomes STRICT tables with plain names`() throws {
    let pipeline = Quakes.pipeline(rule: .cascade) {
      $0[entity: "Quake"].attributes += [
        Attribute(name: "it's", type: .binary, defaultValue: .blob([0, 171])),
        Attribute(name: "felt", type: .boolean, isRequired: true, defaultValue: 0),
        Attribute(name: "passing", type: .double, isTransient: true),
      ]
      $0[entity: "Region"].attributes.append(
        Attribute(name: "area", type: .double, defaultValue: .real(1e300)))
    }
    let store = try temporary.open(pipeline)
    let sql = try store.rows(
      "SELECT sql FROM sqlite_schema WHERE type IN ('table', 'index') AND tbl_name IN ('Quake', 'Region') "
        + "AND sql NOT NULL ORDER BY type DESC, name")
    #expect(
      sql == [
        [
          """
          CREATE TABLE "Quake"(
            bolide_id INTEGER PRIMARY KEY AUTOINCREMENT,
            "id" TEXT NOT NULL,
            "place" TEXT,
            "magnitude" REAL,
            "depth" INTEGER,
            "cost" INTEGER,
            "kind" TEXT DEFAULT 'quake',
            "seen" INTEGER,
            "it's" BLOB DEFAULT x'00ab',
            "felt" INTEGER NOT NULL DEFAULT 0 CHECK ("felt" IN (0, 1)),
            "region_id" INTEGER REFERENCES "Region" ON DELETE CASCADE,
            UNIQUE ("id")
          ) STRICT
          """
        ],
        [
          """
          CREATE TABLE "Region"(
            bolide_id INTEGER PRIMARY KEY AUTOINCREMENT,
            "code" TEXT NOT NULL,
            "quakeCount" INTEGER NOT NULL DEFAULT 0,
            "magnitudes" REAL DEFAULT 0,
            "bolide_magnitudes_2" REAL DEFAULT 0,
            "bolide_magnitudes_3" REAL DEFAULT 0,
            "bolide_magnitudes_4" REAL DEFAULT 0,
            "depths" INTEGER DEFAULT 0,
            "costs" INTEGER DEFAULT 0,
            "area" REAL DEFAULT 1e+300,
            UNIQUE ("code")
          ) STRICT
          """
        ],
        [#"CREATE INDEX "bolide_index_Quake.region_id" ON "Quake"("region_id")"#],
      ])
  }

  @Test(arguments: [
    (AttributeType.integer16, "INTEGER"), (.integer32, "INTEGER"), (.integer64, "INTEGER"), (.double, "REAL"),
    (.float, "REAL"), (.decimal(scale: 2), "INTEGER"), (.string, "TEXT"), (.boolean, "INTEGER"),
    (.date(precision: .milliseconds), "TEXT"), (.day, "TEXT"), (.uuid, "TEXT"), (.binary, "BLOB"),
    (.json, "TEXT"),
  ])
  func `Each type has its column type`(type: AttributeType, column: String) throws {
    let store = try temporary.open(plainPipeline([Attribute(name: "k", type: type, isRequired: true)]))
    #expect(
      try store.rows("SELECT type FROM pragma_table_info('Thing') WHERE name = 'k'") == [[.text(column)]])
  }

  @Test func `There are these triggers`() throws {
    let store = try temporary.open(Quakes.pipeline())
    #expect(
      try store.rows(
        """
        SELECT name FROM sqlite_schema WHERE type = 'trigger'
        AND (tbl_name NOT GLOB 'bolide_*' OR tbl_name GLOB 'bolide_replaced_*') ORDER BY name
        """)
        == [
          ["bolide_Quake.region_id.changed"], ["bolide_Quake.region_id.moved"],
          ["bolide_Quake_before_delete"], ["bolide_Quake_before_insert"], ["bolide_Quake_before_update"],
          ["bolide_Quake_delete"], ["bolide_Quake_id"], ["bolide_Quake_insert"],
          ["bolide_Quake_replaced"], ["bolide_Quake_update"], ["bolide_Region_before_delete"],
          ["bolide_Region_before_insert"], ["bolide_Region_before_update"], ["bolide_Region_delete"],
          ["bolide_Region_derived"], ["bolide_Region_id"], ["bolide_Region_insert"],
          ["bolide_Region_replaced"], ["bolide_Region_restore"], ["bolide_Region_update"],
        ])
  }

  @Test func `The file says what it is, and has large pages and a WAL`() throws {
    let store = try temporary.open(Quakes.pipeline())
    try store.take(Quakes.pipeline(), [["id": "a"]])
    let answers = try temporary.shell(
      """
      PRAGMA application_id; PRAGMA user_version; PRAGMA page_size; PRAGMA journal_mode; PRAGMA integrity_check;
      """)
    #expect(answers == "1114598500\n2\n16384\nwal\nok\n")
    // The header's own place for the id, 68 bytes in: "Bold".
    let copy = "'\(temporary.path)-copy'"
    let bytes = try temporary.shell(
      "VACUUM INTO \(copy); SELECT hex(substr(readfile(\(copy)), 69, 4))")
    #expect(bytes == "426F6C64\n")
    #expect(try store.writing { try $0.value("PRAGMA synchronous") } == 2)
  }

  @Test func `Nothing in the file needs a function of Bolide's own`() throws {
    let store = try temporary.open(Quakes.pipeline())
    try store.take(Quakes.pipeline(), [["id": "a", "@region": "r", "magnitude": 1.5]])
    // A strict shell: functions that are not SQLite's own are rejected in the schema.
    let written = try temporary.shell(
      """
      .dbconfig trusted_schema off
      .dbconfig defensive on
      .dbconfig dqs_ddl off
      .dbconfig dqs_dml off
      INSERT INTO Quake(id, region_id, magnitude) VALUES ('b', 1, 2.5);
      UPDATE Quake SET magnitude = 3 WHERE id = 'a';
      DELETE FROM Quake WHERE id = 'b';
      PRAGMA integrity_check;
      PRAGMA foreign_key_check;
      """)
    #expect(written.hasSuffix("ok\n") && !written.lowercased().contains("error"))
    let script = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      db.execute("PRAGMA foreign_keys = ON")
      db.execute("UPDATE Quake SET magnitude = ?", (4.5,))
      db.execute("INSERT INTO Quake(id, region_id) VALUES (?, 1)", ("c",))
      db.commit()
      print(db.execute("SELECT quakeCount, magnitudes FROM Region").fetchall())
      """
    #expect(try temporary.python(script) == "[(2, 4.5)]\n")
  }

  @Test func `Opening a store again changes nothing in it`() throws {
    let pipeline = Quakes.pipeline()
    do { try temporary.open(pipeline).take(pipeline, [["id": "a"]]) }
    let before = try temporary.shell(".dump")
    for _ in 0..<2 { _ = try temporary.open(pipeline) }
    _ = try SQLiteEngine(reading: temporary.path)
    #expect(try temporary.shell(".dump") == before)
    #expect(try temporary.shell("SELECT count(*) FROM bolide_model") == "1\n")
  }

  // MARK: Files that are no stores

  private func refusal(_ path: String, reading: Bool = false) -> StoreError? {
    #expect(throws: StoreError.self) {
      _ =
        try reading
        ? SQLiteEngine(reading: path) : SQLiteEngine(blocking: path, for: Quakes.pipeline(), lockWait: 1)
    }
  }

  @Test(arguments: [false, true]) func `A file that is not SQLite's is rejected, and stays as it is`(
    reading: Bool
  ) throws {
    let text = Data(String(repeating: "{\"not\": \"a database\"}\n", count: 99).utf8)
    try text.write(to: URL(fileURLWithPath: temporary.path))
    let error = refusal(temporary.path, reading: reading)
    #expect(error?.code == .notAStore)
    #expect(error?.message == "\(temporary.path): the file is not an SQLite database")
    #expect(error?.hint == "Use another path for the store.")
    #expect(FileManager.default.contents(atPath: temporary.path) == text)
  }

  @Test(arguments: [false, true]) func `Another program's database is rejected, and stays as it is`(
    reading: Bool
  ) throws {
    try temporary.shell("CREATE TABLE bookmark(url); INSERT INTO bookmark VALUES ('x')")
    let before = FileManager.default.contents(atPath: temporary.path)
    let error = refusal(temporary.path, reading: reading)
    #expect(error?.code == .notAStore)
    #expect(
      error?.message == "\(temporary.path): the file is an SQLite database, but not a Bolide store")
    #expect(error?.hint == "Use another path for the store.")
    #expect(FileManager.default.contents(atPath: temporary.path) == before && before != nil)
    #expect(!FileManager.default.fileExists(atPath: temporary.path + "-wal"))
  }

  @Test(arguments: [false, true]) func `A store of a newer version is rejected`(reading: Bool) throws {
    do { _ = try temporary.open(Quakes.pipeline()) }
    try temporary.shell("PRAGMA user_version = 3")
    let error = refusal(temporary.path, reading: reading)
    #expect(error?.code == .newerFormat)
    #expect(error?.message == "\(temporary.path): the store was written by a newer version of Bolide")
    #expect(error?.hint == "Use that version or a newer one.")
  }

  @Test func `A path whose folder does not exist is rejected`() {
    let path = temporary.folder.appendingPathComponent("missing/store.sqlite").path
    let error = refusal(path)
    #expect(
      error?.code == .cannotOpen
        && error?.message == "\(path): the file cannot be created (No such file or directory)")
    #expect(error?.hint == "Check that its folder exists and can be written.")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `Reading makes no store`() {
    let error = refusal(temporary.path, reading: true)
    #expect(error?.code == .cannotOpen && error?.message == "\(temporary.path): no such store")
    #expect(error?.hint == "Check the path, or import first.")
    #expect(!FileManager.default.fileExists(atPath: temporary.path))
  }

  @Test func `A pipeline with problems makes no store`() {
    let pipeline = Quakes.pipeline { $0.checks = ["dpeth > 0"] }
    let error = #expect(throws: PipelineError.self) {
      try StoreAddress(temporary.path).open(for: pipeline, lockWait: 0)
    }
    #expect(error?.description == "quakes: the expression cannot be used: no such column: dpeth")
    #expect(!FileManager.default.fileExists(atPath: temporary.path))
  }

  @Test func `A store that another program is writing is busy`() throws {
    do { _ = try temporary.open(Quakes.pipeline()) }
    let other = try temporary.open(Quakes.pipeline())
    let store = try SQLiteEngine(blocking: temporary.path, for: Quakes.pipeline(), lockWait: 0)
    let error = try other.writing { db in
      try db.run("BEGIN IMMEDIATE")
      defer { try? db.run("ROLLBACK") }
      return #expect(throws: StoreError.self) {
        try store.take(Quakes.pipeline(), chunks: [[["id": "a"]]], lockWait: 0)
      }
    }
    #expect(error?.code == .busy)
    #expect(error?.message == "\(temporary.path): another program holds a lock on the store")
    #expect(error?.hint == "Run the command again when that program has finished its transaction.")
    #expect(try store.take(Quakes.pipeline(), [["id": "a"]]).counts.inserted == 1)
  }
}
