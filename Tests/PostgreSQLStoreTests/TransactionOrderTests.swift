import Bolide
import PostgreSQLAccess
import StoreInterface
import TestServer
import Testing

/// The order of transactions that are under way side by side: what one of them frees or makes is told before what another one does with it.
@Suite(.timeLimit(.minutes(10))) struct TransactionOrderTests {
  /// One begins first and ends last; the other one makes possible what it ends with.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let first: String
    let second: String
    let last: String
    /// Each transaction's changes, without what follows from them.
    let told: [[String]]
  }

  static let cases = [
    Case(
      testDescription: "a key that was freed",
      first: #"UPDATE "Quake" SET code = 'z' WHERE id = 1"#,
      second: #"DELETE FROM "Quake" WHERE id = 2"#, last: #"UPDATE "Quake" SET id = 2 WHERE id = 1"#,
      told: [["delete Quake 2"], ["update Quake 2"]]),
    Case(
      testDescription: "a key that was freed, for another object",
      first: #"INSERT INTO "Quake"(id) VALUES (50)"#, second: #"DELETE FROM "Quake" WHERE id = 2"#,
      last: #"UPDATE "Quake" SET id = 2 WHERE id = 50"#, told: [["delete Quake 2"], ["insert Quake 2"]]),
    Case(
      testDescription: "the last one that was linked to what is deleted",
      first: #"UPDATE "Region" SET name = 'B' WHERE name = 'A'"#,
      second: #"DELETE FROM "Quake" WHERE id = 2"#, last: #"DELETE FROM "Region" WHERE name = 'B'"#,
      told: [["delete Quake 2"], ["delete Region A", "update Quake 1"]]),
    Case(
      testDescription: "a new object's owner",
      first: #"INSERT INTO "Quake"(id) VALUES (70)"#, second: #"INSERT INTO "Region"(name) VALUES ('S')"#,
      last: #"UPDATE "Quake" SET in_id = (SELECT bolide_id FROM "Region" WHERE name = 'S') WHERE id = 70"#,
      told: [["insert Region S"], ["insert Quake 70"]]),
    Case(
      testDescription: "an object that comes again",
      first: #"DELETE FROM "Quake" WHERE id = 1"#, second: #"DELETE FROM "Quake" WHERE id = 2"#,
      last: #"INSERT INTO "Quake"(bolide_id, id) VALUES (1, 2)"#,
      told: [["delete Quake 2"], ["update Quake 2"]]),
  ]

  @Test(arguments: cases) func `what makes something possible is told first`(_ one: Case) throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "place": "A"}{"id": 2}"#])
    let token = try store.engine.newestToken()
    let address = try #require(PostgreSQLAddress(store.server.address(schema: store.schema)))
    let (first, second) = try (PostgreSQLConnection(address), PostgreSQLConnection(address))
    try first.runAll(["BEGIN", one.first])
    try second.run(one.second)
    try first.runAll([one.last, "COMMIT"])
    try store.engine.assignPendingChanges()
    let told = try store.engine.history(HistoryRequest(after: token)).map { transaction in
      transaction.changes.filter { !$0.isDerived }.map { change in
        "\(change.kind) \(change.entity) \(change.key.map(\.value.text).joined())"
      }
    }
    #expect(told.filter { !$0.isEmpty } == one.told)
  }
}
