import Bolide
import Foundation
import GRDB
import Logging
import Synchronization
import Testing

#if Metrics && Tracing
  import CoreMetrics
  import InMemoryTracing
  import MetricsTestKit
  import Tracing
#endif

/// What a store tells of waits, repairs and following, and with the package's traits to metrics and traces.
/// One at a time: a process has one place for its metrics.
@Suite(.serialized) struct ObservationTests {
  /// Keeps what is logged.
  private struct KeepingHandler: LogHandler {
    let kept: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let words = (event.metadata ?? [:]).filter { $0.key != "seconds" }.map { " \($0.key)=\($0.value)" }
        .sorted()
      kept("\(event.level): \(event.message)\(words.joined())")
    }
  }

  private let place: StorePlace
  private let path: String
  private let lines: AsyncStream<String>
  private let logger: Logger

  init() throws {
    place = try StorePlace()
    path = place.path("quakes.sqlite")
    let (lines, kept) = AsyncStream<String>.makeStream()
    self.lines = lines
    logger = Logger(label: "test") { _ in KeepingHandler { kept.yield($0) } }
  }

  /// Waits for a line, and gives those up to it.
  @discardableResult
  private func lines(to line: String) async -> [String] {
    var seen: [String] = []
    for await next in lines {
      seen.append(next)
      if next == line { break }
    }
    return seen
  }

  @Test func `a wait for another program's lock is told, a long one aloud`() async throws {
    let store = try await Store(path: path, for: StorePlace.pipeline, logger: logger)
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let deleting = Task { try await store.delete("Quake", where: .all) }
    #expect(
      await lines(to: "notice: still waiting for a lock lock=write").first
        == "debug: waiting for a lock lock=write")
    try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    _ = try await deleting.value
    let call = "notice: slow call call=delete(_:where:_:options:) outcome=good"
    #expect(await lines(to: call) == ["notice: waited for a lock lock=write", call])
  }

  @Test func `so are waits for another call and for another import`() async throws {
    let store = try await Store(path: path, for: StorePlace.pipeline, logger: logger)
    let (pieces, stream) = AsyncStream<[UInt8]>.makeStream()
    var options = ImportOptions()
    options.chunkRows = 1
    options.isAtomic = true
    let importing = Task { [options] in try await store.run(StorePlace.pipeline, on: pieces, options: options)
    }
    stream.yield(Array(#"[{"id": "a"}"#.utf8))
    for await line in lines where line.hasPrefix("debug: chunk committed") { break }
    let deleting = Task { try await store.delete("Quake", where: "id = 'b'") }
    await lines(to: "debug: waiting for a lock lock=writer")
    var others = StorePlace.pipeline
    others.name = "others"
    let waiting = Task { [others] in try await store.run(others, on: .bytes(#"[{"id": "c"}]"#.utf8)) }
    await lines(to: "debug: waiting for a lock lock=imports")
    stream.yield(Array("]".utf8))
    stream.finish()
    _ = try await (importing.value, deleting.value, waiting.value)
    let ends = ["writer", "imports"].map { "waited for a lock lock=\($0)" }
    var seen: Set<String> = []
    // How long they waited is the machine's.
    for await line in lines where ends.contains(where: line.hasSuffix) {
      seen.insert(String(line.drop { $0 != " " }.dropFirst()))
      if seen.count == 2 { break }
    }
    #expect(seen == Set(ends))
  }

  @Test func `a repair is told, whoever makes it`() async throws {
    let store = try await Store(path: path, for: StorePlace.pipeline, logger: logger)
    let other = try DatabaseQueue(path: path)
    let drop = try await other.write { db in
      let name = try String.fetchOne(
        db, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
      try db.execute(sql: "DROP TRIGGER \"\(name ?? "")\"")
      return name ?? ""
    }
    _ = try await store.delete("Quake", where: .all)
    for await line in lines where line.hasPrefix("warning: ") {
      #expect(line.hasPrefix("warning: restored: ") && line.contains(drop))
      break
    }
  }

  @Test func `what cannot be followed is told, and that following has ended`() async throws {
    let old: HistoryToken
    do {
      let store = try await Store(path: path, for: StorePlace.pipeline)
      old = try await store.newestToken()
      for id in ["a", "b"] {
        _ = try await store.run(StorePlace.pipeline, on: .bytes("[{\"id\": \"\(id)\"}]".utf8))
      }
      _ = try await store.prune(.before(.token(store.newestToken())))
      try await store.close()
    }
    let other = try DatabaseQueue(path: path)
    try await other.write { try $0.execute(sql: "UPDATE Quake SET magnitude = 8 WHERE id = 'a'") }
    let store = try await Store(path: path, isReadOnly: true, logger: logger)
    let newest = try await store.newestToken()
    let following = Task { for try await _ in store.transactions(after: newest) {} }
    await lines(to: "notice: other programs' changes may not be followed because=read-only")
    following.cancel()
    try await following.value
    await #expect(throws: StoreError.self) { for try await _ in store.transactions(after: old) {} }
    await lines(to: "notice: following ended outcome=tokenExpired")
  }

  #if Metrics && Tracing
    @Test func `metrics and traces have calls, imports, records and waits`() async throws {
      let (metrics, tracer) = (TestMetrics(), InMemoryTracer())
      MetricsSystem.bootstrap(metrics)
      InstrumentationSystem.bootstrap(tracer)
      let store = try await Store(path: path, for: StorePlace.pipeline)
      let feed = #"[{"id": "a"}, {"id": "b", "magnitude": "x"}]"#
      _ = try await store.run(StorePlace.pipeline, on: .bytes(feed.utf8))
      #expect(try await store.count(ObjectQuery("Quake")) == 1)
      await #expect(throws: StoreError.self) { try await store.count(ObjectQuery("Quak")) }
      for (result, count) in [("inserted", 1), ("updated", 0), ("unchanged", 0), ("rejected", 1)] {
        let counter = try metrics.expectCounter(
          "bolide.import.records", [("pipeline", "quakes"), ("result", result)])
        #expect(counter.totalValue == Int64(count))
      }
      #expect(
        try metrics.expectTimer("bolide.import", [("pipeline", "quakes"), ("outcome", "good")]).values.count
          == 1)
      for outcome in ["good", "badRequest"] {
        let timer = try metrics.expectTimer("bolide.call", [("call", "count(_:at:)"), ("outcome", outcome)])
        #expect(timer.values.count == 1)
      }
      let spans = tracer.finishedSpans
      #expect(spans.map(\.operationName) == ["bolide import", "bolide call", "bolide call"])
      #expect(spans.map(\.errors.count) == [0, 0, 1])
      #expect(spans[0].attributes.get("bolide.pipeline") == .string("quakes"))
      #expect(spans[1].attributes.get("bolide.call") == .string("count(_:at:)"))

      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let other = try DatabaseQueue(path: path, configuration: configuration)
      try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
      let options = EditOptions(lockWait: .milliseconds(30))
      await #expect(throws: StoreError.self) {
        try await store.delete("Quake", where: .all, options: options)
      }
      #expect(try metrics.expectTimer("bolide.lock.wait", [("lock", "write")]).values.count == 1)
    }
  #endif
}
