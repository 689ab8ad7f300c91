import Bolide
import Foundation
import GRDB
import Testing

/// A store that is opened without its pipeline, read alone, and closed.
@Suite struct OpeningTests {
  private let place: StorePlace
  private let path: String
  private let pipeline: Pipeline
  private static let feed = #"[{"id": "a", "depth": 7}, {"id": "b", "depth": 9}]"#

  init() throws {
    place = try StorePlace()
    path = place.path("quakes.sqlite")
    pipeline = try Pipeline(yaml: Self.text)
  }

  private static let text = """
    bolide: 1
    name: quakes
    entity: Quake
    key: id
    attributes:
      id: string
      depth: integer64
    """

  private func imported() async throws -> Store {
    let store = try await Store(path: path, for: pipeline)
    _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    return store
  }

  /// The files of the store that this process has open.
  private func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { $0.contains(place.url("quakes.sqlite").path) }
  }

  @Test func `a store is read, edited and imported into without having its pipeline at first`() async throws {
    try await imported().close()
    let store = try await Store(path: path)
    #expect(try await store.count(ObjectQuery("Quake")) == 2)
    let edited = try await store.delete("Quake", where: "id = 'b'")
    #expect(try await store.newestToken() == edited.token)
    let report = try await store.run(pipeline, on: .bytes(Self.feed.utf8), options: ImportOptions())
    #expect(report.progress.counts.inserted == 1 && report.progress.counts.unchanged == 1)
  }

  @Test func `a store that is not there is not made`() async throws {
    let error = await #expect(throws: StoreError.self) { _ = try await Store(path: path) }
    #expect(error?.code == .cannotOpen && error?.message == "\(path): no such store")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a store that is to be read alone is not written`() async throws {
    try await imported().close()
    let other = try DatabaseQueue(path: path)
    try await other.write { try $0.execute(sql: "UPDATE Quake SET depth = 8 WHERE id = 'a'") }
    let store = try await Store(path: path, isReadOnly: true)
    #expect(try await store.count(ObjectQuery("Quake", where: "depth = 8")) == 1)
    for write in [
      { _ = try await store.delete("Quake", where: "id = 'a'") },
      { try await store.addReader("reader", from: .beginning) },
      { _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8)) },
    ] as [() async throws -> Void] {
      do {
        try await write()
        Issue.record("it was written")
      } catch let error as StoreError {
        #expect(error.code == .readOnly)
      } catch let error as ImportError {
        #expect(error.kind == .store(.readOnly))
      }
    }
    #expect(try await store.status().pendingChanges == 1)
  }

  @Test func `a closed store has no file open and refuses every call`() async throws {
    let store = try await imported()
    _ = try await store.fetch(ObjectQuery("Quake"))
    #if os(Linux)
      #expect(try !openFiles().isEmpty)
    #endif
    try await store.close()
    try await store.close()
    #if os(Linux)
      #expect(try openFiles() == [])
    #endif
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    for call in [
      { _ = try await store.fetch(ObjectQuery("Quake")) },
      { _ = try await store.delete("Quake", where: "id = 'a'") },
      { for try await _ in store.transactions() {} },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.code == .closed && error?.message == "\(path): the store was closed")
      #expect(error?.hint == "Open it again.")
    }
    let error = await #expect(throws: ImportError.self) {
      _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    }
    #expect(error?.kind == .store(.closed))
    // It may be moved.
    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    #expect(try await Store(path: path + ".moved").count(ObjectQuery("Quake")) == 2)
  }

  @Test func `an import into a store that is closed ends at its next chunk`() async throws {
    let store = try await Store(path: path, for: pipeline)
    let (body, bytes) = AsyncStream<[UInt8]>.makeStream()
    var options = ImportOptions()
    options.chunkRows = 2
    let (chunks, applied) = AsyncStream<Int>.makeStream()
    options.progress = { progress in applied.yield(progress.read) }
    let importing = Task { [options] in
      try await store.run(pipeline, on: body, named: "body", options: options)
    }
    // No second chunk: the import would see that the store is closed, and end.
    bytes.yield(Array(#"{"id": "a"}{"id": "b"}"#.utf8))
    for await count in chunks where count >= 2 { break }
    for _ in 1...2 {
      let error = await #expect(throws: StoreError.self) { try await store.close() }
      #expect(error?.code == .busy && error?.message == "\(path): an import into it is at work")
      #expect(error?.hint == "Wait for the import's end, and close it again.")
    }
    bytes.yield(Array(#"{"id": "c"}{"id": "d"}{"id": "e"}{"id": "f"}{"id": "g"}{"id": "h"}"#.utf8))
    bytes.finish()
    let end = await #expect(throws: ImportError.self) { _ = try await importing.value }
    #expect(end?.kind == .store(.closed))
    try await store.close()
    let again = try await Store(path: path)
    #expect(try await again.count(ObjectQuery("Quake")) == end?.report?.progress.counts.inserted)
    #expect(try await again.verify() == [])
  }
}
