/// How long a store keeps history. What no rule keeps is pruned after a good import, in small steps.
///
/// A transaction goes when both `keep` and `transactions` allow it. No live reader's unread transactions go, unless it was
/// away for longer than `holdForReaders` or history is larger than `cap`: then the reader has expired.
public struct HistoryRetention: Sendable, Hashable, Encodable {
  /// Younger transactions are kept, in seconds; nil for no rule, infinite for ever.
  public var keep: Double?
  /// So many of the newest transactions are kept; nil for no rule.
  public var transactions: Int?
  /// Maximum age, in seconds, of unread history that is kept for a reader; nil for no maximum.
  public var holdForReaders: Double?
  /// The history size, in bytes, above which readers no longer delay pruning; nil for no limit.
  public var cap: Int64?

  /// Makes rules. Without `keep` and `transactions`, history goes only when it is larger than the rows it describes and
  /// than 64 MB.
  public init(
    keep: Double? = nil, transactions: Int? = nil, holdForReaders: Double? = nil, cap: Int64? = nil
  ) {
    self.keep = keep
    self.transactions = transactions
    self.holdForReaders = holdForReaders
    self.cap = cap
  }
}
