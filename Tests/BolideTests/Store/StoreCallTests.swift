import Bolide
import Foundation
import GRDB
import Testing

/// Calls of the library that wait: what they hold up, and what ends them.
@Suite struct StoreCallTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private let place: StorePlace
  private let fireballs: Pipeline

  init() throws {
    place = try StorePlace()
    fireballs = try Pipeline(path: Self.root.appending(path: "pipelines/fireballs.yaml").path)
  }

  /// A store of two fireballs of two years.
  private func fireballStore() async throws -> Store {
    let store = try await Store(path: place.path("fireballs.sqlite"), for: fireballs, lockWait: .seconds(60))
    let feed = #"[{"date": "2026-05-12 03:14:07"}, {"date": "2025-04-01 23:59:35"}]"#
    _ = try await store.run(fireballs, on: .bytes(feed.utf8))
    return store
  }

  /// Another program, which holds the lock of a store from now on.
  private func lock(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(path: path, configuration: configuration)
    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    return other
  }

  private func link(_ store: Store, _ options: EditOptions = EditOptions()) async throws -> EditReport {
    try await store.link(
      "Fireball", "group", where: "date = ?", [.text("2026-05-12T03:14:07Z")], to: ["year": .integer(2025)],
      options: options)
  }

  @Test func `calls that wait for another program hold up no task and no read, and end when cancelled`()
    async throws
  {
    let store = try await fireballStore()
    let before = try await store.history(HistoryRequest())
    let other = try lock(store.path)
    let calls = (1...100).map { _ in Task { try await link(store) } }
    // The others wait for the same: in the line, and no longer than this one is told. They may not be in it yet.
    var busy: StoreError?
    for _ in 1...100 where busy != .writerInUse {
      busy = await #expect(throws: StoreError.self) {
        try await link(store, EditOptions(lockWait: .milliseconds(50)))
      }
    }
    #expect(busy == .writerInUse)
    #expect(busy?.message == "another call of this process writes to the store")
    #expect(busy?.hint == "Try again when it has ended.")
    #expect(try await store.fetch(ObjectQuery("Fireball")).count == 2)
    #expect(try await store.changeCount(HistoryRequest()) == before.reduce(0) { $0 + $1.changes.count })
    for call in calls { call.cancel() }
    for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    // Only now.
    try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
    #expect(try await store.history(HistoryRequest()) == before)
    #expect(try await link(store).counts.map(\.updated) == [1, 2])
  }

  @Test func `a call waits for another program no longer than it is told`() async throws {
    let store = try await fireballStore()
    let other = try lock(store.path)
    let busy = await #expect(throws: StoreError.self) {
      try await link(store, EditOptions(lockWait: .zero))
    }
    #expect(busy?.code == .busy)
    try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
    #expect(try await link(store, EditOptions(lockWait: .zero)).token != nil)
    // A call before it that has ended is none to wait for.
    for _ in 1...100 { #expect(try await link(store, EditOptions(lockWait: .zero)).token == nil) }
  }

  @Test func `opening ends when it is cancelled, or after the time that it is told`() async throws {
    let path = place.path("quakes.sqlite")
    _ = try await Store(path: path, for: StorePlace.pipeline)
    var wider = StorePlace.pipeline
    wider.model.entities[0].attributes.append(Attribute(name: "depth", type: .double))
    let other = try lock(path)
    let opening = Task { [wider] in try await Store(path: path, for: wider) }
    let busy = await #expect(throws: StoreError.self) {
      try await Store(path: path, for: wider, lockWait: .milliseconds(20))
    }
    #expect(busy?.code == .busy)
    opening.cancel()
    await #expect(throws: CancellationError.self) { try await opening.value }
    try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
    #expect(try place.texts("SELECT name FROM pragma_table_info('Quake') WHERE name = 'depth'") == [])
  }

  @Test func `beside an atomic import reads are answered, and writes wait`() async throws {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    _ = try await store.run(pipeline, on: .bytes(#"[{"id": "a"}]"#.utf8))
    let (pieces, stream) = AsyncStream<[UInt8]>.makeStream()
    let (progress, chunks) = AsyncStream<Int>.makeStream()
    var options = ImportOptions()
    options.chunkRows = 1
    options.isAtomic = true
    options.progress = { chunks.yield($0.read) }
    let task = Task { [options] in try await store.run(pipeline, on: pieces, options: options) }
    stream.yield(Array(#"[{"id": "b"}"#.utf8))
    for await _ in progress { break }
    #expect(try await store.fetch(ObjectQuery("Quake")).count == 1)
    #expect(try await store.changeCount(HistoryRequest()) == 1)
    let deleting = Task { try await store.delete("Quake", where: .all) }
    let busy = await #expect(throws: StoreError.self) {
      try await store.delete("Quake", where: .all, options: EditOptions(lockWait: .milliseconds(20)))
    }
    #expect(busy?.code == .busy)
    deleting.cancel()
    await #expect(throws: CancellationError.self) { try await deleting.value }
    // Only now.
    stream.yield(Array("]".utf8))
    stream.finish()
    #expect(try await task.value.progress.counts.inserted == 1)
    #expect(try place.rows() == ["a|", "b|"])
  }

  @Test func `a read does not wait until other programs' changes can be made a transaction`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: StorePlace.pipeline)
    let other = try DatabaseQueue(path: store.path)
    try await other.write { try $0.execute(sql: "INSERT INTO Quake(id) VALUES ('a')") }
    let locked = try lock(store.path)
    #expect(try await store.fetch(ObjectQuery("Quake")).count == 1)
    #expect(try await store.changeCount(HistoryRequest()) == 0)
    try locked.inDatabase { try $0.execute(sql: "ROLLBACK") }
    #expect(try await store.changeCount(HistoryRequest()) == 1)
  }

  @Test func `a read ends when it is cancelled: between objects, inside a statement, inside a copy`()
    async throws
  {
    let pipeline = StorePlace.pipeline
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let rows = (1...20_000).map { #"{"id": "\#($0)"}"# }.joined(separator: "\n")
    _ = try await store.run(pipeline, on: .bytes(rows.utf8))
    let seen = Seen()
    let (first, began) = AsyncStream<Void>.makeStream()
    let isCancelled = DispatchSemaphore(value: 0)
    let fetch = Task {
      try await store.fetch(ObjectQuery("Quake")) { _ in
        seen.add(1)
        began.yield()
        isCancelled.wait()
      }
    }
    for await _ in first { break }
    fetch.cancel()
    isCancelled.signal()
    await #expect(throws: CancellationError.self) { try await fetch.value }
    #expect(seen.numbers == [1])
    let engine = store.engine
    let call = StoreCall()
    call.cancel()
    let slow = ObjectQuery("Quake", where: "magnitude IS NOT NULL")
    let error = #expect(throws: StoreError.self) {
      try StoreCall.$current.withValue(call) { try engine.readCount(slow, at: nil) }
    }
    #expect(error?.code == .interrupted)
    let copy = place.path("copy.sqlite")
    #expect(throws: CancellationError.self) {
      try StoreCall.$current.withValue(call) { _ = try engine.backUp(to: copy) }
    }
    #expect(!FileManager.default.fileExists(atPath: copy))
    // What it was for is done: the rest is not given up.
    call.settle()
    #expect(try StoreCall.$current.withValue(call) { try engine.readCount(slow, at: nil) } == 0)
  }

  @Test func `a delivery that is cancelled hands over no more; one that is over is a success`() async throws {
    let store = try await Store(path: place.path("quakes.sqlite"), for: StorePlace.pipeline)
    try await store.addReader("index", from: .beginning)
    for id in ["a", "b"] {
      _ = try await store.run(StorePlace.pipeline, on: .bytes("[{\"id\": \"\(id)\"}]".utf8))
    }
    func deliver(cancelledIn last: Int) async throws -> (token: HistoryToken?, seen: [Int]) {
      let seen = Seen()
      let (reached, isReached) = AsyncStream<Void>.makeStream()
      let isCancelled = DispatchSemaphore(value: 0)
      let delivery = Task {
        try await store.deliver(to: "index") { _, _ in
          seen.add(seen.numbers.count + 1)
          guard seen.numbers.count == last else { return }
          isReached.yield()
          isCancelled.wait()
        }
      }
      for await _ in reached { break }
      delivery.cancel()
      isCancelled.signal()
      return (try await delivery.value, seen.numbers)
    }
    await #expect(throws: CancellationError.self) { try await deliver(cancelledIn: 1) }
    // Nothing of it had happened.
    let second = try await deliver(cancelledIn: 2)
    #expect(second.seen == [1, 2])
    #expect(try await store.namedReaders().map(\.changesBehind) == [0])
    #expect(second.token != nil)
  }

  @Test func `where the system has no thread, that is said`() {
    #expect(StoreError.noThread.message == "the system cannot start another thread for this process")
    #expect(StoreError.noThread.hint == "Raise the limit on processes, or end some.")
  }

  @Test func `the last step of a call that is given up has a second`() {
    let call = StoreCall()
    call.cancel()
    StoreCall.$current.withValue(call) {
      #expect(StoreCall.isCancelled)
      StoreCall.finishing {
        #expect(!StoreCall.isCancelled)
        let start = ContinuousClock.now
        while !StoreCall.isCancelled { usleep(1000) }
        #expect(start.duration(to: .now) > .milliseconds(900))
      }
      #expect(StoreCall.isCancelled)
    }
  }
}
