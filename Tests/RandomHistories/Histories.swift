import Foundation

/// Random models with random histories, one for each seed.
package struct Histories {
  /// The seeds.
  package var seeds: Range<Int>
  /// After so many seeds with a difference no other is begun.
  package var patience = 1
  /// Whether the plain model is reached through the seam: the same import loop fills it as an engine.
  package var throughSeam = false
  /// The steps of all histories.
  package private(set) var steps = 0
  /// The seeds at which a store did otherwise than the plain model.
  package private(set) var differences: [Int] = []

  package init(_ seeds: Range<Int>) { self.seeds = seeds }

  /// Runs them, several at once, as each waits for the threads of its imports.
  ///
  /// - Parameters:
  ///   - progress: is told of each thousand of histories, and their steps.
  ///   - tell: is told of each difference: the pipelines, the steps that it takes, and what differs.
  package mutating func run(
    progress: @Sendable (Int, Int) -> Void = { _, _ in }, tell: @Sendable (Int, String) -> Void
  ) async {
    var rest = seeds.makeIterator()
    var done = 0
    await withTaskGroup(of: (seed: Int, steps: Int, problem: String?).self) { group in
      func start(_ seed: Int) { group.addTask { [throughSeam] in await Self.outcome(seed, throughSeam) } }
      for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount { rest.next().map(start) }
      for await (seed, count, problem) in group {
        (done, steps) = (done + 1, steps + count)
        if done % 1000 == 0 { progress(done, steps) }
        if let problem {
          differences.append(seed)
          tell(seed, problem)
        }
        if differences.count < patience { rest.next().map(start) }
      }
    }
  }

  private static func outcome(
    _ seed: Int, _ throughSeam: Bool
  ) async -> (seed: Int, steps: Int, problem: String?) {
    var history = RandomHistory(seed, throughSeam: throughSeam)
    do {
      try await history.run()
      return (seed, history.steps, nil)
    } catch {
      return (seed, history.steps, await shrunk(seed, history, error))
    }
  }

  /// The same history without the steps that it differs without as well.
  private static func shrunk(_ seed: Int, _ history: RandomHistory, _ error: any Error) async -> String {
    var skipped: Set<Int> = []
    var (told, problem) = (history.told, "\(error)")
    for step in (0..<Dice.steps(seed)).reversed() {
      var shorter = RandomHistory(seed, throughSeam: history.engine != nil)
      do {
        try await shorter.run(skipping: skipped.union([step]))
      } catch {
        skipped.insert(step)
        (told, problem) = (shorter.told, "\(error)")
      }
    }
    return (history.texts + told + [problem]).joined(separator: "\n")
  }
}
