import Bolide
import StoreInterface
import TestServer
import Testing

/// A transaction that writes to two stores of one database is in the history of each.
struct TwoStoresTests {
  @Test func `each store has its own changes of a transaction`() throws {
    let (store, other) = (try ServerStore(), try ServerStore())
    for one in [store, other] { try one.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#]) }
    let tokens = try [store, other].map { try $0.engine.newestToken() }
    try store.psql(
      """
      BEGIN;
      UPDATE "Quake" SET magnitude = 5;
      UPDATE \(other.schema)."Quake" SET magnitude = 4.5;
      INSERT INTO "Quake"(id) VALUES (2), (3);
      INSERT INTO \(other.schema)."Quake"(id) VALUES (7);
      COMMIT;
      """)
    let updates = [
      "update Quake 1 magnitude 4.0", "update Region A total 4.0 mean 4.0 largest 4.0",
    ]
    #expect(try store.changes(after: tokens[0]).sorted() == ["insert Quake 2", "insert Quake 3"] + updates)
    #expect(try other.changes(after: tokens[1]).sorted() == ["insert Quake 7"] + updates)
    #expect(try store.engine.history(HistoryRequest(after: tokens[0])).count == 1)
  }

  @Test func `objects that came and went in one store do not hide an update in the other`() throws {
    let model = """
      bolide: 1
      name: nodes
      entity: Node
      key: id
      attributes: { id: integer64, size: integer64 }
      relationships:
        above: { to-one: Node, inverse: below }
        below: { to-many: Node, inverse: above, on-delete: cascade }
        near: { to-one: Node, inverse: others }
        others: { to-many: Node, inverse: near, on-delete: nullify }

      """
    let (store, other) = (try ServerStore(model), try ServerStore(model))
    try other.psql(#"INSERT INTO "Node"(id) VALUES (1), (2)"#)
    try other.engine.assignPendingChanges()
    let token = try other.engine.newestToken()
    try store.psql(
      """
      BEGIN;
      INSERT INTO "Node"(id) VALUES (1), (2);
      DELETE FROM "Node";
      UPDATE \(other.schema)."Node" SET size = 5;
      COMMIT;
      """)
    #expect(try other.changes(after: token) == ["update Node 1 size null", "update Node 2 size null"])
  }

  @Test func `what another program's trigger writes to a second store is in that one's history`() throws {
    let (store, other) = (try ServerStore(), try ServerStore())
    try store.psql(
      """
      CREATE FUNCTION passed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO \(other.schema)."Quake"(id) VALUES (NEW.id), (NEW.id + 100); RETURN NULL; END $$;
      CREATE TRIGGER passed AFTER INSERT ON "Quake" FOR EACH ROW EXECUTE FUNCTION passed();
      """)
    let token = try other.engine.newestToken()
    try store.take([#"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "A"}"#])
    let ids = ["1", "101", "2", "102"]
    #expect(try other.changes(after: token).sorted() == ids.map { "insert Quake \($0)" }.sorted())
  }

  /// Both have the same tables, with the same numbers.
  @Test func `a database that was copied is another one, and its readers begin again`() throws {
    let store = try ServerStore(on: TestServer())
    try store.take([#"{"id": 1}"#])
    try store.engine.addReader("copy", from: .beginning)
    try store.engine.close()
    try store.server.psql("\\c template1\nCREATE DATABASE copy TEMPLATE postgres", schema: "public")
    let address = store.server.address(schema: store.schema)
    func states(_ address: String) throws -> [Reader.State] {
      let engine = try StoreAddress(address).open()
      try engine.assignPendingChanges()
      return try engine.namedReaders().map(\.state)
    }
    #expect(try states(address) == [.live])
    let copy = address.replacing("/postgres?", with: "/copy?")
    try store.server.psql(
      "\\c copy\nUPDATE \"\(store.schema)\".\"Quake\" SET code = 'x'", schema: "public")
    #expect(try states(copy) == [.diverged])
  }
}
