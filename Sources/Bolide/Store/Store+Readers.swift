public import ImportModel
public import StoreInterface

extension Store {
  /// The store's readers, by name, with how far each is behind.
  public func namedReaders() async throws -> [Reader] {
    try await answering { try $0.namedReaders() }
  }

  /// Adds a reader.
  ///
  /// - Throws: `StoreError` when there is one of that name, or the start is no place of this history.
  public func addReader(_ name: String, from start: Reader.Start) async throws {
    try await writing { try $0.addReader(name, from: start) }
  }

  /// Acknowledges everything up to a token. An older token than the reader's place changes nothing.
  ///
  /// - Throws: `StoreError` when there is no such reader, it cannot go on, or the token is no place of this history.
  public func acknowledge(_ token: HistoryToken, by name: String) async throws {
    try await writing { try $0.acknowledge(token, by: name) }
  }

  /// Lets a reader begin again somewhere, whatever its state.
  public func resetReader(_ name: String, to start: Reader.Start) async throws {
    try await writing { try $0.resetReader(name, to: start) }
  }

  /// Removes a reader. History is then kept for it no longer.
  public func dropReader(_ name: String) async throws {
    try await writing { try $0.dropReader(name) }
  }

  /// Hands the transactions that a reader has not seen to a closure, and moves the reader on, in one transaction.
  ///
  /// What the closure writes into the store's file through the connection is there exactly when the reader has moved: its
  /// effects happen once. Effects elsewhere may happen again after a crash. When the closure throws, nothing happened.
  /// Other writers wait meanwhile, so keep it short.
  /// - Parameters:
  ///   - name: the reader's name.
  ///   - limit: at most so many transactions at a time.
  ///   - body: called for each transaction, with its changes.
  /// - Returns: the reader's new place; nil when there was nothing to hand over.
  /// - Throws: `StoreError` when there is no such reader, it cannot go on, or another consumer of it is running (`locked`), and
  ///   what the closure throws.
  /// - Complexity: O(changes) time, and the largest transaction's memory.
  public func deliver(
    to name: String, limit: Int? = nil,
    _ body: @escaping @Sendable (HistoryTransaction, StoreConnection) throws -> Void
  ) async throws -> HistoryToken? {
    try await writing { engine in
      let lock = try engine.lock(reader: name)
      defer { withExtendedLifetime(lock) {} }
      return try engine.deliver(to: name, limit: limit) {
        try StoreCall.check()
        try body($0, StoreConnection(connection: $1))
      }
    }
  }

  /// Hands the transactions that a reader has not seen to a closure that may suspend, and moves the reader past each one when
  /// the closure has returned.
  ///
  /// The closure sees every transaction at least once: where it throws, its task is cancelled or the process ends before
  /// the reader has moved, the transaction comes again with the next delivery. The write lock is not held while the closure
  /// runs: anybody may write, the closure too. What is committed after the delivery began is left to the next one. The
  /// reader's lock keeps another such delivery away, and `bolide changes --reader`, also of other processes; it does not
  /// keep calls away that move the reader. Where one of them did, this delivery ends after the transaction in hand.
  /// - Parameters:
  ///   - name: the reader's name.
  ///   - limit: at most so many transactions at a time.
  ///   - body: called for each transaction, with its changes.
  /// - Returns: the place to which the reader was moved; nil when it was not.
  /// - Throws: `StoreError` when there is no such reader, it cannot go on, another consumer of it is running (`locked`),
  ///   or the store cannot be written; and what the closure throws. The reader is then after the last transaction for
  ///   which the closure returned and the move was committed.
  /// - Complexity: O(changes) time, and the largest transaction's memory.
  public func deliver(
    to name: String, limit: Int? = nil, _ body: @Sendable (HistoryTransaction) async throws -> Void
  ) async throws -> HistoryToken? {
    let (lock, start, end) = try await writing { engine in
      try engine.checkWritable()
      let lock = try engine.lock(reader: name)
      try engine.assignPendingChanges()
      return (lock, try engine.place(ofReader: name), try engine.newestToken())
    }
    defer { withExtendedLifetime(lock) {} }
    var (place, count) = (start, 0)
    while count < limit ?? .max, let next = try await transaction(for: name, lock, after: place, through: end)
    {
      try await body(next)
      let hasMoved = try await writing { [place] engine in
        try StoreCall.finishing { try engine.acknowledge(next.token, by: name, from: place) }
        return try engine.place(ofReader: name) == next.token
      }
      guard hasMoved else { break }
      (place, count) = (next.token, count + 1)
    }
    return count > 0 ? place : nil
  }

  private func transaction(
    for name: String, _ lock: any ConsumerLock, after place: HistoryToken, through end: HistoryToken
  ) async throws -> HistoryTransaction? {
    try await answering { engine in
      // With a lost connection the lock went, and somebody else may have moved the reader.
      if try lock.renew(), try engine.place(ofReader: name) != place { return nil }
      var request = HistoryRequest(after: place)
      (request.end, request.transactionLimit) = (.token(end), 1)
      return try engine.history(request).first
    }
  }
}

/// A connection to the store's file inside the transaction of `deliver(to:limit:_:)`.
///
/// Valid only inside the closure that receives it.
public struct StoreConnection {
  fileprivate let connection: any TransactionConnection

  /// Runs a statement with values for its `?`.
  ///
  /// - Throws: `StoreError` for what SQLite rejects.
  public func execute(_ sql: String, _ values: [Value] = []) throws {
    _ = try rows(sql, values)
  }

  /// The rows of a query with values for its `?`.
  ///
  /// - Throws: `StoreError` for what SQLite rejects.
  public func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    try connection.rows(sql, values)
  }
}
