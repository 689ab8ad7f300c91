/// What pruning did.
public struct PruneReport: Sendable, Hashable {
  /// Transactions that are gone from history.
  public var transactions = 0
  /// Their changes.
  public var changes = 0
  /// Live readers that keep more from going.
  public var holding: [String] = []
  /// Readers that have expired by it.
  public var expired: [String] = []

  package init(transactions: Int = 0, changes: Int = 0, holding: [String] = [], expired: [String] = []) {
    self.transactions = transactions
    self.changes = changes
    self.holding = holding
    self.expired = expired
  }
}

/// What is to be pruned.
public enum PruneRequest: Sendable, Hashable {
  /// Transactions up to a token or number, inclusive, or before a date. The token remains valid.
  case before(HistoryRequest.Start)
  /// What was committed longer ago than so many seconds.
  case olderThan(seconds: Double)
  /// All but so many of the newest transactions.
  case keepingTransactions(Int)
}
