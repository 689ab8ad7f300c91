import ImportModel
import Testing

@testable import SQLiteStore

/// A token is a place in one store's history, or one of four answers.
struct TokenTests {
  private let temporary: TemporaryStore
  private let store: Store
  private let first: HistoryToken
  private let second: HistoryToken

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(Quakes.pipeline())
    first = try #require(try store.take(Quakes.pipeline(), [["id": "a"]]).token)
    second = try #require(try store.take(Quakes.pipeline(), [["id": "b"]]).token)
  }

  private func refusal(_ text: String) throws -> StoreError? {
    do {
      try store.readHistory(after: HistoryToken(text)) { _ in
      } commit: { _ in
      }
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  private func text(number: Int64, nonce: String? = nil) -> String {
    "b1-\(first.store)-\(number)-\(nonce ?? first.nonce)"
  }

  @Test func `A token's text is read back`() throws {
    #expect(try HistoryToken(first.description) == first)
    let token = try HistoryToken("b1-k3v9qd-18-x7mw2p")
    #expect(token.store == "k3v9qd" && token.number == 18 && token.nonce == "x7mw2p")
    #expect(token.description == "b1-k3v9qd-18-x7mw2p")
    #expect(first.store == second.store && first.nonce != second.nonce && first.nonce.count == 6)
  }

  @Test(arguments: [
    "", "b1", "b1-k3v9qd-18", "b1-k3v9qd-18-", "b1--18-x7mw2p", "b1-k3v9qd--x7mw2p", "b2-k3v9qd-18-x7mw2p",
    "b1-k3v9qd-18-x7mw2p-", "b1-k3v9qd-+18-x7mw2p", "b1-k3v9qd-٣-x7mw2p", "b1-k3v9qd-1x-x7mw2p",
    "b1-k3v9qd-99999999999999999999-x7mw2p", "B1-k3v9qd-18-x7mw2p", "18",
  ])
  func `Other texts are no tokens`(text: String) {
    let error = #expect(throws: StoreError.self) { try HistoryToken(text) }
    #expect(error?.code == .notAToken && error?.message == "'\(text)' is not a token")
    #expect(
      error?.hint
        == "A token looks like b1-k3v9qd-18-x7mw2p; an import's report and `bolide changes` print them.")
  }

  @Test func `A token of this history is a place in it`() throws {
    #expect(try Replay(store, after: first).transactions.map(\.token) == [second])
    #expect(try Replay(store, after: second).transactions == [])
  }

  @Test func `Another store's token is told`() throws {
    let error = try #require(try refusal("b1-zzzzzz-1-x7mw2p"))
    #expect(error.code == .tokenOfAnotherStore)
    #expect(error.message == "\(temporary.path): the token b1-zzzzzz-1-x7mw2p is another store's")
    #expect(error.hint == "Name the store that gave the token, or begin without --since.")
  }

  @Test func `A token from the future is told`() throws {
    let error = try #require(try refusal(text(number: 3)))
    #expect(error.code == .tokenFromTheFuture)
    let token = text(number: 3)
    #expect(error.message == "\(temporary.path): the token \(token) is later than this store's history")
    #expect(error.hint == "The store may have been restored from a backup; begin without --since.")
  }

  @Test func `A token of a history that went another way is told`() throws {
    let other = text(number: 1, nonce: "000000")
    let error = try #require(try refusal(other))
    #expect(error.code == .tokenDiverged)
    #expect(
      error.message == "\(temporary.path): this store's history took another way before the token \(other)")
    #expect(error.hint == "The store was restored or copied; read the whole store again.")
  }

  @Test func `A store that was restored and went on has diverged`() throws {
    let copy = try TemporaryStore()
    try temporary.shell("VACUUM INTO '\(copy.path)'")
    let third = try #require(try store.take(Quakes.pipeline(), [["id": "c"]]).token)
    let restored = try copy.open(Quakes.pipeline())
    try restored.take(Quakes.pipeline(), [["id": "d"]])
    let error = #expect(throws: StoreError.self) { try Replay(restored, after: third) }
    #expect(error?.code == .tokenDiverged)
    #expect(try Replay(restored, after: second).changes.count == 1)
  }

  @Test func `A token whose history is gone has expired`() throws {
    try store.execute("DELETE FROM bolide_transaction WHERE number = 1")
    let error = try #require(try refusal(first.description))
    #expect(error.code == .tokenExpired)
    #expect(error.message == "\(temporary.path): the history after the token \(first) is gone")
    #expect(error.hint == "Read the whole store again, then go on from its present token.")
    #expect(try refusal(second.description) == nil)
  }

  @Test func `The token of the beginning has expired too once history is pruned`() throws {
    let start = text(number: 0, nonce: "start")
    #expect(try refusal(start) == nil)
    try store.execute("DELETE FROM bolide_transaction WHERE number = 1")
    #expect(try refusal(start)?.code == .tokenExpired)
  }

  @Test func `A token stays expired when all history is gone`() throws {
    try store.execute("DELETE FROM bolide_transaction")
    for token in [first, second] { #expect(try refusal(token.description)?.code == .tokenExpired) }
    #expect(try refusal(text(number: 3))?.code == .tokenFromTheFuture)
  }
}
