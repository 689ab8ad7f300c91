import Bolide
import Foundation
import StoreInterface
import TestServer
import Testing

/// Another pipeline changes the store's model while an import is under way, between two of its chunks.
struct ModelGrowthTests {
  private static let other = """
    bolide: 1
    name: other
    store: quakes.sqlite
    entity: Station
    key: code
    attributes: { code: string }

    """

  /// What becomes of an import whose second record comes when another pipeline has changed the model.
  private func importing(_ store: ServerStore, across other: String) async throws -> Result<Int, any Error> {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(store.schema).fifo").path
    #expect(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let pipeline = try Pipeline(yaml: ServerStore.quakes, file: "quakes.yaml", directory: ".")
    var options = ImportOptions()
    (options.force, options.chunkRows) = (true, 1)
    // On a thread of its own: one of the few that tests share would be held until this one has gone on.
    let (ends, end) = AsyncStream<Result<Int, any Error>>.makeStream()
    Thread.detachNewThread { [options] in
      end.yield(
        Result {
          try store.engine.run(pipeline, on: [.file(path)], options: options).progress.counts.inserted
        })
    }
    let feed = try #require(FileHandle(forWritingAtPath: path))
    try feed.write(contentsOf: Data("{\"id\": 1, \"place\": \"A\"}\n{\"id\": 2}\n".utf8))
    while try store.psql(#"SELECT count(*) > 0 FROM "Quake""#) != "t" {
      try await Task.sleep(for: .milliseconds(20))
    }
    let changed = try Pipeline(yaml: other, file: "other.yaml", directory: ".")
    try store.engine.fit(changed)
    try feed.write(contentsOf: Data("{\"id\": 3, \"place\": \"A\"}\n".utf8))
    try feed.close()
    return try #require(await ends.first { _ in true })
  }

  @Test(.timeLimit(.minutes(5)))
  func `the import goes on where its entities are as they were, and ends where they are not`() async throws {
    let store = try ServerStore()
    #expect(try await importing(store, across: Self.other).get() == 3)
    #expect(try store.psql(#"SELECT "count" FROM "Region""#) == "2")
    try store.psql(#"DELETE FROM "Quake""#)
    let grown = Self.other.replacing("entity: Station", with: "entity: Quake").replacing(
      "key: code", with: "key: id"
    )
    .replacing("{ code: string }", with: "{ id: integer64, title: string }")
    let outcome = try await importing(store, across: grown)
    let error = #expect(throws: ImportError.self) { try outcome.get() }
    #expect(error?.reason == "another pipeline changed the store's model meanwhile")
    #expect(try store.take([#"{"id": 3}"#]).progress.counts.inserted <= 1)
    var wrong: [String] = []
    try store.engine.verify { wrong.append($0.description) }
    #expect(wrong.isEmpty)
  }

  @Test func `an index of a derived attribute that gets another type is made anew`() throws {
    func model(_ value: String) -> String {
      ServerStore.quakes.replacing(
        "    key: name\n", with: "    key: name\n    index: [count, [name, count]]\n"
      )
      .replacing("quakes.@count }\n", with: "\(value) }\n")
    }
    let store = try ServerStore(model("quakes.@count"))
    let indexes =
      "SELECT count(*) FROM pg_indexes WHERE schemaname = '\(store.schema)' AND indexname LIKE 'bolide_index_Region.%'"
    #expect(try store.psql(indexes) == "2")
    try store.engine.fit(Pipeline(yaml: model("quakes.magnitude.@sum"), file: "quakes.yaml", directory: "."))
    #expect(try store.psql(indexes) == "2")
  }
}
