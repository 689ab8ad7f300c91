/// A place in a store's history: after one transaction.
///
/// The text names the store, the transaction's number and a random word of that transaction, as in
/// `b1-k3v9qd-18-x7mw2p`. It is opaque to those who keep it; the store checks it. Numbers rise in commit order.
public struct HistoryToken: Sendable, Hashable, CustomStringConvertible {
  /// The store's name for itself.
  let store: String
  /// The transaction's number; 0 is before the first one.
  let number: Int64
  /// The transaction's random word.
  let nonce: String

  init(store: String, number: Int64, nonce: String) {
    self.store = store
    self.number = number
    self.nonce = nonce
  }

  /// Reads a token's text.
  ///
  /// - Throws: `StoreError.notAToken`.
  public init(_ text: String) throws(StoreError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "b1", !parts[1].isEmpty, !parts[3].isEmpty,
      parts[2].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(parts[2])
    else {
      throw StoreError(
        .notAToken, "'\(text)' is not a token",
        hint: "A token looks like b1-k3v9qd-18-x7mw2p; an import's report and `bolide changes` print them.")
    }
    self.init(store: String(parts[1]), number: number, nonce: String(parts[3]))
  }

  /// The token's text.
  public var description: String { "b1-\(store)-\(number)-\(nonce)" }
}
