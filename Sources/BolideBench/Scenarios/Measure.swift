/// The runs of one who did a scenario's work, in the order in which they ran.
package struct Measure: Codable, Sendable {
  /// Who did it.
  package let name: String
  /// What each run took.
  package let runs: [JobOutcome]
  /// Whether the whole process counts: of another program nobody knows when its work began.
  package let isWholeProcess: Bool

  /// The seconds of each run, in their order.
  package var seconds: [Double] { runs.map { isWholeProcess ? $0.processSeconds : $0.seconds } }

  /// The middle run's seconds.
  package var median: Double { seconds.median }

  /// The run that took the middle time.
  package var middle: JobOutcome {
    runs[seconds.indices.sorted { seconds[$0] < seconds[$1] }[runs.count / 2]]
  }

  /// Runs the candidates in turn (A B A B …), so that a machine whose speed drifts treats them alike.
  ///
  /// - Parameters:
  ///   - runs: how often each is run; one more run of each, not counted, comes first.
  ///   - progress: called before each run with its number, 0 for the first, and its candidate's name.
  ///   - left: called with the name of an optional candidate whose first run failed, and why: it is left out.
  static func inTurn(
    runs: Int, _ candidates: [Candidate], progress: (Int, String) -> Void = { _, _ in },
    left: (String, WrongResult) -> Void = { _, _ in }
  ) throws -> [Measure] {
    precondition(runs > 0, "a measure takes at least one run")
    var outcomes = [[JobOutcome]](repeating: [], count: candidates.count)
    var taking = Set(candidates.indices)
    for run in 0...runs {
      for (index, candidate) in candidates.enumerated() where taking.contains(index) {
        progress(run, candidate.name)
        do {
          let outcome = try candidate.run()
          if run > 0 { outcomes[index].append(outcome) }
        } catch let error as WrongResult where candidate.isOptional && run == 0 {
          taking.remove(index)
          left(candidate.name, error)
        } catch let error as WrongResult {
          throw WrongResult("\(candidate.name): \(error)")
        }
      }
    }
    return taking.sorted().map {
      Measure(name: candidates[$0].name, runs: outcomes[$0], isWholeProcess: candidates[$0].isWholeProcess)
    }
  }
}

/// One who does a scenario's work.
struct Candidate {
  let name: String
  var isWholeProcess = false
  /// Whether it is left out when its first run fails: the feed may not suit it.
  var isOptional = false
  /// Makes ready, does the work once, and checks what came of it.
  let run: () throws -> JobOutcome
}

/// How two candidates compare, pair of runs by pair of runs.
package struct Ratio: Codable, Sendable {
  package let median: Double
  package let lowest: Double
  package let highest: Double

  /// The first's figures by the second's.
  init(_ first: [Double], to second: [Double]) {
    let ratios = zip(first, second).map { $0 / $1 }
    median = ratios.median
    lowest = ratios.min() ?? 0
    highest = ratios.max() ?? 0
  }
}

extension [Double] {
  /// The middle value; the mean of the middle two of an even number.
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return 0 }
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }
}
