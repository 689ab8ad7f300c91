import Bolide
import StoreInterface
import TestServer
import Testing

/// How many rows the server reads where it knows nothing of the tables yet: it must not be owners times objects.
struct ReadRowsTests {
  private static let model = """
    bolide: 1
    name: items
    entity: Item
    key: id
    unique: code
    max-rejects: 100%
    attributes: { id: integer64, v: double, code: string, heaviest: { derived: tags.weight.@max } }
    children:
      tags:
        entity: Tag
        inverse: items
        many-to-many: true
        key: name
        attributes:
          name:   string
          weight: integer64
          count:  { derived: items.@count }
          total:  { derived: items.v.@sum }

    """

  private static let count = 400

  /// Each item has three tags of as many as there are items.
  private static func records(code: (Int) -> String) -> [String] {
    (0..<count).map { id in
      let tags = [id, id * 7 + 1, id * 11 + 2].map {
        #"{"name": "t\#($0 % count)", "weight": \#($0 % 9)}"#
      }
      return
        #"{"id": \#(id), "v": \#(id), "code": "\#(code(id))", "tags": [\#(tags.joined(separator: ", "))]}"#
    }
  }

  @Test(arguments: [
    #"UPDATE "Item" SET v = v + 1"#, #"UPDATE "Tag" SET weight = weight + 1"#, #"DELETE FROM "Item_tags""#,
  ])
  func `what many hold is looked up once for each link`(statement: String) throws {
    let store = try ServerStore(Self.model)
    try store.take(Self.records { "c\($0)" }, model: Self.model)
    let read = try store.psql(
      """
      BEGIN; \(statement);
      SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_user_tables
      WHERE schemaname = '\(store.schema)' AND relname IN ('Item', 'Tag', 'Item_tags'); ROLLBACK;
      """)
    // Each of 1,200 links, and each object, a few times.
    #expect(Int(read).map { $0 > Self.count && $0 < 30 * 3 * Self.count } == true, "\(read) rows")
  }

  @Test func `a rejected record's key is looked up`() throws {
    let store = try ServerStore(Self.model)
    try store.take([#"{"id": 9999, "code": "c"}"#], model: Self.model)
    for _ in 0..<2 { try store.take(Self.records { _ in "c" }, model: Self.model) }
    #expect(try store.psql("SELECT count(*) FROM bolide_reject") == "\(Self.count)")
    try store.engine.close()
    let read =
      "(SELECT idx_tup_read FROM pg_stat_all_indexes WHERE indexrelid = 'bolide_reject_key'::regclass)"
    // The server adds up what a session has read when it has ended.
    try store.waitUntil("\(read) >= \(Self.count)")
    let rows = try store.psql("SELECT \(read)")
    #expect(Int(rows).map { $0 < 30 * Self.count } == true, "\(rows) rows")
  }
}
