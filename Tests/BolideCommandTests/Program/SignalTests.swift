import BolideBench
import Foundation
import Testing

/// An import that is stopped: what was committed stays, and the same import afterwards completes it.
@Suite struct SignalTests {
  private let folder: Folder
  private let feed: Data

  init() throws {
    folder = try Folder.withFireballs()
    feed = try folder.generate(FireballFeed(rows: 2_000, seed: 13), to: "feed.json")
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `a signal ends the import at the edge of a chunk`(
    number: Int32
  ) throws {
    let running = try folder.starting("import", "fireballs.yaml", "-", "--chunk-rows", "100", "--json")
    try running.write(feed.prefix(feed.count / 2))
    try eventually { try folder.count("Fireball", in: "fireballs.sqlite") >= 800 }
    running.send(number)
    let outcome = try running.outcome()
    #expect(outcome.status == 128 + number)
    #expect(outcome.errors.isEmpty)
    // The run is recorded with what it did, and the rows are those of its chunks.
    let run = try folder.sqlite("fireballs.sqlite", "SELECT outcome, read, inserted FROM bolide_run")
    let rows = try folder.count("Fireball", in: "fireballs.sqlite")
    #expect(run == ["cancelled|\(rows)|\(rows)"])
    #expect(try Counts(outcome) == Counts(read: rows, inserted: rows))
    let again = try folder.bolide("import", "fireballs.yaml", "feed.json", "--json")
    #expect(try Counts(again) == Counts(read: 2_000, inserted: 2_000 - rows, unchanged: rows))
    try folder.check(against: "feed.json")
  }

  @Test func `a signal while nothing comes ends the import too, and the report says so`() throws {
    let running = try folder.starting("import", "fireballs.yaml", "-v", "--json")
    try eventually { try folder.count("bolide_run", in: "fireballs.sqlite") == 1 }
    // Another run of the pipeline is told of it in JSON, though -q keeps it quiet.
    let other = try folder.bolide("import", "fireballs.yaml", "feed.json", "-q", "--json")
    #expect(other.status == 75 && other.errors.isEmpty)
    #expect(
      other.output.hasPrefix(#"{"outcome":"locked","exitStatus":75,"error":{"code":"locked","#), "\(other)")
    running.send(SIGTERM)
    let outcome = try running.outcome()
    #expect(outcome.status == 128 + SIGTERM)
    #expect(outcome.errors.hasPrefix("fireballs: 0 read; stopped before the end · "), "\(outcome)")
    #expect(outcome.output.contains(#""outcome":"cancelled","exitStatus":143,"error":{"code":"cancelled","#))
    #expect(try folder.sqlite("fireballs.sqlite", "SELECT outcome, read FROM bolide_run") == ["cancelled|0"])
  }

  @Test func `a signal is heard however early it comes`() throws {
    for pause in 0..<30 {
      let running = try folder.starting("import", "fireballs.yaml")
      usleep(UInt32(pause) * 700)
      running.send(SIGTERM)
      #expect(try running.outcome(within: 10) == Outcome(status: 128 + SIGTERM))
    }
  }

  @Test func `a signal is heard while another program holds the store's write lock`() throws {
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    try folder.generate(FireballFeed(rows: 2_000, seed: 14), to: "other.json")
    let shell = try Running("/usr/bin/env", ["sqlite3", "fireballs.sqlite"], in: folder, input: .open)
    try shell.write(Data("BEGIN IMMEDIATE;\n.shell touch held\n".utf8))
    try eventually { FileManager.default.fileExists(atPath: self.folder.path("held")) }
    let running = try folder.starting("import", "fireballs.yaml", "other.json")
    // It has the lock beside the store, and waits for SQLite's.
    try eventually { try folder.bytes(of: "fireballs.sqlite-bolide").count > 0 }
    running.send(SIGTERM)
    #expect(try running.outcome(within: 10) == Outcome(status: 128 + SIGTERM))
    try shell.write(Data("COMMIT;\n".utf8))
    try shell.close()
    #expect(try shell.outcome().status == 0)
    #expect(try folder.bolide("import", "fireballs.yaml", "other.json") == .silent)
  }

  @Test func `a signal is heard while a reader that has got a snapshot cannot be moved`() throws {
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    let shell = try Running("/usr/bin/env", ["sqlite3", "fireballs.sqlite"], in: folder, input: .open)
    try shell.write(Data("BEGIN IMMEDIATE;\n.shell touch held\n".utf8))
    try eventually { FileManager.default.fileExists(atPath: self.folder.path("held")) }
    try folder.write("cat > got; touch taken", to: "take.sh")
    let running = try folder.starting(
      "snapshot", "fireballs.sqlite", "--reader", "map", "--", "sh", "take.sh")
    try eventually { FileManager.default.fileExists(atPath: self.folder.path("taken")) }
    running.send(SIGTERM)
    #expect(try running.outcome(within: 10) == Outcome(status: 128 + SIGTERM))
    try shell.write(Data("COMMIT;\n".utf8))
    try shell.close()
    #expect(try shell.outcome().status == 0)
    #expect(try folder.bolide("readers", "fireballs.sqlite").output == "")
  }

  @Test func `a slow pipe's rows are in the store while it stays open`() throws {
    let running = try folder.starting("import", "fireballs.yaml")
    try running.write(feed.prefix(20_000))
    try eventually { try folder.count("Fireball", in: "fireballs.sqlite") > 250 }
    try running.write(feed.dropFirst(20_000).prefix(10_000))
    try eventually { try folder.count("Fireball", in: "fireballs.sqlite") > 380 }
    #expect(running.isRunning)
    try running.write(feed.dropFirst(30_000))
    try running.close()
    #expect(try running.outcome() == .silent)
    try folder.check(against: "feed.json")
  }

  @Test(arguments: [100, 900, 1_700]) func `after a kill the same import gives an undisturbed store`(
    rows: Int
  ) throws {
    // Three feeds' worth of work: base rows, links set by hand, and revised rows that the kill interrupts.
    try folder.generate(
      FireballFeed(rows: 2_000, seed: 13, revise: 50, rekey: 20, drop: 10), to: "revised.json")
    for store in ["killed.sqlite", "calm.sqlite"] {
      try #require(try folder.bolide("import", "fireballs.yaml", "feed.json", "--store", store) == .silent)
      try folder.sqlite(
        store,
        """
        INSERT INTO FireballGroup(year) VALUES (1);
        UPDATE Fireball SET group_id = (SELECT max(bolide_id) FROM FireballGroup) WHERE date LIKE '%7Z';
        """)
    }
    let revised = try folder.bytes(of: "revised.json")
    let running = try folder.starting(
      "import", "fireballs.yaml", "--chunk-rows", "40", "--store", "killed.sqlite")
    // The end never comes, so it is in the middle whenever the kill comes.
    try running.write(revised.dropLast(100))
    try eventually {
      try folder.sqlite("killed.sqlite", "SELECT read >= \(rows) FROM bolide_run WHERE run = 2") == ["1"]
    }
    running.send(SIGKILL)
    #expect(try running.outcome().status == 128 + SIGKILL)
    #expect(
      try folder.sqlite(
        "killed.sqlite", "SELECT ended IS NULL, outcome IS NULL FROM bolide_run WHERE run = 2")
        == ["1|1"])
    for store in ["killed.sqlite", "calm.sqlite"] {
      #expect(try folder.bolide("import", "fireballs.yaml", "revised.json", "--store", store) == .silent)
    }
    try folder.compare("killed.sqlite", "calm.sqlite")
    #expect(try folder.bolide("verify", "killed.sqlite") == .silent)
    try checkHistory("killed.sqlite")
  }

  /// Transactions own contiguous ranges of changes, all of them, and every run's read rows add up.
  private func checkHistory(_ store: String) throws {
    try folder.python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      next, total = 1, 0
      for first, last, objects in store.execute(
          "SELECT first_change, last_change, inserted + updated + deleted FROM bolide_transaction ORDER BY number"):
        assert first == next <= last + 1, (first, next, last)
        ids = store.execute("SELECT sum(last - first + 1) FROM bolide_change WHERE change BETWEEN ? AND ?",
          (first, last)).fetchone()[0]
        assert ids == objects, (first, last, ids, objects)
        next = last + 1
      assert store.execute("SELECT max(change) FROM bolide_change").fetchone() == (next - 1,)
      assert store.execute(\"\"\"SELECT count(*) FROM bolide_run WHERE outcome IS NOT NULL AND
        read <> inserted + updated + unchanged + ignored + duplicates + superseded + rejected\"\"\").fetchone() == (0,)
      """, store)
  }
}
