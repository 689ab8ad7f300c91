import BolideBench
import Foundation
import Testing

/// Readers read on during an import; a reader that never ends pins the log, up to its limit.
@Suite struct WriteAheadLogTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 20_000, seed: 5), to: "feed.json")
    try folder.write(#"{"fields": ["date"], "data": [["1990-01-01 00:00:00"]]}"#, to: "small.json")
    try #require(try folder.bolide("import", "fireballs.yaml", "small.json") == .silent)
  }

  /// A program that reads one state of the store and keeps it.
  private func pinning() throws -> Running {
    let reader = try Running("/usr/bin/env", ["sqlite3", "fireballs.sqlite"], in: folder, input: .open)
    try reader.write(Data("BEGIN; SELECT count(*) FROM Fireball;\n.shell touch pinned\n".utf8))
    try eventually { FileManager.default.fileExists(atPath: self.folder.path("pinned")) }
    return reader
  }

  private var logSize: Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: folder.path("fireballs.sqlite-wal"))
    return attributes?[.size] as? Int ?? 0
  }

  @Test func `a log at its limit ends the import at a chunk's edge, and the reader is named`() throws {
    let reader = try pinning()
    let outcome = try folder.bolide(
      "import", "fireballs.yaml", "feed.json", "--chunk-rows", "500", "--wal-limit", "1MiB", "--lock-wait",
      "0.2s")
    #expect(outcome.status == 75)
    let who =
      FileManager.default.fileExists(atPath: "/proc")
      ? "; sqlite3 (process \(reader.processID)) has it open" : ""
    #expect(
      outcome.errors.replacing(#/grown to \d+ MiB/#, with: "grown to N MiB") == """
        Error: fireballs.sqlite: the write-ahead log has grown to N MiB, and a reader prevents its checkpoint\(who).
               Committed chunks are safe. End the long read, or raise `wal-limit`, and run the same command again.

        """)
    #expect(logSize < 4 << 20)
    let rows = try folder.count("Fireball", in: "fireballs.sqlite")
    #expect(rows > 1 && rows < 20_001 && rows % 500 == 1)
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT outcome, inserted FROM bolide_run WHERE run = 2")
        == ["walLimit|\(rows - 1)"])
    // The reader still has its state, and when it ends the import goes on.
    try reader.close()
    #expect(try reader.outcome().output == "1\n")
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json", "--wal-limit", "1MiB") == .silent)
    #expect(logSize == 0)
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
  }

  @Test func `an import waits for the reader, as long as it waits for a lock`() throws {
    let reader = try pinning()
    let running = try folder.starting(
      "import", "fireballs.yaml", "feed.json", "--chunk-rows", "500", "--wal-limit", "1MiB", "--lock-wait",
      "50s")
    try running.close()
    try eventually { self.logSize > 1 << 20 }
    #expect(running.isRunning)
    try reader.close()
    #expect(try reader.outcome().status == 0)
    #expect(try running.outcome() == .silent)
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 20_001)
  }

  @Test func `one transaction is exempt, and a signal ends the waiting`() throws {
    let reader = try pinning()
    #expect(
      try folder.bolide(
        "import", "fireballs.yaml", "feed.json", "--atomic", "--wal-limit", "1MiB", "--lock-wait", "0")
        == .silent)
    #expect(logSize > 1 << 20)
    try folder.generate(FireballFeed(rows: 2_000, seed: 6), to: "more.json")
    let running = try folder.starting(
      "import", "fireballs.yaml", "more.json", "--chunk-rows", "500", "--wal-limit", "1MiB")
    try running.close()
    try eventually {
      try folder.sqlite("fireballs.sqlite", "SELECT chunks FROM bolide_run WHERE run = 3") == ["1"]
    }
    running.send(SIGTERM)
    #expect(try running.outcome(within: 10) == Outcome(status: 128 + SIGTERM))
    reader.send(SIGKILL)
    _ = try reader.outcome()
  }

  @Test func `the log is empty after an import, also while another program has the store open`() throws {
    let other = try Running("/usr/bin/env", ["sqlite3", "fireballs.sqlite"], in: folder, input: .open)
    try other.write(Data("SELECT count(*) FROM Fireball;\n.shell touch open\n".utf8))
    try eventually { FileManager.default.fileExists(atPath: self.folder.path("open")) }
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    #expect(logSize == 0)
    try other.close()
    #expect(try other.outcome().status == 0)
  }

  @Test func `a reader sees whole chunks, rows with their counts and sums, at any moment`() throws {
    let running = try folder.starting("import", "fireballs.yaml", "-", "--chunk-rows", "250")
    let feed = try folder.bytes(of: "feed.json")
    let watch = """
      import sqlite3, sys, math
      seen, store = set(), sqlite3.connect("file:fireballs.sqlite?mode=ro", uri=True, isolation_level=None)
      while 20001 not in seen:
        store.execute("BEGIN")
        rows = store.execute("SELECT count(*) FROM Fireball").fetchone()[0]
        assert rows % 250 == 1, rows
        years = {}
        for year, energy in store.execute(
            "SELECT year, impactEnergy FROM Fireball JOIN FireballGroup g ON g.bolide_id = group_id"):
          years.setdefault(year, []).append(energy or 0.0)
        wanted = sorted((year, len(parts), math.fsum(parts)) for year, parts in years.items())
        found = store.execute("SELECT year, fireballCount, totalImpactEnergy FROM FireballGroup ORDER BY 1").fetchall()
        assert found == wanted, "groups differ at %d" % rows
        read = store.execute("SELECT sum(inserted) FROM bolide_run").fetchone()[0]
        assert read == rows, (read, rows)
        changes = store.execute("SELECT sum(inserted) FROM bolide_transaction").fetchone()[0]
        assert changes == rows + len(found), (changes, rows)
        store.execute("COMMIT")
        seen.add(rows)
      assert len(seen) > 3, seen
      """
    let watcher = try Running("/usr/bin/env", ["python3", "-c", watch], in: folder, input: .nothing)
    let piece = feed.count / 10
    for start in stride(from: 0, to: feed.count, by: piece) {
      try running.write(feed[start..<min(start + piece, feed.count)])
      usleep(20_000)
    }
    try running.close()
    #expect(try running.outcome() == .silent)
    #expect(try watcher.outcome() == .silent)
  }
}
