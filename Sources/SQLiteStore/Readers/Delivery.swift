internal import GRDB
public import ImportModel
internal import SQLiteAccess
public import StoreInterface

extension Store {
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
    try await answering { store in
      try store.seal()
      return try store.writing { db in
        var last: HistoryToken?
        try db.inTransaction(.immediate) {
          let table = try ReaderTable(db, path: store.path)
          let start = try table.place(of: name)
          var request = HistoryRequest(after: start)
          request.transactionLimit = limit
          var changes: [HistoryChange] = []
          let connection = StoreConnection(db: db)
          try HistoryReading(db, request, path: store.path).run {
            changes.append($0)
          } commit: { transaction in
            var transaction = transaction
            (transaction.changes, changes) = (changes, [])
            try body(transaction, connection)
            last = transaction.token
          }
          if let last { try table.advance(name, from: start, to: last) }
          return .commit
        }
        return last
      }
    }
  }
}

/// A connection to the store's file inside a transaction that somebody else begins and ends.
///
/// Good inside the closure that gets it, and nowhere else.
public struct StoreConnection {
  fileprivate let db: Database

  /// Runs a statement with values for its `?`.
  ///
  /// - Throws: `StoreError` for what SQLite refuses.
  public func execute(_ sql: String, _ values: [Value] = []) throws {
    _ = try rows(sql, values)
  }

  /// The rows of a query with values for its `?`.
  ///
  /// - Throws: `StoreError` for what SQLite refuses.
  public func rows(_ sql: String, _ values: [Value] = []) throws -> [[Value]] {
    let statement = try RawStatement(db, sql)
    defer { statement.reset() }
    statement.bind(values)
    var rows: [[Value]] = []
    while try statement.step() { rows.append(statement.row) }
    return rows
  }
}
