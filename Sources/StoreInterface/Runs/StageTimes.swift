/// What one thread of an import spent on each stage. One look at the clock a stage and
/// chunk, or window of 1,024 records; none a record.
package struct StageTimes: Sendable, Hashable {
  /// A stage, by the thread that does it.
  package enum Stage: Int, CaseIterable, Sendable {
    // The reading thread.
    case records, expressions, sort, waitingForRoom
    // The writing thread. `links` finds and makes the owners, `rows` inserts and updates, `commit` has the
    // checkpoints that SQLite makes with it.
    case waitingForChunks, links, difference, rows, derived, history, commit
  }

  private var seconds = [Double](repeating: 0, count: Stage.allCases.count)
  private var last = ContinuousClock.now

  /// Begins the first stage now.
  package init() {}

  /// A stage's seconds so far.
  package subscript(stage: Stage) -> Double { seconds[stage.rawValue] }

  /// Ends a stage: the time since the end of the one before is its own.
  package mutating func end(_ stage: Stage) {
    let now = ContinuousClock.now
    seconds[stage.rawValue] += last.duration(to: now) / .seconds(1)
    last = now
  }

  /// Adds what another thread spent.
  package mutating func add(_ other: StageTimes) {
    for stage in Stage.allCases { seconds[stage.rawValue] += other[stage] }
  }
}
