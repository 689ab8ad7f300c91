import Bolide
import StoreInterface
import TestServer
import Testing

/// Keys, constraints and indexes that another program has dropped: `verify` names them and what came in meanwhile, and whoever writes next makes
/// them anew.
struct LostPartTests {
  private let store: ServerStore

  private static let model = """
    bolide: 1
    name: items
    entity: Item
    key: [id, part]
    unique: [[code]]
    index: [[size]]
    attributes:
      id: integer64
      part: string
      code: string
      size: integer64
      rank: { type: integer64, required: true, default: 0 }
      place: { type: string, transient: true }
    link: { in: { to: { name: place } } }
    relationships: { in: { to-one: Group, inverse: items } }
    entities:
      Group:
        key: name
        attributes: { name: string, count: { derived: items.@count } }
        relationships: { items: { to-many: Item, inverse: in } }

    """

  init() throws {
    store = try ServerStore(Self.model)
    try store.take([Self.record(1)], model: Self.model)
  }

  private static func record(_ id: Int) -> String {
    #"{"id": \#(id), "part": "p", "code": "c\#(id)", "size": \#(id), "place": "A"}"#
  }

  /// What is dropped, what is said of it, what another program then writes, and what is said of that.
  private static let losses: [(drop: String, problem: String, write: String, findings: [String])] = [
    (
      #"ALTER TABLE "Item" DROP CONSTRAINT "Item_id_part_key""#, #"the key "id", "part" of Item is missing"#,
      #"INSERT INTO "Item"(id, part, code) VALUES (1, 'p', 'x')"#,
      ["Item 2: an object before it has the same id and part"]
    ),
    (
      #"ALTER TABLE "Item" ALTER part DROP NOT NULL"#, "NOT NULL of Item.part is missing",
      #"INSERT INTO "Item"(id, code) VALUES (1, 'x')"#, ["Item 2 part: null, which is not allowed"]
    ),
    (
      #"ALTER TABLE "Item" ALTER rank DROP NOT NULL"#, "NOT NULL of Item.rank is missing",
      #"INSERT INTO "Item"(id, part, code, rank) VALUES (2, 'p', 'x', NULL)"#,
      ["Item 2 rank: null, which is not allowed"]
    ),
    (
      #"ALTER TABLE "Group" DROP CONSTRAINT "Group_pkey" CASCADE"#,
      #"the key "bolide_id" of Group is missing"#,
      #"INSERT INTO "Group"(bolide_id, name) VALUES (1, 'B')"#, []
    ),
    (
      #"ALTER TABLE "Item" DROP CONSTRAINT "bolide_unique_Item.code""#,
      "the constraint bolide_unique_Item.code of Item is missing",
      #"INSERT INTO "Item"(id, part, code) VALUES (2, 'p', 'c1')"#,
      ["Item 2: an object before it has the same code"]
    ),
    (
      #"ALTER TABLE "Item" DROP CONSTRAINT "bolide_link_in_id""#,
      "the constraint bolide_link_in_id of Item is missing",
      #"INSERT INTO "Item"(id, part, code, in_id) VALUES (2, 'p', 'c2', 77)"#,
      ["Item 2: refers to a Group that does not exist"]
    ),
    (#"DROP INDEX "bolide_index_Item.size""#, "the index bolide_index_Item.size is missing", "SELECT 1", []),
  ]

  @Test(arguments: losses)
  func `an import makes what is lost anew`(drop: String, problem: String, write: String, findings: [String])
    throws
  {
    let before = try parts()
    try store.psql(drop)
    #expect(try found().contains(problem))
    #expect(try store.engine.status().upkeep.problems.contains(problem))
    let report = try store.take([Self.record(1), Self.record(3)], model: Self.model)
    #expect(report.restored.problems.contains(problem))
    #expect(!report.restored.hasGap)
    #expect(try store.engine.verified() == [])
    #expect(try parts() == before)
    #expect(report.progress.counts.unchanged == 1 && report.progress.counts.inserted == 1)
  }

  @Test(arguments: losses.filter { !$0.findings.isEmpty })
  func `rows that are against it are named, and nothing is written until they are gone`(
    drop: String, problem: String, write: String, findings: [String]
  ) throws {
    try store.psql(drop)
    try store.psql(write)
    #expect(try found().isSuperset(of: [problem] + findings))
    let error = try #require(throws: ImportError.self) {
      try store.take([Self.record(3)], model: Self.model)
    }
    #expect(error.reason.contains("\(problem), and rows that have come since are against it"))
    #expect(
      error.advice
        == "bolide verify names their objects: change, unlink or delete them with SQL. Then run the command again."
    )
    #expect(try store.psql(#"SELECT count(*) FROM "Item""#) == "2")
    #expect(throws: StoreError.self) { try store.engine.rebuild { _ in } }
    try store.psql(#"DELETE FROM "Item" WHERE bolide_id = 2"#)
    var mended: [String] = []
    try store.engine.rebuild { mended.append("\($0)") }
    #expect(mended == [problem])
    #expect(try store.engine.verified() == [])
  }

  @Test func `who does not own the store writes on without an index, and not without a rule`() throws {
    try store.psql(#"DROP INDEX "bolide_index_Item.size""#)
    try store.asWriter { writer in
      let request = ObjectQuery("Item", where: "id = 1")
      _ = try writer.deleteObjects(request, EditOptions())
      #expect(try store.psql(#"SELECT count(*) FROM "Item""#) == "0")
      try store.psql(#"ALTER TABLE "Item" DROP CONSTRAINT "bolide_link_in_id""#)
      let error = try #require(throws: StoreError.self) { try writer.deleteObjects(request, EditOptions()) }
      #expect(error.code == .foreignSchema)
      #expect(error.reason == "the constraint bolide_link_in_id of Item is missing")
      #expect(
        error.hint == "Run bolide verify --rebuild as the user who owns the store: that makes it anew.")
    }
  }

  private func found() throws -> Set<String> { Set(try store.engine.verified().map(\.description)) }

  /// The tables' constraints and indexes as the server shows them, and which columns may be null.
  private func parts() throws -> String {
    try store.psql(
      """
      SELECT attrelid::regclass, attname, attnotnull::text FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
      WHERE c.relnamespace = '"\(store.schema)"'::regnamespace AND relkind = 'r' AND attnum > 0
      UNION ALL SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
      WHERE connamespace = '"\(store.schema)"'::regnamespace
      UNION ALL SELECT indrelid::regclass, c.relname, pg_get_indexdef(indexrelid)
      FROM pg_index JOIN pg_class AS c ON c.oid = indexrelid WHERE c.relnamespace = '"\(store.schema)"'::regnamespace
      ORDER BY 1, 2, 3
      """)
  }
}
