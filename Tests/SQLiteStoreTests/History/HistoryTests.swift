import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// The laws of history.
struct HistoryTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(Quakes.pipeline())
  }

  @Test(arguments: 0..<16) func `The laws hold whoever writes`(seed: Int) throws {
    var dice = Dice(seed)
    let pipeline = Quakes.pipeline(when: seed % 2 == 0 ? .insert : .always)
    var tokens: [Int64] = []
    for _ in 0..<12 {
      if dice.once(in: 3) {
        let id = dice.int(0...20)
        let sql = dice.pick([
          "DELETE FROM Quake WHERE id = 'q\(id)'", "UPDATE Quake SET depth = \(id) WHERE bolide_id % 3 = 0",
          "INSERT INTO Quake(id, region_id) VALUES ('q\(id)', 1) ON CONFLICT DO NOTHING",
          "DELETE FROM Region WHERE bolide_id % 5 = 0",
        ])
        try temporary.shell("PRAGMA foreign_keys = ON; \(sql)")
        if dice.once(in: 3), let token = try store.assignPending() { tokens.append(token.number) }
      } else {
        let records = (0..<dice.int(0...12)).map { _ in
          [
            "id": .text("q\(dice.int(0...20))"), "depth": .integer(Int64(dice.int(0...3))),
            "@region": .text("r\(dice.int(0...3))"), "seen": .integer(Int64(dice.int(0...9))),
          ] as Record
        }
        if let token = try store.take(pipeline, records).token { tokens.append(token.number) }
      }
    }
    try store.assignPending()
    #expect(tokens == Array(Set(tokens)).sorted())
    let replay = try Replay(store)
    #expect(try replay.problems() == [])
    #expect(Set(tokens).isSubset(of: replay.transactions.map(\.number)))
    // Going on from any token gives the rest, no more and no less.
    for transaction in replay.transactions {
      let rest = try Replay(store, after: transaction.token)
      #expect(rest.transactions == replay.transactions.filter { $0.number > transaction.number })
      #expect(rest.changes == replay.changes.filter { $0.transaction > transaction.number })
    }
  }

  @Test func `Each changed chunk has its transaction, with author, pipeline, run and counts`() throws {
    let pipeline = Quakes.pipeline { $0.author = "cron" }
    let progress = try store.take(
      pipeline, [["id": "a", "@region": "r"], ["id": "b", "@region": "r"]], [["id": "b"]],
      [["id": "a", "depth": 1]])
    let replay = try Replay(store)
    #expect(replay.transactions.map(\.number) == [1, 2] && progress.chunks == 3)
    #expect(replay.transactions.map(\.author) == ["cron", "cron"])
    #expect(replay.transactions.map(\.pipeline) == ["quakes", "quakes"])
    #expect(replay.transactions.map(\.run) == [1, 1] && replay.transactions.map(\.model) == [1, 1])
    // The region's sum is a change too.
    #expect(replay.transactions.map(\.changeCount) == [3, 2])
    #expect(replay.transactions.last?.token == progress.token)
    #expect(replay.changes.map(\.isDerived) == [false, false, false, false, true])
    #expect(
      try store.rows("SELECT inserted, updated, deleted FROM bolide_transaction ORDER BY number")
        == [[3, 0, 0], [0, 2, 0]])
  }

  @Test func `Two imports without a change give no token`() throws {
    let records: [Record] = [["id": "a", "@region": "r", "depth": 1], ["id": "b"]]
    let first = try store.take(Quakes.pipeline(), records)
    for _ in 0..<2 { #expect(try store.take(Quakes.pipeline(), records).token == nil) }
    let replay = try Replay(store)
    #expect(replay.transactions.map(\.token) == [first.token])
  }

  @Test func `Other programs' changes are one transaction before the import's own`() throws {
    try store.take(Quakes.pipeline(), [["id": "a", "@region": "r", "depth": 1]])
    try temporary.shell("INSERT INTO Quake(id) VALUES ('x');")
    try temporary.shell("UPDATE Quake SET depth = 2; DELETE FROM Quake WHERE id = 'x'")
    #expect(try SQLiteEngine.hasPendingChanges(of: store))
    try store.take(Quakes.pipeline(), [["id": "b"]])
    let replay = try Replay(store)
    #expect(replay.transactions.map(\.author) == ["quakes", nil, "quakes"])
    #expect(replay.transactions.map(\.changeCount) == [2, 5, 1])
    #expect(
      replay.changes.filter { $0.transaction == 2 }.map { "\($0.kind) \($0.id)" }
        == ["insert 2", "update 1", "update 1", "update 2", "delete 2"])
    #expect(try replay.problems() == [])
    #expect(try store.assignPending() == nil && !SQLiteEngine.hasPendingChanges(of: store))
  }

  @Test func `Changes that are still pending are not read`() throws {
    try store.take(Quakes.pipeline(), [["id": "a"]])
    try temporary.shell("INSERT INTO Quake(id) VALUES ('x')")
    #expect(try Replay(store).transactions.count == 1)
    let token = try store.assignPending()
    #expect(try Replay(store).transactions.map(\.token).last == token)
  }

  @Test func `An insert of a row that is gone still has its key`() throws {
    try store.take(Quakes.pipeline(), (0..<9).map { ["id": .text("q\($0)")] })
    try temporary.shell("DELETE FROM Quake WHERE bolide_id IN (1, 5, 6, 9)")
    try store.assignPending()
    let inserts = try Replay(store).changes.filter { $0.kind == .insert }
    #expect(inserts.map(\.id) == Array(1...9))
    #expect(inserts.flatMap { $0.key.map(\.value) } == (0..<9).map { .text("q\($0)") })
    let deletes = try Replay(store).changes.filter { $0.kind == .delete }
    #expect(deletes.map { $0.key.map(\.value) } == [["q0"], ["q4"], ["q5"], ["q8"]])
    #expect(deletes.first?.previous.map(\.name) == ["id", "kind"])
  }

  @Test func `An id that another program gave out again has the key of its time`() throws {
    try store.take(Quakes.pipeline(), (1...4).map { ["id": .text("q\($0)")] })
    try temporary.shell(
      """
      DELETE FROM Quake WHERE bolide_id = 2;
      INSERT INTO Quake(bolide_id, id) VALUES (2, 'second');
      DELETE FROM Quake WHERE bolide_id IN (2, 3);
      INSERT INTO Quake(bolide_id, id) VALUES (2, 'third');
      """)
    try store.assignPending()
    let lines = try Replay(store).changes.map { change in
      "\(change.kind) \(change.id) \(change.key.map { "\($0.value)" }.joined())"
    }
    #expect(
      lines == [
        #"insert 1 text("q1")"#, #"insert 2 text("q2")"#, #"insert 3 text("q3")"#, #"insert 4 text("q4")"#,
        #"delete 2 text("q2")"#, #"insert 2 text("second")"#, #"delete 2 text("second")"#,
        #"delete 3 text("q3")"#, #"insert 2 text("third")"#,
      ])
  }

  @Test func `A first load costs a handful of history rows`() throws {
    let records = (0..<3000).map { ["id": .text("q\($0)"), "@region": .text("r\($0 % 7)")] as Record }
    try store.take(Quakes.pipeline(), chunks: [Array(records[..<1500]), Array(records[1500...])])
    #expect(try store.rows("SELECT count(*) FROM bolide_change WHERE kind = 0") == [[3]])
    #expect(try Replay(store).changes.count == 3007 + 7)
  }
}
