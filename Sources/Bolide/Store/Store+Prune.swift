public import StoreInterface

extension Store {
  /// Takes the oldest transactions out of history, in small steps between which others may write. What a live reader has
  /// not seen stays.
  ///
  /// - Throws: `StoreError` when the place is none of this history.
  /// - Complexity: O(changes that go).
  public func prune(_ request: PruneRequest) async throws -> PruneReport {
    try await answering { try $0.prune(request) }
  }
}
