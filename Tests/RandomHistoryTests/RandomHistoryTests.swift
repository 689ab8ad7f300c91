import Bolide
import RandomHistories
import StoreInterface
import TestServer
import Testing

/// A brief share of what `.ci/histories` runs for long.
@Suite struct RandomHistoryTests {
  @Test func `whatever is imported and written, the store holds and tells what a plain model does`() async {
    var histories = Histories(0..<5)
    await histories.run { seed, problem in Issue.record("seed \(seed)\n\(problem)") }
    #expect(histories.differences == [])
    #expect(histories.steps > 30)
  }

  @Test func `an engine of plain collections does the same behind the import loop`() async {
    var histories = Histories(100..<105)
    histories.throughSeam = true
    await histories.run { seed, problem in Issue.record("seed \(seed)\n\(problem)") }
    #expect(histories.differences == [])
    #expect(histories.steps > 30)
  }

  // The last ones have copies of copies, and filters over booleans and decimals.
  @Test(arguments: [200, 1015, 1036, 1192])
  func `a PostgreSQL server counts, holds and tells what SQLite does, or refuses the model`(_ seed: Int)
    throws
  {
    do {
      let server = try TestServer.shared.get()
      let schema = "s\(UInt64.random(in: 0 ... .max))"
      try TwoEngines(seed) { pipeline in
        try StoreAddress(server.address(schema: schema)).open(for: pipeline, lockWait: 10)
      } program: {
        try server.psql($0, schema: schema)
      }.run()
    } catch let error as StoreError where error.code == .unsupported {}
  }
}
