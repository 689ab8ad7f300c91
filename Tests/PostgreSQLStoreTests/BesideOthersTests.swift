import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// Commands that wait for others, and go on with what those have left.
@Suite(.timeLimit(.minutes(5))) struct BesideOthersTests {
  private let store: ServerStore
  private let other: OtherProgram

  init() throws {
    store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 4, "place": "A"}"#])
    other = try OtherProgram(on: store.server, schema: store.schema)
  }

  private func meeting(
    _ end: String, _ body: @escaping @Sendable (ServerStore) throws -> Void
  ) throws {
    try store.meeting(other, end, body)
  }

  @Test func `an edit that has waited for another model knows it`() throws {
    let lock = "1651469417, hashtext('\(store.schema)/model')"
    try store.hold("SELECT pg_advisory_xact_lock(\(lock));", by: other)
    let changed = """
      INSERT INTO bolide_model(version, model) SELECT version + 1, replace(model, '"magnitude"', '"magnitude"') FROM bolide_model;
      UPDATE bolide_store SET model_version = model_version + 1; COMMIT;
      """
    try meeting(changed) { store in
      let report = try store.engine.deleteObjects(ObjectQuery("Quake", where: "id = 1"), EditOptions())
      #expect(report.counts.map(\.deleted) == [1, 0])
    }
    #expect(try store.psql("SELECT max(model) FROM bolide_transaction") == "2")
  }

  /// Whoever begins again wants all of it.
  @Test func `a reader that is begun anew is not moved by a delivery from before`() throws {
    let start = try store.engine.newestToken()
    try store.engine.addReader("x", from: .now)
    try store.take([#"{"id": 2, "magnitude": 4, "place": "A"}"#])
    let token = try store.engine.newestToken()
    try store.hold("UPDATE bolide_reader SET number = 0;", by: other)
    try meeting("COMMIT;") { store in
      try store.engine.acknowledge(token, by: "x", from: start)
    }
    #expect(try store.psql("SELECT number FROM bolide_reader") == "0")
  }

  @Test func `an older acknowledgement moves no reader back`() throws {
    let start = try store.engine.newestToken()
    try store.engine.addReader("x", from: .beginning)
    try store.take([#"{"id": 2, "magnitude": 4, "place": "A"}"#])
    let newest = try store.engine.newestToken()
    try store.hold(
      "UPDATE bolide_reader SET number = \(newest.number), nonce = '\(newest.nonce)';", by: other)
    try meeting("COMMIT;") { store in try store.engine.acknowledge(start, by: "x") }
    #expect(try store.psql("SELECT number FROM bolide_reader") == "\(newest.number)")
  }

  /// A consumer may take long, and whoever numbers would wait for it.
  @Test func `a reader that is begun anew waits for its consumer alone`() throws {
    try store.engine.addReader("x", from: .beginning)
    try store.hold("SELECT FROM bolide_reader FOR UPDATE;", by: other)
    try meeting("SET lock_timeout = '5s'; SELECT bolide_number(); COMMIT;") { store in
      try store.engine.resetReader("x", to: .now)
    }
    #expect(try store.psql("SELECT number FROM bolide_reader") == "1")
  }

  /// The other program's statement is the one that would be ended.
  @Test func `what is to be computed goes while it is`() throws {
    try store.psql(#"INSERT INTO "Region"(name) VALUES ('B')"#)
    try store.hold(#"SELECT FROM "Region" WHERE name = 'B' FOR UPDATE;"#, by: other)
    let address = store.server.address(schema: store.schema).replacing(
      "#", with: "&options=-c%20deadlock_timeout%3D10min#")
    try meeting(#"DELETE FROM "Region" WHERE name = 'B'; COMMIT;"#) { _ in
      let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
      let feed = ImportSource.bytes(#"{"id": 2, "magnitude": 3, "place": "A"}"#.utf8, name: "feed")
      _ = try StoreAddress(address).open().run(pipeline, on: [feed], options: ImportOptions())
    }
    #expect(try store.psql(#"SELECT name, total, plain FROM "Region""#) == "A|7|a")
    try store.engine.assignPendingChanges()
    #expect(try store.psql("SELECT count(*) FROM bolide_mark") == "0")
    #expect(try store.engine.verified() == [])
  }

  @Test func `an edit does not select by what is still to be computed`() throws {
    try store.psql(
      "BEGIN ISOLATION LEVEL REPEATABLE READ; UPDATE \"Quake\" SET magnitude = 100; COMMIT")
    try store.hold(#"SELECT FROM "Region" FOR UPDATE;"#, by: other)
    var options = EditOptions()
    options.lockWait = .milliseconds(300)
    let request = ObjectQuery("Region", where: "total < 50")
    let error = #expect(throws: StoreError.self) { try store.engine.deleteObjects(request, options) }
    #expect(error?.code == .busy && error?.reason == "another program holds a lock")
    try other.send("COMMIT;")
    #expect(try other.end())
    #expect(try store.engine.deleteObjects(request, options).counts.reduce(0) { $0 + $1.deleted } == 0)
  }

  @Test func `what another command computes is waited for, and told of`() throws {
    try store.psql(
      "BEGIN ISOLATION LEVEL REPEATABLE READ; UPDATE \"Quake\" SET magnitude = 100; COMMIT")
    try store.hold("DELETE FROM bolide_mark;", by: other)
    let notes = try store.engine.assignPendingChanges(readsHistory: true, waiting: 0.2)
    #expect(notes == [.pending(changes: 0, values: 1, .rowsLocked)])
    try other.send("ROLLBACK;")
    #expect(try other.end())
    #expect(try store.engine.assignPendingChanges() == [])
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "100")
  }

  @Test(arguments: [false, true])
  func `an owner that goes while rows come to it is made anew`(_ isAtomic: Bool) throws {
    try store.hold(#"DELETE FROM "Region";"#, by: other)
    try meeting("COMMIT;") { store in
      try store.take([#"{"id": 2, "magnitude": 3, "place": "A"}"#], isAtomic: isAtomic)
    }
    #expect(try store.psql(#"SELECT name, total FROM "Region""#) == "A|3")
    #expect(try store.psql(#"SELECT id, in_id IS NULL FROM "Quake" ORDER BY id"#) == "1|t\n2|f")
    #expect(try store.engine.verified() == [])
  }

  @Test func `rejected records are erased when no import is running`() throws {
    try store.take([#"{"id": 1, "magnitude": "high"}"#, #"{"id": 2}"#], settings: "max-rejects: 100%")
    var lock: AnyObject? = try store.engine.lock(forPipeline: "quakes", waiting: 1)
    let filter = RejectFilter()
    let error = #expect(throws: StoreError.self) { try store.engine.eraseRejects(filter, lockWait: 0.1) }
    #expect(error?.code == .locked)
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(try store.engine.eraseRejects(filter, lockWait: 60) == 1)
    try other.send("SELECT;")
    #expect(try other.end())
  }

  /// The commonest pattern of a program with a server: what it has locked it changes next.
  @Test func `a revert waits for who has locked a row, and does not have it ended`() throws {
    let token = try store.engine.newestToken()
    try store.psql(#"UPDATE "Quake" SET magnitude = 5"#)
    try store.engine.assignPendingChanges()
    try store.hold(#"SELECT FROM "Quake" FOR UPDATE;"#, by: other)
    let address = store.server.address(schema: store.schema).replacing(
      "#", with: "&options=-c%20deadlock_timeout%3D10min#")
    let revertible = try store.engine.newestToken()
    #expect(revertible > token)
    try meeting(#"UPDATE "Quake" SET code = 'new'; COMMIT;"#) { store in
      _ = try StoreAddress(address).open().revert(.token(token), force: false, EditOptions())
    }
    #expect(try store.psql(#"SELECT magnitude FROM "Quake""#) == "4")
    #expect(try store.engine.verified() == [])
  }

  /// The guard holds of what is deleted, not of what was missing before the lock was waited for.
  @Test func `missing rows are not deleted past the guard`() throws {
    let full = "feed: full\nmax-missing: 100%\n"
    func record(_ ids: ClosedRange<Int>) -> [String] { ids.map { #"{"id": \#($0)}"# } }
    try store.take(record(1...40), settings: full)
    try store.take(record(2...40), settings: full)
    try store.hold("SELECT pg_advisory_xact_lock(1651469417, hashtext('\(store.schema)/model'));", by: other)
    // What an import of ten rows would leave behind.
    let few = "DELETE FROM bolide_presence; COMMIT;"
    let error = #expect(throws: StoreError.self) {
      try meeting(few) { store in _ = try store.engine.deleteMissing(of: nil, noMoreThan: 0.05) }
    }
    #expect([.guarded, .badRequest].contains(error?.code))
    #expect(try store.psql(#"SELECT count(*) FROM "Quake""#) == "40")
  }
}
