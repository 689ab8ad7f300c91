import Bolide
import Foundation
import GRDB
import Logging
import Synchronization
import Testing

/// The caller's logger hears of an import; a record's content never reaches it.
struct ImportLogTests {
  /// Keeps what is logged.
  private final class Lines: Sendable {
    let lines = Mutex<[String]>([])
  }

  private struct KeepingHandler: LogHandler {
    let kept: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let words = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      kept.lines.withLock { $0.append("\(event.message) \(words.joined(separator: " "))") }
    }
  }

  @Test func `each chunk and the end are told, without a value of a record`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let entity = Entity(
      name: "Quake", key: ["id"],
      attributes: [
        Attribute(name: "id", type: .string, isRequired: true), Attribute(name: "depth", type: .double),
      ])
    let pipeline = Pipeline(
      name: "quakes", entity: "Quake", model: Model(entities: [entity]),
      fields: [Field("id"), Field("depth")])
    let kept = Lines()
    var options = ImportOptions()
    options.chunkRows = 2
    options.logger = Logger(label: "test") { _ in KeepingHandler(kept: kept) }
    let store = try await Store(path: folder.appending(path: "quakes.sqlite").path, for: pipeline)
    let rows =
      #"[{"id":"secret-a","depth":1},{"id":"secret-b","depth":"secret"},{"id":"secret-c","depth":2}]"#
    let report = try await store.run(pipeline, on: .bytes(rows.utf8), options: options)

    let lines = kept.lines.withLock { $0 }
    #expect(
      lines.map { $0.prefix { $0 != "=" } } == [
        "chunk committed pipeline", "chunk committed pipeline", "import ended: too-many-refused pipeline",
      ])
    #expect(
      lines.last
        == "import ended: too-many-refused pipeline=quakes read=3 rejected=1 run=1 token=\(report.token?.description ?? "")"
    )
    #expect(!lines.contains { $0.contains("secret") })
  }

  @Test func `a store's calls are told, slow ones aloud`() async throws {
    let place = try StorePlace()
    let path = place.path("quakes.sqlite")
    let kept = Lines()
    let store = try await Store(
      path: path, for: StorePlace.pipeline, logger: Logger(label: "test") { _ in KeepingHandler(kept: kept) })
    _ = try await store.run(StorePlace.pipeline, on: .bytes(#"[{"id": "secret"}]"#.utf8))
    #expect(
      kept.lines.withLock { $0.map { $0.prefix { $0 != "=" } } } == [
        "chunk committed pipeline", "import ended: ok pipeline",
      ])
    kept.lines.withLock { $0.removeAll() }

    #expect(try await store.count(ObjectQuery("Quake", where: "id = 'secret'")) == 1)
    await #expect(throws: StoreError.self) { try await store.count(ObjectQuery("Quak")) }
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    let begun = Mutex<ContinuousClock.Instant?>(nil)
    async let deleted = {
      begun.withLock { $0 = .now }
      return try await store.delete("Quake", where: .all)
    }()
    // It has to wait for so long that it is slow.
    while begun.withLock({ $0.map { $0.duration(to: .now) < .milliseconds(1500) } ?? true }) {
      try await Task.sleep(for: .milliseconds(50))
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    #expect(try await deleted.counts.map(\.deleted) == [1])
    let lines = kept.lines.withLock { $0.filter { !$0.contains("lock=") } }
    // How long a call takes depends on the machine; the last one was kept waiting.
    #expect(
      lines.map { $0.split(separator: " ").filter { $0.contains("=") && !$0.hasPrefix("seconds=") } } == [
        ["call=count(_:at:)", "outcome=good"], ["call=count(_:at:)", "outcome=badRequest"],
        ["call=delete(_:where:_:options:)", "outcome=good"],
      ])
    #expect(lines.last?.hasPrefix("slow call ") == true)
    #expect(!lines.contains { $0.contains("secret") })
  }
}
