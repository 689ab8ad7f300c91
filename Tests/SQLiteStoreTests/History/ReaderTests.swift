import Bolide
import Foundation
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Named readers: a place in the store that moves on acknowledgement alone.
struct ReaderTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine
  private let pipeline = Quakes.pipeline()

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
  }

  @discardableResult
  private func take(_ id: String) throws -> HistoryToken {
    try #require(try store.take(pipeline, [["id": .text(id)]]).token)
  }

  private func answer(_ body: () throws -> Void) -> StoreError? {
    do {
      try body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  private var reader: Reader {
    get throws { try #require(try store.namedReaders().first) }
  }

  @Test func `A reader begins now, at the beginning or at a token, and says how far it is behind`() throws {
    let first = try take("a")
    try store.addReader("b", from: .beginning)
    try store.addReader("n", from: .now)
    try store.addReader("t", from: .token(first))
    try take("c")
    try temporary.shell("INSERT INTO Quake(id) VALUES ('x'), ('y')")
    let readers = try store.namedReaders()
    #expect(readers.map(\.name) == ["b", "n", "t"])
    #expect(readers.map(\.transactionsBehind) == [3, 2, 2])
    #expect(readers.map(\.changesBehind) == [4, 3, 3])
    #expect(readers.allSatisfy { $0.state == .live && $0.secondsBehind >= 0 && $0.secondsBehind < 60 })
    try store.execute(
      "UPDATE bolide_transaction SET at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-100 seconds')")
    #expect(try abs(reader.secondsBehind - 100) < 30)
    try store.acknowledge(try reader.token, by: "b")
    try store.resetReader("b", to: .now)
    #expect(try reader.secondsBehind == 0 && reader.transactionsBehind == 0)
  }

  @Test func `Acknowledging moves on and never back, and only to places of this history`() throws {
    let (first, second) = (try take("a"), try take("b"))
    try store.addReader("map", from: .beginning)
    try store.acknowledge(second, by: "map")
    try store.acknowledge(first, by: "map")
    #expect(try reader.token == second)
    let future = try #require(HistoryToken("b1-\(first.store)-9-aaaaaa"))
    #expect(answer { try store.acknowledge(future, by: "map") }?.code == .tokenFromTheFuture)
    let inside = try #require(HistoryToken("\(second)-0.1"))
    let between = answer { try store.acknowledge(inside, by: "map") }
    #expect(between?.code == .badRequest)
    #expect(
      between?.message
        == "\(temporary.path): the token \(inside) is inside a transaction; a reader's position is between transactions"
    )
    #expect(between?.hint == "Use the token at the end of the transaction.")
    #expect(try reader.token == second)
  }

  @Test func `A late acknowledgement does not undo a reset`() throws {
    try store.addReader("map", from: .beginning)
    let start = try store.place(ofReader: "map")
    let first = try take("a")
    try store.acknowledge(first, by: "map", from: start)
    #expect(try reader.token == first)
    let second = try take("b")
    try store.resetReader("map", to: .beginning)
    try store.acknowledge(second, by: "map", from: first)
    #expect(try reader.token == start)
  }

  @Test func `Names that are not there, or there already, or no names`() throws {
    for body in [
      { _ = try store.place(ofReader: "map") }, { try store.dropReader("map") },
      { try store.resetReader("map", to: .now) },
    ] as [() throws -> Void] {
      let error = answer(body)
      #expect(error?.code == .unknownReader)
      #expect(error?.message == "\(temporary.path): there is no reader 'map'")
      #expect(
        error?.hint
          == "A new reader starts with a snapshot.")
    }
    try store.addReader("map", from: .now)
    let twice = answer { try store.addReader("map", from: .now) }
    #expect(twice?.message == "\(temporary.path): the reader 'map' exists already")
    #expect(twice?.hint == "Move the reader instead.")
    for name in ["", "a\nb", String(repeating: "x", count: 101)] {
      let error = answer { try store.addReader(name, from: .now) }
      #expect(error?.code == .badRequest)
      #expect(
        error?.message
          == "\(temporary.path): a reader's name has 1 to 100 printable characters")
      #expect(error?.hint == "Choose another name.")
    }
    try store.dropReader("map")
    #expect(try store.namedReaders().isEmpty)
  }

  @Test func `An expired reader and a diverged one are told, and go on after a reset`() throws {
    try store.addReader("map", from: .beginning)
    try take("a")
    try take("b")
    try store.execute(
      """
      INSERT INTO bolide_pruned SELECT number, nonce, at, last_change FROM bolide_transaction WHERE number = 1;
      DELETE FROM bolide_transaction WHERE number = 1;
      """)
    let expired = answer { _ = try store.place(ofReader: "map") }
    #expect(expired?.code == .tokenExpired)
    #expect(
      expired?.message
        == "\(temporary.path): the history after the position of the reader 'map' was pruned: it now starts 1 transaction later"
    )
    #expect(
      expired?.hint
        == "Start again from a snapshot.")
    #expect(try reader.state == .expired)
    #expect(answer { try store.addReader("late", from: .beginning) }?.code == .tokenExpired)
    try store.resetReader("map", to: .now)
    #expect(try reader.state == .live)
    try store.execute("UPDATE bolide_reader SET diverged = 1")
    let diverged = answer { _ = try store.place(ofReader: "map") }
    #expect(diverged?.code == .tokenDiverged)
    #expect(
      diverged?.message
        == "\(temporary.path): the store was restored from a backup that lacks changes that the reader 'map' has read"
    )
    #expect(try reader.state == .diverged)
    // Neither its own acknowledgement nor a delivery's moves it.
    let third = try take("c")
    #expect(answer { try store.acknowledge(third, by: "map") }?.code == .tokenDiverged)
    try store.acknowledge(third, by: "map", from: try reader.token)
    #expect(try reader.state == .diverged)
  }

  @Test func `A delivery's effects and the reader's move are one`() async throws {
    try await store.face.addReader("copy", from: .beginning)
    try store.execute("CREATE TABLE copy(tx INTEGER, id TEXT)")
    try take("a")
    try temporary.shell("INSERT INTO Quake(id) VALUES ('x'), ('y')")
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      _ = try await store.face.deliver(to: "copy") { transaction, connection in
        try connection.execute("INSERT INTO copy VALUES (?, 'lost')", [.integer(transaction.number)])
        if transaction.number == 2 { throw Stop() }
      }
    }
    #expect(try store.rows("SELECT * FROM copy") == [] && reader.token.number == 0)
    for round in 1...3 {
      let token = try await store.face.deliver(to: "copy", limit: 1) { transaction, connection in
        for change in transaction.changes {
          guard let key = change.key.first else { continue }
          try connection.execute("INSERT INTO copy VALUES (?, ?)", [.integer(transaction.number), key.value])
        }
        #expect(
          try connection.rows("SELECT count(*) FROM copy WHERE tx = ?", [.integer(transaction.number)]) != [
            [0]
          ])
      }
      #expect(token?.number == (round < 3 ? Int64(round) : nil))
    }
    #expect(try store.rows("SELECT tx, id FROM copy ORDER BY tx, id") == [[1, "a"], [2, "x"], [2, "y"]])
    #expect(try reader.token.number == 2)
    await #expect(throws: StoreError.self) { _ = try await store.face.deliver(to: "nobody") { _, _ in } }
  }
}
