import Foundation

/// How much more the tests try than in a usual run, as the environment says: see the article *Testing*.
package enum LongRun {
  /// So many sequences of random steps are tried of each kind: `BOLIDE_SEEDS`.
  package static let seeds = environment["BOLIDE_SEEDS"].flatMap { Int($0) } ?? 1

  /// Whether faults meet each statement, and not some of them: `BOLIDE_EVERY_STATEMENT`.
  package static let hasEveryStatement = environment["BOLIDE_EVERY_STATEMENT"] != nil

  private static let environment = ProcessInfo.processInfo.environment
}
