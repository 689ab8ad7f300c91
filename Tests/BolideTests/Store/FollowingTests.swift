import Bolide
import Foundation
import GRDB
import Testing

/// Sequences that go on with what any program commits.
@Suite struct FollowingTests {
  private let store: Store
  private let pipeline: Pipeline

  init() async throws {
    pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
    store = try await Store(inMemoryFor: pipeline)
  }

  private func load(_ depths: [String: Int], region: Int = 1) async throws {
    let records = depths.sorted { $0.key < $1.key }.map {
      #"{"id": "\#($0.key)", "depth": \#($0.value), "region": \#(region)}"#
    }
    _ = try await store.run(pipeline, on: .bytes(records.joined(separator: "\n").utf8))
  }

  /// The texts of a column of rows.
  private func texts(_ rows: [Snapshot.Row]?, _ name: String) -> [String]? {
    rows?.map { row in
      switch row.values.first(where: { $0.name == name })?.value {
      case .text(let text): text
      case .integer(let number): String(number)
      default: "null"
      }
    }
  }

  @Test func `a request is answered again when a commit has changed its answer`() async throws {
    try await load(["a": 5, "b": 700, "c": 20])
    var deep = ObjectQuery("Quake", where: "depth > 10", sort: [.init("depth", ascending: false)], limit: 2)
    deep.properties = ["id", "depth"]
    deep.batchSize = 1
    var answers = store.values(of: deep).makeAsyncIterator()
    #expect(texts(try await answers.next(), "id") == ["b", "c"])
    // Nothing that it asks for changes, and then something does.
    try await load(["a": 6])
    try await load(["d": 300])
    #expect(texts(try await answers.next(), "id") == ["b", "d"])
    let other = try DatabaseQueue(path: store.path)
    try await other.write { try $0.execute(sql: "UPDATE Quake SET depth = 900 WHERE id = 'a'") }
    #expect(texts(try await answers.next(), "depth") == ["900", "700"])
    // Who is slow gets the newest one.
    for depth in 1_000..<1_010 { try await load(["a": depth]) }
    #expect(texts(try await answers.next(), "depth") == ["1009", "700"])
  }

  @Test func `derived attributes are true in every answer`() async throws {
    var answers = store.values(of: ObjectQuery("Region")).makeAsyncIterator()
    #expect(try await answers.next() == [])
    try await load(["a": 1, "b": 2])
    #expect(texts(try await answers.next(), "count") == ["2"])
    let other = try DatabaseQueue(path: store.path)
    try await other.write { try $0.execute(sql: "DELETE FROM Quake WHERE id = 'a'") }
    #expect(texts(try await answers.next(), "count") == ["1"])
  }

  @Test func `answers end with their task, and with a store that is closed or a request that is wrong`()
    async throws
  {
    let request = ObjectQuery("Quake")
    let (started, starts) = AsyncStream<Void>.makeStream()
    let task = Task { [store] in
      var count = 0
      for try await _ in store.values(of: request) {
        count += 1
        starts.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
    let wrong = await #expect(throws: StoreError.self) {
      for try await _ in store.values(of: ObjectQuery("Quakes")) {}
    }
    #expect(wrong?.code == .badRequest)
    var answers = store.values(of: request).makeAsyncIterator()
    _ = try await answers.next()
    try await store.close()
    let closed = await #expect(throws: StoreError.self) { _ = try await answers.next() }
    #expect(closed?.code == .closed)
  }

  @Test func `only the transactions and changes that a request wants are handed over`() async throws {
    try await load(["a": 1, "b": 2])
    let start = try await store.newestToken()
    var request = HistoryRequest(after: start)
    request.entities = ["Quake"]
    request.kinds = [.update]
    request.includesValues = true
    request.excludedAuthors = ["editor"]
    (request.limit, request.isNet, request.end) = (1, true, .beginning)
    var transactions = store.transactions(following: request).makeAsyncIterator()
    try await load(["c": 3], region: 2)
    _ = try await store.delete("Quake", where: "id = 'c'", options: EditOptions(author: "editor"))
    try await load(["a": 10, "b": 20, "d": 4])
    let found = try #require(try await transactions.next())
    #expect(found.changes.map(\.entity) == ["Quake", "Quake"])
    #expect(
      found.changes.map { change in change.values?.first { $0.name == "depth" }?.value } == [
        .integer(10), .integer(20),
      ])
    _ = try await store.link(
      "Quake", "region", where: "id = 'b'", to: ["number": .integer(2)],
      options: EditOptions(author: "editor")
    )
    try await load(["b": 30], region: 2)
    #expect(try await transactions.next()?.changes.map(\.key.first?.value) == [.text("b")])
    let last = try #require(try await store.transactions(HistoryRequest(after: start)).last)
    #expect(last.token > found.token)
  }
}
