import Bolide
import Foundation
import PostgreSQLStore
import StoreInterface
import TestServer
import Testing

/// Stores of earlier formats are brought up to date by the next command of their owner.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
  /// What makes a store's tables those of a format, from those of the next one.
  private static let before: [Int: String] = [
    14: """
    DROP INDEX bolide_mark_object; ALTER TABLE bolide_mark REPLICA IDENTITY DEFAULT, ADD PRIMARY KEY (entity, id);
    \(renamed("bolide_is_foreign", "bolide_is_direct"))
    UPDATE bolide_store SET origin = regexp_replace(origin, '[0-9]+/([0-9]+)$', '\\1');
    """,
    12: "ALTER TABLE bolide_change DROP COLUMN last_seq;",
    // Triggers made a transaction's row with its first change.
    11: """
    DROP VIEW bolide_pending; DROP TABLE bolide_open;
    ALTER TABLE bolide_transaction ALTER COLUMN number DROP NOT NULL, ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY;
    SELECT setval('bolide_transaction_id_seq', last_value) FROM bolide_transaction_seq;
    DROP SEQUENCE bolide_transaction_seq; ALTER TABLE bolide_store DROP COLUMN newest_id;
    CREATE FUNCTION former_id() RETURNS bigint LANGUAGE sql AS 'INSERT INTO bolide_transaction DEFAULT VALUES RETURNING id';
    DO $$ DECLARE new text; BEGIN
      FOR new IN SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prosrc LIKE '%nextval%'
      LOOP EXECUTE replace(new, 'nextval(''bolide_transaction_seq'')', 'former_id()'); END LOOP;
    END $$;
    """,
    10: renamed("bolide_is_direct", "bolide_is_other"),
    9: """
    ALTER TABLE bolide_transaction ADD COLUMN xid xid8 UNIQUE DEFAULT pg_current_xact_id();
    CREATE INDEX bolide_change_erased ON bolide_change(erased_by) WHERE erased_by IS NOT NULL;
    """,
    4: "CREATE INDEX bolide_transaction_pending ON bolide_transaction(id) WHERE number IS NULL;",
    3: """
    DROP TABLE bolide_input; DROP INDEX bolide_reject_run; ALTER TABLE bolide_run DROP COLUMN skipped;
    """,
  ]

  /// Gives the condition of triggers its former name.
  private static func renamed(_ new: String, _ former: String) -> String {
    """
    CREATE FUNCTION \(former)() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
    DO $$ DECLARE old text; BEGIN
      FOR old IN SELECT pg_get_triggerdef(t.oid) FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace AND tgname = '~bolide_before_update'
      LOOP EXECUTE replace(replace(old, 'CREATE', 'CREATE OR REPLACE'), '\(new)()', '\(former)()'); END LOOP;
    END $$;
    DROP FUNCTION \(new);
    """
  }

  /// Makes a store's tables those of an earlier format, as SQL.
  static func undone(to format: Int) -> String {
    (format...15).reversed().compactMap { before[$0] }.joined()
      + "UPDATE bolide_store SET format = \(format);"
  }

  /// A store with two objects, as it was made in a format.
  private func store(ofFormat format: Int) throws -> ServerStore {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    try store.engine.addReader("copy", from: .beginning)
    try store.psql(Self.undone(to: format))
    return store
  }

  @Test func `a store of format 3`() throws {
    let store = try store(ofFormat: 3)
    try store.psql(
      """
      DROP ROLE IF EXISTS bolide_old_reader; CREATE ROLE bolide_old_reader LOGIN;
      GRANT USAGE ON SCHEMA "\(store.schema)" TO bolide_old_reader;
      GRANT SELECT ON ALL TABLES IN SCHEMA "\(store.schema)" TO bolide_old_reader;
      """)
    let address = store.server.address(schema: store.schema)
    let reader = address.replacing("postgres@", with: "bolide_old_reader@")
    let error = #expect(throws: StoreError.self) { try StoreAddress(reader).open() }
    #expect(
      error?.reason == "an earlier version of bolide made this store"
        && error?.hint == "Run a command on it as the user who owns it: that brings it up to date.")
    #expect(try StoreAddress(address).open().status().entities.map(\.rows) == [1, 1])
    #expect(try store.psql("SELECT format FROM bolide_store") == "16")
    #expect(try store.psql("SELECT count(*) FROM bolide_input") == "0")
    try store.take([#"{"id": 1, "magnitude": 5}"#])
    #expect(try StoreAddress(reader).open().newestToken().number == 2)
    #expect(try StoreAddress(reader).open().status().pendingChanges == 0)
    try store.psql("DROP OWNED BY bolide_old_reader; DROP ROLE bolide_old_reader")
  }

  @Test(arguments: 4...15) func `a store of an earlier format gets the triggers of this version`(format: Int)
    throws
  {
    let store = try store(ofFormat: format)
    try store.psql(#"UPDATE "Region" SET name = 'Z'"#)
    let update = try store.psql(
      #"SELECT tgfoid::regproc FROM pg_trigger WHERE tgname = 'bolide_after_update' AND tgrelid = '"Quake"'::regclass"#
    )
    try store.psql(
      "CREATE OR REPLACE FUNCTION \(update)() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';")
    let engine = try StoreAddress(store.server.address(schema: store.schema)).open()
    #expect(try engine.namedReaders().map(\.state) == [.live])
    #expect(try engine.status().pendingChanges > 0)
    let newest = try engine.newestToken()
    #expect(try store.changes(after: newest).filter { $0.hasPrefix("update Region Z name A") }.count == 1)
    let token = try engine.newestToken()
    try store.psql(#"UPDATE "Quake" SET magnitude = 5; UPDATE "Region" SET name = 'B'"#)
    #expect(
      try store.psql(
        "SELECT count(*) FROM pg_proc WHERE pronamespace = '\(store.schema)'::regnamespace AND proname IN ('bolide_is_other', 'bolide_is_direct')"
      ) == "0")
    let changes = try store.changes(after: token)
    #expect(changes.contains("update Quake 1 magnitude 4.0"))
    #expect(changes.contains { $0.hasPrefix("update Region B name Z") })
  }

  /// With triggers as that format had them: they write a column that goes.
  @Test func `other programs write meanwhile`() throws {
    let store = try store(ofFormat: 9)
    let address = StoreAddress(store.server.address(schema: store.schema))
    let (first, second) = try (
      OtherProgram(on: store.server, schema: store.schema),
      OtherProgram(on: store.server, schema: store.schema)
    )
    try store.hold(#"UPDATE "Quake" SET magnitude = 5;"#, by: first)
    let outcome = ImportOutcome()
    Thread {
      outcome.set(Result { try address.open().status().entities.count })
    }.start()
    let waits = "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE"
    try store.waitUntil(
      """
      EXISTS (SELECT FROM pg_locks JOIN pg_class AS c ON c.oid = relation WHERE NOT granted AND mode = 'ShareRowExclusiveLock'
        AND relnamespace = '\(store.schema)'::regnamespace)
      """)
    try second.send("UPDATE \"Region\" SET name = 'B' /* \(store.schema) */;")
    try store.waitUntil("\(waits) '%/* \(store.schema) */%' AND query NOT LIKE '%pg_stat_activity%')")
    try first.send("COMMIT;")
    #expect(try first.end() && second.end())
    outcome.wait()
    #expect(try outcome.result?.get() == 2)
  }

  @Test func `a program that stays in its transaction`() throws {
    let store = try store(ofFormat: 9)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"UPDATE "Quake" SET magnitude = 5;"#, by: other)
    let error = #expect(throws: StoreError.self) {
      try StoreAddress(store.server.address(schema: store.schema)).open(
        for: Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: "."), lockWait: 0.1)
    }
    #expect(error?.reason == "another program holds a lock" && error?.code == .busy)
    try other.send("COMMIT;")
    #expect(try other.end())
    #expect(try store.psql("SELECT format FROM bolide_store") == "9")
  }

  /// It needs no lock that a reader has: who read first and then writes would be ended as part of a deadlock.
  @Test(arguments: [10, 14]) func `who only reads is not waited for`(format: Int) throws {
    let store = try store(ofFormat: format)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"SELECT count(*) FROM "Quake", "Region";"#, by: other)
    _ = try StoreAddress(store.server.address(schema: store.schema)).open(
      for: Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: "."), lockWait: 5)
    try other.send(#"UPDATE "Quake" SET magnitude = 5; COMMIT;"#)
    #expect(try other.end())
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "5")
    #expect(
      try store.psql(
        "SELECT count(*) FROM pg_proc WHERE proname IN ('bolide_is_direct', 'bolide_is_other') "
          + "AND pronamespace = '\(store.schema)'::regnamespace") == "0")
    #expect(try store.engine.verified() == [])
  }

  /// A superuser's command comes first: the triggers run with the rights of the owner, who needs what it makes.
  @Test func `what another user makes is the owner's, and what a guest makes stays the guest's`() throws {
    let store = try store(ofFormat: 11)
    let (role, guest) = ("o\(store.schema)", "g\(store.schema)")
    try store.psql(
      """
      CREATE ROLE "\(role)" LOGIN; ALTER SCHEMA "\(store.schema)" OWNER TO "\(role)";
      DO $$ DECLARE part text; BEGIN
        FOR part IN SELECT format('TABLE %s', oid::regclass) FROM pg_class
            WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
          UNION ALL SELECT format('SEQUENCE %s', 'bolide_change_seq'::regclass)
          UNION ALL SELECT format('FUNCTION %s', oid::regprocedure) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
        LOOP EXECUTE format('ALTER %s OWNER TO %I', part, '\(role)'); END LOOP;
      END $$;
      CREATE ROLE "\(guest)"; GRANT USAGE, CREATE ON SCHEMA "\(store.schema)" TO "\(guest)"; SET ROLE "\(guest)";
      CREATE FUNCTION bolide_guest() RETURNS integer LANGUAGE sql SECURITY DEFINER AS 'SELECT 1';
      CREATE PROCEDURE bolide_clean() LANGUAGE sql AS 'SELECT 1'; CREATE VIEW bolide_guests AS SELECT 1; RESET ROLE;
      """)
    let address = store.server.address(schema: store.schema)
    #expect(try StoreAddress(address).open().status().pendingChanges == 0)
    let owner = address.replacing("postgres@", with: "\(role)@")
    try store.psql("SET ROLE \"\(role)\"; UPDATE \"Quake\" SET magnitude = 5; RESET ROLE")
    let engine = try StoreAddress(owner).open()
    try engine.assignPendingChanges()
    #expect(try engine.newestToken().number == 2)
    let grown = ServerStore.quakes + "  Other: { key: id, attributes: { id: integer64 } }\n"
    let pipeline = try Pipeline(yaml: grown, file: "quakes.yaml", directory: ".")
    _ = try StoreAddress(address).open(for: pipeline, lockWait: 10)
    #expect(
      try store.psql(
        """
        SELECT count(*) FROM (
          SELECT relowner AS owner FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'v', 'S')
          UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND proname <> 'former_id') AS o
        WHERE owner <> '"\(role)"'::regrole
        """) == "3")
    #expect(
      try store.psql(
        """
        SELECT count(*) FROM (
          SELECT relowner AS owner FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = 'bolide_guests'
          UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
            AND proname IN ('bolide_guest', 'bolide_clean')) AS o
        WHERE owner = '"\(guest)"'::regrole
        """) == "3")
    try store.psql(
      """
      DROP SCHEMA "\(store.schema)" CASCADE; DROP OWNED BY "\(role)", "\(guest)"; DROP ROLE "\(role)", "\(guest)"
      """)
  }

  @Test func `programs may call what the triggers' conditions ask`() throws {
    let store = try store(ofFormat: 9)
    let role = "r\(store.schema)"
    try store.psql(
      """
      REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA "\(store.schema)" FROM PUBLIC;
      CREATE ROLE "\(role)"; GRANT USAGE ON SCHEMA "\(store.schema)" TO "\(role)";
      GRANT SELECT, UPDATE ON "Quake", "Region" TO "\(role)";
      """)
    _ = try StoreAddress(store.server.address(schema: store.schema)).open()
    try store.psql(
      """
      SET ROLE "\(role)"; UPDATE "Region" SET count = 7; UPDATE "Quake" SET magnitude = 5; RESET ROLE;
      DROP OWNED BY "\(role)"; DROP ROLE "\(role)";
      """)
    #expect(try store.psql(#"SELECT count, total FROM "Region""#) == "1|5")
  }
}
