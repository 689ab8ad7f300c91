import Bolide
import StoreInterface
import Testing

/// A run without an end, whose process is gone.
struct KilledRunTests {
  @Test func `a command that has the pipeline's lock does not bring it back to work`() throws {
    let store = try ServerStore()
    try store.take(
      [#"{"id": 1, "magnitude": "high"}"#, #"{"id": 2}"#], settings: "max-rejects: 100%")
    try store.psql("UPDATE bolide_run SET ended = NULL, outcome = NULL")
    // What was rejected is tried again, and comes to an end behind it.
    let mended = try Pipeline(
      yaml: ServerStore.quakes.replacing(
        "magnitude: double", with: "magnitude: { type: double, value: \"1.0\" }"),
      file: "quakes.yaml", directory: ".")
    _ = try store.engine.replay(mended, options: ImportOptions())
    let lock = try store.engine.lock(forPipeline: "quakes", waiting: 1)
    try withExtendedLifetime(lock) {
      let status = try #require(try store.engine.status().pipelines.first)
      #expect(status.isAtWork == false && status.state == .killed && status.lastRun?.number == 1)
      let runs = try store.engine.runs(of: nil, limit: 9)
      #expect(runs.map(\.run.number) == [2, 1] && runs.map(\.isAtWork) == [false, false])
    }
  }
}
