import Bolide
import Foundation
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
}
