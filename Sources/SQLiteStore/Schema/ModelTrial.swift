package import ImportModel
internal import StoreInterface

extension Pipeline {
  /// What SQLite says of the tables, triggers and statements of a large model: how much of one it takes depends on its
  /// derived attributes and relationships too, so it is tried out in a store in memory.
  ///
  /// - Complexity: that of making a store, for a large pipeline; constant for all others.
  package func sizeProblems() -> [PipelineProblem] {
    guard isLarge else { return [] }
    do {
      let folder = try MemoryFolder()
      let store = try SQLiteEngine(blocking: folder.store, for: self, lockWait: 10)
      _ = try SQLiteImport(store, self, input: "")
      return withExtendedLifetime(folder) { [] }
    } catch let error as StoreError where error.code == .other {
      return [.tooLarge(error.engineText ?? error.reason, self)]
    } catch {
      // A memory that is full, or what other checks say.
      return []
    }
  }
}
