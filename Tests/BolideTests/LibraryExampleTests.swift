import Bolide
import Foundation
import Testing

/// The examples that the documentation shows a Swift developer, compiled and run.
struct LibraryExampleTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test func `an import, and a reader that follows the history`() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let path = directory.appending(path: "fireballs.sqlite").path
    let body = AsyncStream<[UInt8]> { continuation in
      let rows = #"[{"date":"2026-05-12 03:14:07","impact-e":"0.1"},{"date":"2026-04-01 23:59:35"}]"#
      for byte in rows.utf8 { continuation.yield([byte]) }
      continuation.finish()
    }

    let pipeline = try Pipeline(path: root.appending(path: "pipelines/fireballs.yaml").path)
    let store = try await Store(path: path, for: pipeline)
    let report = try await store.run(pipeline, on: body)
    #expect(report.progress.counts.inserted == 2)
    #expect(report.verdict == .allLanded)

    let reader = Task {
      var seen: [HistoryTransaction] = []
      for try await transaction in store.transactions(after: nil) {
        seen.append(transaction)
        if seen.count == 2 { break }
      }
      return seen
    }
    let revised = #"[{"date":"2026-05-12 03:14:07","impact-e":"0.2"}]"#
    let second = try await store.run(pipeline, on: .bytes(revised.utf8))
    let seen = try await reader.value
    #expect(seen.map(\.token) == [report.token, second.token])
    #expect(seen[0].changes.map(\.kind) == [.insert, .insert, .insert])
    #expect(seen[1].changes.map(\.entity) == ["Fireball", "FireballGroup"])
    #expect(seen[1].changes[0].previous.map(\.value) == [.real(0.1)])
  }
}
