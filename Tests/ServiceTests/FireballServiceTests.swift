import Bolide
import Foundation
import ServiceLifecycle
import Testing

/// The example of a service, as its clients and its keeper see it.
@Suite(.timeLimit(.minutes(20))) final class FireballServiceTests: Sendable {
  private let folder: URL
  private var path: String { folder.appending(path: "fireballs.sqlite").path }
  private let pipeline: Pipeline
  private let index = SearchIndex()

  init() throws {
    folder = URL.temporaryDirectory.appending(path: "bolide-service-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    pipeline = try Pipeline(path: root.appending(path: "pipelines/fireballs.yaml").path)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func start() async throws -> RunningService {
    try await RunningService(path: path, pipeline: pipeline, index: index)
  }

  /// Waits until the index has everything and the store knows it: what it does not know is sent again.
  private func untilIndexed(_ running: RunningService) async throws {
    try await until { try await running.service.store.namedReaders().first?.transactionsBehind == 0 }
  }

  /// A feed of so many days of May 2026.
  private static func feed(days: Int, energy: Double = 0.25) -> String {
    let records = (1...days).map { day in
      let digits = day < 10 ? "0\(day)" : "\(day)"
      return #"{"date": "2026-05-\#(digits) 03:14:07", "impact-e": "\#(Double(day) * energy)"}"#
    }
    return "[" + records.joined(separator: ",\n") + "]"
  }

  /// The bytes in pieces, and behind them the end, or silence.
  private static func pieces(_ text: String, ends: Bool = true) -> AsyncStream<[UInt8]> {
    AsyncStream { stream in
      let bytes = Array(text.utf8)
      for start in Swift.stride(from: 0, to: bytes.count, by: 100) {
        stream.yield(Array(bytes[start..<min(start + 100, bytes.count)]))
      }
      if ends { stream.finish() }
    }
  }

  private func upload(
    _ text: String, ends: Bool = true, to running: RunningService, _ received: Received<UploadEvent>
  ) async throws {
    try await running.request {
      try await $0.upload(Self.pieces(text, ends: ends)) { await received.append($0) }
    }
  }

  /// Waits for what comes of itself; a test that waits in vain is ended by its time limit.
  private func until(_ isSo: () async throws -> Bool) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test func `an upload is answered, indexed and told to those who listen`() async throws {
    let running = try await start()
    let changes = Received<ChangeEvent>()
    async let listening: Void = running.request {
      try await $0.changes(after: nil) { await changes.append($0) }
    }
    let events = Received<UploadEvent>()
    try await upload(Self.feed(days: 20), to: running, events)
    guard case .finished(let summary) = await events.elements.last else {
      return _ = Issue.record("\(await events.elements)")
    }
    #expect(summary.inserted == 20 && summary.isGood && summary.problems.isEmpty)
    #expect(await events.elements.contains(.progress(read: 20, rejected: 0)))

    let largest = try await running.request { try await $0.largest(over: 0.3, limit: 2) }
    #expect(largest.map(\.impactEnergy) == [5, 4.75])
    let date = try #require(largest.first?.date)
    let place = try await running.request { try await $0.correct(date, impactEnergy: 6, by: "ada") }
    try await until { await changes.elements.count == 21 }
    let last = try #require(await changes.elements.last)
    #expect(last.kind == "update" && last.fireball?.impactEnergy == 6 && last.author == "ada")
    #expect(last.id == place)
    try await untilIndexed(running)
    #expect(await index.applied == 21)

    try await running.shutDown()
    try await listening
    #expect(await index.ids.count == 20)
    await #expect(throws: Refusal.self) { try await running.service.largest(over: 0, limit: 1) }

    // A client goes on from its last event, and the index from its last transaction.
    let again = try await start()
    try await upload(Self.feed(days: 21), to: again, Received())
    let later = Received<ChangeEvent>()
    async let relistening: Void = again.request {
      try await $0.changes(after: last.id) { await later.append($0) }
    }
    try await until { await later.elements.count == 2 }
    #expect(await later.elements.map(\.kind).sorted() == ["insert", "update"])
    try await untilIndexed(again)
    #expect(await index.applied == 23)
    try await again.shutDown()
    try await relistening
  }

  @Test func `records that do not fit are named, and what is no feed is refused`() async throws {
    let running = try await start()
    let events = Received<UploadEvent>()
    try await upload(#"[{"date": "2026-05-01 03:14:07"}, {"date": "soon"}]"#, to: running, events)
    guard case .finished(let summary) = await events.elements.last else {
      return _ = Issue.record("\(await events.elements)")
    }
    #expect(summary.rejected == 1 && !summary.isGood && summary.problems.count == 1)
    #expect(summary.problems[0].hasPrefix("record 2, line 1: ") && !summary.problems[0].contains("soon"))

    let others = Received<UploadEvent>()
    try await upload("<html>", to: running, others)
    guard case .failed(let refusal) = await others.elements.last else {
      return _ = Issue.record("\(await others.elements)")
    }
    #expect(refusal.status == 400)

    await #expect {
      try await running.request { try await $0.changes(after: "yesterday") { _ in } }
    } throws: {
      ($0 as? Refusal)?.status == 400 && ($0 as? Refusal)?.code == "notAToken"
    }
    try await running.shutDown()
  }

  @Test func `an index that was away too long begins again, and a client is told that its place is gone`()
    async throws
  {
    let running = try await start()
    try await upload(Self.feed(days: 3), to: running, Received())
    try await untilIndexed(running)
    let store = running.service.store
    let early = try await store.newestToken()
    try await running.shutDown()

    let keeper = try await Store(path: path)
    _ = try await keeper.run(pipeline, on: .bytes(Self.feed(days: 6, energy: 0.5).utf8))
    var brief = pipeline
    brief.history = HistoryRetention(transactions: 1, holdForReaders: 0)
    let report = try await keeper.run(brief, on: .bytes(Self.feed(days: 9, energy: 0.5).utf8))
    #expect(report.expiredReaders == ["search"])
    try await keeper.close()

    let again = try await start()
    try await until { await index.ids.count == 9 }
    #expect(await index.applied == 3)
    await #expect {
      try await again.request { try await $0.changes(after: early.description) { _ in } }
    } throws: {
      ($0 as? Refusal)?.status == 410 && ($0 as? Refusal)?.code == "tokenExpired"
    }
    try await upload(Self.feed(days: 10, energy: 0.5), to: again, Received())
    try await until { await index.ids.count == 10 }
    try await again.shutDown()
  }

  @Test func `the service shuts down beside a quiet upload, and loses nothing of it`() async throws {
    let running = try await start()
    try await upload(Self.feed(days: 4), to: running, Received())
    let events = Received<UploadEvent>()
    async let uploading: Void = upload(Self.feed(days: 9), ends: false, to: running, events)
    try await until { try await running.service.store.status().holder != nil }
    try await running.shutDown()
    try await uploading
    guard case .failed(let refusal) = await events.elements.last else {
      return _ = Issue.record("\(await events.elements)")
    }
    #expect(refusal.status == 503 && refusal.code == "cancelled")

    let again = try await start()
    let repeated = Received<UploadEvent>()
    try await upload(Self.feed(days: 9), to: again, repeated)
    guard case .finished(let summary) = await repeated.elements.last else {
      return _ = Issue.record("\(await repeated.elements)")
    }
    #expect(summary.inserted + summary.unchanged == 9 && summary.isGood)
    #expect(try await again.service.store.count(ObjectQuery("Fireball")) == 9)
    try await again.shutDown()
  }

  @Test func `an index that does not answer ends the service with its error`() async throws {
    await index.turn(on: false)
    let running = try await start()
    try await upload(Self.feed(days: 2), to: running, Received())
    await #expect(throws: (any Error).self) { try await running.end() }
    await index.turn(on: true)
    let again = try await start()
    try await until { await index.ids.count == 2 }
    try await again.shutDown()
  }
}
