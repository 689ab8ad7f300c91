/// Where an import's time went, as shares of its wall time, for each of its two threads.
package struct StageShares: Codable, Sendable {
  /// One stage.
  package struct Share: Codable, Sendable {
    package let name: String
    /// Of the import's wall time, 0 to 1.
    package let share: Double
  }

  /// The thread that reads; what is missing to 1 is before its start and after its end.
  package let reading: [Share]
  /// The thread that writes.
  package let writing: [Share]

  /// - Parameters:
  ///   - outcome: an import's.
  ///   - reading: the seconds of the reading side alone, at each of `ReadingDepth`.
  init(_ outcome: JobOutcome, reading depths: [Double]) {
    func share(_ name: String, _ stage: String) -> Share {
      Share(name: name, share: (outcome.stages[stage] ?? 0) / outcome.seconds)
    }
    // The clock looked once a chunk; each step's part in it is measured by reading so far and no farther.
    let steps = depths.indices.map { $0 == 0 ? depths[0] : max(0, depths[$0] - depths[$0 - 1]) }
    let all = max(steps.reduce(0, +), .leastNormalMagnitude)
    let records = (outcome.stages["records"] ?? 0) / outcome.seconds
    reading =
      zip(["read", "digest, inflate", "parse", "type"], steps).map {
        Share(name: $0, share: records * $1 / all)
      } + [
        share("expressions", "expressions"), share("sort", "sort"), share("waiting", "waitingForRoom"),
      ]
    let writing = [
      share("open", "open"), share("waiting", "waitingForChunks"), share("links", "links"),
      share("difference", "difference"), share("rows", "rows"), share("derived", "derived"),
      share("history", "history"), share("commit", "commit"), share("close", "close"),
    ]
    let rest = 1 - writing.map(\.share).reduce(0, +)
    self.writing = writing + [Share(name: "other", share: max(0, rest))]
  }

  /// A stage of the writing thread.
  func writing(_ name: String) -> Double { writing.first { $0.name == name }?.share ?? 0 }
}
