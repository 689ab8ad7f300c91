internal import Bolide

/// A pipeline's model becomes a store's, as an import by it would begin.
enum MigrationJob {
  static func run(pipeline path: String, store: String, rows: Int) throws -> JobOutcome {
    let pipeline = try Pipeline(path: path)
    return try JobOutcome.measuring {
      _ = try StoreAddress(store).open(for: pipeline, lockWait: 0)
      return rows
    }
  }
}
