internal import PostgreSQLAccess
internal import StoreInterface

/// The places of a store's history: which tokens are one, and why the others are not.
struct Positions {
  private let connection: PostgreSQLConnection
  private let store: String
  private let path: String
  /// The newest transaction's number.
  let newestNumber: Int64
  /// The newest number that was pruned; 0 when nothing was.
  let floor: Int64
  /// The newest transaction before which changes are missing; 0 for none.
  let gap: Int64

  /// - Parameter path: what the store is called in messages.
  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, _ path: String) throws {
    (self.connection, store, self.path) = (connection, stored.id, path)
    let numbers = try connection.run("SELECT last_number, pruned_number, \(Self.gap) FROM bolide_store")
    (newestNumber, floor, gap) = (numbers.integer(0, 0), numbers.integer(0, 1), numbers.integer(0, 2))
  }

  static let gap = """
    (SELECT coalesce(max(t.number), 0) FROM bolide_gap AS g JOIN bolide_transaction AS t ON t.id = g.transaction)
    """

  /// The place after the newest transaction, and the one before the oldest that is kept.
  var newest: HistoryToken { get throws { try token(newestNumber) } }
  var oldest: HistoryToken { get throws { try token(floor) } }

  /// The place after a transaction of this history; 0 for the beginning.
  func token(_ number: Int64) throws -> HistoryToken {
    HistoryToken(store: store, number: number, nonce: try nonce(number) ?? HistoryToken.noNonce)
  }

  private func nonce(_ number: Int64) throws -> String? {
    let nonce = try connection.run(
      """
      SELECT nonce FROM bolide_transaction WHERE number = $1
      UNION ALL SELECT pruned_nonce FROM bolide_store WHERE pruned_number = $1 AND $1 > 0
      """, [.integer(number)])
    return nonce.count == 0 ? nil : nonce.optionalText(0, 0)
  }

  /// The number of the transaction behind which a request begins.
  ///
  /// - Throws: `StoreError` when history does not go back that far, or the place is none.
  func number(_ start: HistoryRequest.Start) throws -> Int64 {
    switch start {
    case .beginning: return floor
    case .transaction(let number):
      try check(token(number))
      return number
    case .token(let token):
      try check(token)
      return token.number
    case .date(let text):
      let at = "to_char(at, \(SystemTables.instant))"
      let first = try connection.run(
        "SELECT min(number) FROM bolide_transaction WHERE \(at) >= $1", [.text(text)])
      let pruned = try connection.run(
        "SELECT to_char(pruned_at, \(SystemTables.instant)) FROM bolide_store WHERE pruned_number > 0")
      if pruned.count == 1, let end = pruned.optionalText(0, 0), end >= text {
        throw StoreError.pruned(since: text, through: end, path)
      }
      return (first.optionalInteger(0, 0) ?? newestNumber + 1) - 1
    }
  }

  /// Checks that a token is a place from which this history can be read on.
  ///
  /// - Parameter reader: the named reader that has it, if one has.
  func check(_ token: HistoryToken, of reader: String? = nil) throws {
    guard token.store == store else { throw StoreError.tokenOfAnotherStore(token, of: reader, path) }
    guard token.number <= newestNumber else { throw StoreError.tokenFromTheFuture(token, of: reader, path) }
    guard token.number > floor || token.number == floor && token.inside == nil else {
      throw StoreError.tokenExpired(token, of: reader, missed: floor - token.number, path)
    }
    guard token.number >= gap else { throw StoreError.gap(after: token, of: reader, path) }
    if token.number == 0, token.inside == nil { return }
    guard try nonce(token.number) == token.nonce else {
      throw StoreError.tokenDiverged(token, of: reader, path)
    }
  }
}

extension SystemTables {
  /// The form of an instant, for `to_char`: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  static let instant = "'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"'"
}
