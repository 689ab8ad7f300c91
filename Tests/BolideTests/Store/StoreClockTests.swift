import Bolide
import Foundation
import Synchronization
import Testing

/// A store's time is the one that its opener gives it.
@Suite struct StoreClockTests {
  /// A clock that stands until it is set forward.
  private final class Clock: Sendable {
    private let instant = Mutex(Date(timeIntervalSince1970: 1_778_554_447.118))

    var now: Date { instant.withLock { $0 } }

    func advance(by seconds: Double) { instant.withLock { $0 += seconds } }
  }

  private let clock = Clock()
  private let pipeline: Pipeline
  private static let day = 86_400.0

  init() throws {
    var pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
    pipeline.maxAge = Self.day
    pipeline.history = HistoryRetention(keep: 7 * Self.day, holdForReaders: 14 * Self.day)
    self.pipeline = pipeline
  }

  private func store() async throws -> Store {
    try await Store(inMemoryFor: pipeline, now: { [clock] in clock.now })
  }

  private func feed(depth: Int) -> ImportSource {
    .bytes(#"[{"id": "a", "depth": \#(depth), "region": 1}]"#.utf8)
  }

  @Test func `history, runs and ages are of its time`() async throws {
    let store = try await store()
    _ = try await store.run(pipeline, on: feed(depth: 1))
    clock.advance(by: 3600)
    _ = try await store.update("Quake", where: .all, set: ["depth": 2])
    var transactions: [HistoryTransaction] = []
    for try await transaction in store.transactions() {
      transactions.append(transaction)
      if transactions.count == 2 { break }
    }
    #expect(transactions.map(\.at) == ["2026-05-12T02:54:07.118Z", "2026-05-12T03:54:07.118Z"])
    let run = try #require(try await store.runs().first?.run)
    #expect(run.started == "2026-05-12T02:54:07.118Z" && run.ended == run.started)
    try await store.addReader("index", from: .beginning)
    clock.advance(by: Self.day - 3600)
    #expect(try await store.namedReaders().map { $0.secondsBehind.rounded() } == [Self.day])
    let pipelines = try await store.status().pipelines
    #expect(pipelines.map(\.state) == [.ok] && pipelines[0].lastRun?.age.rounded() == Self.day)
    clock.advance(by: 1)
    #expect(try await store.status().pipelines.map(\.state) == [.overdue])
  }

  @Test func `history is kept as long as the pipeline says, by its time`() async throws {
    let store = try await store()
    let first = try #require(try await store.run(pipeline, on: feed(depth: 1)).token)
    _ = try await store.run(pipeline, on: feed(depth: 2))
    try await store.addReader("index", from: .token(first))
    clock.advance(by: 8 * Self.day)
    #expect(try await store.run(pipeline, on: feed(depth: 3)).expiredReaders.isEmpty)
    #expect(try await store.changes(HistoryRequest(after: first)).count == 2)
    clock.advance(by: 8 * Self.day)
    #expect(try await store.run(pipeline, on: feed(depth: 4)).expiredReaders == ["index"])
    await #expect {
      try await store.changes(HistoryRequest(after: first))
    } throws: {
      ($0 as? StoreError)?.code == .tokenExpired
    }
  }

  @Test func `an instant that no date can say is the nearest that one can`() async throws {
    let ends = [
      (Date.distantFuture, "4001-01-01T00:00:00.000Z"),
      (Date(timeIntervalSince1970: .infinity), "9999-12-31T23:59:59.999Z"),
    ]
    for (instant, text) in ends {
      let store = try await Store(inMemoryFor: pipeline, now: { instant })
      _ = try await store.run(pipeline, on: feed(depth: 1))
      #expect(try await store.runs().map(\.run.started) == [text])
    }
  }
}
