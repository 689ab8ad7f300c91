/// The times of several runs of one thing.
package struct Measure: Sendable {
  /// Seconds, sorted.
  package let seconds: [Double]

  /// The middle run's seconds.
  package var median: Double { seconds[seconds.count / 2] }

  /// Runs the candidates in turn (A B A B …), so that a machine whose speed drifts treats them alike.
  ///
  /// - Parameters:
  ///   - runs: how often each is run; one more run of each, not counted, comes first.
  ///   - candidates: each does its work once, and throws when its result is wrong.
  /// - Returns: the times, in the candidates' order.
  /// - Throws: what a candidate throws.
  package static func inTurn(runs: Int, _ candidates: [() throws -> Void]) throws -> [Measure] {
    precondition(runs > 0, "a measure takes at least one run")
    let clock = ContinuousClock()
    var times = [[Double]](repeating: [], count: candidates.count)
    for run in 0...runs {
      for (index, candidate) in candidates.enumerated() {
        let start = clock.now
        try candidate()
        if run > 0 { times[index].append(start.duration(to: clock.now) / .seconds(1)) }
      }
    }
    return times.map { Measure(seconds: $0.sorted()) }
  }
}
