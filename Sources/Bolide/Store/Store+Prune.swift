public import StoreInterface

extension Store {
  /// Deletes the oldest transactions from history, in small steps between which other programs may write. Transactions
  /// that a live reader has not read are kept.
  ///
  /// - Throws: `StoreError` when the position is not in this store's history.
  /// - Complexity: O(deleted changes).
  public func prune(_ request: PruneRequest) async throws -> PruneReport {
    try await writing { try $0.prune(request) }
  }
}
