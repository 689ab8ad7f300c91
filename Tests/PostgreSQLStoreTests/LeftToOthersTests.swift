import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// What other programs leave to the next command, where they are still at it.
@Suite(.timeLimit(.minutes(5))) struct LeftToOthersTests {
  /// A store with an object whose spelling is to be computed, and another program that has locked it.
  private func store(_ locked: String) throws -> (ServerStore, OtherProgram) {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    try store.psql(#"UPDATE "Region" SET name = 'Ä'"#)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(locked, by: other)
    return (store, other)
  }

  @Test func `what is locked is left for the next command, and history is read`() throws {
    let (store, other) = try store(#"UPDATE "Region" SET name = 'Ö';"#)
    let token = try store.engine.newestToken()
    let notes = try store.engine.assignPendingChanges(readsHistory: true, waiting: 0)
    #expect(notes == [.pending(changes: 0, values: 1, .rowsLocked)])
    #expect(try store.engine.history(HistoryRequest(after: token)).count == 1)
    // The other program's statement is not the one that is ended.
    try other.send("COMMIT;")
    #expect(try other.end())
    #expect(try store.engine.assignPendingChanges(readsHistory: true, waiting: 0) == [])
    #expect(try store.psql(#"SELECT name, plain FROM "Region""#) == "Ö|o")
  }

  /// Whoever computes an owner that waits does not see what the other one is about to commit.
  @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"])
  func `an owner that waits already waits for each transaction`(isolation: String) throws {
    let store = try ServerStore()
    try store.take((1...2).map { #"{"id": \#($0), "magnitude": \#($0), "place": "A"}"# })
    let begin = "BEGIN ISOLATION LEVEL \(isolation);"
    try store.psql(#"\#(begin) UPDATE "Quake" SET magnitude = 10 WHERE id = 1; COMMIT"#)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"UPDATE "Quake" SET magnitude = 100 WHERE id = 2;"#, by: other, isolation: isolation)
    #expect(try store.engine.assignPendingChanges() == [])
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "12")
    try other.send("COMMIT;")
    #expect(try other.end())
    try store.psql(#"\#(begin) UPDATE "Quake" SET magnitude = 11 WHERE id = 1; COMMIT"#)
    #expect(try store.engine.status().dirtyOwners == 1)
    #expect(try store.engine.assignPendingChanges() == [])
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "111")
    #expect(try store.engine.verified() == [])
  }

  @Test func `what is to be computed yet is not untrue`() throws {
    let (store, other) = try store(#"SELECT FROM "Region" FOR UPDATE;"#)
    #expect(try store.psql(#"SELECT name, plain FROM "Region""#) == "Ä|a")
    #expect(try store.engine.verified() == [])
    // Of two regions, the one is marked, the other is false.
    try other.send("COMMIT;")
    #expect(try other.end())
    try store.take([#"{"id": 2, "place": "B"}"#])
    try store.psql(
      """
      ALTER TABLE "Region" DISABLE TRIGGER USER; UPDATE "Region" SET plain = 'z'; ALTER TABLE "Region" ENABLE TRIGGER USER;
      INSERT INTO bolide_mark SELECT number, (SELECT bolide_id FROM "Region" WHERE name = 'B') FROM bolide_entity WHERE name = 'Region'
      """)
    let again = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"SELECT FROM "Region" FOR UPDATE;"#, by: again)
    #expect(
      try store.engine.verified().map { "\($0)" } == [
        "Region 1 plain: stored z, true a",
        "Region: derived values of 1 object are left to the next command that may compute them",
      ])
    #expect(try store.engine.verified().map(\.isTrue) == [false, true])
    try again.send("COMMIT;")
    #expect(try again.end())
  }

  @Test func `a model that changes meanwhile ends no reader`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.psql(#"UPDATE "Quake" SET magnitude = 2"#)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    let lock = "1651469417, hashtext('\(store.schema)/model')"
    try store.hold("SELECT pg_advisory_xact_lock(\(lock));", by: other)
    let outcome = ImportOutcome()
    Thread { [engine = store.engine] in
      outcome.set(Result { try engine.assignPendingChanges().count })
    }.start()
    try store.waitUntil(
      """
      EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND classid = 1651469417
        AND objid = hashtext('\(store.schema)/model')::bigint & 4294967295)
      """)
    try other.send(
      """
      INSERT INTO bolide_model(version, model) SELECT version + 1, model FROM bolide_model;
      UPDATE bolide_store SET model_version = model_version + 1; COMMIT;
      """)
    #expect(try other.end())
    outcome.wait()
    #expect(try outcome.result?.get() == 0)
    #expect(try store.changes(after: token).contains("update Quake 1 magnitude null"))
  }
}
