import Foundation
import Testing

/// Random models with random histories: the store holds and tells what a plain model of it says.
@Suite struct RandomHistoryTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["BOLIDE_HISTORIES"].flatMap { Int($0) } ?? 100
  private static let first = environment["BOLIDE_HISTORIES_SEED"].flatMap { Int($0) } ?? 0

  /// After so many seeds with a difference it ends.
  private static let patience = environment["BOLIDE_HISTORIES_PATIENCE"].flatMap { Int($0) } ?? 1

  @Test func `the store does what the plain model does`() async throws {
    var (steps, differences) = (0, 0)
    for seed in Self.first..<Self.first + Self.count {
      var history = RandomHistory(seed)
      do {
        try await history.run()
        steps += history.steps
      } catch {
        let story = await Self.shrunk(seed, history)
        Issue.record("seed \(seed): \(error)")
        print("difference at seed \(seed)\n\(story)\n")
        differences += 1
        if differences == Self.patience { return }
      }
    }
    if Self.environment["BOLIDE_HISTORIES"] != nil, differences == 0 {
      print("\(Self.count) histories of random models, \(steps) steps: no difference")
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
