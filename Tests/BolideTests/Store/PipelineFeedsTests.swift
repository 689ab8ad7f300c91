import Bolide
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What `check` and `init` of the tool do, called from Swift.
@Suite struct PipelineFeedsTests {
  static let pipeline = Pipeline(
    name: "quakes", entity: "Quake",
    model: Model(entities: [
      Entity(
        name: "Quake", key: ["id"],
        attributes: [
          Attribute(name: "id", type: .string, isRequired: true), Attribute(name: "depth", type: .double),
          Attribute(name: "place", type: .string),
        ])
    ]),
    fields: [Field("id"), Field("depth", from: .path("depth_km")), Field("place")])

  @Test func `a feed that does not fit is told in numbers and names`() async throws {
    let feed =
      #"[{"id": "a", "depth_km": 1}, {"id": "b", "depth_km": "deep"}, {"id": "a", "depth_km": 2, "mag": 3}]"#
    let check = try await Self.pipeline.check(.bytes(feed.utf8, name: "quakes"))
    #expect(check.input == "quakes" && check.read == 3 && check.rejected == 1)
    #expect(check.firstRejects.map(\.record) == [2] && check.repeatedKeys == 1 && check.losesRecords)
    #expect(check.absent.map(\.attribute) == ["place"] && check.absent.map(\.field) == ["place"])
    #expect(check.unusedKeys == ["mag"] && check.children.isEmpty && check.copies == 0)
    #expect(check.text.hasPrefix("quakes: "))
  }

  @Test func `what is drafted imports what it was drafted from`() async throws {
    let pages = [#"[{"id": "a", "depth": 1}]"#, #"[{"id": "b", "depth": 2.5}]"#]
    let sources = pages.enumerated().map { ImportSource.bytes($1.utf8, name: "quakes\($0).json") }
    var choices = InferenceChoices()
    (choices.name, choices.entity) = ("tremors", "Tremor")
    let inference = try await PipelineInference(of: sources, choices: choices)
    #expect(inference.storeName == "tremors.sqlite")
    let drafted = try Pipeline(yaml: inference.pipelineText)
    let store = try await Store(inMemoryFor: drafted)
    #expect(try await store.run(drafted, on: sources).progress.counts.inserted == 2)
    #expect(try await store.fetch(ObjectQuery("Tremor", where: "depth = 2.5")).count == 1)
  }

  @Test func `a source that is not there and one that is no feed are errors with codes`() async throws {
    await #expect {
      try await Self.pipeline.check(.file("/nonexistent/feed.json"))
    } throws: {
      ($0 as? ImportError)?.kind == .noInput
    }
    await #expect {
      try await PipelineInference(of: [.bytes("[1, 2".utf8)])
    } throws: {
      ($0 as? ImportError)?.kind == .badInput
    }
  }

  @Test func `a cancelled task stops reading, however quiet the source`() async throws {
    let place = try StorePlace()
    let path = place.path("quiet")
    try #require(mkfifo(path, 0o600) == 0)
    // Held open, so that the source neither ends nor waits for a writer.
    let holder = open(path, O_RDWR)
    defer { close(holder) }
    let check = Task { try await Self.pipeline.check(.file(path)) }
    check.cancel()
    await #expect(throws: CancellationError.self) { try await check.value }
    let draft = Task { try await PipelineInference(of: [.file(path)]) }
    draft.cancel()
    await #expect(throws: CancellationError.self) { try await draft.value }
  }
}
