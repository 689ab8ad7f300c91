import Bolide
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Where a request begins and ends, what it is rejected for, and the six kinds of answer.
struct HistoryRequestTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine
  private let tokens: [HistoryToken]

  /// Three transactions, of the years 2001 to 2003.
  init() throws {
    temporary = try TemporaryStore()
    let pipeline = Quakes.pipeline()
    let store = try temporary.open(pipeline)
    self.store = store
    tokens = try ["a", "b", "c"].map { id in
      try #require(try store.take(pipeline, [["id": .text(id), "depth": 1]]).token)
    }
    try store.execute("UPDATE bolide_transaction SET at = printf('200%d-05-12T06:00:00.500Z', number)")
  }

  private func ids(_ start: HistoryRequest.Start, through: HistoryToken? = nil) throws -> [Int64] {
    var request = HistoryRequest(from: start)
    request.end = through.map(HistoryRequest.Start.token)
    return try store.history(request).flatMap { $0.changes.map(\.id) }
  }

  private func refusal(_ request: HistoryRequest) throws -> StoreError {
    try #require(throws: StoreError.self) { try store.history(request) }
  }

  @Test func `Every start has its boundary`() throws {
    #expect(try ids(.beginning) == [1, 2, 3])
    #expect(try ids(.token(tokens[0])) == [2, 3])
    #expect(try ids(.token(tokens[2])) == [])
    #expect(try ids(.transaction(0)) == [1, 2, 3])
    #expect(try ids(.transaction(2)) == [3])
    // The instant itself belongs to it, and a part of one stands for its beginning.
    #expect(try ids(.date("2002-05-12T06:00:00.500Z")) == [2, 3])
    #expect(try ids(.date("2002-05-12T06:00:00.501Z")) == [3])
    #expect(try ids(.date("2002-05-12")) == [2, 3])
    #expect(try ids(.date("2003")) == [3])
    #expect(try ids(.date("2004")) == [])
    #expect(try ids(.beginning, through: tokens[1]) == [1, 2])
    #expect(try ids(.token(tokens[1]), through: tokens[1]) == [])
    #expect(try ids(.token(tokens[2]), through: tokens[0]) == [])
  }

  @Test func `All that was committed after the first one of a date comes, whatever its clock said`() throws {
    try store.execute("UPDATE bolide_transaction SET at = '1999' WHERE number = 3")
    #expect(try ids(.date("2002")) == [2, 3])
  }

  @Test func `A start before what is kept is rejected, not cut`() throws {
    try store.execute(
      """
      INSERT INTO bolide_pruned SELECT number, nonce, at, last_change FROM bolide_transaction WHERE number = 1;
      DELETE FROM bolide_transaction WHERE number = 1;
      """)
    #expect(try ids(.beginning) == [2, 3])
    #expect(try ids(.transaction(1)) == [2, 3])
    #expect(try refusal(HistoryRequest(from: .transaction(0))).code == .tokenExpired)
    #expect(try ids(.date("2001-05-13")) == [2, 3])
    let early = try refusal(HistoryRequest(from: .date("2001-05-12")))
    #expect(early.code == .tokenExpired)
    #expect(
      early.message
        == "\(temporary.path): the history since 2001-05-12 is incomplete: it was pruned up to 2001-05-12T06:00:00.500Z"
    )
    #expect(
      early.hint == "Use a later date, or start from a snapshot.")
    #expect(try refusal(HistoryRequest(from: .transaction(4))).code == .tokenFromTheFuture)
    var through = HistoryRequest()
    through.end = .token(HistoryToken(store: tokens[0].store, number: 3, nonce: "zzzzzz"))
    #expect(try refusal(through).code == .tokenDiverged)
  }

  @Test func `What the store does not have, or what does not go together, is rejected`() throws {
    func message(_ change: (inout HistoryRequest) -> Void) throws -> String {
      var request = HistoryRequest()
      change(&request)
      let error = try refusal(request)
      #expect(error.code == .badRequest)
      return ([String(error.message.dropFirst(temporary.path.count + 2))] + [error.hint].compactMap { $0 })
        .joined(separator: " / ")
    }
    #expect(
      try message { $0.entities = ["Quakes"] } == "the store has no entity 'Quakes' / It has Quake, Region.")
    #expect(
      try message { $0.attributes = ["Region.depth"] }
        == "the store has no attribute or relationship 'Region.depth' / List what the store has."
    )
    #expect(
      try message { $0.limit = 0 }
        == "the limit must be at least 1 / Use a limit of 1 or more, or none.")
    #expect(
      try message { ($0.isNet, $0.excludedAuthors) = (true, ["me"]) }
        == "net changes cannot be filtered by author / Remove the author filter, or read every change.")
    #expect(
      try message { ($0.isNet, $0.limit) = (true, 1) }
        == "net changes cannot be limited / Remove the limit, or read every change.")
    let inside = HistoryToken(
      store: tokens[0].store, number: 1, nonce: tokens[0].nonce, inside: .init(changes: 0, objects: 0))
    #expect(
      try message { ($0.isNet, $0.start) = (true, .token(inside)) }
        == "net changes start between transactions, and \(inside) is inside one / Read every change up "
        + "to the end of the transaction first.")
    #expect(
      try message { $0.end = .token(inside) }
        == "a request ends between transactions, and \(inside) is inside one / Use the token at the end "
        + "of the transaction.")
    #expect(
      try message { ($0.isNet, $0.start, $0.end) = (true, .token(tokens[1]), .token(tokens[0])) }
        == "the request ends at \(tokens[0]), before its start / Use the older token as the start.")
  }

  @Test func `The six kinds of answer`() async throws {
    try temporary.shell("DELETE FROM Quake WHERE id = 'a'; INSERT INTO Quake(id) VALUES ('d')")
    let request = HistoryRequest(after: tokens[1])
    #expect(try await store.face.hasChanges(request))
    #expect(try await store.face.changeCount(request) == 3)
    #expect(
      try await store.face.changedObjects(HistoryRequest())
        == [1, 2, 3, 4].map { ObjectID(entity: "Quake", id: $0) })
    let transactions = try await store.face.transactions(request)
    #expect(transactions.map(\.changeCount) == [1, 2] && transactions.allSatisfy { $0.changes.isEmpty })
    #expect(try await store.face.changes(request).map(\.kind) == [.insert, .delete, .insert])
    let whole = try await store.face.history(request)
    #expect(whole.map(\.changes.count) == [1, 2] && whole.last?.author == nil)
    let last = HistoryRequest(after: whole.last?.token)
    #expect(try await !store.face.hasChanges(last))
    #expect(try await store.face.changeCount(last) == 0)
    #expect(try await store.face.changeCount(HistoryRequest()) == 5)
  }

  @Test func `Present rows come when asked for, and not for what is gone`() throws {
    try temporary.shell("UPDATE Quake SET depth = 9 WHERE id = 'b'; DELETE FROM Quake WHERE id = 'c'")
    try store.assignPending()
    var request = HistoryRequest()
    #expect(try store.history(request).flatMap(\.changes).allSatisfy { $0.values == nil })
    request.includesValues = true
    let depths = try store.history(request).flatMap(\.changes).map { change in
      change.values.map { $0.first { $0.name == "depth" }?.value }
    }
    #expect(depths == [.integer(1), .integer(9), nil, .integer(9), nil])
  }
}
