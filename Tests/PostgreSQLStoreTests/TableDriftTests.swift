import Bolide
import PostgreSQLAccess
import StoreInterface
import TestServer
import Testing

/// What other programs have made of the tables: an import says it before it reads anything.
struct TableDriftTests {
  private static let other = "the schema is not the one that Bolide created: "
  private static let restore = "Restore what another program has renamed or dropped."

  @Test(arguments: [
    (
      #"ALTER TABLE "Quake" ALTER depth TYPE numeric"#,
      "the column depth of Quake is numeric, and was made numeric(38,2)",
      #"Change it back: ALTER TABLE "Quake" ALTER "depth" TYPE numeric(38,2)"#
    ),
    (
      #"ALTER TABLE "Quake" ALTER seen TYPE timestamptz"#,
      "the column seen of Quake is timestamp with time zone, and was made timestamp(3) with time zone",
      #"Change it back: ALTER TABLE "Quake" ALTER "seen" TYPE timestamp(3) with time zone"#
    ),
    (
      #"ALTER TABLE "Region" RENAME bolide_n_total TO n"#,
      "the table Region has no column bolide_n_total",
      "If another program has renamed it, rename it back. Restore what it has dropped."
    ),
    (
      #"DROP TABLE "Region" CASCADE"#, "the table Region is missing",
      "Restore what another program has dropped."
    ),
    ("DROP TABLE bolide_mark", #"relation "bolide_mark" does not exist"#, restore),
    (
      "ALTER TABLE bolide_run DROP COLUMN skipped",
      #"column "skipped" of relation "bolide_run" does not exist"#, restore
    ),
    (
      #"CREATE TABLE later () INHERITS ("Quake")"#,
      "the table Quake inherits from another table, or another one from it: triggers do not see all changes",
      "Take them apart: ALTER TABLE … NO INHERIT …"
    ),
    (
      #"CREATE TABLE places (name text COLLATE "C" NOT NULL); ALTER TABLE "Region" INHERIT places"#,
      "the table Region inherits from another table, or another one from it: triggers do not see all changes",
      "Take them apart: ALTER TABLE … NO INHERIT …"
    ),
    (
      #"ALTER TABLE "Region" RENAME TO regions; CREATE VIEW "Region" AS SELECT * FROM regions"#,
      "Region is a view, and was made a table",
      "Put the table back: bolide keeps history with triggers on it."
    ),
    (
      #"ALTER TABLE "Region" RENAME TO r; CREATE TABLE "Region" (LIKE r) PARTITION BY LIST (name)"#,
      "Region is a partitioned table, and was made a table",
      "Put the table back: bolide keeps history with triggers on it."
    ),
    (
      #"CREATE RULE kept AS ON DELETE TO "Region" DO ALSO NOTHING"#,
      "the table Region has a rule: statements that it writes anew do not end as they are written",
      #"Have a trigger do the same, and DROP RULE … ON "Region"."#
    ),
    ("DROP FUNCTION bolide_word", "function bolide_word() does not exist", restore),
  ])
  func `a table, a column or a function that is not as it was`(sql: String, said: String, hint: String) throws
  {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    try store.psql("SET client_min_messages = error; \(sql)")
    let error = #expect(throws: ImportError.self) {
      try store.psql(#"UPDATE "Quake" SET code = 'x'"#)
      try store.take([#"{"id": 2, "place": "A"}"#])
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains(Self.other + said) && text.hasSuffix(hint), "\(text)")
  }

  /// Values that are of the type all the same are read as such; `verify` and imports name the column.
  @Test(arguments: [
    ("id", "integer", "bigint"), ("magnitude", "text", "double precision"),
    ("magnitude", "real", "double precision"),
    ("code", "varchar(20)", "text"), ("seen", "timestamp", "timestamp(3) with time zone"),
  ])
  func `readers read what a column of another type holds`(column: String, type: String, was: String) throws {
    let store = try ServerStore()
    try store.take([
      #"{"id": 1, "magnitude": 4.5, "place": "A", "code": "é", "seen": "2026-01-02T03:04:05.678Z"}"#
    ])
    func row() throws -> [[HistoryChange.Property]] {
      var rows: [[HistoryChange.Property]] = []
      try store.engine.readRows(ObjectQuery("Quake"), at: nil) { rows.append($0.values) }
      return rows
    }
    let before = try row()
    try store.psql("SET timezone = 'UTC'; ALTER TABLE \"Quake\" ALTER \(column) TYPE \(type)")
    #expect(try row() == before)
    let error = #expect(throws: StoreError.self) { try store.engine.verified() }
    #expect(error?.reason.hasPrefix(Self.other + "the column \(column) of Quake is ") == true)
    #expect(error?.hint == #"Change it back: ALTER TABLE "Quake" ALTER "\#(column)" TYPE \#(was)"#)
  }

  @Test func `values that are none of the type are not read as others`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4.5, "place": "A"}"#])
    try store.psql(
      """
      ALTER TABLE "Quake" DISABLE TRIGGER USER; ALTER TABLE "Quake" ALTER magnitude TYPE text;
      UPDATE "Quake" SET magnitude = 'high'; ALTER TABLE "Quake" ENABLE TRIGGER USER
      """)
    var request = HistoryRequest(from: .beginning)
    request.includesValues = true
    for read in [
      { try store.engine.readRows(ObjectQuery("Quake"), at: nil) { _ in } },
      { _ = try store.engine.history(request) },
      { try store.engine.readSnapshot(of: [], begin: { _ in }, row: { _ in }) },
    ] as [() throws -> Void] {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(
        error?.reason == Self.other
          + "the column magnitude of Quake is text, and was made double precision")
      #expect(error?.code == .foreignSchema)
    }
  }

  /// With the column its constraints are gone, or the triggers that read it fail.
  @Test(arguments: ["code", "magnitude", "in_id"])
  func `nothing is rebuilt from a column that is not there`(column: String) throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    try store.psql("SET client_min_messages = error; ALTER TABLE \"Quake\" DROP COLUMN \(column) CASCADE")
    for isLost in [false, true] {
      if isLost { try store.psql(#"DROP TRIGGER bolide_after_insert ON "Region""#) }
      let error = #expect(throws: StoreError.self) { try store.engine.rebuild { _ in } }
      #expect(error?.reason == Self.other + "the table Quake has no column \(column)")
    }
  }

  @Test func `columns of other programs are theirs`() throws {
    let store = try ServerStore()
    try store.psql(#"ALTER TABLE "Quake" ADD seen_by text, ADD rank integer NOT NULL DEFAULT 7"#)
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    #expect(try store.psql(#"SELECT rank FROM "Quake""#) == "7")
    #expect(try store.engine.verified() == [])
  }

  @Test func `the status names it, and says of nothing else that it is lost`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    #expect(try store.engine.status().schemaError == nil)
    #expect(try store.engine.status().walBytes == nil)
    try store.psql(#"ALTER TABLE "Region" DROP count"#)
    let status = try store.engine.status()
    #expect(status.schemaError?.reason == Self.other + "the table Region has no column count")
    #expect(status.schemaError?.file == store.engine.path)
    #expect(status.upkeep == RepairReport())
    #expect(status.entities.map(\.rows) == [1, 1])
  }

  @Test func `a table that is there where a store is to be made`() throws {
    let server = try TestServer.shared.get()
    let schema = "s\(UInt64.random(in: 0 ... .max))"
    try server.psql(
      #"CREATE SCHEMA "\#(schema)"; CREATE TABLE "\#(schema)"."Quake"(x integer)"#, schema: "public")
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    let error = #expect(throws: StoreError.self) {
      try StoreAddress(server.address(schema: schema)).open(for: pipeline, lockWait: 10)
    }
    #expect(error?.code == .modelChange)
    #expect(error?.reason == "Quake cannot be added: another program's table, view or index has this name")
  }

  @Test func `a column that something uses gets no other type`() throws {
    let store = try ServerStore(ServerStore.quakes.replacing("id:        integer64", with: "id: integer32"))
    try store.take([#"{"id": 1}"#])
    try store.psql(#"CREATE VIEW ids AS SELECT id FROM "Quake""#)
    let wide = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    let error = #expect(throws: StoreError.self) {
      _ = try store.engine.migrate(wide, dropping: [], lockWait: 10) { _ in }
    }
    #expect(error?.code == .modelChange)
    #expect(
      error?.reason.hasPrefix(
        "a column of Quake cannot get another type. PostgreSQL says: cannot alter type of a column used by a view"
      )
        == true)
    #expect(error?.hint == "Drop what uses the column, and make it again behind the migration.")
  }
}
