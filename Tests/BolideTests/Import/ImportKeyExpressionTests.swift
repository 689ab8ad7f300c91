import Bolide
import Foundation
import Testing

/// A key that an expression gives.
struct ImportKeyExpressionTests {
  @Test func `a record without what the key is made of is rejected, and the others land`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let entity = Entity(
      name: "Quake", key: ["id"],
      attributes: [
        Attribute(name: "id", type: .string, isRequired: true),
        Attribute(name: "code", type: .string, isTransient: true),
      ])
    let pipeline = Pipeline(
      name: "quakes", entity: "Quake", model: Model(entities: [entity]),
      fields: [Field("id", from: .expression("upper(code)")), Field("code")])
    let store = try await Store(path: folder.appending(path: "quakes.sqlite").path, for: pipeline)
    let report = try await store.run(
      pipeline, on: .bytes(#"[{"code":"b"},{"x":1},{"code":null},{"code":"a"}]"#.utf8))
    #expect(report.progress.counts.read == 4)
    #expect(report.progress.counts.inserted == 2)
    #expect(report.firstRejects.map(\.code) == ["null-key", "null-key"])
    #expect(report.firstRejects.map(\.record) == [2, 3])
  }
}
