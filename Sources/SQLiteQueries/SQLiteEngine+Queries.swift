internal import SQLiteStore
internal import StoreInterface

/// Answers requests for objects.
extension SQLiteEngine: QueryEngine {}
