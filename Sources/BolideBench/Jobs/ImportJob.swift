internal import Bolide
internal import Foundation

/// An import as a user runs it: the store is opened, written and closed.
enum ImportJob {
  static func run(
    pipeline pipelinePath: String, input: String, store storePath: String, connections: Int
  ) throws -> JobOutcome {
    let pipeline = try Pipeline(path: pipelinePath)
    // A file that is known again would not be read.
    var options = ImportOptions()
    options.force = true
    options.connections = connections
    var report: ImportReport?
    var opening = 0.0
    var untilClosing = 0.0
    var outcome = try JobOutcome.measuring {
      let start = ContinuousClock.now
      let store = try StoreAddress(storePath).open(for: pipeline, lockWait: 0)
      opening = start.duration(to: .now) / .seconds(1)
      let result = try store.run(pipeline, on: [.file(input)], options: options)
      report = result
      // The store closes here, and SQLite empties the WAL into it.
      untilClosing = withExtendedLifetime(store) { start.duration(to: .now) / .seconds(1) }
      return result.progress.counts.read
    }
    // Not by the clock again: whatever comes in between would be beyond the whole.
    let closed = max(0, outcome.seconds - untilClosing)
    guard !FileManager.default.fileExists(atPath: storePath + "-wal") else {
      throw WrongResult("the import left a WAL behind: its time would be without the last checkpoint")
    }
    guard let report else { return outcome }
    let counts = report.progress.counts
    outcome.counts = [
      "read": counts.read, "inserted": counts.inserted, "updated": counts.updated,
      "unchanged": counts.unchanged, "ignored": counts.ignored, "duplicates": counts.duplicates,
      "superseded": counts.superseded,
      "rejected": counts.rejected, "chunks": report.progress.chunks,
    ]
    for stage in StageTimes.Stage.allCases { outcome.stages["\(stage)"] = report.times[stage] }
    outcome.stages["open"] = opening
    outcome.stages["close"] = closed
    return outcome
  }
}
