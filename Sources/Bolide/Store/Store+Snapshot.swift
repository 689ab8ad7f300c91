public import StoreInterface

extension Store {
  /// Reads everything, with the token from which changes lead on, from one state of the store. Imports go on meanwhile.
  ///
  /// - Parameters:
  ///   - entities: which entities; empty for all.
  ///   - row: called for each row, by entity and id.
  /// - Returns: the snapshot's place and counts, when all rows were read.
  /// - Throws: `StoreError`, and what the closure throws.
  public func snapshot(
    of entities: [String] = [], _ row: @escaping @Sendable (Snapshot.Row) throws -> Void
  ) async throws -> Snapshot {
    try await answering { store in
      var found: Snapshot?
      try store.readSnapshot(of: entities, begin: { found = $0 }) {
        try StoreCall.check()
        try row($0)
      }
      guard let found else { preconditionFailure("a snapshot begins before it ends") }
      return found
    }
  }
}
