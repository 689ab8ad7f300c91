import BolideBench
import Foundation
import Testing

/// What other programs write between two imports.
@Suite struct LinkTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withFireballs()
    try folder.generate(FireballFeed(rows: 300, seed: 8), to: "base.json")
    try folder.generate(FireballFeed(rows: 300, seed: 8, revise: 100), to: "revised.json")
    try #require(try folder.bolide("import", "fireballs.yaml", "base.json") == .silent)
  }

  @Test func `a link set by hand is still there after a revised import, and counts and sums follow it`()
    throws
  {
    try sqlite("INSERT INTO FireballGroup(year) VALUES (1)")
    try sqlite(
      "UPDATE Fireball SET group_id = (SELECT bolide_id FROM FireballGroup WHERE year = 1) WHERE \(odd)")
    let linked = try sqlite(
      "SELECT date FROM Fireball JOIN FireballGroup g ON g.bolide_id = group_id WHERE year = 1")
    #expect(linked.count == 100)
    try checkGroups()
    let outcome = try folder.bolide("import", "fireballs.yaml", "revised.json", "--json")
    #expect(try Counts(outcome).updated > 250)
    #expect(
      try sqlite("SELECT date FROM Fireball JOIN FireballGroup g ON g.bolide_id = group_id WHERE year = 1")
        == linked)
    #expect(try sqlite("SELECT fireballCount FROM FireballGroup WHERE year = 1") == ["100"])
    try checkGroups()
  }

  @Test func `a link cut by hand stays cut`() throws {
    try sqlite("UPDATE Fireball SET group_id = NULL WHERE \(odd)")
    try checkGroups()
    _ = try folder.bolide("import", "fireballs.yaml", "revised.json")
    #expect(try sqlite("SELECT count(*) FROM Fireball WHERE group_id IS NULL") == ["100"])
    try checkGroups()
  }

  @Test func `rows deleted by hand come back as new ones, linked anew`() throws {
    try sqlite("DELETE FROM Fireball WHERE \(odd)")
    try checkGroups()
    let outcome = try folder.bolide("import", "fireballs.yaml", "base.json", "--json")
    #expect(try Counts(outcome) == Counts(read: 300, inserted: 100, unchanged: 200))
    #expect(try sqlite("SELECT min(bolide_id) > 300 FROM Fireball WHERE bolide_id NOT IN (\(kept))") == ["1"])
    try folder.check(against: "base.json")
  }

  @Test func `a group deleted by hand leaves its rows, without a link`() throws {
    let count = try sqlite("SELECT fireballCount FROM FireballGroup WHERE year = 2024")
    // The shell leaves foreign keys off unless told.
    try sqlite("PRAGMA foreign_keys = ON; DELETE FROM FireballGroup WHERE year = 2024")
    #expect(try sqlite("SELECT count(*) FROM Fireball WHERE group_id IS NULL") == count)
    _ = try folder.bolide("import", "fireballs.yaml", "revised.json")
    #expect(try sqlite("SELECT count(*) FROM Fireball WHERE group_id IS NULL") == count)
    try checkGroups()
  }

  @Test func `what another program wrote is one transaction without an author, before the import's`() throws {
    try sqlite("UPDATE Fireball SET velocity = 99.5 WHERE bolide_id = 7")
    try sqlite("DELETE FROM Fireball WHERE bolide_id = 9")
    let dates = try sqlite("SELECT date FROM Fireball WHERE bolide_id = 7")
    _ = try folder.bolide("import", "fireballs.yaml", "base.json")
    let lines = try folder.bolide("changes", "fireballs.sqlite").lines
    let foreign = lines.filter { $0.hasPrefix(#"{"tx":2,"#) }
    #expect(
      foreign.first
        == #"{"tx":2,"kind":"update","entity":"Fireball","id":7,"key":{"date":"\#(dates[0])"},"changed":["velocity"]}"#
    )
    #expect(
      foreign.contains {
        $0.hasPrefix(#"{"tx":2,"kind":"delete","entity":"Fireball","id":9,"key":{"date":""#)
      })
    #expect(foreign.last?.contains(#""author":null,"pipeline":null,"run":null,"changes":"#) == true)
    let own = lines.filter { $0.hasPrefix(#"{"tx":3,"#) }
    #expect(own.contains { $0.contains(#""kind":"update","entity":"Fireball","id":7,"#) })
    #expect(own.contains { $0.contains(#""kind":"insert","entity":"Fireball","id":301,"#) })
    #expect(own.last?.contains(#""author":"fireballs","pipeline":"fireballs","run":2,"#) == true)
    try folder.check(against: "base.json")
  }

  private let odd = "bolide_id % 3 = 1"
  private let kept = "SELECT value FROM generate_series(1, 300)"

  @discardableResult
  private func sqlite(_ sql: String) throws -> [String] { try folder.sqlite("fireballs.sqlite", sql) }

  /// Counts and sums are those of the rows that are linked now.
  private func checkGroups() throws {
    try folder.python(
      """
      import math, sqlite3
      store = sqlite3.connect("fireballs.sqlite")
      for group, count, total in store.execute(
          "SELECT bolide_id, fireballCount, totalImpactEnergy FROM FireballGroup").fetchall():
        parts = [row[0] for row in store.execute("SELECT impactEnergy FROM Fireball WHERE group_id = ?", (group,))]
        assert (count, total) == (len(parts), math.fsum(parts)), (group, count, total)
      """)
  }
}
