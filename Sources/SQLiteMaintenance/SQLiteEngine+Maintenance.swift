internal import SQLiteStore
internal import StoreInterface

/// Keeps a store: with this, the engine has everything.
extension SQLiteEngine: MaintenanceEngine, StoreEngine {}
