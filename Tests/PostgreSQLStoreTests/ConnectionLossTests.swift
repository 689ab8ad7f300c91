import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// An import whose connection is lost ends as if it had not been, or tells so, and is to be run again.
@Suite(.serialized) struct ConnectionLossTests {
  /// What became of the imports that something happened to.
  private struct Outcomes {
    /// The last batch.
    var batch = 100
    /// Those that went on.
    var goneOn = 0
    /// Those that ended, and were run again, by the number of the statement.
    var ended: [Int] = []
  }

  /// Lets something happen at statements of imports, and compares each with the one before which nothing has happened.
  ///
  /// - Parameter numbers: chosen from all of them.
  private func imports(
    _ store: LossyStore, after others: Outcomes = Outcomes(), isAtomic: Bool = false,
    _ fault: FaultProxy.Fault,
    at numbers: (Int) -> [Int]
  ) throws -> Outcomes {
    var outcomes = Outcomes(batch: others.batch)
    let engine = try store.open()
    func prepare() throws -> (Int, HistoryToken) {
      outcomes.batch += 1
      try store.prepare(outcomes.batch)
      return (outcomes.batch, try store.engine.newestToken())
    }
    let (clean, start) = try prepare()
    store.proxy.arm(nil)
    let report = try store.take(clean, isAtomic: isAtomic, through: engine)
    let count = store.proxy.count
    let expected = try store.state(of: clean, after: start)
    #expect(expected.count > 20 && report.progress.counts.rejected == 1)
    for number in numbers(count) {
      let (batch, token) = try prepare()
      store.proxy.arm(fault, at: number)
      do {
        let again = try store.take(batch, isAtomic: isAtomic, through: engine)
        #expect(again.progress.counts == report.progress.counts, "statement \(number)")
        #expect(again.progress.chunks == report.progress.chunks)
        outcomes.goneOn += 1
      } catch let error as ImportError {
        #expect(error.kind == .store(.unreachable), "statement \(number): \(error)")
        if isAtomic, error.report != nil {
          #expect(error.hint?.hasPrefix("Nothing of this import is in the store.") == true)
          #expect(try store.engine.newestToken() == token)
        }
        outcomes.ended.append(number)
        store.proxy.arm(nil)
        _ = try store.take(batch, isAtomic: isAtomic, through: engine)
      }
      var state = try store.state(of: batch, after: token)
      // What an atomic import has rejected is kept also when it is taken back: it comes for the second time then.
      if isAtomic { state = state.map { $0.replacing("|2|5|t|f", with: "|1|5|t|t") } }
      #expect(state == expected, "statement \(number)")
    }
    #expect(try store.engine.verified() == [])
    return outcomes
  }

  /// Each of an import's statements in turn takes a minute: the first ones and every twelfth are lost, another one in each run, or all
  /// where BOLIDE_EVERY_STATEMENT is set.
  private static let step = LongRun.hasEveryStatement ? 1 : 12

  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `a connection that is lost at any statement`(_ isAnswerLost: Bool) throws {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let first = Int.random(in: 1...Self.step)
    let outcomes = try imports(store, isAnswerLost ? .after : .before) {
      // Before the first chunk each has its own way to go on.
      Array(1...30) + Array(stride(from: 30 + first, through: $0, by: Self.step))
    }
    // Whoever is not let in at the beginning does not wait.
    #expect(outcomes.ended.count <= 1, "\(outcomes.ended)")
    #expect(outcomes.goneOn > 60 / Self.step)
  }

  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `an import in one transaction is taken back, or found to be committed`(_ isAnswerLost: Bool) throws {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let outcomes = try imports(store, isAtomic: true, isAnswerLost ? .after : .before) {
      // The commit is among the last ones, before history is pruned.
      Array(stride(from: 1, to: $0 - 24, by: min(Self.step, 10))) + Array($0 - 20...$0 - 11)
    }
    #expect(outcomes.goneOn > 3)
    #expect(outcomes.ended.count > 2)
  }

  @Test(.timeLimit(.minutes(10))) func `a session that the server ends, and a server that is started again`()
    throws
  {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let server = store.server
    let killed = try imports(
      store,
      .call {
        _ = try? server.psql(
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'bolide pipeline%'",
          schema: "public")
      }
    ) { Array(stride(from: $0 / 2, through: $0, by: 16)) }
    #expect(killed.ended == [])
    let restarted = try imports(store, after: killed, .call { try? server.restart() }) {
      [$0 / 2, $0 - 1]
    }
    #expect(restarted.ended == [])
  }

  @Test(.timeLimit(.minutes(5)), arguments: [false, true])
  func `a server that does not come back`(_ isAtomic: Bool) throws {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let engine = try store.open()
    try store.prepare(100)
    let token = try store.engine.newestToken()
    store.proxy.arm(nil)
    try store.take(100, isAtomic: isAtomic, through: engine)
    let (count, expected) = (store.proxy.count, try store.state(of: 100, after: token))
    try store.prepare(101)
    let second = try store.engine.newestToken()
    // The last statement but a few of the end, before history is pruned.
    store.proxy.arm(.gone, at: count - 18)
    let error = try #require(throws: ImportError.self) {
      try store.take(101, isAtomic: isAtomic, through: engine)
    }
    #expect(error.kind == .store(.unreachable))
    #expect(error.reason.hasPrefix("no connection to the server: "))
    #expect(
      error.hint?.hasSuffix(
        "What was committed stays. Run it again when the server is back: nothing is doubled.") == true)
    store.proxy.arm(nil)
    try store.take(101, isAtomic: isAtomic, through: engine)
    let state = try store.state(of: 101, after: second)
    func rows(_ state: [String]) -> [String] {
      state.filter { $0.hasPrefix("#") || $0.split(separator: "|").count == 7 }
    }
    #expect(rows(state) == rows(expected) && rows(state).count > 10)
  }

  @Test(.timeLimit(.minutes(5))) func `waiting for a server that is gone ends when the import is stopped`()
    throws
  {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let engine = try store.open()
    let count = try store.statements(of: engine)
    try store.prepare(101)
    var options = ImportOptions()
    let cancellation = ImportCancellation()
    options.cancellation = cancellation
    store.proxy.arm(.gone, at: count / 2)
    let proxy = store.proxy
    Thread.detachNewThread {
      while !proxy.isGone { usleep(1000) }
      cancellation.cancel()
    }
    let error = try #require(throws: ImportError.self) { try store.take(101, options, through: engine) }
    #expect(error.kind == .cancelled)
  }

  /// Its lock is gone with the session, and whoever came then is through.
  @Test(.timeLimit(.minutes(5))) func `an import does not go on behind another one of its pipeline`() throws {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let engine = try store.open()
    let count = try store.statements(of: engine)
    try store.prepare(101)
    store.proxy.arm(
      .call { [store] in
        // One that was quicker than the session is connected anew.
        _ = try? store.server.psql(
          """
          INSERT INTO bolide_run(pipeline, author, input, started, ended, outcome, model, before, word)
            VALUES ('quakes', 'quakes', 'other', now(), now(), 'ok', 1, 0, 'others');
          SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'bolide pipeline%';
          """, schema: store.schema)
      }, at: count / 2)
    let error = try #require(throws: ImportError.self) { try store.take(101, through: engine) }
    #expect(error.kind == .store(.locked) && error.reason == "another import is running on this store")
    store.proxy.arm(nil)
    try store.take(101, through: engine)
    #expect(try store.engine.verified() == [])
  }

  /// What other programs have left is computed and numbered before it is read.
  @Test(.timeLimit(.minutes(5)), arguments: [true, false])
  func `a follower looks again, and is told each change once`(_ isAnswerLost: Bool) throws {
    let store = try LossyStore()
    defer { store.proxy.end() }
    try store.prepare(100)
    let engine = try store.open()
    var follower = try HistoryFollower(engine)
    var (token, told) = (try store.engine.newestToken(), 0)
    func next(_ number: Int?) throws {
      let before = told
      try store.server.psql(
        #"UPDATE "Region" SET name = 'R\#(before)' WHERE name = (SELECT min(name) FROM "Region")"#,
        schema: store.schema)
      store.proxy.arm(number == nil ? nil : isAnswerLost ? .after : .before, at: number ?? 1)
      while told == before {
        guard try follower.look() else {
          usleep(5000)
          continue
        }
        for transaction in try follower.reading({ try engine.history(HistoryRequest(after: token)) }) ?? [] {
          token = transaction.token
          told += transaction.changes.filter { $0.previous.contains { $0.name == "name" } }.count
        }
      }
      #expect(told == before + 1)
    }
    try next(nil)
    for number in 1...store.proxy.count { try next(number) }
    #expect(try store.engine.verified() == [])
  }
}

extension StoreEngine {
  /// What is wrong with derived attributes.
  func verified() throws -> [Finding] {
    let findings = Findings()
    try verify { findings.list.append($0) }
    return findings.list
  }
}

private final class Findings { var list: [Finding] = [] }
