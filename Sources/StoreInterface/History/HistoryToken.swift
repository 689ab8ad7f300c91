/// A place in a store's history: after one transaction, or inside a large one.
///
/// The text names the store, the transaction's number and a random word of that transaction, as in
/// `b1-k3v9qd-18-x7mw2p`. It is opaque to those who keep it; the store checks it. Numbers rise in commit order.
/// A place inside a transaction, where a page of changes ended, has a fifth part.
public struct HistoryToken: Sendable, Hashable {
  /// The store's name for itself.
  package let store: String
  /// The transaction's number; 0 is before the first one.
  package let number: Int64
  /// The transaction's random word.
  package let nonce: String
  /// How much of the transaction was read; nil for all of it.
  package let inside: Inside?

  /// A place inside a transaction.
  package struct Inside: Sendable, Hashable {
    /// How many of its change rows were read.
    package var changes: Int64
    /// How many objects of the next one, a run of inserts.
    package var objects: Int64

    package init(changes: Int64, objects: Int64) {
      self.changes = changes
      self.objects = objects
    }
  }

  /// Stands where there is no transaction whose word it could be.
  package static let noNonce = "000000"

  package init(store: String, number: Int64, nonce: String, inside: Inside? = nil) {
    self.store = store
    self.number = number
    self.nonce = nonce
    self.inside = inside
  }

  /// Reads a token's text.
  ///
  /// - Throws: `StoreError.notAToken`.
  public init(parsing text: String) throws(StoreError) {
    guard let token = HistoryToken(text) else {
      throw .notAToken(text)
    }
    self = token
  }
}

extension HistoryToken: LosslessStringConvertible {
  /// Reads a token's text; nil when it is none.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 4 || parts.count == 5, parts[0] == "b1", !parts[1].isEmpty, !parts[3].isEmpty,
      let number = Self.number(parts[2])
    else { return nil }
    var inside: Inside?
    if parts.count == 5 {
      let place = parts[4].split(separator: ".", omittingEmptySubsequences: false)
      guard place.count == 2, let changes = Self.number(place[0]), let objects = Self.number(place[1])
      else { return nil }
      inside = Inside(changes: changes, objects: objects)
    }
    self.init(store: String(parts[1]), number: number, nonce: String(parts[3]), inside: inside)
  }

  /// The token's text.
  public var description: String {
    "b1-\(store)-\(number)-\(nonce)" + (inside.map { "-\($0.changes).\($0.objects)" } ?? "")
  }

  private static func number(_ text: Substring) -> Int64? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(text),
      number <= largestNumber
    else { return nil }
    return number
  }

  /// No history comes this far; numbers up to here can be added and subtracted.
  package static let largestNumber: Int64 = 1 << 53
}

extension HistoryToken: Comparable {
  /// Whether a place comes before another one of the same store's history.
  ///
  /// Tokens of different stores are in the order of the stores' names, which says nothing about time. Of two
  /// histories that went different ways after a copy, the numbers are compared; only the store can tell them apart.
  public static func < (left: HistoryToken, right: HistoryToken) -> Bool {
    (left.store, left.number, left.place, left.nonce) < (right.store, right.number, right.place, right.nonce)
  }

  /// The end of a transaction comes after every place inside it.
  private var place: Position { Position(inside: inside) }

  private struct Position: Comparable {
    var inside: Inside?

    static func < (left: Position, right: Position) -> Bool {
      guard let left = left.inside else { return false }
      guard let right = right.inside else { return true }
      return (left.changes, left.objects) < (right.changes, right.objects)
    }
  }
}

extension HistoryToken: Codable {
  /// Reads a token from its text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let token = HistoryToken(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a token")
    }
    self = token
  }

  /// Writes the token as its text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
