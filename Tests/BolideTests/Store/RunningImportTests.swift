import Bolide
import Synchronization
import Testing

@Suite struct RunningImportTests {
  private let pipeline = Pipeline(
    name: "quakes", entity: "Quake",
    model: Model(entities: [
      Entity(name: "Quake", key: ["id"], attributes: [Attribute(name: "id", type: .string, isRequired: true)])
    ]),
    fields: [Field("id")])

  private static func feed(_ count: Int) -> ImportSource {
    .bytes("[\((0..<count).map { #"{"id": "\#($0)"}"# }.joined(separator: ","))]".utf8)
  }

  private func options(rows: Int) -> ImportOptions {
    var options = ImportOptions()
    options.chunkRows = rows
    return options
  }

  @Test func `progress rises to what the report has, and then ends`() async throws {
    let store = try await Store(inMemoryFor: pipeline)
    let chunks = Mutex<[Int]>([])
    var options = options(rows: 10)
    options.progress = { progress in chunks.withLock { $0.append(progress.read) } }
    let run = store.importing(pipeline, on: Self.feed(95), options: options)
    var read: [Int] = []
    for try await progress in run { read.append(progress.read) }
    let report = try await run.report
    #expect(read.last == 95 && report.progress.counts.read == 95)
    #expect(read == read.sorted() && Set(read).isSubset(of: chunks.withLock(\.self)))
  }

  @Test func `of progress that nobody took only the newest is kept`() async throws {
    let store = try await Store(inMemoryFor: pipeline)
    let run = store.importing(pipeline, on: Self.feed(95), options: options(rows: 10))
    #expect(try await run.report.progress.counts.inserted == 95)
    var read: [Int] = []
    for try await progress in run { read.append(progress.read) }
    #expect(read == [95])
  }

  @Test func `an import that fails ends the loop with its error, and the report too`() async throws {
    let store = try await Store(inMemoryFor: pipeline)
    let run = store.importing(pipeline, on: .bytes(#"[{"id": "a"}"#.utf8))
    let looped = await #expect(throws: ImportError.self) { for try await _ in run {} }
    let reported = await #expect(throws: ImportError.self) { try await run.report }
    #expect(looped?.code == "input-ends" && reported?.code == "input-ends")
  }

  @Test func `an import that is cancelled ends, however quiet its input`() async throws {
    let store = try await Store(inMemoryFor: pipeline)
    let (body, input) = AsyncStream.makeStream(of: [UInt8].self)
    defer { input.finish() }
    let run = store.importing(pipeline, on: body)
    run.cancel()
    let error = await #expect(throws: ImportError.self) { try await run.report }
    #expect(error?.kind == .cancelled)
  }

  @Test func `an import that nobody refers to stops`() async throws {
    let store = try await Store(inMemoryFor: pipeline)
    let (body, input) = AsyncStream.makeStream(of: [UInt8].self)
    let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
    input.onTermination = { reason in
      if case .cancelled = reason { ended.yield(true) }
      ended.finish()
    }
    _ = store.importing(pipeline, on: body)
    #expect(await ends.first { _ in true } == true)
    input.finish()
  }
}
