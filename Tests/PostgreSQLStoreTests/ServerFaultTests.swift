import Bolide
import Foundation
import PostgreSQLAccess
import StoreInterface
import TestServer
import Testing

/// What a server may say in the middle of an import: one sentence each, nothing half-made, and the next import goes on.
struct ServerFaultTests {
  private let pipeline: Pipeline

  init() throws { pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".") }

  /// A store's address with settings of the session's.
  private func address(_ store: ServerStore, _ settings: String) -> String {
    let options = settings.replacing(" ", with: "%20").replacing("=", with: "%3D")
    return "postgresql://postgres@/postgres?host=\(store.server.folder)&options=\(options)#\(store.schema)"
  }

  private func records(_ ids: ClosedRange<Int>) -> String {
    ids.map { #"{"id": \#($0), "magnitude": \#($0), "place": "A"}"# }.joined(separator: "\n")
  }

  @discardableResult
  private func take(_ ids: ClosedRange<Int>, _ address: String, isAtomic: Bool = false) throws -> ImportReport
  {
    var options = ImportOptions()
    (options.force, options.chunkRows, options.isAtomic) = (true, 2, isAtomic)
    return try StoreAddress(address).open(for: pipeline, lockWait: 1).run(
      pipeline, on: [.bytes(records(ids).utf8, name: "feed")], options: options)
  }

  private func sentence(_ error: (any Error)?) -> String {
    let error = error.map(ImportError.init)
    return [error?.reason, error?.hint].compactMap(\.self).joined(separator: ". ")
  }

  /// What an import ends with while another program has a row of its second chunk.
  private func heldUp(_ settings: String) throws -> (error: ImportError?, store: ServerStore) {
    let store = try ServerStore()
    try take(1...4, store.server.address(schema: store.schema))
    let other = try OtherProgram(on: store.server, schema: store.schema)
    try store.hold(#"UPDATE "Quake" SET code = 'b' WHERE id = 4;"#, by: other)
    try store.psql(#"UPDATE "Quake" SET magnitude = 9 WHERE id < 4"#)
    let error = #expect(throws: ImportError.self) {
      // Row 4 has another value in the input than in the store.
      var options = ImportOptions()
      (options.force, options.chunkRows) = (true, 2)
      _ = try StoreAddress(address(store, settings)).open(for: pipeline, lockWait: 1).run(
        pipeline, on: [.bytes((records(1...3) + "\n{\"id\": 4, \"magnitude\": 8}").utf8, name: "feed")],
        options: options)
    }
    try other.send("ROLLBACK;")
    _ = try other.end()
    // The first chunk stays.
    #expect(try store.psql(#"SELECT magnitude FROM "Quake" ORDER BY id"#) == "1\n2\n9\n4")
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "16")
    #expect(try store.psql("SELECT count(*) FROM bolide_run WHERE outcome IS NULL") == "0")
    return (error, store)
  }

  @Test func `a statement that fails, or is left in the middle, does not end the next one`() throws {
    struct Enough: Error {}
    let address = try TestServer.shared.get().address(schema: "public")
    let connection = try PostgreSQLConnection(#require(PostgreSQLAddress(address)))
    for round in 1...100 {
      #expect(throws: PostgreSQLError.self) {
        try connection.each("SELECT 1 / (n - \(round)) FROM generate_series(1, 200) AS n") { _ in }
      }
      try connection.run("SELECT pg_sleep(0.002)")
      #expect(throws: Enough.self) {
        try connection.each("SELECT generate_series(1, 100000)") { _ in throw Enough() }
      }
      try connection.run("SELECT pg_sleep(0.002)")
    }
  }

  @Test(.timeLimit(.minutes(5))) func `whoever is stopped does not wait for a server that hangs`() throws {
    let server = try TestServer()
    let address = try #require(PostgreSQLAddress(server.address(schema: "public")))
    let connection = try PostgreSQLConnection(address)
    let main = try String(contentsOfFile: "\(server.folder)/data/postmaster.pid", encoding: .utf8)
    let processes = [
      try #require(main.split(separator: "\n").first.flatMap { pid_t($0) }),
      pid_t(try connection.run("SELECT pg_backend_pid()").integer(0, 0)),
    ]
    defer { for process in processes { kill(process, SIGCONT) } }
    for process in processes { try #require(kill(process, SIGSTOP) == 0) }
    connection.isCancelled = { true }
    let error = #expect(throws: PostgreSQLError.self) { try connection.run("SELECT 1") }
    #expect(error?.state == "57014")
    connection.rollBack()
  }

  @Test(.timeLimit(.minutes(5))) func `a statement takes longer than the server lets it`() throws {
    let (error, store) = try heldUp("-c statement_timeout=1500")
    #expect(
      sentence(error).hasPrefix(
        "the server ended a statement that took longer than its statement_timeout. "
          + "Set a longer one for this user: ALTER ROLE … SET statement_timeout. An import may also take smaller chunks."
      ))
    #expect(error?.kind == .store(.interrupted))
    try take(1...4, store.server.address(schema: store.schema))
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "10")
  }

  @Test(.timeLimit(.minutes(5))) func `a lock is not to be had in time`() throws {
    let (error, _) = try heldUp("-c lock_timeout=1500")
    #expect(sentence(error) == "another program holds a lock. Try again when it has ended.")
    #expect(error?.kind == .store(.busy))
  }

  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func `a deadlock with another program is survived`(_ isAtomic: Bool) throws {
    let store = try ServerStore()
    try take(1...2, store.server.address(schema: store.schema))
    let other = try OtherProgram(on: store.server, schema: store.schema)
    // The import is the one that is ended.
    try other.send(
      #"SET deadlock_timeout = '10min'; BEGIN; UPDATE "Quake" SET code = 'b' WHERE id = 2;"#)
    while try store.psql(
      #"SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%id = 2%' AND state = 'idle in transaction'"#)
      == "0"
    {
      usleep(20_000)
    }
    let done = Outcome<ImportReport>()
    let address = address(store, "-c deadlock_timeout=4s")
    let pipeline = pipeline
    Thread.detachNewThread {
      done.set(
        Result {
          var options = ImportOptions()
          (options.force, options.isAtomic) = (true, isAtomic)
          return try StoreAddress(address).open(for: pipeline, lockWait: 1).run(
            pipeline,
            on: [.bytes("{\"id\": 1, \"magnitude\": 7}\n{\"id\": 2, \"magnitude\": 7}".utf8, name: "feed")],
            options: options)
        })
    }
    while try store.psql(
      "SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid) WHERE NOT l.granted AND a.query LIKE "
        + "'%\"Quake\"%FOR NO KEY UPDATE%'") == "0"
    { usleep(20_000) }
    try other.send(#"UPDATE "Quake" SET code = 'c' WHERE id = 1; COMMIT;"#)
    #expect(try other.end())
    let report = try done.wait().get()
    #expect(report.progress.counts.updated == 2)
    #expect(try store.psql(#"SELECT code, magnitude FROM "Quake" ORDER BY id"#) == "c|7\nb|7")
    #expect(try store.psql(#"SELECT total FROM "Region""#) == "14")
    #expect(try store.engine.verified() == [])
  }

  @Test(.timeLimit(.minutes(5)))
  func `whoever numbers meets another program at the same owners, and numbers again`() throws {
    let store = try ServerStore()
    try store.take([#"{"id": 1, "place": "A"}"#, #"{"id": 2, "place": "B"}"#])
    // What is derived from their names is left to Bolide's next command.
    try store.psql(#"UPDATE "Region" SET name = name || 'É'"#)
    let other = try OtherProgram(on: store.server, schema: store.schema)
    // Whoever numbers is the one that is ended.
    let mine = "/* \(store.schema) */"
    try other.send(
      #"SET deadlock_timeout = '10min'; BEGIN; UPDATE "Region" SET name = 'Ç' WHERE bolide_id = 2 \#(mine);"#)
    let waits =
      "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND query LIKE '%\(mine);'"
    while try store.psql(waits) == "0" { usleep(20_000) }
    let done = Outcome<Void>()
    let engine = store.engine
    Thread.detachNewThread { done.set(Result { try engine.assignPendingChanges() }) }
    let blocks =
      """
      SELECT count(*) FROM pg_stat_activity AS mine JOIN pg_stat_activity AS other ON other.pid = ANY(pg_blocking_pids(mine.pid))
      WHERE other.query LIKE '%\(mine);'
      """
    while try store.psql(blocks) == "0" { usleep(20_000) }
    try other.send(#"UPDATE "Region" SET name = 'Ø' WHERE bolide_id = 1; COMMIT;"#)
    #expect(try other.end())
    try done.wait().get()
    try store.engine.assignPendingChanges()
    #expect(try store.psql(#"SELECT name, plain FROM "Region" ORDER BY bolide_id"#) == "Ø|ø\nÇ|c")
    #expect(try store.engine.verified() == [])
  }

  @Test func `transactions are read-only unless somebody says otherwise`() throws {
    let store = try ServerStore()
    let address = address(store, "-c default_transaction_read_only=on")
    let refused =
      "this user's transactions are read-only. default_transaction_read_only is on for the user, the database or the server: "
      + "set it off, or use another user."
    let error = #expect(throws: (any Error).self) { try take(1...2, address) }
    #expect(sentence(error) == refused)
    let engine = try StoreAddress(address).open()
    #expect(sentence(#expect(throws: StoreError.self) { try engine.checkWritable() }) == refused)
    #expect(
      sentence(#expect(throws: StoreError.self) { try engine.addReader("index", from: .now) }) == refused)
    #expect(
      try store.psql(#"SELECT (SELECT count(*) FROM "Quake") + (SELECT count(*) FROM bolide_run)"#) == "0")
    #expect(try engine.newestToken() == store.engine.newestToken())
  }

  @Test func `no connection is left`() throws {
    let store = try ServerStore()
    let user = "few\(UInt32.random(in: 0 ... .max))"
    try store.psql("CREATE ROLE \(user) LOGIN CONNECTION LIMIT 0")
    let error = #expect(throws: StoreError.self) {
      try StoreAddress("postgresql://\(user)@/postgres?host=\(store.server.folder)#\(store.schema)").open()
    }
    #expect(error?.reason.hasPrefix("the server has no connection left: ") == true)
    #expect(error?.reason.hasSuffix("too many connections for role \"\(user)\"") == true)
    #expect(
      error?.hint == "Try again when others have ended, or allow more: max_connections, CONNECTION LIMIT.")
    #expect(error?.code == .busy)
  }

  /// The server's own words for a full disk come from a trigger here: a disk that is full takes rights to make one.
  @Test(arguments: [false, true]) func `the server's disk is full`(_ isAtomic: Bool) throws {
    let store = try ServerStore()
    let address = store.server.address(schema: store.schema)
    try store.psql(
      """
      CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON "Quake" FOR EACH ROW WHEN (NEW.id = 5) EXECUTE FUNCTION full_disk();
      """)
    let error = #expect(throws: ImportError.self) { try take(1...6, address, isAtomic: isAtomic) }
    #expect(error?.reason == "the server's disk is full" && error?.kind == .store(.full))
    #expect(error?.hint == (isAtomic ? "Nothing of this import is in the store." : nil))
    #expect(try store.psql(#"SELECT count(*) FROM "Quake""#) == (isAtomic ? "0" : "4"))
    try store.psql(#"DROP TRIGGER full_disk ON "Quake""#)
    try take(1...6, address, isAtomic: isAtomic)
    #expect(try store.psql(#"SELECT count(*), sum(magnitude) FROM "Quake""#) == "6|21")
    #expect(try store.engine.verified() == [])
  }
}

/// What became of something on another thread.
private final class Outcome<Success: Sendable>: Sendable {
  private let done = NSCondition()
  nonisolated(unsafe) private var result: Result<Success, any Error>?

  func set(_ result: Result<Success, any Error>) {
    done.withLock {
      self.result = result
      done.broadcast()
    }
  }

  func wait() -> Result<Success, any Error> {
    done.withLock {
      while true {
        if let result { return result }
        done.wait()
      }
    }
  }
}
