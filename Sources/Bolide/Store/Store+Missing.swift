public import StoreInterface

extension Store {
  /// The rows that a pipeline with a full feed brought once, and that its last complete run did not see.
  ///
  /// A run is complete when it has read its input to the end; a rejected record whose key can be read counts as seen. Rows
  /// that the pipeline never brought are never among them.
  /// - Parameter pipeline: the pipeline's name; nil for the store's only one with a full feed.
  /// - Throws: `StoreError` when no complete run is known.
  /// - Complexity: O(missing), and what the last complete run inserted, in time; O(missing) in memory.
  public func missingRows(of pipeline: String? = nil) async throws -> MissingRows {
    try await answering {
      var rows: [MissingRow] = []
      var missing = try $0.readMissing(of: pipeline) { rows.append($0) }
      missing.rows = rows
      return missing
    }
  }

  /// Deletes the missing rows, by the delete rules of their relationships, in one transaction.
  ///
  /// - Parameters:
  ///   - pipeline: as for `missingRows(of:)`.
  ///   - share: more than this share of the pipeline's rows is not deleted.
  /// - Returns: how many rows are gone, and the token; nil when there was nothing to delete.
  /// - Throws: `StoreError` when too much is missing, when the last complete run saw nothing at all, or when a rule denies
  ///   it; then nothing is deleted.
  public func deleteMissingRows(
    of pipeline: String? = nil, noMoreThan share: Double = 0.05
  ) async throws -> (MissingRows, HistoryToken?) {
    try await writing { try $0.deleteMissing(of: pipeline, noMoreThan: share) }
  }

  /// Gives missing rows that reappeared under another key the new key, and deletes the newly inserted rows, in one
  /// transaction. Object ids and links are kept.
  ///
  /// - Returns: how many rows were merged, and the token; nil when there were none.
  public func mergeMissingRows(of pipeline: String? = nil) async throws -> (MissingRows, HistoryToken?) {
    try await writing { try $0.mergeMissing(of: pipeline) }
  }
}
