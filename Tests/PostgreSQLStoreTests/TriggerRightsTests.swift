import TestServer
import Testing

/// Bolide's triggers run with the rights of the store's owner, for the tables that they are made for alone.
struct TriggerRightsTests {
  private let store: ServerStore
  private var role: String { "r\(store.schema)" }

  init() throws {
    store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 2, "place": "A"}"#])
  }

  /// Runs SQL as a role that may do what is granted.
  private func run(_ sql: String, granted: String) throws {
    try store.psql(
      "CREATE ROLE \"\(role)\"; GRANT USAGE ON SCHEMA \"\(store.schema)\" TO \"\(role)\"; \(granted)")
    defer { _ = try? store.psql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"") }
    try store.psql("SET ROLE \"\(role)\"; \(sql)")
  }

  @Test(arguments: [
    ("bolide_insert_1", "AFTER INSERT ON t REFERENCING NEW TABLE AS bolide_new FOR EACH STATEMENT"),
    (
      "bolide_update_1",
      "AFTER UPDATE ON t REFERENCING OLD TABLE AS bolide_old NEW TABLE AS bolide_new FOR EACH STATEMENT"
    ),
    ("bolide_delete_2", "AFTER DELETE ON t REFERENCING OLD TABLE AS bolide_old FOR EACH STATEMENT"),
    ("bolide_before_1", "BEFORE INSERT ON t FOR EACH ROW"),
    ("bolide_truncate_1", "BEFORE TRUNCATE ON t FOR EACH STATEMENT"),
  ])
  func `nobody else makes one for a table of theirs`(function: String, event: String) throws {
    let error = #expect(throws: (any Error).self) {
      try run(
        "CREATE TEMP TABLE t (bolide_id bigint); CREATE TRIGGER t \(event) EXECUTE FUNCTION \(function)()",
        granted: "")
    }
    #expect(error.map { "\($0)" }?.contains("permission denied for function \(function)") == true)
  }

  @Test func `whoever may write rows needs no right to call them`() throws {
    try run(
      #"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 3, 1); UPDATE "Quake" SET magnitude = 4"#,
      granted: #"GRANT SELECT, INSERT, UPDATE ON "Quake" TO "\#(role)""#)
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "2|8")
    #expect(try store.engine.verified() == [])
  }

  /// A server's superuser, who owns the store in the other tests, is shown all rows.
  @Test func `a statement fails where the tables' owner is not shown all rows`() throws {
    try store.psql(
      """
      CREATE ROLE "\(role)"; GRANT ALL ON SCHEMA "\(store.schema)" TO "\(role)";
      ALTER TABLE "Quake" OWNER TO "\(role)"; ALTER TABLE "Region" OWNER TO "\(role)";
      GRANT ALL ON ALL TABLES IN SCHEMA "\(store.schema)" TO "\(role)";
      GRANT ALL ON ALL SEQUENCES IN SCHEMA "\(store.schema)" TO "\(role)";
      DO $$ DECLARE f regprocedure; BEGIN
        FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = '"\(store.schema)"'::regnamespace LOOP
          EXECUTE format('ALTER FUNCTION %s OWNER TO "\(role)"', f);
        END LOOP; END $$;
      ALTER TABLE "Region" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
      CREATE POLICY p ON "Region" USING (name <> 'A')
      """)
    let error = #expect(throws: (any Error).self) {
      try store.psql(
        #"SET ROLE "\#(role)"; INSERT INTO "Quake"(id, magnitude, in_id) VALUES (2, 3, 1)"#)
    }
    #expect(error.map { "\($0)" }?.contains("query would be affected by row-level security policy") == true)
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "1|2")
    try store.psql(
      "REASSIGN OWNED BY \"\(role)\" TO postgres; DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
  }
}
