/// What a follower of a store found.
package struct FollowTimes: Codable, Sendable {
  /// Seconds from each commit's return to the moment at which the follower had the whole transaction, in commit order.
  package let latencies: [Double]
  /// Processor seconds that the follower takes in a minute in which nothing happens.
  package let sleepingPerMinute: Double

  init(latencies: [Double], sleepingPerMinute: Double) {
    self.latencies = latencies
    self.sleepingPerMinute = sleepingPerMinute
  }

  /// The middle commit's seconds.
  package var median: Double { latencies.median }
  /// So many seconds or fewer took 99 of a hundred commits.
  package var percentile99: Double { latencies.percentile(99) }
  /// The slowest commit's seconds.
  package var worst: Double { latencies.max() ?? 0 }
}

extension Measure {
  /// What the follower found in all runs together; nil when nobody followed.
  package var followed: FollowTimes? {
    let times = runs.compactMap(\.follow)
    guard !times.isEmpty else { return nil }
    return FollowTimes(
      latencies: times.flatMap(\.latencies), sleepingPerMinute: times.map(\.sleepingPerMinute).median)
  }
}

extension [Double] {
  /// The smallest value that so many percent of all values do not exceed; 0 when there are none.
  func percentile(_ percent: Int) -> Double {
    guard !isEmpty else { return 0 }
    return sorted()[Swift.max(0, (count * percent + 99) / 100 - 1)]
  }
}
