import Bolide
import Foundation
import GRDB
import Testing

// What the page says of following a store, and of delivering.
extension LibraryPageTests {
  @Test func `following`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let index = Index()
    let reader = Task {
      var saved: HistoryToken?
      for try await transaction in store.transactions(after: saved) {
        await index.apply(transaction.changes)
        saved = transaction.token
      }
      return saved
    }
    let report = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    while await index.keys.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    reader.cancel()
    #expect(try await reader.value == report.token)
  }

  @Test func `following typed changes`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let index = Index()
    let reader = Task {
      var saved: HistoryToken?
      struct Fireball: Decodable, Sendable {
        var date: Date
        var energy: Double?
      }
      for try await change in store.changes(of: "Fireball", as: Fireball.self, after: saved) {
        await index.put(change.object, for: change.id)
        saved = change.token ?? saved
      }
      return saved
    }
    let report = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    while await index.ids.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    reader.cancel()
    #expect(try await reader.value == report.token)
    #expect(await index.ids == [1, 2])
  }

  @Test func `an answer that is kept up to date`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let list = List()
    let watch = Task {
      let request = ObjectQuery("Fireball", sort: [.init("energy", ascending: false)], limit: 10)
      for try await largest in store.values(of: request) {
        await list.show(largest)
      }
    }
    _ = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    while await list.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    watch.cancel()
    try await watch.value
  }

  @Test func `a token that has expired`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let first = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    let revised = Self.feed.replacing("0.1", with: "0.2")
    let second = try await store.run(pipeline, on: .bytes(revised.utf8))
    let index = Index()
    await index.apply([])
    let (stream, rows) = AsyncStream<Snapshot.Row>.makeStream()
    func changes(after saved: HistoryToken) async throws -> [HistoryChange] {
      do {
        return try await store.changes(HistoryRequest(after: saved))
      } catch let error as StoreError where [.tokenExpired, .tokenDiverged].contains(error.code) {
        await index.clear()
        let snapshot = try await store.snapshot { rows.yield($0) }
        return try await store.changes(HistoryRequest(after: snapshot.token))
      }
    }
    let saved = try #require(first.token)
    #expect(try await changes(after: saved).map(\.entity) == ["Fireball", "FireballGroup"])
    _ = try await store.prune(.before(.token(try #require(second.token))))
    #expect(try await changes(after: saved).isEmpty)
    rows.finish()
    var ids: [Int64] = []
    for await row in stream where row.entity == "Fireball" { ids.append(row.id) }
    #expect(ids == [1, 2])
  }

  @Test func `delivering`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let report = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    let app = try DatabaseQueue(path: store.path)
    try await app.write { try $0.execute(sql: "CREATE TABLE seen(entity TEXT PRIMARY KEY, count INTEGER)") }
    try await store.addReader("totals", from: .beginning)
    let sql = "INSERT INTO seen VALUES (?, 1) ON CONFLICT DO UPDATE SET count = count + 1"
    let place = try await store.deliver(to: "totals") { transaction, connection in
      for change in transaction.changes where change.kind == .insert {
        try connection.execute(sql, [.text(change.entity)])
      }
    }
    #expect(place == report.token)
    let seen = try await app.read {
      try String.fetchAll($0, sql: "SELECT entity || count FROM seen ORDER BY entity")
    }
    #expect(seen == ["Fireball2", "FireballGroup1"])
  }

  @Test func `delivering to another system`() async throws {
    let pipeline = try Pipeline(path: file)
    let store = try await Store(inMemoryFor: pipeline)
    let report = try await store.run(pipeline, on: .bytes(Self.feed.utf8))
    let search = Index()
    try await store.addReader("search", from: .beginning)
    let place = try await store.deliver(to: "search") { transaction in
      try await search.send(transaction.changes)
    }
    #expect(place == report.token)
    #expect(await search.keys.count == 3)
  }
}

/// What a program might make of changes.
private actor Index {
  private(set) var keys: [[HistoryChange.Property]] = []

  private(set) var ids: [Int64] = []

  func apply(_ changes: [HistoryChange]) { keys += changes.map(\.key) }

  func send(_ changes: [HistoryChange]) throws {
    try Task.checkCancellation()
    apply(changes)
  }

  func put(_ object: (some Sendable)?, for id: Int64) { if object != nil { ids.append(id) } }

  func clear() { keys = [] }
}

/// What a program might show.
private actor List {
  private(set) var count = 0

  func show(_ rows: [Snapshot.Row]) { count = rows.count }
}
