/// Follows a store's history, whoever writes it: look every `pause`, and read when there may be something.
package struct HistoryFollower: Sendable {
  private let store: any HistoryEngine
  private let watch: any CommitWatch
  /// Whether there may be changes of other programs that are in no transaction yet.
  private var mayHavePending = true
  private var looks = 0
  /// What kept changes out of history at the last reading.
  private var told: [String] = []
  /// Since when the store's server does not answer.
  private var lost: ContinuousClock.Instant?

  /// How long to wait between looks. A look costs microseconds.
  package static let pause = Duration.milliseconds(10)
  /// For how long a server that does not answer is waited for.
  package static let patience = Duration.seconds(30)

  /// Begins to follow. The first look tells that there may be something.
  package init(_ store: any HistoryEngine) throws {
    self.store = store
    watch = try store.watchCommits()
  }

  /// Whether there may be something to read.
  ///
  /// - Throws: `StoreError` when the store is gone or is another one by now.
  package mutating func look() throws -> Bool {
    looks += 1
    if try watch.hasCommit() {
      mayHavePending = true
      return true
    }
    // Another program keeps its lock: what it leaves is looked after now and then.
    return mayHavePending && looks.isMultiple(of: 10)
  }

  /// Reads the store, with other programs' changes in transactions. Those that a look has told of may wait for a lock;
  /// what comes meanwhile the next look tells.
  ///
  /// - Parameter hasTold: whether `body` has already told something that it may not tell twice.
  /// - Returns: nil where the server did not answer: a later look tells that there may be something.
  /// - Throws: what `body` throws, or, where the store is another one by now, only that.
  package mutating func reading<Result>(
    unless hasTold: () -> Bool = { false }, _ body: () throws -> Result
  ) throws -> Result? {
    do {
      if mayHavePending {
        let notes = try store.assignPendingChanges(readsHistory: true, waiting: 0)
        mayHavePending = notes.contains(where: \.isPassing)
        for note in notes where !told.contains(note.word) { StoreEvent.unassigned(note).tell() }
        told = notes.map(\.word)
      }
      let result = try body()
      lost = nil
      return result
    } catch let error as StoreError where error.code == .unreachable && !hasTold() {
      let since = lost ?? .now
      guard ContinuousClock.now - since < Self.patience else { throw error }
      (lost, mayHavePending) = (since, true)
      return nil
    } catch {
      try watch.check()
      throw error
    }
  }
}
