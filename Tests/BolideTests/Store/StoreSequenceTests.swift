import Bolide
import Foundation
import GRDB
import Testing

/// What is read of a store as it is taken: rows, rows of a type, a snapshot's rows, rejected records.
@Suite struct StoreSequenceTests {
  private struct Quake: Decodable, Equatable, Sendable {
    struct Region: Decodable, Equatable, Sendable { var number: Int }
    var id: String
    var depth: Int
    var region: Region?
  }

  private let place: StorePlace
  private let path: String
  private let pipeline: Pipeline

  init() throws {
    place = try StorePlace()
    path = place.path("quakes.sqlite")
    pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
  }

  /// A store of so many quakes, in another order than their depths.
  private func store(_ count: Int) async throws -> Store {
    let store = try await Store(path: path, for: pipeline)
    let rows = (0..<count).map { #"{"id": "\#($0)", "depth": \#($0 * 7919 % 1009), "region": \#($0 % 5)}"# }
    _ = try await store.run(pipeline, on: .bytes("[\(rows.joined(separator: ","))]".utf8))
    return store
  }

  private var sorted: ObjectQuery {
    var request = ObjectQuery("Quake", sort: [.init("depth", ascending: false)])
    request.related = ["region"]
    return request
  }

  private func all<Element>(_ sequence: StoreSequence<Element>) async throws -> [Element] {
    try await sequence.reduce(into: []) { $0.append($1) }
  }

  /// The files of the store that this process has open.
  private func openFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { $0.contains(place.url("quakes.sqlite").path) }
  }

  /// Takes two rows, and keeps the place behind them.
  private func begun<Element>(_ sequence: StoreSequence<Element>) async throws
    -> StoreSequence<Element>.Iterator
  {
    var rows = sequence.makeAsyncIterator()
    for _ in 1...2 { #expect(try await rows.next() != nil) }
    return rows
  }

  @Test(arguments: [0, 1, 255, 256, 257, 700])
  func `rows are those of a fetch, whatever the pages`(count: Int) async throws {
    let store = try await store(count)
    let before = try await store.newestToken()
    _ = try await store.delete("Quake", where: "depth < 300")
    for token in [nil, before] {
      var request = sorted
      for (limit, offset, batchSize) in [
        (nil, 0, nil), (nil, 0, 256), (nil, 0, 100), (256, 0, nil), (300, 7, nil), (300, 7, 64), (0, 0, nil),
        (0, 0, 3),
      ] as [(Int?, Int, Int?)] {
        (request.limit, request.offset, request.batchSize) = (limit, offset, batchSize)
        let rows = try await store.fetch(request, at: token)
        #expect(try await all(store.rows(of: request, at: token)) == rows)
        let quakes = try await store.fetch(request, as: Quake.self, at: token)
        #expect(try await all(store.rows(of: request, as: Quake.self, at: token)) == quakes)
        #expect(quakes.map(\.id) == rows.map { $0["id", as: String.self] ?? "" })
      }
    }
  }

  @Test func `large rows come in small pages`() async throws {
    let text = String(repeating: "x", count: 400_000)
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: path, for: pipeline)
    let rows = (1...9).map { #"{"id": "\#($0)\#(text)"}"# }
    _ = try await store.run(pipeline, on: .bytes(rows.joined().utf8))
    let pages = try store.engine.openRows(ObjectQuery("Quake"), at: nil)
    var sizes: [Int] = []
    repeat { sizes.append(try pages.next().count) } while sizes.last != 0
    #expect(sizes == [3, 3, 3, 0])
    #expect(try pages.next() == [])
  }

  @Test func `rows come from one state, or in batches from the newest`() async throws {
    let store = try await store(600)
    let rows = try await store.fetch(sorted)
    var pinned = try await begun(store.rows(of: sorted))
    var request = sorted
    request.batchSize = 2
    var batches = try await begun(store.rows(of: request))
    #expect(try await store.status().pins.count == 1)
    _ = try await store.delete("Quake", where: "depth >= 100")
    let rest = try await store.fetch(sorted)
    for row in rows.dropFirst(2) { #expect(try await pinned.next() == row) }
    for row in rest { #expect(try await batches.next() == row) }
    for _ in 1...2 {
      #expect(try await pinned.next() == nil)
      #expect(try await batches.next() == nil)
    }
    #expect(try await store.status().pins == [])
  }

  @Test func `a sequence that is dropped, or whose task is cancelled, holds nothing`() async throws {
    let store = try await store(600)
    for try await _ in store.rows(of: sorted) { break }
    #expect(try await store.status().pins == [])
    func drop() async throws {
      let rows = try await begun(store.rows(of: sorted, as: Quake.self))
      #expect(try await store.status().pins.count == 1)
      withExtendedLifetime(rows) {}
    }
    try await drop()
    #expect(try await store.status().pins == [])
    let (taken, isTaken) = AsyncStream<Void>.makeStream()
    let (cancelled, isCancelled) = AsyncStream<Void>.makeStream()
    let reading = Task {
      var rows = try await begun(store.rows(of: sorted))
      isTaken.yield()
      // Not this task's cancellation, which would end the waiting.
      await Task { for await _ in cancelled { break } }.value
      await #expect(throws: CancellationError.self) { try await rows.next() }
      let pins = try await Task { try await store.status().pins }.value
      #expect(try await rows.next() == nil)
      return pins
    }
    for await _ in taken { break }
    reading.cancel()
    isCancelled.yield()
    #expect(try await reading.value == [])
  }

  @Test func `closing ends what is read first`() async throws {
    let store = try await store(600)
    var rows = try await begun(store.rows(of: sorted))
    let (_, snapshot) = try await store.snapshotRows()
    var request = sorted
    request.batchSize = 2
    var batches = try await begun(store.rows(of: request))
    try await store.close()
    #if os(Linux)
      #expect(try openFiles() == [])
    #endif
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    func end<Element>(_ rows: inout StoreSequence<Element>.Iterator) async throws {
      let error = await #expect(throws: StoreError.self) { while try await rows.next() != nil {} }
      #expect(error?.code == .closed)
      #expect(try await rows.next() == nil)
    }
    try await end(&rows)
    try await end(&batches)
    var last = snapshot.makeAsyncIterator()
    try await end(&last)
    var late = store.rows(of: sorted).makeAsyncIterator()
    try await end(&late)
  }

  @Test func `an object that is none of the type ends the sequence behind those before it`() async throws {
    struct Shallow: Decodable, Sendable {
      var id: String
      var depth: Int8
    }
    let store = try await store(600)
    let request = ObjectQuery("Quake", sort: [.init("depth")])
    let fitting = try await store.count(ObjectQuery("Quake", where: "depth < 128"))
    var rows = store.rows(of: request, as: Shallow.self).makeAsyncIterator()
    for _ in 0..<fitting { #expect(try await rows.next() != nil) }
    let error = await #expect(throws: StoreError.self) { try await rows.next() }
    #expect(error?.message.contains("'depth'") == true)
    #expect(try await rows.next() == nil)
    #expect(try await store.status().pins == [])
  }

  @Test func `a request that cannot be met is said by the first row`() async throws {
    let store = try await store(1)
    for request in [ObjectQuery("Quaque"), ObjectQuery("Quake", where: "dept = 1")] {
      let expected = await #expect(throws: StoreError.self) { try await store.fetch(request) }
      var rows = store.rows(of: request).makeAsyncIterator()
      let error = await #expect(throws: StoreError.self) { try await rows.next() }
      #expect(error == expected && error != nil)
    }
    #expect(try await store.status().pins == [])
  }

  @Test func `a snapshot's rows are those of its place`() async throws {
    let store = try await store(600)
    let (expected, rows) = (try await store.newestToken(), try await store.fetch(ObjectQuery("Quake")))
    let regions = try await store.fetch(ObjectQuery("Region"))
    let (snapshot, all) = try await store.snapshotRows()
    let (_, some) = try await store.snapshotRows(of: ["Region"])
    _ = try await store.delete("Quake", where: .all)
    #expect(snapshot.token == expected)
    #expect(snapshot.counts.map(\.rows) == [600, 5] && snapshot.counts.map(\.entity) == ["Quake", "Region"])
    #expect(try await self.all(all) == rows + regions)
    #expect(try await self.all(some) == regions)
    // They were for one loop.
    #expect(try await self.all(all) == [])
    let error = await #expect(throws: StoreError.self) { try await store.snapshotRows(of: ["Quaque"]) }
    #expect(error?.message.contains("Quaque") == true)
  }

  @Test func `what fetched properties find elsewhere comes too, and is closed too`() async throws {
    let recipes = try Pipeline(
      yaml: """
        bolide: 1
        name: recipes
        entity: Recipe
        key: slug
        attributes: { slug: string }
        fetched:
          quakes: { entity: Quake, store: quakes.sqlite, where: "id = $FETCH_SOURCE.slug" }
        """)
    _ = try await store(300)
    let store = try await Store(path: place.path("recipes.sqlite"), for: recipes)
    let rows = (0..<600).map { #"{"slug": "\#($0)"}"# }
    _ = try await store.run(recipes, on: .bytes(rows.joined().utf8))
    var request = ObjectQuery("Recipe")
    request.related = ["quakes"]
    let expected = try await store.fetch(request)
    #expect(expected.reduce(0) { $0 + $1.fetched[0].rows.count } == 300)
    #expect(try await all(store.rows(of: request)) == expected)
    var rest = try await begun(store.rows(of: request))
    request.batchSize = 7
    #expect(try await all(store.rows(of: request)) == expected)
    try await store.close()
    #if os(Linux)
      #expect(try openFiles() == [])
    #endif
    let error = await #expect(throws: StoreError.self) { while try await rest.next() != nil {} }
    #expect(error?.code == .closed)
  }

  @Test func `rejected records come as they are taken`() async throws {
    let store = try await Store(path: path, for: pipeline)
    var options = ImportOptions()
    options.rejectLimit = .percent(100)
    let wrong = (0..<600).map { #"{"id": "\#($0)", "depth": "x"}"# }
    _ = try await store.run(pipeline, on: .bytes(wrong.joined().utf8), options: options)
    let kept = try await store.rejects()
    #expect(kept.count == 600)
    #expect(try await all(store.rejectedRecords()) == kept)
    #expect(try await all(store.rejectedRecords(of: "others")) == [])
    #expect(try await all(store.rejectedRecords(of: "quakes", run: 1)) == kept)
    #expect(try await all(store.rejectedRecords(run: 2)) == [])
    var rest = try await begun(store.rejectedRecords())
    try await store.eraseRejects()
    var count = 0
    while try await rest.next() != nil { count += 1 }
    #expect(count == 254, "the page that was read before, and no other")
    try await store.close()
    let error = await #expect(throws: StoreError.self) { try await all(store.rejectedRecords()) }
    #expect(error?.code == .closed)
  }

  @Test func `an import of single bytes tells how far it is`() async throws {
    let store = try await Store(path: path, for: pipeline)
    let (bytes, body) = AsyncStream<UInt8>.makeStream()
    for byte in #"{"id": "a"}{"id": "b"}"#.utf8 { body.yield(byte) }
    body.finish()
    let run = store.importing(pipeline, on: bytes, named: "body")
    var last: ImportProgress?
    for try await progress in run { last = progress }
    #expect(last?.read == 2)
    #expect(try await run.report.progress.counts.inserted == 2)
  }
}
