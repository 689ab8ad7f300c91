import Bolide
import GRDB
import Synchronization
import Testing

/// Deliveries whose closure suspends.
@Suite struct DeliveryTests {
  private let place: StorePlace
  private let store: Store
  private let tokens: [HistoryToken]

  /// A store of three transactions, and a reader that has seen none of them.
  init() async throws {
    place = try StorePlace()
    store = try await Store(path: place.path("quakes.sqlite"), for: StorePlace.pipeline)
    try await store.addReader("search", from: .beginning)
    var tokens: [HistoryToken] = []
    for id in ["a", "b", "c"] {
      let report = try await store.run(StorePlace.pipeline, on: .bytes("[{\"id\": \"\(id)\"}]".utf8))
      tokens.append(try #require(report.token))
    }
    self.tokens = tokens
  }

  /// The reader's place.
  private var reader: HistoryToken? {
    get async throws { try await store.namedReaders().first { $0.name == "search" }?.token }
  }

  /// Delivers to the end.
  ///
  /// - Returns: the numbers of the transactions that came.
  private func rest() async throws -> [Int64] {
    let seen = Mutex<[Int64]>([])
    _ = try await store.deliver(to: "search") { transaction in
      await Task.yield()
      seen.withLock { $0.append(transaction.number) }
    }
    return seen.withLock(\.self)
  }

  @Test func `a closure that throws leaves the reader before its transaction`() async throws {
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      _ = try await store.deliver(to: "search") { [tokens] transaction in
        await Task.yield()
        if transaction.token == tokens[1] { throw Stop() }
      }
    }
    #expect(try await reader == tokens[0])
    #expect(try await rest() == tokens[1...].map(\.number))
    #expect(try await reader == tokens[2])
    #expect(try await rest().isEmpty)
  }

  @Test func `a limit and the answer are those of a delivery in one transaction`() async throws {
    for token in tokens {
      let moved = try await store.deliver(to: "search", limit: 1) { transaction in
        await Task.yield()
        #expect(transaction.token == token && transaction.changes.count == 1)
      }
      #expect(moved == token)
    }
    let moved = try await store.deliver(to: "search") { _ in Issue.record("there is nothing") }
    #expect(moved == nil)
    let error = await #expect(throws: StoreError.self) {
      _ = try await store.deliver(to: "nobody") { _ in }
    }
    #expect(error?.code == .unknownReader)
  }

  @Test(arguments: [false, true])
  func `a task that is cancelled leaves the reader before the transaction in hand`(
    throwing isThrowing: Bool
  ) async throws {
    let (reached, isReached) = AsyncStream<Void>.makeStream()
    let delivery = Task { [store, tokens] in
      try await store.deliver(to: "search") { transaction in
        guard transaction.token == tokens[1] else { return }
        isReached.yield()
        while !Task.isCancelled { await Task.yield() }
        if isThrowing { try Task.checkCancellation() }
      }
    }
    for await _ in reached { break }
    delivery.cancel()
    await #expect(throws: CancellationError.self) { try await delivery.value }
    #expect(try await reader == tokens[0])
    // The lock went with it.
    #expect(try await rest() == tokens[1...].map(\.number))
  }

  @Test func `of two deliveries to a reader at once the second is refused`() async throws {
    let other = try await Store(path: store.path, for: StorePlace.pipeline)
    try await store.addReader("map", from: .beginning)
    let moved = try await store.deliver(to: "search", limit: 1) { [store] _ in
      for second in [store, other] {
        let error = await #expect(throws: StoreError.self) {
          _ = try await second.deliver(to: "search") { _ in Issue.record("it came twice") }
        }
        #expect(error?.code == .locked)
        let inside = await #expect(throws: StoreError.self) {
          _ = try await second.deliver(to: "search") { _, _ in Issue.record("it came twice") }
        }
        #expect(inside?.code == .locked)
      }
      // One of another reader is not.
      let map = try await other.deliver(to: "map") { _ in await Task.yield() }
      #expect(map != nil)
    }
    #expect(moved == tokens[0])
    let last = try await other.deliver(to: "search") { _ in }
    #expect(last == tokens[2])
  }

  @Test func `while the closure is suspended others write, and that is left to the next delivery`()
    async throws
  {
    // Who waits for no lock.
    let app = try DatabaseQueue(path: store.path)
    let seen = Mutex<[Int64]>([])
    let moved = try await store.deliver(to: "search") { [store] transaction in
      seen.withLock { $0.append(transaction.number) }
      try await app.write {
        try $0.execute(sql: "INSERT INTO Quake(id) VALUES (?)", arguments: [transaction.number])
      }
      _ = try await store.run(
        StorePlace.pipeline, on: .bytes("[{\"id\": \"own\(transaction.number)\"}]".utf8))
    }
    #expect(moved == tokens[2] && seen.withLock(\.self) == tokens.map(\.number))
    #expect(try await store.count(ObjectQuery("Quake")) == 9)
    #expect(try await rest().count == 6)
  }

  @Test func `a reader that somebody else moves stays there, and the delivery ends`() async throws {
    let moved = try await store.deliver(to: "search") { [store, tokens] transaction in
      if transaction.token == tokens[1] { try await store.resetReader("search", to: .beginning) }
    }
    #expect(moved == tokens[0])
    #expect(try await rest() == tokens.map(\.number))
  }
}
