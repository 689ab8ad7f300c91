import Bolide
import Foundation
import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// A view that stays where it is pinned.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct QueryGenerationTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(Quakes.pipeline())
    try take("a")
  }

  @discardableResult
  private func take(_ id: String) throws -> HistoryToken {
    try #require(try store.take(Quakes.pipeline(), [["id": .text(id)]]).token)
  }

  private func ids(_ generation: QueryGeneration) async throws -> [Value] {
    try await generation.fetch(ObjectQuery("Quake")).compactMap(\.key.first?.value)
  }

  @Test func `It sees one state while imports go on, until it is advanced`() async throws {
    let generation = try await store.face.pin()
    let first = generation.token
    let second = try take("b")
    try temporary.shell("INSERT INTO Quake(id) VALUES ('x')")
    #expect(try await ids(generation) == ["a"] && generation.token == first && generation.age > .zero)
    let newest = try await generation.advance()
    // What the other program wrote was assigned: the place covers all that is seen.
    #expect(newest > second && generation.token == newest)
    #expect(try await ids(generation) == ["a", "b", "x"])
    #expect(try Replay(store, after: newest).transactions.isEmpty)
  }

  @Test func `It is advanced to a token, and no further`() async throws {
    let generation = try await store.face.pin()
    let first = generation.token
    let (second, third) = (try take("b"), try take("c"))
    try await generation.advance(to: second)
    #expect(try await ids(generation) == ["a", "b"] && generation.token == second)
    // Pruning does not take away what is pinned.
    _ = try await store.face.prune(.keepingTransactions(0))
    #expect(try await ids(generation) == ["a", "b"])
    let back = await #expect(throws: StoreError.self) { try await generation.advance(to: first) }
    #expect(back?.code == .tokenExpired)
    try await generation.advance(to: third)
    #expect(try await ids(generation) == ["a", "b", "c"])
    do {
      let fourth = try take("d")
      _ = try await generation.advance()
      let fifth = try take("e")
      try await generation.advance(to: fifth)
      let error = await #expect(throws: StoreError.self) { try await generation.advance(to: fourth) }
      #expect(
        error?.message == "\(temporary.path): the token \(fourth) is not after \(fifth)"
          && error?.code == .badRequest)
      #expect(error?.hint == "A query generation only advances, from transaction to transaction.")
    }
    #expect(try await ids(generation).count == 5)
  }

  @Test func `Others are told of it until it ends`() async throws {
    #expect(try store.status().pins.isEmpty)
    let token = try await store.face.pinned { generation in
      let second = try await store.face.pin()
      let pins = try store.status().pins
      // As private as the store.
      let files = try FileManager.default.contentsOfDirectory(atPath: temporary.folder.path)
      for file in files where file.contains("-pin-") {
        let path = temporary.folder.appendingPathComponent(file).path
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
      }
      #expect(pins.map(\.process) == [getpid(), getpid()] && pins.allSatisfy { $0.age >= 0 })
      #expect(pins.map(\.token) == [generation.token.description, second.token.description])
      let newest = try take("b")
      try await generation.advance()
      #expect(Set(try store.status().pins.map(\.token)) == [newest.description, second.token.description])
      return second.token
    }
    #expect(try store.status().pins.isEmpty)
    // One that was left behind by a process that was killed.
    let left = temporary.path + "-bolide-pin-1-left"
    try "1 2026-05-12T06:00:03.118Z \(token)".write(toFile: left, atomically: false, encoding: .utf8)
    #expect(try store.status().pins.isEmpty && !FileManager.default.fileExists(atPath: left))
  }

  @Test func `A pinned closure sees one state, and its end lets the log be emptied`() async throws {
    let counts = try await store.face.pinned { generation in
      let before = try await ids(generation).count
      try take("b")
      return [before, try await ids(generation).count]
    }
    #expect(counts == [1, 1])
    try store.writing { db in
      #expect(WriteAheadLog(store: store.path, limit: 0).empty(db))
    }
    let generation = try await store.face.pin()
    try take("c")
    try store.writing(waiting: 0, isCancelled: { true }) { db in
      #expect(!WriteAheadLog(store: store.path, limit: 0).empty(db))
    }
    #expect(try await ids(generation).count == 2)
  }
}
