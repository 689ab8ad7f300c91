import Bolide
import StoreInterface
import TestServer
import Testing

/// A row that one transaction deletes and inserts again with its id has been changed.
struct ReinsertedRowTests {
  @Test(arguments: ["", #"INSERT INTO "Quake"(id) VALUES (9);"#])
  func `what was null and is not is in history`(before: String) throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "code": "a", "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.psql(
      """
      BEGIN; \(before) DELETE FROM "Quake" WHERE id = 1;
      INSERT INTO "Quake"(bolide_id, id, code, magnitude, in_id) VALUES (1, 1, 'a', 7, 1); COMMIT
      """)
    try store.engine.assignPendingChanges()
    let change = try #require(
      try store.engine.history(HistoryRequest(after: token)).flatMap(\.changes)
        .first { $0.entity == "Quake" && $0.id == 1 })
    #expect(change.kind == .update)
    let magnitude = change.previous.first { $0.name == "magnitude" }
    #expect(magnitude != nil && magnitude?.value == .null)
    #expect(!change.previous.contains { $0.name == "depth" })
    var magnitudes: [Value] = []
    try store.engine.readRows(ObjectQuery("Quake", where: "id = 1"), at: token) { row in
      magnitudes += row.values.filter { $0.name == "magnitude" }.map(\.value)
    }
    #expect(magnitudes == [.null])
    #expect(try store.engine.verified() == [])
  }
}
