import Bolide
import Foundation
import RandomHistories
import StoreInterface
import TestServer
import Testing

/// An import over several connections leaves and tells the same as one over a single one.
struct ConnectionsTests {
  /// Orders that no constraint but the key keeps on one connection.
  private func orders(_ keys: String = "") throws -> OrderStores {
    try OrderStores("keep-text: true\n\(keys)", without: "unique: code")
  }

  /// Some orders, a few of them to be rejected: while they are read, by a check, or when they turn out to be new.
  private func lines(_ count: Int, _ dice: inout Dice, keys: Int) -> String {
    (0..<count).map { _ in
      let version = dice.int(1...20) == 1 ? #""bad""# : "\(dice.int(1...94))"
      let size = dice.int(1...12) == 1 ? "" : #""size": \#(dice.int(1...3)), "#
      let items = (0..<dice.int(0...3)).map {
        #"{"sku": "s\#($0)", "amount": \#(dice.int(1...20) == 1 ? 91 : dice.int(1...9))}"#
      }
      return
        #"{"id": "k\#(dice.int(1...keys))", "version": \#(version), \#(size)"shop": "\#(dice.pick(["A", "B", "C"]))", "#
        + #""items": [\#(items.joined(separator: ", "))]}"#
    }.joined(separator: "\n") + "\n"
  }

  @Test(
    .timeLimit(.minutes(5)),
    arguments: [
      "", "feed: full", "feed: full\ngone: delete\nmax-missing: 100%", "repeated-key: first",
      "repeated-key: reject",
      "sort: key", "merge: ignore", "merge: { update-if-newer: version }",
    ], 1...LongRun.seeds)
  func `counts, rows, rejected records and missing rows are those of one connection`(
    keys: String, seed: Int
  ) throws {
    let known = try orders(keys)
    var dice = Dice(seed)
    for step in 1...4 {
      try known.write(lines(dice.int(1...120), &dice, keys: 40), to: "\(step)a.json")
      try known.write(lines(dice.int(1...9), &dice, keys: 40), to: "\(step)b.json")
      var options = ImportOptions()
      options.chunkRows = dice.pick([5, 30, 1_000])
      options.commitPolicy = dice.int(1...2) == 1 ? .input : .chunk
      var several = options
      several.connections = dice.int(2...4)
      let files = ["\(step)a.json", "\(step)b.json"]
      let reports = try [known.take(files, into: 0, options), known.take(files, into: 1, several)]
      let (one, other) = (reports[0].progress, reports[1].progress)
      #expect(other.counts == one.counts && other.children.map(\.counts) == one.children.map(\.counts))
      #expect((other.missing, other.gone, other.unkept) == (one.missing, one.gone, one.unkept))
      #expect(reports[1].firstRejects.map(\.place) == reports[0].firstRejects.map(\.place))
      #expect(try known.rejects(of: 1) == known.rejects(of: 0), "step \(step)")
      #expect(try known.rows(of: 1) == known.rows(of: 0), "step \(step)")
      if step == 3 {
        let tried = try [(0, options), (1, several)].map { store, options in
          try known.stores[store].replay(known.pipeline, options: options).progress.counts
        }
        #expect(tried[0] == tried[1])
      }
    }
    try known.verify(1)
    let log = try known.psql(
      "SELECT count(*), sum(read - inserted - updated - unchanged - ignored - duplicates - superseded - rejected) FROM bolide_run"
    )
    #expect(log.hasSuffix("|0"))
  }

  @Test(.timeLimit(.minutes(5))) func `owners that all connections touch end exact`() throws {
    let known = try orders()
    var dice = Dice(7)
    let text = (1...4_000).map {
      #"{"id": "k\#($0)", "version": \#($0 % 80), "size": 1, "shop": "\#(dice.pick(["A", "B", "C", "D"]))"}"#
    }
    try known.write(text.joined(separator: "\n"), to: "all.json")
    for (store, connections) in [(0, 1), (1, 4)] {
      var options = ImportOptions()
      (options.connections, options.chunkRows) = (connections, 500)
      #expect(try known.take(["all.json"], into: store, options).progress.counts.inserted == 4_000)
    }
    #expect(try known.rows(of: 1) == known.rows(of: 0))
    try known.verify(1)
    // One run, whose transactions are those of all connections.
    #expect(try known.psql("SELECT count(DISTINCT run), count(*) > 16 FROM bolide_transaction") == "1|t")
  }

  /// Every ninth statement of an import takes half a minute.
  private static let step = LongRun.hasEveryStatement ? 9 : 29

  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `a connection that is lost, and sessions that the server ends, change nothing`(_ isAnswerLost: Bool)
    throws
  {
    let store = try LossyStore()
    defer { store.proxy.end() }
    let engine = try store.open()
    var options = ImportOptions()
    options.connections = 3
    /// What a batch leaves. In how many transactions depends on its keys.
    func state(_ batch: Int, _ start: HistoryToken) throws -> [String] {
      let rows = try store.state(of: batch, after: start).filter { $0.contains("|") }
        .map { $0.replacing(/\|[0-9]+\|([0-9]+)$/) { "|chunks|\($0.1)" } }
      var net = HistoryRequest(after: start)
      net.isNet = true
      let changes = try store.engine.history(net).flatMap(\.changes).map { change in
        "\(change.kind) \(change.entity) \(change.key.map { "\($0.value.text)" })"
          .replacing("\(batch)0", with: "#").replacing("b\(batch)-", with: "")
      }
      return rows + changes.sorted()
    }
    try store.prepare(101)
    let start = try store.engine.newestToken()
    store.proxy.arm(nil)
    let report = try store.take(101, options, through: engine)
    let count = store.proxy.count
    let expected = try state(101, start)
    #expect(expected.count > 20 && report.progress.counts.rejected == 1)
    let kill = FaultProxy.Fault.call {
      _ = try? store.server.psql(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'bolide pipeline%'",
        schema: "public")
    }
    var (batch, ended) = (101, 0)
    for (number, fault) in zip(
      stride(from: Int.random(in: 1...5), through: count, by: Self.step),
      repeatElement([isAnswerLost ? .after : .before, kill], count: count).joined())
    {
      batch += 1
      try store.prepare(batch)
      let start = try store.engine.newestToken()
      store.proxy.arm(fault, at: number)
      do {
        let again = try store.take(batch, options, through: engine)
        #expect(again.progress.counts == report.progress.counts, "statement \(number)")
      } catch let error as ImportError {
        #expect(error.kind == .store(.unreachable), "statement \(number): \(error)")
        ended += 1
        store.proxy.arm(nil)
        _ = try store.take(batch, options, through: engine)
      }
      #expect(try state(batch, start) == expected, "statement \(number)")
    }
    // Whoever is not let in at the beginning does not wait.
    #expect(ended <= 3 && batch > 102)
    #expect(try store.engine.verified() == [])
  }

  @Test func `a trial uses one connection and leaves nothing`() throws {
    let known = try orders()
    var dice = Dice(3)
    try known.write(lines(50, &dice, keys: 40), to: "a.json")
    var options = ImportOptions()
    options.connections = 4
    let trial = try known.addresses[1].trying(creation: .ifNew) {
      try $0.run(known.pipeline, on: [known.folder.appending(path: "a.json").path], options: options)
    }
    #expect(try known.rows(of: 1) == [])
    #expect(try known.take(["a.json"], into: 1, options).progress.counts == trial.progress.counts)
  }
}

extension RejectedRecord {
  fileprivate var place: String { "\(input) \(record) \(code) \(entity ?? "") \(child)" }
}
