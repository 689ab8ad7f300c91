import Bolide
import Foundation
import ImportModel
import PostgreSQLAccess
import PostgreSQLStore
import StoreInterface
import TestServer
import Testing

/// What is said of a server that does not answer, does not let in, or holds something else: one sentence each.
struct ServerMessageTests {
  private func said(_ address: String, for model: String? = nil) throws -> String {
    let error = try #require(
      throws: StoreError.self
    ) {
      if let model {
        _ = try StoreAddress(address).open(
          for: Pipeline(yaml: model, file: "p.yaml", directory: "."), lockWait: 1)
      } else {
        _ = try StoreAddress(address).open()
      }
    }
    #expect(error.file == PostgreSQLAddress(address)?.shown)
    return ([error.reason] + [error.hint].compactMap(\.self)).joined(separator: ". ")
  }

  @Test func `a server that is not there`() throws {
    let text = try said("postgresql://me:pw@/db?host=/nonexistent#s")
    #expect(text.hasPrefix("no connection to the server: "))
    #expect(
      text.hasSuffix("What was committed stays. Run it again when the server is back: nothing is doubled."))
    #expect(!text.contains("pw"))
  }

  @Test func `a user, a database and a store that are not there`() throws {
    let folder = try TestServer.shared.get().folder
    let refused = try said("postgresql://nobody@/postgres?host=\(folder)")
    #expect(refused.hasPrefix("the server does not let this user in"))
    #expect(refused.contains("role \"nobody\" does not exist"))
    let words = refused.split(separator: ". ")[1].dropFirst("It says: ".count)
    #expect(refused.hasSuffix("It says: \(words). A password may stand in ~/.pgpass or PGPASSWORD."))
    #expect(
      try said("postgresql://postgres@/nowhere?host=\(folder)")
        == "the server has no such database. Make one with createdb.")
    #expect(
      try said("postgresql://postgres@/postgres?host=\(folder)#nothing")
        == "there is no store. Check the address and the schema behind its #, or import first.")
    let never = try said(
      "postgresql://postgres@/postgres?host=\(folder)#nothing", for: ServerStore.quakes + "create: never\n")
    #expect(
      never
        == "no such store, and `create: never` does not allow creating it. Mount or restore it, or create it once."
    )
  }

  @Test func `a database in another encoding`() throws {
    let server = try TestServer.shared.get()
    try server.psql(
      "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", schema: "public")
    let sentence =
      "the database is not encoded as UTF8. Make one with createdb --encoding UTF8 --template template0."
    let address = "postgresql://postgres@/latin?host=\(server.folder)#s"
    #expect(try said(address, for: ServerStore.quakes) == sentence)
    #expect(try said(address) == sentence)
  }

  /// Its snapshot would lack rows that history has.
  @Test func `a user who may see only some rows`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 1}"#, #"{"id": 2, "magnitude": 7}"#])
    let role = "r\(store.schema)"
    try store.psql(
      """
      CREATE ROLE "\(role)" LOGIN; GRANT USAGE ON SCHEMA "\(store.schema)" TO "\(role)";
      GRANT SELECT ON ALL TABLES IN SCHEMA "\(store.schema)" TO "\(role)";
      """)
    let address = store.server.address(schema: store.schema).replacing("postgres@", with: "\(role)@")
    let reading = try StoreAddress(address).open()
    func ids() throws -> [String] {
      var ids: [String] = []
      try reading.readRows(ObjectQuery("Quake"), at: nil) { ids.append("\($0.id)") }
      return ids
    }
    #expect(try ids() == ["1", "2"])
    try store.psql(#"ALTER TABLE "Quake" ENABLE ROW LEVEL SECURITY"#)
    let error = #expect(throws: StoreError.self) { try ids() }
    #expect(error?.code == .readOnly)
    #expect(
      error?.reason
        == "row-level security hides rows from this user: query would be affected by row-level security policy for table \"Quake\""
    )
    #expect(error?.hint == "Use a user who owns the tables, or has BYPASSRLS: history has all rows.")
    // Its owner sees all of them.
    #expect(try store.engine.status().entities.map(\.rows) == [2, 0])
    try store.psql("DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
  }

  @Test func `a user without rights`() throws {
    let store = try ServerStore()
    try store.psql("CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA \"\(store.schema)\" TO guest")
    let address = "postgresql://guest@/postgres?host=\(store.server.folder)#\(store.schema)"
    let text = try said(address)
    #expect(text.hasPrefix("this user may not do that: permission denied for table bolide_store"))
    #expect(text.hasSuffix("The owner of the schema can grant it."))
  }

  @Test func `a model that does not go with the store's`() throws {
    let store = try ServerStore()
    let address = store.server.address(schema: store.schema)
    #expect(
      try said(address, for: ServerStore.quakes.replacing("code:      string", with: "code:      integer64"))
        == "Quake.code is string in the store and integer64 in the pipeline. "
        + "Change the pipeline to match the store; or drop the stored values, and start empty.")
    let long = String(repeating: "a", count: 64)
    #expect(
      try said(address, for: ServerStore.quakes.replacing("code:      string", with: "\(long): string"))
        == "the name \(long) is longer than PostgreSQL's 63 bytes. Give it a shorter one.")
    try store.psql("UPDATE bolide_store SET format = 99")
    #expect(try said(address) == "a later version of bolide made this store. Use that version.")
    try store.psql("UPDATE bolide_store SET format = 1")
    #expect(
      try said(address)
        == "a version of bolide before the first release made this store. Import the feeds into a new schema."
    )
  }

  /// In a schema whose name needs quotes, and where it fills all bytes that a name may have.
  @Test(arguments: ["Big Quakes", String(repeating: "É", count: 31)])
  func `a renamed schema`(name: String) throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    let (role, schema) = ("r\(store.schema)", "\(name)")
    let update = "UPDATE \"\(schema)\".\"Quake\" SET magnitude = magnitude + 1"
    try store.psql(
      """
      DROP SCHEMA IF EXISTS "\(schema)" CASCADE; ALTER SCHEMA "\(store.schema)" RENAME TO "\(schema)";
      CREATE ROLE "\(role)" LOGIN; GRANT USAGE ON SCHEMA "\(schema)" TO "\(role)";
      GRANT SELECT ON ALL TABLES IN SCHEMA "\(schema)" TO "\(role)";
      """)
    #expect(throws: (any Error).self) { try store.psql(update) }
    let address = store.server.address(schema: schema)
    #expect(
      try said(address.replacing("postgres@", with: "\(role)@"))
        == "the store's schema had another name, which its triggers still look for. Run a command on it as the user who owns "
        + "it: that makes them anew.")
    let former = store.server.address(schema: store.schema)
    let refused =
      "the schema \(schema) had this name, and the triggers of the store in it still look for it. Run a command on that store "
      + "as the user who owns it: that makes them anew."
    #expect(try said(former, for: ServerStore.quakes) == refused)
    let engine = try StoreAddress(address).open()
    let token = try engine.newestToken()
    try store.psql(update)
    try engine.assignPendingChanges()
    #expect(
      try engine.history(HistoryRequest(after: token)).flatMap(\.changes).map(\.entity) == [
        "Quake", "Region",
      ])
    #expect(try engine.verified() == [])
    try StoreAddress(former).open(for: Pipeline(yaml: ServerStore.quakes), lockWait: 10).close()
    try engine.close()
    try store.psql("DROP SCHEMA \"\(schema)\" CASCADE; DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
  }

  @Test(arguments: ["restored", "From a Dump"])
  func `a store from a dump is not a renamed one`(name: String) throws {
    let store = try ServerStore()
    let schema = "\(name)\(store.schema)"
    let address = store.server.address(schema: schema)
    _ = try StoreAddress(address).open(for: Pipeline(yaml: ServerStore.quakes), lockWait: 10)
    let role = "d\(store.schema)"
    try store.psql(
      """
      CREATE ROLE "\(role)" LOGIN; GRANT USAGE ON SCHEMA "\(schema)" TO "\(role)";
      GRANT SELECT ON ALL TABLES IN SCHEMA "\(schema)" TO "\(role)"
      """)
    let dump = try store.server.dump(schema: "\"\(schema)\"")
    try store.psql("DROP SCHEMA \"\(schema)\" CASCADE")
    try store.psql(dump)
    let reader = address.replacing("postgres@", with: "\(role)@")
    #expect(try StoreAddress(reader).open().status().entities.map(\.rows) == [0, 0])
    try store.psql("DROP SCHEMA \"\(schema)\" CASCADE; DROP OWNED BY \"\(role)\"; DROP ROLE \"\(role)\"")
  }

  @Test func `who has an empty schema makes a store in it, without a right to make schemas`() throws {
    let store = try ServerStore()
    let (schema, role) = ("own\(store.schema)", "o\(store.schema)")
    try store.psql("CREATE ROLE \"\(role)\" LOGIN; CREATE SCHEMA \"\(schema)\" AUTHORIZATION \"\(role)\"")
    let address = store.server.address(schema: schema).replacing("postgres@", with: "\(role)@")
    let engine = try StoreAddress(address).open(for: Pipeline(yaml: ServerStore.quakes), lockWait: 10)
    #expect(try engine.status().entities.map(\.rows) == [0, 0])
    try engine.close()
    try store.psql("DROP SCHEMA \"\(schema)\" CASCADE; DROP ROLE \"\(role)\"")
  }

  /// What one may not use looks empty.
  @Test func `a schema that the user may not use, and a database in which none may be made`() throws {
    let store = try ServerStore()
    let role = "n\(store.schema)"
    try store.psql("CREATE ROLE \"\(role)\" LOGIN")
    func address(_ schema: String) -> String {
      store.server.address(schema: schema).replacing("postgres@", with: "\(role)@")
    }
    for model in [nil, ServerStore.quakes, ServerStore.quakes + "create: never\n"] {
      #expect(
        try said(address(store.schema), for: model)
          == "this user may not use the schema \(store.schema). The schema's owner can grant it: GRANT USAGE ON SCHEMA."
      )
    }
    #expect(
      try said(address("of \(role)"), for: ServerStore.quakes)
        == "this user may not do that: permission denied for database postgres. "
        + "The owner of the database can grant it.")
    try store.psql("DROP ROLE \"\(role)\"")
  }

  /// As COPY brings the rows in, an INSERT with what is derived from the clock, one for owners, and a single one.
  @Test(arguments: ["Plain", "Timed", "Region"])
  func `a trigger that keeps new rows out`(entity: String) throws {
    let records = entity == "Region" ? "Plain" : entity
    let store = try ServerStore(
      """
      bolide: 1
      name: quakes
      entity: \(records)
      key: id
      attributes:
        id:    integer64
        place: { type: string, transient: true }
        \(entity == "Timed" ? "at: { type: date, derived: now() }" : "")
      link: { in: { to: { name: place } } }
      relationships: { in: { to-one: Region, inverse: all } }
      entities:
        Region:
          key: name
          attributes: { name: string }
          relationships: { all: { to-many: \(records), inverse: in } }

      """)
    try store.psql(
      """
      CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER nothing BEFORE INSERT ON "\(entity)" FOR EACH ROW EXECUTE FUNCTION nothing();
      """)
    let token = try store.engine.newestToken()
    let said = "a trigger of another program keeps new rows out of \(entity)"
    let hint = "Drop the trigger, or have it raise an error for a row that it does not want."
    let imported = #expect(throws: ImportError.self) { try store.take([#"{"id": 1, "place": "A"}"#]) }
    #expect(imported.map { "\($0)".hasSuffix(": \(said). \(hint)") } == true)
    let key = [entity == "Region" ? "name" : "id": entity == "Region" ? Value.text("B") : .integer(2)]
    let written = #expect(throws: StoreError.self) {
      try store.engine.writeObject(entity, ObjectValues(key), links: [:], .insert, EditOptions())
    }
    #expect(written?.message.hasSuffix(": \(said)") == true && written?.hint == hint)
    #expect(written?.code == .constraint)
    #expect(try store.changes(after: token) == [])
  }

  @Test func `a closed store`() throws {
    let store = try ServerStore()
    try store.engine.close()
    let error = #expect(throws: StoreError.self) { try store.engine.newestToken() }
    #expect(error?.message.hasSuffix("the store was closed") == true && error?.code == .closed)
  }

  /// What a test cannot cause everywhere: the server's code alone says it.
  @Test(arguments: [
    ("53100", "the server's disk is full", StoreError.Code.full),
    ("55P03", "another program holds a lock. Try again when it has ended.", .busy),
    ("57014", "the server ended a statement that it was told to end", .interrupted),
    (
      "25006",
      "this user's transactions are read-only. default_transaction_read_only is on for the user, the database or the "
        + "server: set it off, or use another user.", .readOnly
    ),
    ("40P01", "another program changed the same rows at the same time. Run the same command again.", .busy),
    (
      "53300",
      "the server has no connection left: words. Try again when others have ended, or allow more: max_connections, CONNECTION LIMIT.",
      .busy
    ),
    ("XX000", "PostgreSQL says: words", .other),
    ("22021", "PostgreSQL says: words", .constraint),
    (
      "42P07",
      "something that is not Bolide's has a name that the store needs: words. Give it another name, or the store "
        + "another schema: it stands behind # in the address.", .foreignSchema
    ),
    ("23514", "PostgreSQL says: words", .constraint),
    ("P0001", "PostgreSQL says: words", .constraint),
    (
      "57P01",
      "no connection to the server: words. What was committed stays. Run it again when the server is back: nothing is "
        + "doubled.", .unreachable
    ),
  ])
  func `each of the server's codes is one of the store's`(
    _ state: String, _ sentence: String, _ code: StoreError.Code
  ) {
    let error = PostgreSQLError(state: state, text: "words\nmore").error("a")
    #expect(([error.reason] + [error.hint].compactMap(\.self)).joined(separator: ". ") == sentence)
    #expect(error.code == code && error.file == "a")
  }

  @Test(arguments: [
    (
      #"permission denied to create temporary tables in database "d""#,
      "The owner of the database can grant it."
    ),
    (#"permission denied for database d"#, "The owner of the database can grant it."),
    (#"permission denied for table "Quake""#, "The owner of the schema can grant it."),
    (
      #"permission denied to set parameter "session_replication_role""#,
      "Take the setting away where it was made: ALTER ROLE … RESET, or in the address."
    ),
  ])
  func `who may grant a right`(text: String, hint: String) {
    let error = PostgreSQLError(state: "42501", text: text).error("a")
    #expect(error.reason == "this user may not do that: \(text)" && error.hint == hint)
  }

  /// A name that a new store needs is another program's.
  @Test(arguments: [
    #"CREATE DOMAIN "Quake" AS text"#, #"CREATE TYPE "Region" AS ENUM ('a')"#,
    "CREATE TABLE bolide_change(id int)",
    "CREATE SEQUENCE bolide_transaction_seq",
    #"CREATE TABLE t(v int); CREATE INDEX "bolide_index_Quake.code" ON t(v)"#,
    "CREATE FUNCTION bolide_insert_1() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE PROCEDURE bolide_exact(double precision) LANGUAGE sql AS ''",
  ])
  func `what is in a new store's way`(sql: String) throws {
    let server = try TestServer.shared.get()
    let schema = "way\(UInt32.random(in: 0 ..< .max))"
    try server.psql("CREATE SCHEMA \(schema); SET search_path = \(schema); \(sql);", schema: "public")
    func found() throws -> String {
      try server.psql(
        "SELECT string_agg(relname, ',') FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace",
        schema: "public")
    }
    let before = try found()
    let said = try said(server.address(schema: schema), for: ServerStore.quakes + "index: code\n")
    #expect(said.hasPrefix("something that is not Bolide's has a name that the store needs: "), "\(said)")
    #expect(try found() == before)
  }

  @Test func `what only another machine, an old server or a crowd of writers can cause`() {
    func sentence(_ error: StoreError) -> String {
      ([error.reason] + [error.hint].compactMap(\.self)).joined(separator: ". ")
    }
    #expect(
      sentence(.noLibPQ("a")) == "PostgreSQL's client library, libpq, is not on this machine. "
        + "Install it: the Debian package is libpq5.")
    #expect(
      sentence(.lostCommits("a")) == "the server that answers now lacks what this import had committed. "
        + "A standby may have taken over before it had it. Run the import again: nothing is doubled.")
    #expect(
      sentence(.sharedSessions("a"))
        == "a pooler on the way to the server shares its sessions between transactions. "
        + "Use the pooler's session mode, or the server's own address.")
    var conflict = PostgreSQLError(state: "40001", text: "canceling statement due to conflict with recovery")
    conflict.isOfStandby = true
    #expect(
      sentence(conflict.error("a"))
        == "the standby ended the reading, as its primary has changed what was being read. "
        + "Try again. hot_standby_feedback or a longer max_standby_streaming_delay lets long readings end.")
    #expect(sentence(.oldServer(12, "a")) == "the server is PostgreSQL 12. PostgreSQL 14 or later is needed.")
    #expect(
      sentence(.busyRows("a"))
        == "other programs change the same rows all the time. Run the same command again.")
  }

  @Test func `what needs a file is refused by name, and nothing is made`() throws {
    let address = "postgresql://me:secret@/db?host=/nonexistent#s"
    let restored = #expect(throws: StoreError.self) {
      _ = try StoreAddress(address).restore("backup.sqlite", lockWait: 1)
    }
    #expect(restored?.code == .unsupported && restored?.message.contains("secret") == false)
    let store = try ServerStore()
    let backup = #expect(throws: StoreError.self) { _ = try store.engine.backUp(to: "backup.sqlite") }
    #expect(backup?.reason == "PostgreSQL stores do not support backups: pg_dump makes them")
    #expect(backup?.code == .unsupported)
  }

  @Test func `a filter that the server does not understand is refused when the store is made`() throws {
    let model = ServerStore.quakes.replacing("magnitude > 5.0", with: "code GLOB 'a*'")
    let error = #expect(throws: StoreError.self) { _ = try ServerStore(model) }
    #expect(
      error?.message.hasSuffix(
        "PostgreSQL stores do not support GLOB in the filter of Region.strong: code GLOB 'a*'") == true)
  }
}
