public import ImportModel
internal import SQLiteMaintenance
internal import SQLiteStore

extension Pipeline {
  /// The tables, indexes and triggers that the pipeline makes in a new store, as SQL with comments.
  ///
  /// - Throws: `StoreError` for a pipeline with `problems()`.
  public func schemaText() throws -> String { try SQLiteEngine.schemaText(of: self) }
}
