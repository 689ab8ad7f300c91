import Foundation
import Testing

/// Random models with random histories: the store holds and tells what a plain model of it says.
@Suite struct RandomHistoryTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["BOLIDE_HISTORIES"].flatMap { Int($0) } ?? 100
  private static let first = environment["BOLIDE_HISTORIES_SEED"].flatMap { Int($0) } ?? 0

  /// So many histories are run at once.
  private static let width = 2 * ProcessInfo.processInfo.activeProcessorCount
  /// After so many seeds with a difference it ends.
  private static let patience = environment["BOLIDE_HISTORIES_PATIENCE"].flatMap { Int($0) } ?? 1

  @Test func `the store does what the plain model does`() async throws {
    var seeds = (Self.first..<Self.first + Self.count).makeIterator()
    var (steps, differences) = (0, 0)
    await withTaskGroup(of: (seed: Int, steps: Int, problem: String?).self) { group in
      // Several at once, as each waits for the threads of its imports.
      func start(_ seed: Int) { group.addTask { await Self.outcome(seed) } }
      for _ in 0..<Self.width { seeds.next().map(start) }
      for await (seed, count, problem) in group {
        steps += count
        if let problem {
          print("difference at seed \(seed)\n\(problem)\n")
          Issue.record("seed \(seed): \(problem.split(separator: "\n").last ?? "")")
          differences += 1
        }
        if differences < Self.patience { seeds.next().map(start) }
      }
    }
    if Self.environment["BOLIDE_HISTORIES"] != nil, differences == 0 {
      print("\(Self.count) histories of random models, \(steps) steps: no difference")
    }
  }

  private static func outcome(_ seed: Int) async -> (seed: Int, steps: Int, problem: String?) {
    var history = RandomHistory(seed)
    do {
      try await history.run()
      return (seed, history.steps, nil)
    } catch {
      return (seed, history.steps, await shrunk(seed, history))
    }
  }

  /// The same history without the steps that it differs without as well.
  private static func shrunk(_ seed: Int, _ history: RandomHistory) async -> String {
    var skipped: Set<Int> = []
    var (told, problem) = (history.told, "gone")
    for step in (-1..<Dice.steps(seed)).reversed() {
      var shorter = RandomHistory(seed)
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
