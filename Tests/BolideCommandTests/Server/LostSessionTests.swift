import Foundation
import TestServer
import Testing

/// Programs and sessions that end where nobody expected it.
@Suite(.timeLimit(.minutes(5))) struct LostSessionTests {
  private let folder: Folder
  private let server: TestServer
  private let address: String
  private let schema: String

  init() throws {
    folder = try Folder()
    server = try TestServer.shared.get()
    address = server.freshAddress()
    schema = String(address.split(separator: "#")[1])
    try folder.write(
      Folder.quakes.replacing("store: quakes.sqlite", with: "store: \(address)"), to: "quakes.yaml")
    try folder.write(#"{"id": "a", "magnitude": 1}"#, to: "feed.json")
    try folder.bolide("import", "quakes.yaml", "feed.json", "-q").expectSilence()
  }

  private func psql(_ sql: String) throws -> String { try server.psql(sql, schema: schema) }

  /// What a follower has told.
  private var seen: String { String(decoding: (try? folder.bytes(of: "seen")) ?? Data(), as: UTF8.self) }

  private func start(_ arguments: String) throws -> Running {
    try Running("/bin/sh", ["-c", "exec '\(Folder.tool)' \(arguments)"], in: folder, input: .open)
  }

  /// The server works for it, and would not notice before it is done.
  @Test func `an import that is killed while it waits for a lock leaves none`() throws {
    let other = try OtherProgram(on: server, schema: schema)
    try other.send(#"BEGIN; UPDATE "Quake" SET magnitude = 2;"#)
    try eventually { try psql(#"SELECT count(*) FROM pg_locks WHERE relation = '"Quake"'::regclass"#) != "0" }
    try folder.write(#"{"id": "a", "magnitude": 3}"#, to: "feed.json")
    let importing = try start("import quakes.yaml feed.json")
    let waits = """
      SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bolide pipeline quakes' AND wait_event_type = 'Lock'
        AND pid IN (SELECT pid FROM pg_locks WHERE relation = '"Quake"'::regclass)
      """
    try eventually { try psql(waits) == "1" }
    importing.send(SIGKILL)
    _ = try importing.outcome()
    try eventually { try psql(waits) == "0" }
    #expect(try folder.bolide("status", address).output.contains("killed"))
    try other.send("COMMIT;")
    #expect(try other.end())
    try folder.bolide("import", "quakes.yaml", "feed.json", "-q").expectSilence()
    #expect(try psql(#"SELECT magnitude FROM "Quake""#) == "3")
  }

  @Test func `a follower whose sessions are ended goes on`() throws {
    let role = "f\(schema)"
    _ = try psql("CREATE ROLE \"\(role)\" LOGIN SUPERUSER")
    let follower = try start("changes '\(address.replacing("postgres@", with: "\(role)@"))' --follow > seen")
    defer { follower.send(SIGKILL) }
    func updates() -> Int { seen.matches(of: #/"kind":"update"/#).count }
    func endSessions() throws -> Int {
      let sessions = "pg_stat_activity WHERE usename = '\(role)'"
      return Int(try psql("SELECT count(pg_terminate_backend(pid)) FROM \(sessions)")) ?? 0
    }
    // One that is ended while it opens the store gives up.
    try eventually { !seen.isEmpty }
    for value in 2...9 {
      // While it looks again and again, and where it may be reading what has come.
      if value.isMultiple(of: 2) { try eventually { try endSessions() > 0 } }
      _ = try psql(#"UPDATE "Quake" SET magnitude = \#(value)"#)
      if !value.isMultiple(of: 2) { _ = try endSessions() }
      try eventually { updates() == value - 1 }
    }
    follower.send(SIGTERM)
    #expect(try follower.outcome() == Outcome(status: 128 + SIGTERM))
    _ = try psql("DROP ROLE \"\(role)\"")
  }

  /// It is ended while it prints: behind the last whole transaction there is a place to go on from.
  @Test func `a follower whose session is ended between two transactions goes on behind the first`() throws {
    let (role, writes) = ("f\(schema)", 1_000)
    _ = try psql("CREATE ROLE \"\(role)\" LOGIN SUPERUSER")
    let updates = (1...writes).map { #"UPDATE "Quake" SET magnitude = \#($0 + 1);"# }.joined(separator: "\n")
    _ = try psql(updates)
    // Nobody takes what it prints, until it is to go on.
    try folder.shell("mkfifo printed").expectSilence()
    let taking = "exec 3< printed; while ! [ -e go ]; do sleep 0.01; done; exec cat <&3 > seen"
    let taker = try Running("/bin/sh", ["-c", taking], in: folder, input: .open)
    let follower = try start(
      "changes '\(address.replacing("postgres@", with: "\(role)@"))' --follow > printed")
    defer { [follower, taker].forEach { $0.send(SIGKILL) } }
    let reads = """
      pg_stat_activity WHERE usename = '\(role)' AND state LIKE 'idle in%'
        AND EXISTS (SELECT FROM pg_locks AS l WHERE l.pid = pg_stat_activity.pid AND relation = 'bolide_change'::regclass)
      """
    try eventually { try psql("SELECT count(*) FROM \(reads)") == "1" }
    try eventually { try psql("SELECT count(pg_terminate_backend(pid, 9000)) FROM \(reads)") == "1" }
    try folder.write("", to: "go")
    func commits() -> [Substring] { seen.matches(of: #/"tx":(\d+),"commit":true/#).map(\.1) }
    try eventually { commits().count == writes + 1 }
    #expect(Set(commits()).count == writes + 1)
    #expect(seen.matches(of: #/"kind":"update"/#).count == writes)
    follower.send(SIGTERM)
    #expect(try follower.outcome() == Outcome(status: 128 + SIGTERM))
    #expect(try taker.outcome() == .silent)
    _ = try psql("DROP ROLE \"\(role)\"")
  }

  /// What is locked, and what waits for it.
  private static let waits = [
    ("bolide_store", "import quakes.yaml feed.json"), ("bolide_run", "import quakes.yaml feed.json"),
    ("bolide_reader", "changes STORE --reader map -- cat"), ("bolide_transaction", "changes STORE --follow"),
    ("\"Quake\"", "snapshot STORE -- cat"), ("bolide_reader", "snapshot STORE --reader map -- cat"),
  ]

  @Test(arguments: waits) func `a signal is heard while a lock is waited for`(table: String, command: String)
    throws
  {
    try folder.bolide("readers", address, "add", "map", "--from", "now").expectSilence()
    let other = try OtherProgram(on: server, schema: schema)
    try other.send("BEGIN; LOCK TABLE \(table);")
    let locks = "SELECT count(*) FROM pg_locks WHERE relation = '\(table)'::regclass AND granted = "
    try eventually { try psql(locks + "true") == "1" }
    let waiting = try start(command.replacing("STORE", with: "'\(address)'"))
    try eventually { try psql(locks + "false") == "1" }
    waiting.send(SIGTERM)
    let outcome = try waiting.outcome(within: 10)
    #expect(outcome.status == 128 + SIGTERM && outcome.errors == "", "\(outcome)")
    try eventually { try psql(locks + "false") == "0" }
    try other.send("COMMIT;")
    #expect(try other.end())
    try folder.bolide("verify", address).expectSilence()
  }

  @Test func `what a command has taken is acknowledged, though a signal came meanwhile`() throws {
    try folder.bolide("readers", address, "add", "map", "--from", "beginning").expectSilence()
    let script = "trap 'kill $!; exit 0' TERM\ncat > got\nsleep 60 > got &\ntouch ready\nwait"
    try folder.write(script, to: "take.sh")
    let running = try start("changes '\(address)' --reader map -- sh take.sh")
    try eventually { FileManager.default.fileExists(atPath: folder.path("ready")) }
    running.send(SIGTERM)
    #expect(try running.outcome(within: 10).status == 0)
    #expect(try folder.bolide("changes", address, "--reader", "map", "--count").output == "0\n")
  }

  /// The lock goes with its session: two would be told the same.
  @Test func `a follower whose session is ended takes its reader's lock again, unless another one has it`()
    throws
  {
    try folder.bolide("readers", address, "add", "map", "--from", "beginning").expectSilence()
    let role = "f\(schema)"
    _ = try psql("CREATE ROLE \"\(role)\" LOGIN SUPERUSER")
    let own = address.replacing("postgres@", with: "\(role)@")
    let follower = try start("changes '\(own)' --follow --reader map -- sh -c 'cat >> seen'")
    defer { follower.send(SIGKILL) }
    func commits() -> Int { seen.matches(of: #/"token":/#).count }
    func endSessions() throws {
      _ = try psql("SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity WHERE usename = '\(role)'")
    }
    let taken = [
      "\(address): another consumer of the reader 'map' is running",
      "Use one reader per consumer, or run the command again when the other consumer has ended.",
    ]
    try eventually { commits() == 1 }
    try endSessions()
    _ = try psql(#"UPDATE "Quake" SET magnitude = 2"#)
    try eventually { commits() == 2 }
    let second = try folder.bolide("changes", address, "--reader", "map", "--", "cat")
    #expect(second == .failure(75, taken[0], taken[1]))
    // Who waits for it gets it.
    let other = try OtherProgram(on: server, schema: schema)
    try other.send(
      """
      SELECT pg_advisory_lock(classid::int, (objid::bigint::bit(32))::int) FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
        WHERE locktype = 'advisory' AND application_name = 'bolide reader map';
      """)
    try eventually {
      try psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") != "0"
    }
    try endSessions()
    _ = try psql(#"UPDATE "Quake" SET magnitude = 3"#)
    let outcome = try follower.outcome(within: 20)
    #expect(outcome.status == 75 && outcome.errors.contains(taken[0].dropFirst(address.count)), "\(outcome)")
    #expect(try other.end())
    #expect(commits() == 2)
    try folder.bolide("changes", address, "--reader", "map", "--", "sh", "-c", "cat >> seen").expectSilence()
    #expect(commits() == 3)
    _ = try psql("DROP ROLE \"\(role)\"")
  }
}
