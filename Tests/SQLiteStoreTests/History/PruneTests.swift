import Foundation
import ImportModel
@testable import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// History goes from its old end, in whole transactions, and never what a live reader has not seen.
struct PruneTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine
  private let pipeline = Quakes.pipeline()
  private let tokens: [HistoryToken]

  /// Five transactions, of the years 2001 to 2005: three imports, an update and a delete.
  init() throws {
    temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    var tokens: [HistoryToken] = []
    for id in ["a", "b", "c"] {
      tokens.append(try #require(try store.take(Quakes.pipeline(), [["id": .text(id), "depth": 1]]).token))
    }
    for sql in ["UPDATE Quake SET depth = 2", "DELETE FROM Quake WHERE id = 'a'"] {
      try store.execute(sql)
      tokens.append(try #require(try store.assignPending()))
    }
    try store.execute("UPDATE bolide_transaction SET at = printf('200%d-05-12T06:00:00.500Z', number)")
    (self.store, self.tokens) = (store, tokens)
  }

  private func kept() throws -> [Int64] { try Replay(store).transactions.map(\.number) }

  private func leftovers() throws -> [[Value]] {
    try store.rows(
      """
      SELECT change FROM bolide_change WHERE change <= (SELECT last_change FROM bolide_pruned)
      UNION ALL SELECT change FROM bolide_previous WHERE change NOT IN (SELECT change FROM bolide_change)
      """)
  }

  @Test func `Each way to say what goes has its boundary`() throws {
    let ways: [(PruneRequest, [Int64])] = [
      (.before(.token(tokens[1])), [3, 4, 5]), (.before(.transaction(2)), [3, 4, 5]),
      (.before(.date("2003-05-12T06:00:00.500Z")), [3, 4, 5]),
      (.before(.date("2003-05-12T06:00:00.501Z")), [4, 5]),
      (.before(.transaction(0)), [1, 2, 3, 4, 5]), (.before(.date("2006")), []),
      (.keepingTransactions(3), [3, 4, 5]),
      (.keepingTransactions(9), [1, 2, 3, 4, 5]), (.keepingTransactions(0), []),
      (.olderThan(seconds: 3600), []), (.olderThan(seconds: 1e9 * 3), [1, 2, 3, 4, 5]),
    ]
    try store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let rows = try store.rows("SELECT * FROM Quake")
    for (request, expected) in ways {
      let copy = try TemporaryStore()
      try temporary.shell("VACUUM INTO '\(copy.path)'")
      let other = try SQLiteEngine(reading: copy.path)
      let report = try other.prune(request)
      #expect(try Replay(other).transactions.map(\.number) == expected, "\(request)")
      #expect(report.transactions == 5 - expected.count && report.holding.isEmpty)
      #expect(try other.rows("SELECT * FROM Quake") == rows)
      // The newest one that went is a place still, and older ones have expired.
      for token in tokens {
        var answer: StoreError.Code?
        do {
          _ = try Replay(other, after: token)
        } catch let error as StoreError {
          answer = error.code
        }
        #expect(answer == (token.number < 5 - expected.count ? .tokenExpired : nil), "\(request) \(token)")
      }
    }
  }

  @Test func `Pruned changes leave no trace, and what comes after counts on`() throws {
    let report = try store.prune(.keepingTransactions(0))
    #expect(report == PruneReport(transactions: 5, changes: 7))
    #expect(try leftovers() == [] && store.rows("SELECT count(*) FROM bolide_change") == [[0]])
    // Nothing is assigned a second time.
    #expect(try store.assignPending() == nil)
    try temporary.shell("INSERT INTO Quake(id) VALUES ('x')")
    let token = try #require(try store.assignPending())
    #expect(token.number == 6)
    #expect(try Replay(store, after: tokens[4]).changes.map(\.id) == [4])
    try store.take(pipeline, [["id": "y"]])
    #expect(try kept() == [6, 7])
    let findings = try store.findings()
    #expect(findings.isEmpty)
    // Again, and about what is gone already.
    #expect(try store.prune(.before(.token(tokens[1]))) == PruneReport())
  }

  @Test func `What a live reader has not seen stays, and who holds it is told`() throws {
    try store.addReader("slow", from: .token(tokens[1]))
    try store.addReader("quick", from: .now)
    let report = try store.prune(.keepingTransactions(1))
    #expect(report == PruneReport(transactions: 2, changes: 2, holding: ["slow"]))
    #expect(try kept() == [3, 4, 5])
    #expect(try store.place(ofReader: "slow") == tokens[1])
    // A diverged reader and an expired one hold nothing.
    try store.execute("UPDATE bolide_reader SET diverged = 1 WHERE name = 'slow'")
    #expect(try store.prune(.keepingTransactions(1)).holding.isEmpty)
    #expect(try kept() == [5])
    #expect(try store.namedReaders().map(\.state) == [.live, .diverged])
  }

  @Test func `An import prunes by its pipeline's rules`() throws {
    func take(_ id: String, _ retention: HistoryRetention) throws {
      try store.take(Quakes.pipeline { $0.history = retention }, [["id": .text(id)]])
    }
    try take("d", HistoryRetention(keep: .infinity))
    #expect(try kept() == [1, 2, 3, 4, 5, 6])
    // Both rules must let a transaction go.
    try take("e", HistoryRetention(keep: 3600, transactions: 4))
    #expect(try kept() == [4, 5, 6, 7])
    try store.addReader("slow", from: .token(tokens[3]))
    try take("f", HistoryRetention(transactions: 1))
    #expect(try kept() == [5, 6, 7, 8])
    // It was away for years: not waited for any longer than an hour.
    try take("g", HistoryRetention(transactions: 1, holdForReaders: 3600))
    #expect(try kept() == [9])
    #expect(try store.namedReaders().first?.state == .expired)
  }

  @Test func `A cap ends waiting for readers, and nothing more`() throws {
    try store.addReader("slow", from: .beginning)
    try store.take(
      Quakes.pipeline { $0.history = HistoryRetention(transactions: 1, cap: 1_000_000) }, [["id": "d"]])
    #expect(try kept().count == 6)
    try store.take(
      Quakes.pipeline { $0.history = HistoryRetention(transactions: 1, cap: 500) }, [["id": "e"]])
    #expect(try kept().count == 1)
    #expect(try store.namedReaders().first?.state == .expired)
    let missed = #expect(throws: StoreError.self) { try store.place(ofReader: "slow") }
    #expect(missed?.code == .tokenExpired)
    #expect(missed?.message.hasSuffix("was pruned: it now starts 6 transactions later") == true)
  }

  @Test func `A crash between the floor and the changes costs space alone`() throws {
    try store.writing { db in
      try db.run("BEGIN IMMEDIATE")
      #expect(try Pruning(db).raiseFloor(to: 4)?.transactions == 4)
      try db.run("COMMIT")
    }
    #expect(try leftovers().count > 0 && kept() == [5])
    // What a deleted row was is still known, and the rest is cleared by the next pruning.
    #expect(try Replay(store).changes.map { $0.key.map(\.value) } == [["a"]])
    _ = try store.prune(.before(.transaction(4)))
    #expect(try leftovers() == [])
  }

  @Test func `A derived change is no part of an insertion that was pruned`() throws {
    try temporary.shell("INSERT INTO Region(code) VALUES ('r')")
    try store.assignPending()
    try store.writing { db in
      try db.run("BEGIN IMMEDIATE")
      _ = try Pruning(db).raiseFloor(to: 6)
      try db.run("COMMIT")
    }
    try temporary.shell(derivedly("UPDATE Region SET quakeCount = 7"))
    try store.assignPending()
    let changes = try Replay(store).changes
    #expect(changes.map(\.kind) == [.update] && changes.allSatisfy(\.isDerived))
  }

  @Test func `Many changes go in many small steps`() throws {
    try store.take(pipeline, (0..<9000).map { ["id": .text("m\($0)"), "depth": 1] })
    try store.execute("UPDATE Quake SET depth = depth + 1")
    try store.assignPending()
    let before = try #require(try store.integer("PRAGMA page_count"))
    #expect(try store.prune(.keepingTransactions(0)).changes > 18_000)
    #expect(try leftovers() == [] && store.rows("SELECT count(*) FROM bolide_previous") == [[0]])
    try store.vacuum()
    #expect(try #require(try store.integer("PRAGMA page_count")) < before)
    #expect(try store.rows("SELECT count(*) FROM Quake") == [[9002]])
  }
}
