import Bolide
import GRDB
import Testing

/// Changes as they are committed, with the objects as a type of one's own.
@Suite struct TypedChangesTests {
  private let store: Store
  private let pipeline: Pipeline

  struct Quake: Decodable, Sendable, Equatable {
    var id: String
    var depth: Int?
    var region: Int64?
  }

  init() async throws {
    pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
    store = try await Store(inMemoryFor: pipeline)
  }

  @discardableResult
  private func load(_ depths: [String: Int], region: Int = 1) async throws -> HistoryToken? {
    let records = depths.sorted { $0.key < $1.key }.map {
      #"{"id": "\#($0.key)", "depth": \#($0.value), "region": \#(region)}"#
    }
    return try await store.run(pipeline, on: .bytes(records.joined(separator: "\n").utf8)).token
  }

  @Test func `each change has its object, what was before, its author, and the last one the token`()
    async throws
  {
    var changes = store.changes(of: "Quake", as: Quake.self).makeAsyncIterator()
    let first = try await load(["a": 1, "b": 2])
    let one = try #require(try await changes.next())
    #expect(one.kind == .insert && one.object == Quake(id: "a", depth: 1, region: 1))
    #expect(one.previous.isEmpty && one.changed.isEmpty && one.token == nil && one.author == "quakes")
    let two = try #require(try await changes.next())
    #expect(two.object?.id == "b" && two.token == first && two.key.map(\.value) == [.text("b")])
    let other = try DatabaseQueue(path: store.path)
    try await other.write { try $0.execute(sql: "UPDATE Quake SET depth = NULL WHERE id = 'b'") }
    let three = try #require(try await changes.next())
    #expect(three.kind == .update && three.id == two.id && three.author == nil && three.token != nil)
    #expect(three.object == Quake(id: "b", depth: nil, region: 1))
    #expect(three.changed == ["depth"] && three.previous["depth", as: Int.self] == 2)
    // The objects are the present ones: nil when a later transaction has deleted them.
    try await load(["a": 10])
    _ = try await store.delete("Quake", where: "id = 'a'", options: EditOptions(author: "editor"))
    let four = try #require(try await changes.next())
    #expect(four.kind == .update && four.object == nil && four.previous["depth", as: Int.self] == 1)
    let five = try #require(try await changes.next())
    #expect(five.kind == .delete && five.object == nil && five.author == "editor" && five.changed.isEmpty)
    #expect(five.previous["depth", as: Int.self] == 10 && five.key.map(\.value) == [.text("a")])
    #expect(try await five.token == store.newestToken())
  }

  @Test func `who goes on from the newest token misses nothing, wherever it stopped`() async throws {
    for round in 0..<3 { try await load(["a": round, "b": round, "c": round]) }
    let total = 9
    func read(
      _ count: Int, after token: HistoryToken?
    ) async throws -> (seen: [String], token: HistoryToken?) {
      var (seen, saved) = ([String](), token)
      var changes = store.changes(of: "Quake", as: Quake.self, after: token).makeAsyncIterator()
      for _ in 0..<count {
        guard let change = try await changes.next() else { break }
        seen.append("\(change.kind) \(change.id) \(change.previous["depth", as: Int.self] ?? -1)")
        saved = change.token ?? saved
      }
      return (seen, saved)
    }
    let all = try await read(total, after: nil).seen
    #expect(Set(all).count == total)
    for stop in 0...total {
      let (seen, saved) = try await read(stop, after: nil)
      let whole = stop - stop % 3
      #expect((saved == nil) == (whole == 0))
      #expect(try await seen.prefix(whole) + read(total - whole, after: saved).seen == all)
    }
  }

  @Test func `the changes of one object leave out the others`() async throws {
    try await load(["a": 1, "b": 2])
    let row = try #require(try await store.fetch(ObjectQuery("Quake", where: "id = 'b'")).first)
    let object = ObjectID(entity: row.entity, id: row.id)
    var changes = store.changes(of: object, as: Quake.self, after: try await store.newestToken())
      .makeAsyncIterator()
    try await load(["a": 3])
    let token = try await load(["a": 4, "b": 5, "c": 6])
    let change = try #require(try await changes.next())
    #expect(change.id == row.id && change.changed == ["depth"] && change.token == token)
    #expect(change.object == Quake(id: "b", depth: 5, region: 1))
  }

  @Test func `history that is pruned before it was read ends them with an error`() async throws {
    try await load(["a": 1, "b": 2])
    var changes = store.changes(of: "Quake", as: Quake.self).makeAsyncIterator()
    #expect(try await changes.next()?.object?.id == "a")
    try await load(["c": 3])
    let last = try #require(try await load(["d": 4]))
    _ = try await store.prune(.before(.token(last)))
    // What was read with the first one is there yet.
    #expect(try await changes.next()?.object?.id == "b")
    let error = await #expect(throws: StoreError.self) { _ = try await changes.next() }
    #expect(error?.code == .tokenExpired)
  }

  @Test func `from the beginning of a pruned history they say that it has expired`() async throws {
    let first = try #require(try await load(["a": 1]))
    let last = try await load(["b": 2])
    _ = try await store.prune(.before(.token(first)))
    let typed = await #expect(throws: StoreError.self) {
      for try await _ in store.changes(of: "Quake", as: Quake.self) {}
    }
    let plain = await #expect(throws: StoreError.self) { for try await _ in store.transactions() {} }
    #expect(typed?.code == .tokenExpired && plain?.code == .tokenExpired)
    // The oldest that is kept is to be had too.
    var kept = store.transactions(following: HistoryRequest(from: .beginning)).makeAsyncIterator()
    #expect(try await kept.next()?.token == last)
  }

  @Test func `they end with their task, and with an entity or a type that is wrong`() async throws {
    struct Other: Decodable, Sendable { var magnitude: Double? }
    try await load(["a": 1, "b": 2])
    let type = await #expect(throws: StoreError.self) {
      for try await _ in store.changes(of: "Quake", as: Other.self) {}
    }
    #expect(type?.message.contains("magnitude") == true)
    let entity = await #expect(throws: StoreError.self) {
      for try await _ in store.changes(of: "Quakes", as: Quake.self) {}
    }
    #expect(entity?.code == .badRequest)
    let (started, starts) = AsyncStream<Void>.makeStream()
    let task = Task { [store] in
      var ids: [String] = []
      for try await change in store.changes(of: "Quake", as: Quake.self) {
        ids.append(change.object?.id ?? "")
        starts.yield()
        // Also inside a transaction.
        while !Task.isCancelled { await Task.yield() }
      }
      return ids
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == ["a"])
  }
}
