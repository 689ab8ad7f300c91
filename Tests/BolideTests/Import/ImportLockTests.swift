import Bolide
import Foundation
import Testing

/// The lock of a store, within one process.
@Suite struct ImportLockTests {
  private let place: StorePlace
  private let pipeline = StorePlace.pipeline

  init() throws {
    place = try StorePlace()
  }

  /// A descriptor that is closed twice is another file's the second time: it was cut to nothing.
  @Test func `runs that are rejected leave other files alone`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let (pieces, stream) = AsyncStream<[UInt8]>.makeStream()
    let (progress, chunks) = AsyncStream<Int>.makeStream()
    var options = ImportOptions()
    options.chunkRows = 1
    options.progress = { chunks.yield($0.read) }
    let holder = Task { [pipeline, options] in try await store.run(pipeline, on: pieces, options: options) }
    stream.yield(Array(#"[{"id": "a"}"#.utf8))
    for await _ in progress { break }

    let text = "notes of somebody else"
    try Data(text.utf8).write(to: place.url("notes.txt"))
    let path = place.path("notes.txt")
    // On a thread of its own: with one of the few that tests share it would stop the others.
    let (answers, answer) = AsyncStream<Bool>.makeStream()
    let watch = Thread {
      while !Thread.current.isCancelled {
        let descriptor = open(path, O_RDWR)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, Int(status.st_size) == text.utf8.count,
          close(descriptor) == 0
        else {
          answer.yield(false)
          return
        }
      }
      answer.yield(true)
    }
    watch.start()
    for _ in 1...300 {
      await #expect(throws: ImportError.self) {
        try await store.run(pipeline, on: .bytes(#"[{"id": "b"}]"#.utf8))
      }
    }
    watch.cancel()
    #expect(await answers.first { _ in true } == true)
    #expect(try String(contentsOf: place.url("notes.txt"), encoding: .utf8) == text)
    stream.yield(Array("]".utf8))
    stream.finish()
    #expect(try await holder.value.progress.counts.inserted == 1)
    #expect(try place.rows() == ["a|"])
  }

  @Test func `runs of different pipelines into one store take turns`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let reports = try await withThrowingTaskGroup { group in
      for number in 1...8 {
        var pipeline = pipeline
        pipeline.name = "quakes \(number)"
        let rows = (1...200).map { #"{"id": "\#(number) \#($0)"}"# }.joined(separator: "\n")
        group.addTask { [pipeline] in try await store.run(pipeline, on: .bytes(rows.utf8)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(reports.map(\.run)) == Set(1...8))
    #expect(reports.allSatisfy { $0.progress.counts.inserted == 200 && $0.verdict == .allLanded })
    #expect(Set(reports.map(\.token)).count == 8)
    #expect(try place.rows().count == 1_600)
    #expect(try place.texts("SELECT DISTINCT author FROM bolide_transaction").count == 8)
  }

  @Test func `runs of one pipeline at once: the store takes one, and the others are told`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let (pieces, stream) = AsyncStream<[UInt8]>.makeStream()
    let (progress, chunks) = AsyncStream<Int>.makeStream()
    var options = ImportOptions()
    options.chunkRows = 1
    options.progress = { chunks.yield($0.read) }
    let task = Task { [pipeline, options] in try await store.run(pipeline, on: pieces, options: options) }
    stream.yield(Array(#"[{"id": "a"}"#.utf8))
    for await _ in progress { break }
    let other = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    for store in [store, other] {
      let error = try #require(
        await #expect(throws: ImportError.self) {
          try await store.run(pipeline, on: .bytes(#"[{"id": "b"}]"#.utf8))
        })
      #expect(error.kind == .store(.locked))
    }
    stream.yield(Array("]".utf8))
    stream.finish()
    #expect(try await task.value.progress.counts.inserted == 1)
    #expect(try place.rows() == ["a|"])
  }
}
