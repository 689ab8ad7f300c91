import Bolide
import Foundation
import GRDB
import Testing

/// The library as its users call it: a pipeline, a store, a run.
@Suite struct ImportLibraryTests {
  private let place: StorePlace

  init() throws {
    place = try StorePlace()
  }

  @Test func `the example of the documentation`() async throws {
    try Data(StorePlace.yaml.utf8).write(to: place.url("quakes.yaml"))
    let body = AsyncStream<[UInt8]> { stream in
      stream.yield(Array(#"[{"id": "a", "magnitude": 1.5}, "#.utf8))
      stream.yield(Array(#"{"id": "b"}]"#.utf8))
      stream.finish()
    }

    let pipeline = try Pipeline(path: place.path("quakes.yaml"))
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let report = try await store.run(pipeline, on: body)

    #expect(report.pipeline == "quakes")
    #expect(report.run == 1)
    #expect(report.verdict == .allLanded)
    #expect(report.progress.counts.read == 2)
    #expect(report.progress.counts.inserted == 2)
    #expect(report.progress.chunks == 1)
    #expect(report.progress.bytes == 44)
    #expect(report.seconds > 0 && report.rowsPerSecond > 0)
    #expect(report.firstRejects.isEmpty)
    let token = try #require(report.token)
    #expect(HistoryToken("\(token)") == token)
    #expect(try place.rows() == ["a|1.5", "b|"])
  }

  @Test func `a store that nobody holds is closed, also after an import`() async throws {
    weak var held: Store?
    do {
      let store = try await Store(path: place.path("quakes.sqlite"), for: StorePlace.pipeline)
      _ = try await store.run(StorePlace.pipeline, on: .bytes(#"[{"id": "a"}]"#.utf8))
      held = store
    }
    // The thread that answered may hold it, or its files, for a moment more.
    let log = place.path("quakes.sqlite-wal")
    for _ in 0..<500 where held != nil || FileManager.default.fileExists(atPath: log) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(held == nil)
    #expect(!FileManager.default.fileExists(atPath: log))
  }

  @Test func `a store in memory is one in all, and leaves nothing behind`() async throws {
    let pipeline = StorePlace.pipeline
    var path = ""
    do {
      let store = try await Store(inMemoryFor: pipeline)
      let other = try await Store(inMemoryFor: pipeline)
      path = store.path
      let first = try await store.run(pipeline, on: .bytes(#"[{"id": "a"}, {"id": "b"}]"#.utf8))
      let pinned = try await store.pin()
      let second = try await store.run(pipeline, on: .bytes(#"[{"id": "a", "magnitude": 2}]"#.utf8))
      #expect(try await store.fetch(ObjectQuery("Quake", where: "magnitude > 1")).map(\.id) == [1])
      #expect(try await pinned.fetch(ObjectQuery("Quake", where: "magnitude > 1")).isEmpty)
      #expect(try await store.transactions(HistoryRequest(after: first.token)).map(\.token) == [second.token])
      #expect(try await other.count(ObjectQuery("Quake")) == 0)
      // Other programs may look at it while it lives.
      let queue = try DatabaseQueue(path: path)
      #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Quake") } == 2)
    }
    let folder = URL(filePath: path).deletingLastPathComponent().path
    for _ in 0..<500 where FileManager.default.fileExists(atPath: folder) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `a file and bytes in memory are inputs like a stream`() async throws {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let text = #"[{"id": "a", "magnitude": 1.5}, {"id": "b"}]"#
    try Data(text.utf8).write(to: place.url("feed.json"))
    let fromFile = try await store.run(pipeline, on: .file(place.path("feed.json")))
    #expect(fromFile.progress.counts.inserted == 2)
    let fromBytes = try await store.run(pipeline, on: .bytes(text.utf8))
    #expect(fromBytes.progress.counts.unchanged == 2)
    #expect(fromBytes.token == nil)
    #expect(fromBytes.run == 2)
    #expect(try place.rows() == ["a|1.5", "b|"])
  }

  @Test func `rejected records are in the report, with their places`() async throws {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let text = "[{\"id\": \"a\"},\n {\"id\": \"b\", \"magnitude\": \"strong\"}]"
    var options = ImportOptions()
    let strict = try await store.run(pipeline, on: .bytes(text.utf8, name: "feed"), options: options)
    #expect(strict.verdict == .tooManyRejected)
    let reject = try #require(strict.firstRejects.first)
    #expect(reject.code == "not-a-number")
    #expect(reject.attribute == "magnitude")
    #expect((reject.input, reject.record, reject.line, reject.column) == ("feed", 2, 2, 27))
    #expect(reject.byte == 15)
    #expect(reject.text == #"{"id": "b", "magnitude": "strong"}"#)
    options.rejectLimit = .percent(50)
    let lenient = try await store.run(pipeline, on: .bytes(text.utf8), options: options)
    #expect(lenient.verdict == .someRejected)
    #expect(try place.rows() == ["a|"])
  }

  @Test func `an import that ends early throws the report of what it did`() async throws {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let error = try #require(
      await #expect(throws: ImportError.self) {
        try await store.run(pipeline, on: .bytes(#"[{"id": "a"}, {"id": "#.utf8, name: "feed"))
      })
    #expect(error.kind == .badInput)
    #expect(error.code == "input-ends")
    #expect(error.message.hasPrefix("feed:1:22: the input ends inside record 2 (byte 21)."))
    #expect(error.hint != nil)
    #expect(error.report?.progress.counts.inserted == 1)
    #expect(error.report?.token != nil)
    #expect(try place.rows() == ["a|"])
  }

  @Test func `a missing file is told by its kind`() async throws {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let error = try #require(
      await #expect(throws: ImportError.self) {
        try await store.run(pipeline, on: .file(place.path("nowhere.json")))
      })
    #expect(error.kind == .noInput)
    #expect(error.code == "noSuchFile")
    #expect(error.report == nil)
  }

  @Test func `a pipeline with problems makes no store`() async throws {
    var pipeline = StorePlace.pipeline
    pipeline.entity = "Quak"
    await #expect(throws: PipelineError.self) {
      try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    }
    #expect(!FileManager.default.fileExists(atPath: place.path("quakes.sqlite")))
  }

  @Test func `a pipeline built in code is the one that its file says`() throws {
    try Data(StorePlace.yaml.utf8).write(to: place.url("quakes.yaml"))
    let read = try Pipeline(path: place.path("quakes.yaml"))
    let built = StorePlace.pipeline
    #expect(read.name == built.name)
    #expect(read.entity == built.entity)
    #expect(read.model == built.model)
    #expect(read.fields == built.fields)
    #expect(read.store == place.path("quakes.sqlite"))
  }

  @Test func `progress and small chunks are told while the import runs`() async throws {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let seen = Seen()
    var options = ImportOptions()
    options.chunkRows = 10
    options.progress = { seen.add($0.read) }
    let rows = (1...35).map { #"{"id": "\#($0)"}"# }.joined(separator: "\n")
    let report = try await store.run(pipeline, on: .bytes(rows.utf8), options: options)
    #expect(report.progress.chunks == 4)
    #expect(seen.numbers == [10, 20, 30, 35])
  }
}
