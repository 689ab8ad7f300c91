import Foundation
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// A token is a place in one store's history, or one of four answers.
struct TokenTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine
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
      try store.readHistory(HistoryRequest(after: HistoryToken(parsing: text))) { _ in
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
    #expect(HistoryToken(first.description) == first)
    let token = try HistoryToken(parsing: "b1-k3v9qd-18-x7mw2p")
    #expect(token.store == "k3v9qd" && token.number == 18 && token.nonce == "x7mw2p")
    #expect(token.description == "b1-k3v9qd-18-x7mw2p")
    #expect(first.store == second.store && first.nonce != second.nonce && first.nonce.count == 6)
  }

  @Test(arguments: [
    "", "b1", "b1-k3v9qd-18", "b1-k3v9qd-18-", "b1--18-x7mw2p", "b1-k3v9qd--x7mw2p", "b2-k3v9qd-18-x7mw2p",
    "b1-k3v9qd-18-x7mw2p-", "b1-k3v9qd-+18-x7mw2p", "b1-k3v9qd-٣-x7mw2p", "b1-k3v9qd-1x-x7mw2p",
    "b1-k3v9qd-99999999999999999999-x7mw2p", "b1-k3v9qd-18-x7mw2p-3", "b1-k3v9qd-18-x7mw2p-3.",
    "b1-k3v9qd-18-x7mw2p-1.2.3", "B1-k3v9qd-18-x7mw2p", "18",
  ])
  func `Other texts are no tokens`(text: String) {
    let error = #expect(throws: StoreError.self) { try HistoryToken(parsing: text) }
    #expect(error?.code == .notAToken && error?.message == "'\(text)' is not a token")
    #expect(
      error?.hint
        == "A token looks like b1-k3v9qd-18-x7mw2p; reports of imports and ends of transactions contain one.")
  }

  @Test func `A token of this history is a place in it`() throws {
    #expect(try Replay(store, after: first).transactions.map(\.token) == [second])
    #expect(try Replay(store, after: second).transactions == [])
  }

  @Test func `Another store's token is told`() throws {
    let error = try #require(try refusal("b1-zzzzzz-1-x7mw2p"))
    #expect(error.code == .tokenOfAnotherStore)
    #expect(error.message == "\(temporary.path): the token b1-zzzzzz-1-x7mw2p belongs to another store")
    #expect(
      error.hint
        == "Use the token's own store, or start from a snapshot.")
  }

  @Test func `A token from the future is told`() throws {
    let error = try #require(try refusal(text(number: 3)))
    #expect(error.code == .tokenFromTheFuture)
    let token = text(number: 3)
    #expect(error.message == "\(temporary.path): the token \(token) is newer than this store's history")
    #expect(
      error.hint
        == "The store may have been restored from a backup. Start again from a snapshot."
    )
  }

  @Test func `A token of a history that went another way is told`() throws {
    let other = text(number: 1, nonce: "000000")
    let error = try #require(try refusal(other))
    #expect(error.code == .tokenDiverged)
    #expect(
      error.message == "\(temporary.path): this store's history diverged before the token \(other)")
    #expect(
      error.hint
        == "The store was restored or copied. Start again from a snapshot.")
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

  @Test func `A token whose history is gone has expired, and says how much it misses`() throws {
    let third = try #require(try store.take(Quakes.pipeline(), [["id": "c"]]).token)
    try forget(2)
    let error = try #require(try refusal(first.description))
    #expect(error.code == .tokenExpired)
    #expect(
      error.message
        == "\(temporary.path): the history after the token \(first) was pruned: it now starts 1 transaction later"
    )
    #expect(error.hint == "Start again from a snapshot.")
    #expect(try refusal(text(number: 0))?.message.hasSuffix(" it now starts 2 transactions later") == true)
    // The newest pruned transaction's word is kept: nothing after it is missing.
    #expect(try Replay(store, after: second).transactions.map(\.token) == [third])
    #expect(try refusal(text(number: 2))?.code == .tokenDiverged)
    #expect(try refusal("\(second)-0.1")?.code == .tokenExpired)
  }

  @Test func `The token of the beginning has expired too once history is pruned`() throws {
    let start = text(number: 0, nonce: "start")
    #expect(try refusal(start) == nil)
    try forget(1)
    #expect(try refusal(start)?.code == .tokenExpired)
  }

  @Test func `A token stays expired when all history is gone`() throws {
    try forget(2)
    #expect(try refusal(first.description)?.code == .tokenExpired)
    #expect(try Replay(store, after: second).transactions == [])
    #expect(try refusal(text(number: 3))?.code == .tokenFromTheFuture)
  }

  @Test func `Tokens are in the order of their places`() throws {
    let texts = [
      "1-zzzzzz", "2-bbbbbb-0.5", "2-bbbbbb-1.0", "2-bbbbbb-1.7", "2-bbbbbb", "10-aaaaaa-0.1", "10-aaaaaa",
    ]
    let tokens = texts.compactMap { HistoryToken("b1-k3v9qd-\($0)") }
    #expect(tokens.count == texts.count && tokens.map { "\($0)" } == texts.map { "b1-k3v9qd-\($0)" })
    #expect(tokens.shuffled().sorted() == tokens)
    #expect(first < second)
    // Across stores there is an order, so that sorting is possible; it says nothing.
    let other = try #require(HistoryToken("b1-zzzzzz-1-aaaaaa"))
    #expect(tokens.allSatisfy { $0 < other })
  }

  @Test func `A token is one text in every encoding`() throws {
    let token = try #require(HistoryToken("b1-k3v9qd-18-x7mw2p"))
    let data = try JSONEncoder().encode([token])
    #expect(String(decoding: data, as: UTF8.self) == #"["b1-k3v9qd-18-x7mw2p"]"#)
    #expect(try JSONDecoder().decode([HistoryToken].self, from: data) == [token])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([HistoryToken].self, from: Data(#"["18"]"#.utf8))
    }
  }

  /// Prunes as the tool does, in one step.
  private func forget(_ number: Int64) throws {
    try store.execute(
      """
      INSERT INTO bolide_pruned SELECT number, nonce, at, last_change FROM bolide_transaction WHERE number = \(number);
      DELETE FROM bolide_transaction WHERE number <= \(number);
      """)
  }
}
