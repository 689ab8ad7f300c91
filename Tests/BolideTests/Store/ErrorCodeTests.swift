import Bolide
import Foundation
import GRDB
import Testing

/// The codes that the page on the library promises, each caused for real.
@Suite struct ErrorCodeTests {
  private let place: StorePlace
  private let path: String
  private let pipeline: Pipeline

  init() throws {
    place = try StorePlace()
    path = place.path("quakes.sqlite")
    pipeline = try Pipeline(yaml: StorePlace.linkedYAML())
  }

  private func imported() async throws -> Store {
    let store = try await Store(path: path, for: pipeline)
    _ = try await store.run(pipeline, on: .bytes(#"[{"id": "a", "depth": 7, "region": 1}]"#.utf8))
    return store
  }

  private func rows() throws -> [String: String] {
    let page = try String(
      contentsOf: LibraryPageTests.root.appending(path: "Sources/Bolide/Documentation.docc/InSwift.md"),
      encoding: .utf8)
    return Dictionary(
      page.matches(of: #/\n\| ([^|]+) \| `(\w+)` \|/#).map { (String($0.1), String($0.2)) },
      uniquingKeysWith: { first, _ in first })
  }

  private func expect(
    _ situation: String, _ body: () async throws -> Void, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let code = try #require(try rows()[situation], sourceLocation: location)
    let error = await #expect(throws: StoreError.self, sourceLocation: location) { try await body() }
    #expect(error?.code.description == code, "\(situation)", sourceLocation: location)
  }

  @Test func `files that cannot be opened`() async throws {
    try await expect("there is no such file") { _ = try await Store(path: path) }
    let other = try DatabaseQueue(path: place.path("other.sqlite"))
    try await other.write { try $0.execute(sql: "CREATE TABLE notes(text)") }
    let otherPath = place.path("other.sqlite")
    try await expect("the file is another program's") { _ = try await Store(path: otherPath) }
    try await imported().close()
    try await DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 1000") }
    try await expect("the store was written by a later version") { _ = try await Store(path: path) }
  }

  @Test func `calls that cannot be made`() async throws {
    let store = try await imported()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let holder = try DatabaseQueue(path: path, configuration: configuration)
    try await expect("another program holds the write lock for longer than `lockWait`") {
      try await holder.writeWithoutTransaction { db in
        try db.execute(sql: "BEGIN IMMEDIATE")
      }
      defer { try? holder.inDatabase { try $0.execute(sql: "ROLLBACK") } }
      try await store.update(
        "Quake", where: .all, set: ["depth": 1], options: EditOptions(lockWait: .milliseconds(50)))
    }
    try await expect("an entity, an attribute or a predicate that the store does not have") {
      _ = try await store.fetch(ObjectQuery("Quake", where: "deep = 1"))
    }
    let row = try #require(try await store.fetch(ObjectQuery("Quake")).first)
    try await expect("a value of another type than the one asked for") {
      _ = try row.value("id", as: Double.self)
    }
    try await expect("`insert` of an object whose key is there already") {
      _ = try await store.insert("Quake", ["id": "a"])
    }
    try await expect("a value that breaks another rule of the table, such as `unique`") {
      _ = try await store.insert("Quake", ["id": "b"])
      _ = try await store.update("Quake", where: "id = 'b'", set: ["id": "a"])
    }
    try await expect("there is no such reader") {
      try await store.acknowledge(try await store.newestToken(), by: "nobody")
    }
    try await store.close()
    try await expect("the store was closed") { _ = try await store.fetch(ObjectQuery("Quake")) }
  }

  @Test func `a deletion that is denied`() async throws {
    let denying = try Pipeline(
      yaml: StorePlace.linkedYAML().replacing("on-delete: nullify", with: "on-delete: deny"))
    let store = try await Store(inMemoryFor: denying)
    _ = try await store.run(denying, on: .bytes(#"[{"id": "a", "depth": 7, "region": 1}]"#.utf8))
    try await expect("a delete rule denies a deletion") {
      _ = try await store.delete("Region", where: .all)
    }
  }

  @Test func `tokens that lead nowhere`() async throws {
    let store = try await imported()
    let first = try await store.newestToken()
    try await expect("the text is no token") { _ = try HistoryToken(parsing: "yesterday") }
    let other = try await Store(inMemoryFor: pipeline)
    try await expect("the token is another store's") {
      _ = try await other.changes(HistoryRequest(after: first))
    }
    let ahead = first.description.replacing("-1-", with: "-9-")
    try await expect("the token is later than the store") {
      _ = try await store.changes(HistoryRequest(after: HistoryToken(parsing: ahead)))
    }
    // Expires while it is being followed.
    var following = store.transactions(after: first).makeAsyncIterator()
    for depth in [1, 2] { _ = try await store.update("Quake", where: .all, set: ["depth": depth]) }
    #expect(try await following.next() != nil)
    for depth in [3, 4] { _ = try await store.update("Quake", where: .all, set: ["depth": depth]) }
    _ = try await store.prune(.before(.token(try await store.newestToken())))
    try await expect("the history after a token was pruned, also while it is being followed") {
      while try await following.next() != nil {}
    }
  }
}
