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
  /// - Throws: `StoreError` when there is no such reader or it cannot go on, and what the closure throws.
  /// - Complexity: O(changes) time, and the largest transaction's memory.
  public func deliver(
    to name: String, limit: Int? = nil,
    _ body: @escaping @Sendable (HistoryTransaction, StoreConnection) throws -> Void
  ) async throws -> HistoryToken? {
    try await writing { engine in
      try engine.deliver(to: name, limit: limit) {
        try StoreCall.check()
        try body($0, StoreConnection(connection: $1))
      }
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
