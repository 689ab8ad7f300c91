import BolideBench
import Foundation
import Testing

/// `--atomic`: all of an input, or nothing of it.
@Suite struct AtomicTests {
  private let folder: Folder
  private let feed: Data

  init() throws {
    folder = try Folder.withFireballs()
    feed = try folder.generate(FireballFeed(rows: 2_000, seed: 13), to: "feed.json")
  }

  @Test func `many chunks are one transaction with one token, and nobody sees a part of them`() throws {
    let running = try folder.starting(
      "import", "fireballs.yaml", "-", "--chunk-rows", "100", "--atomic", "--json")
    try running.write(feed.prefix(feed.count * 3 / 4))
    // Some chunks are applied: the transaction is open.
    try eventually {
      try folder.run("sqlite3", ["fireballs.sqlite", "BEGIN IMMEDIATE"]).status != 0
    }
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 0)
    #expect(try folder.count("FireballGroup", in: "fireballs.sqlite") == 0)
    try running.write(feed.dropFirst(feed.count * 3 / 4))
    try running.close()
    let outcome = try running.outcome()
    #expect(outcome.status == 0)
    #expect(try Counts(outcome) == Counts(read: 2_000, inserted: 2_000))
    #expect(try folder.sqlite("fireballs.sqlite", "SELECT count(*) FROM bolide_transaction") == ["1"])
    #expect(try folder.sqlite("fireballs.sqlite", "SELECT chunks FROM bolide_run") == ["20"])
    try folder.check(against: "feed.json")
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
  }

  @Test func `a revision over many chunks is one transaction too`() throws {
    try #require(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    try folder.generate(FireballFeed(rows: 2_000, seed: 13, revise: 50), to: "revised.json")
    let outcome = try folder.bolide(
      "import", "fireballs.yaml", "revised.json", "--atomic", "--chunk-rows", "70", "--json")
    #expect(outcome.status == 0)
    #expect(try Counts(outcome).updated > 0)
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT count(*) FROM bolide_transaction WHERE run = 2") == ["1"])
    try folder.check(against: "revised.json")
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
  }

  @Test func `a syntax error at the end leaves nothing, and says so`() throws {
    try folder.write(feed.dropLast(3), to: "cut.json")
    let outcome = try folder.bolide("import", "fireballs.yaml", "cut.json", "--atomic", "--chunk-rows", "100")
    #expect(outcome.status == 65)
    #expect(!outcome.errors.contains("in the store ("))
    #expect(outcome.errors.contains("\n       Nothing of this import is in the store. "))
    try expectNothing("input-ends", read: 2_000, rejected: 0)
  }

  @Test func `too many rejected records leave nothing but themselves`() throws {
    try folder.write(feedWithRejects, to: "bad.json")
    let outcome = try folder.bolide(
      "import", "fireballs.yaml", "bad.json", "--atomic", "--chunk-rows", "100", "--max-rejects", "1",
      "--json")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("\nfireballs: 2000 read = 2 rejected + 1998 rolled back · "))
    #expect(outcome.output.contains(#""read":2000,"inserted":0,"updated":0"#))
    #expect(outcome.output.contains(#""rejected":2,"rolledBack":1998,"chunks":0"#))
    try expectNothing("too-many-refused", read: 2_000, rejected: 2)
    let quiet = try folder.bolide("import", "fireballs.yaml", "bad.json", "--atomic", "-q")
    #expect(
      quiet
        == .failure(
          65, "fireballs: 2 of 2000 records were rejected, and nothing is in the store",
          "List them with `bolide rejects fireballs.sqlite`."))
    // Within the limit all the others land.
    let outcome2 = try folder.bolide(
      "import", "fireballs.yaml", "bad.json", "--atomic", "--max-rejects", "2", "--json")
    #expect(outcome2.status == 3)
    #expect(try Counts(outcome2) == Counts(read: 2_000, inserted: 1_998, rejected: 2))
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT times, first_run, last_run FROM bolide_reject")
        == ["3|1|3", "3|1|3"])
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
  }

  @Test func `a first rejected record that stops the import leaves nothing but itself`() throws {
    try folder.write(feedWithRejects, to: "bad.json")
    let outcome = try folder.bolide(
      "import", "fireballs.yaml", "bad.json", "--atomic", "--stop-on-reject", "--chunk-rows", "100")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasSuffix(
        """
         record 701: energy: expected a number such as 12.8.
               Nothing of this import is in the store. The import stops at the first rejected record.

        """))
    try expectNothing("stopped-at-reject", read: 701, rejected: 1)
  }

  @Test func `a maxLeadingRejects input leaves its first thousand rejected records`() throws {
    try folder.write(
      "[\((1...3_000).map { #"{"date": "soon", "n": \#($0)}"# }.joined(separator: ","))]", to: "bad.json")
    #expect(try folder.bolide("import", "fireballs.yaml", "bad.json", "--atomic").status == 65)
    try expectNothing("all-refused", read: 1_000, rejected: 1_000)
  }

  @Test func `a signal rolls back what the open transaction holds`() throws {
    let running = try folder.starting("import", "fireballs.yaml", "-", "--chunk-rows", "100", "--atomic")
    try running.write(feed.prefix(feed.count / 2))
    try eventually {
      try folder.run("sqlite3", ["fireballs.sqlite", "BEGIN IMMEDIATE"]).status != 0
    }
    running.send(SIGTERM)
    #expect(try running.outcome() == Outcome(status: 128 + SIGTERM))
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 0)
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT outcome, read = rolled_back, read > 0 FROM bolide_run")
        == ["cancelled|1|1"])
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json", "--atomic") == .silent)
    try folder.check(against: "feed.json")
  }

  @Test func `a kill leaves nothing`() throws {
    let running = try folder.starting("import", "fireballs.yaml", "-", "--chunk-rows", "100", "--atomic")
    try running.write(feed.prefix(feed.count / 2))
    try eventually {
      try folder.run("sqlite3", ["fireballs.sqlite", "BEGIN IMMEDIATE"]).status != 0
    }
    running.send(SIGKILL)
    #expect(try running.outcome().status == 128 + SIGKILL)
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 0)
    #expect(try folder.sqlite("fireballs.sqlite", "SELECT count(*) FROM bolide_change") == ["0"])
    #expect(try folder.bolide("verify", "fireballs.sqlite") == .silent)
    #expect(try folder.bolide("import", "fireballs.yaml", "feed.json") == .silent)
    try folder.check(against: "feed.json")
  }

  @Test func `where writing stops nothing lands, and the run is recorded`() throws {
    try folder.generate(FireballFeed(rows: 20_000, seed: 2), to: "large.json")
    // The cache spills into the log, which meets the limit long before the commit.
    let outcome = try folder.shell(
      """
      trap '' XFSZ
      ulimit -f 2000
      "$bolide" import fireballs.yaml large.json --atomic --chunk-rows 500
      """)
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("Nothing of this import is in the store. "))
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 0)
    #expect(try folder.sqlite("fireballs.sqlite", "PRAGMA integrity_check") == ["ok"])
    #expect(
      try folder.sqlite("fireballs.sqlite", "SELECT outcome, inserted, read = rolled_back FROM bolide_run")
        == ["inputOutput|0|1"])
    #expect(try folder.bolide("import", "fireballs.yaml", "large.json", "--atomic") == .silent)
    try folder.check(against: "large.json")
  }

  /// Two records of the feed, the 701st and the 1,501st, with an energy that is no number.
  private var feedWithRejects: Data {
    get throws {
      let text = String(decoding: feed, as: UTF8.self)
      var number = 0
      let broken = text.replacing(#/\["\d\d\d\d-[^"]*","[^"]*"/#) { match in
        number += 1
        guard number == 701 || number == 1_501 else { return String(match.output) }
        return match.output.prefix(23) + #""much\#(number)""#
      }
      try #require(number == 2_000)
      return Data(broken.utf8)
    }
  }

  /// The last run's row is all that an atomic import has left, and its rejects.
  private func expectNothing(_ outcome: String, read: Int, rejected: Int) throws {
    #expect(try folder.count("Fireball", in: "fireballs.sqlite") == 0)
    #expect(try folder.count("FireballGroup", in: "fireballs.sqlite") == 0)
    let store = "fireballs.sqlite"
    #expect(try folder.sqlite(store, "SELECT count(*) FROM bolide_change") == ["0"])
    let run = try folder.sqlite(
      store,
      "SELECT outcome, read, rejected, rolled_back, inserted, chunks, last_transaction IS NULL FROM bolide_run"
    )
    #expect(run == ["\(outcome)|\(read)|\(rejected)|\(read - rejected)|0|0|1"])
    #expect(try folder.sqlite(store, "SELECT ifnull(sum(times), 0) FROM bolide_reject") == ["\(rejected)"])
    #expect(try folder.bolide("verify", store) == .silent)
  }
}
