import Bolide
import Foundation
import Testing

/// Imports from sequences of bytes, stopped ones, and several at once.
@Suite struct ImportStreamTests {
  private let place: StorePlace
  private let pipeline = StorePlace.pipeline

  init() throws {
    place = try StorePlace()
  }

  private static let rows = (1...2_000).map { #"{"id": "\#($0)", "magnitude": \#(Double($0) / 8)}"# }
    .joined(separator: ",")

  @Test(arguments: [1, 7, 4_096]) func `pieces of any size give the same rows`(size: Int) async throws {
    let bytes = Array("[\(Self.rows)]".utf8)
    let pieces = AsyncStream<ArraySlice<UInt8>> { stream in
      for start in stride(from: 0, to: bytes.count, by: size) {
        stream.yield(bytes[start..<min(start + size, bytes.count)])
        // A piece without a byte is not the end.
        stream.yield([])
      }
      stream.finish()
    }
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let report = try await store.run(pipeline, on: pieces)
    #expect(report.progress.counts.inserted == 2_000)
    #expect(report.progress.bytes == bytes.count)
    let again = try await store.run(pipeline, on: .bytes(bytes))
    #expect(again.progress.counts.unchanged == 2_000)
  }

  @Test func `a sequence that fails ends the import, and what came before stays`() async throws {
    struct Lost: Error, CustomStringConvertible { let description = "the connection was lost" }
    let pieces = AsyncThrowingStream<[UInt8], any Error> { stream in
      stream.yield(Array(#"[{"id": "a"}, {"id": "b"}, {"i"#.utf8))
      stream.finish(throwing: Lost())
    }
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let error = try #require(
      await #expect(throws: ImportError.self) { try await store.run(pipeline, on: pieces, named: "body") })
    #expect(error.kind == .inputOutput)
    #expect(
      error.message
        == "body: the sender failed after byte 30: the connection was lost. The 2 records read are in the store"
    )
    #expect(error.report?.progress.counts.inserted == 2)
    #expect(try place.rows() == ["a|", "b|"])
    #expect(try place.texts("SELECT outcome FROM bolide_run") == ["senderFailed"])
  }

  @Test func `a sequence without a byte is no input`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let error = try #require(
      await #expect(throws: ImportError.self) {
        try await store.run(pipeline, on: AsyncStream<[UInt8]> { $0.finish() }, named: "body")
      })
    #expect(error.kind == .noInput)
    #expect(error.message == "body: the input is empty")
  }

  @Test func `a cancelled task stops at the edge of a chunk, and the import can be run again`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let (pieces, stream) = AsyncStream<[UInt8]>.makeStream()
    let (progress, chunks) = AsyncStream<Int>.makeStream()
    var options = ImportOptions()
    options.chunkRows = 100
    options.progress = { chunks.yield($0.read) }
    let task = Task { [pipeline, options] in
      try await store.run(pipeline, on: pieces, named: "body", options: options)
    }
    stream.yield(Array("[\(Self.rows)".utf8))
    // The stream stays open; some chunks are in the store.
    for await read in progress where read >= 500 { break }
    task.cancel()
    let error = try #require(await #expect(throws: ImportError.self) { try await task.value })
    #expect(error.kind == .cancelled && error.message == "the import was stopped")
    #expect(error.hint == "To continue, run the same command: no row is duplicated.")
    let count = try #require(error.report?.progress.counts.inserted)
    #expect(count >= 500 && count % 100 == 0)
    #expect(try place.rows().count == count)
    #expect(try place.texts("SELECT outcome || inserted FROM bolide_run") == ["cancelled\(count)"])
    let report = try await store.run(pipeline, on: .bytes("[\(Self.rows)]".utf8))
    #expect(report.progress.counts.unchanged == count)
    #expect(report.progress.counts.inserted == 2_000 - count)
    stream.finish()
  }

  @Test func `a task that was cancelled before it began imports nothing`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let (gate, open) = AsyncStream<Void>.makeStream()
    let task = Task { [pipeline] in
      for await _ in gate {}
      return try await store.run(pipeline, on: .bytes(#"[{"id": "a"}]"#.utf8))
    }
    task.cancel()
    open.finish()
    let error = try #require(await #expect(throws: ImportError.self) { try await task.value })
    #expect(error.kind == .cancelled)
    #expect(try place.rows() == [])
  }

  @Test func `a pipeline with problems is told as one`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    var wrong = pipeline
    wrong.entity = "Nothing"
    let error = try #require(
      await #expect(throws: ImportError.self) { try await store.run(wrong, on: .bytes("[]".utf8)) })
    #expect(error.kind == .pipeline && error.code == "pipeline")
  }

  /// A sender that says nothing more, and does not end.
  private func quiet(after text: String) -> (AsyncStream<[UInt8]>, AsyncStream<[UInt8]>.Continuation) {
    let (pieces, stream) = AsyncStream<[UInt8]>.makeStream()
    stream.yield(Array(text.utf8))
    return (pieces, stream)
  }

  /// Without the mend these tests never end. The limit is long: a test waits for its turn among all the others.
  @Test(.timeLimit(.minutes(20)))
  func `the call returns when the import has ended, though the sequence is quiet`()
    async throws
  {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let (broken, first) = quiet(after: #"[{"id": "a"}, }"#)
    let syntax = try #require(
      await #expect(throws: ImportError.self) { try await store.run(pipeline, on: broken, named: "body") })
    #expect(syntax.kind == .badInput)

    var options = ImportOptions()
    options.lockWait = 0
    let (progress, chunks) = AsyncStream<Int>.makeStream()
    options.chunkRows = 1
    options.progress = { chunks.yield($0.read) }
    let (pieces, second) = quiet(after: #"[{"id": "b"}, {"id": "c"}, "#)
    let holder = Task { [pipeline, options] in try await store.run(pipeline, on: pieces, options: options) }
    for await read in progress where read >= 1 { break }
    let (waiting, third) = quiet(after: "[")
    let locked = try #require(
      await #expect(throws: ImportError.self) { try await store.run(pipeline, on: waiting, options: options) }
    )
    #expect(locked.kind == .store(.locked))

    options.cancellation.cancel()
    let stopped = try #require(await #expect(throws: ImportError.self) { try await holder.value })
    #expect(stopped.kind == .cancelled)
    // The sequences were still open.
    for stream in [first, second, third] { stream.finish() }
  }

  @Test(.timeLimit(.minutes(20)))
  func `a cancelled task stops its own import, and no other of the same options`()
    async throws
  {
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let other = try await Store(path: place.path("other.sqlite"), for: pipeline)
    let options = ImportOptions()
    let (pieces, stream) = quiet(after: #"[{"id": "a"}"#)
    let (rest, end) = quiet(after: #"[{"id": "b"}"#)
    let cancelled = Task { [pipeline] in try await store.run(pipeline, on: pieces, options: options) }
    let good = Task { [pipeline] in try await other.run(pipeline, on: rest, options: options) }
    cancelled.cancel()
    let error = try #require(await #expect(throws: ImportError.self) { try await cancelled.value })
    #expect(error.kind == .cancelled && !options.cancellation.isCancelled)
    end.yield(Array("]".utf8))
    end.finish()
    #expect(try await good.value.progress.counts.inserted == 1)
    let later = try await store.run(pipeline, on: .bytes(#"[{"id": "c"}]"#.utf8), options: options)
    #expect(later.progress.counts.inserted == 1)
    stream.finish()
  }
}
