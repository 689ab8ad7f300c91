package import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

/// The places of a store's history: which tokens are one, and why the others are not.
package struct HistoryPositions {
  /// The store's name in its tokens.
  package let store: String
  /// The newest number ever given out, also when its transaction is gone.
  package let newestNumber: Int64
  /// The newest number that was pruned; 0 when nothing was.
  package let floor: Int64
  /// The newest number before which history misses changes; 0 for none.
  package let gap: Int64
  private let db: Database

  package init(_ db: Database) throws {
    self.db = db
    let name = try RawStatement(db, "SELECT id FROM bolide_store")
    defer { name.reset() }
    guard try name.step() else { throw StoreError.noName }
    store = try name.word(0)
    newestNumber = try db.number(
      "SELECT ifnull(max(seq), 0) FROM sqlite_sequence WHERE name = 'bolide_transaction'")
    floor = try db.number("SELECT ifnull(max(number), 0) FROM bolide_pruned")
    gap = try db.number("SELECT ifnull(max(number), 0) FROM bolide_gap")
  }

  /// The place after the newest transaction.
  package func newest() throws -> HistoryToken {
    let number = try db.number("SELECT ifnull((SELECT max(number) FROM bolide_transaction), \(floor))")
    return try token(number)
  }

  /// The place after a transaction of this history; 0 for the beginning.
  func token(_ number: Int64) throws -> HistoryToken {
    HistoryToken(store: store, number: number, nonce: try nonce(of: number) ?? HistoryToken.noNonce)
  }

  /// A transaction's random word; nil where it is not known any more, or never was.
  package func nonce(of number: Int64) throws -> String? {
    let nonce = try RawStatement(
      db,
      """
      SELECT nonce FROM bolide_transaction WHERE number = \(number)
      UNION ALL SELECT nonce FROM bolide_pruned WHERE number = \(number)
      """)
    defer { nonce.reset() }
    return try nonce.step() ? nonce.word(0) : nil
  }

  /// Checks that a token is a place from which this history can be read on.
  ///
  /// - Parameters:
  ///   - reader: the named reader that has it, if one has.
  ///   - path: what the store is called in messages.
  /// - Throws: one of the four answers that are not a place, each with what to do.
  package func check(_ token: HistoryToken, of reader: String? = nil, path: String) throws {
    guard token.store == store else { throw StoreError.tokenOfAnotherStore(token, of: reader, path) }
    guard token.number <= newestNumber else { throw StoreError.tokenFromTheFuture(token, of: reader, path) }
    if try isLost(token.number) { throw StoreError.tokenDiverged(token, of: reader, path) }
    let isInside = token.inside != nil
    guard token.number > floor || (token.number == floor && !isInside) else {
      throw StoreError.tokenExpired(token, of: reader, missed: try missed(after: token), path)
    }
    guard token.number >= gap else { throw StoreError.gap(after: token, of: reader, path) }
    // Before the first transaction there is none whose word could differ.
    if token.number == 0 && !isInside { return }
    guard try nonce(of: token.number) == token.nonce else {
      throw StoreError.tokenDiverged(token, of: reader, path)
    }
  }

  /// Where a request begins: after a transaction, or inside one.
  ///
  /// - Throws: `StoreError` when history does not go back that far, or the place is none.
  func start(
    _ start: HistoryRequest.Start, path: String
  ) throws -> (number: Int64, inside: HistoryToken.Inside?) {
    switch start {
    case .beginning: return (0, nil)
    case .token(let token):
      try check(token, path: path)
      return (token.number, token.inside)
    case .transaction(let number):
      // A number alone is trusted to be of this history.
      try check(token(number), path: path)
      return (number, nil)
    case .date(let text):
      if case .text(let at) = try db.value("SELECT at FROM bolide_pruned"), at >= text {
        throw StoreError.pruned(since: text, through: at, path)
      }
      let first = try RawStatement(db, "SELECT min(number) FROM bolide_transaction WHERE at >= ?")
      first.bind(text, at: 1)
      defer { first.reset() }
      guard try first.step(), !first.isNull(0) else { return (newestNumber, nil) }
      return (try first.number(0) - 1, nil)
    }
  }

  /// The last change before a place that was checked and is not inside a transaction; 0 when there is none.
  package func lastChange(before token: HistoryToken) throws -> Int64 {
    try db.number(
      """
      SELECT last_change FROM bolide_transaction WHERE number = \(token.number)
      UNION ALL SELECT last_change FROM bolide_pruned WHERE number = \(token.number)
      """)
  }

  /// The last change of the transactions up to a number; where these were pruned, the last change that was.
  package func lastChange(through number: Int64) throws -> Int64 {
    try db.number(
      """
      SELECT max(
        ifnull((SELECT last_change FROM bolide_transaction WHERE number <= \(number)
          ORDER BY number DESC LIMIT 1), 0),
        ifnull((SELECT max(last_change) FROM bolide_pruned), 0))
      """)
  }

  /// A place inside a token's transaction.
  func token(_ token: HistoryToken, inside: HistoryToken.Inside) -> HistoryToken {
    HistoryToken(store: store, number: token.number, nonce: token.nonce, inside: inside)
  }

  /// Whether a number was handed out before the store was restored to a state that does not know it.
  private func isLost(_ number: Int64) throws -> Bool {
    try db.value("SELECT 1 FROM bolide_lost WHERE \(number) BETWEEN first AND last") != .null
  }

  /// How many pruned transactions a token's holder has not seen.
  func missed(after token: HistoryToken) throws -> Int64 {
    let seen = token.inside == nil ? token.number : token.number - 1
    let lost = try db.number(
      """
      SELECT CAST(total(min(last, \(floor)) - max(first, \(seen + 1)) + 1) AS INTEGER) FROM bolide_lost
      WHERE first <= \(floor) AND last > \(seen)
      """)
    return floor - seen - lost
  }
}
