import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// Whoever changes a store's tables waits for those who use them, and does not have them ended.
@Suite(.timeLimit(.minutes(5))) struct SchemaLockTests {
  private static let grown = ServerStore.quakes.replacing(
    "  code:      string\n", with: "  code:      string\n  size:      integer32\n")

  /// What locks the store's tables, in the order of their names.
  enum Act: CaseIterable {
    case plan, migrate, importing, trigger

    func run(_ engine: any StoreEngine, _ pipeline: Pipeline) throws {
      switch self {
      case .plan: _ = try engine.migrationPlan(for: pipeline, dropping: [])
      case .migrate: _ = try engine.migrate(pipeline, dropping: [], lockWait: 60) { _ in }
      case .importing: try engine.fit(pipeline)
      case .trigger: try engine.restoreTriggers()
      }
    }
  }

  @Test(arguments: Act.allCases)
  func `another program that has the second table gets the first one too`(_ act: Act) throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    if act == .trigger { try store.psql(#"DROP TRIGGER bolide_after_insert ON "Quake""#) }
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"LOCK TABLE "Region" IN ROW EXCLUSIVE MODE;"#, by: other)
    // The other program's statement is the one that would be ended.
    let address = store.server.address(schema: store.schema).replacing(
      "#", with: "&options=-c%20deadlock_timeout%3D10min#")
    try store.meeting(
      other, #"UPDATE "Quake" SET magnitude = 5; COMMIT;"#,
      when: #"EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = '"Region"'::regclass)"#
    ) { _ in
      let pipeline = try Pipeline(yaml: Self.grown, file: "quakes.yaml", directory: ".")
      try act.run(StoreAddress(address).open(), pipeline)
    }
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "5")
    #expect(try store.engine.verified() == [])
  }

  @Test func `a repair gives up after a while`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"UPDATE "Quake" SET magnitude = 5;"#, by: other)
    let engine = try StoreAddress(store.server.address(schema: store.schema)).open(lockWait: 0.2)
    let error = #expect(throws: StoreError.self) { try engine.rebuild { _ in } }
    #expect(error?.code == .busy && error?.reason == "another program holds a lock")
    try other.send("COMMIT;")
    #expect(try other.end())
    try engine.rebuild { _ in }
    #expect(try store.engine.verified() == [])
  }

  /// A table that the server writes anew is empty to a snapshot from before.
  @Test func `who reads behind a migration sees the rows`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "code": "a", "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.psql(#"UPDATE "Quake" SET code = 'b'"#)
    try store.engine.assignPendingChanges()
    try store.engine.addReader("x", from: .token(token))
    // It has the first table, and waits for the second one.
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(
      """
      LOCK TABLE bolide_model IN ACCESS EXCLUSIVE MODE;
      ALTER TABLE "Quake" ALTER COLUMN code TYPE varchar USING code || ''; ALTER TABLE "Quake" ALTER COLUMN code TYPE text COLLATE "C" USING code || '';
      """, by: other)
    let outcomes = (0..<3).map { _ in ImportOutcome() }
    let reads: [@Sendable () throws -> Int] = [
      {
        var rows = 0
        try store.engine.readRows(ObjectQuery("Quake"), at: nil) { _ in rows += 1 }
        return rows
      },
      {
        var request = HistoryRequest(after: token)
        (request.isNet, request.includesValues) = (true, true)
        return try store.engine.history(request).flatMap(\.changes).count {
          $0.kind == .update && $0.values != nil
        }
      },
      {
        var keys = 0
        _ = try store.engine.deliver(to: "x", limit: nil) { transaction, _ in
          keys += transaction.changes.flatMap(\.key).count { $0.value == .integer(1) }
        }
        return keys
      },
    ]
    for (outcome, read) in zip(outcomes, reads) { Thread { outcome.set(Result(catching: read)) }.start() }
    try store.waitUntil(
      "(SELECT count(*) = 3 FROM pg_locks WHERE NOT granted AND relation = 'bolide_model'::regclass)")
    try other.send("COMMIT;")
    #expect(try other.end())
    for outcome in outcomes {
      outcome.wait()
      #expect(try outcome.result?.get() == 1)
    }
  }
}
