@testable import BolideBench
import Foundation
import Testing

/// What the bench's figures rest on: the numbers it checks against, the floor, and how it compares.
@Suite struct BenchMeasureTests {
  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func workspace() throws -> Workspace {
    try Workspace(in: folder.url.path(percentEncoded: false), tool: Folder.tool + "-bench")
  }

  @Test func `the generator's own numbers are those of the feed's text`() throws {
    let feed = FireballFeed(rows: 3_000, seed: 5, revise: 20, drop: 3)
    try folder.generate(feed, to: "feed.json")
    let text = try folder.python(
      """
      import calendar, json, time
      from decimal import Decimal
      rows = json.load(open("feed.json"))["data"]
      def total(values):
        values = [int(v) for v in values]
        return f"{len(values)} {sum(abs(v) % 1000000007 * (1 if v > 0 else -1) for v in values)}"
      def column(i, sign=None):
        return total(Decimal(r[i]) * (-1000 if sign and r[i + 1] in "SW" else 1000) for r in rows if r[i] is not None)
      print(len(rows))
      print("date", total(calendar.timegm(time.strptime(r[0], "%Y-%m-%d %H:%M:%S")) for r in rows))
      for name, i, sign in [("energy", 1, 0), ("impactEnergy", 2, 0), ("latitude", 3, 1), ("longitude", 5, 1),
                            ("altitude", 7, 0), ("velocity", 8, 0)]:
        print(name, column(i, sign))
      """)
    var expected = TableNumbers()
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 1 { expected.rows = try #require(Int(words[0])) }
      guard words.count == 3 else { continue }
      expected.columns[words[0]] = .init(count: try #require(Int(words[1])), sum: try #require(Int(words[2])))
    }
    #expect(expected.columns.count == 7)
    #expect(feed.numbers() == expected)
  }

  @Test func `a store that lost a row, a value or a digit is found out`() throws {
    let feed = try BenchFeed(rows: 500, in: try workspace())
    let store = try feed.loaded()
    try feed.check(store, .base)
    let damages = [
      "DELETE FROM Fireball WHERE bolide_id = 7",
      "UPDATE Fireball SET altitude = NULL WHERE bolide_id = (SELECT min(bolide_id) FROM Fireball WHERE altitude > 0)",
      "UPDATE Fireball SET energy = energy + 0.1 WHERE bolide_id = 7",
      "UPDATE Fireball SET latitude = -latitude WHERE bolide_id = (SELECT max(bolide_id) FROM Fireball WHERE latitude > 0)",
      "UPDATE Fireball SET date = strftime('%Y-%m-%dT%H:%M:%SZ', date, '+1 second') WHERE bolide_id = 7",
    ]
    for damage in damages {
      let copy = try feed.workspace.copy(store, to: "damaged.sqlite")
      try folder.sqlite(copy, damage)
      #expect(throws: WrongResult.self, "\(damage)") { try feed.check(copy, .base) }
    }
  }

  @Test(arguments: FloorShape.allCases) func `the floor writes the import's table, whatever its shape`(
    shape: FloorShape
  ) throws {
    let feed = try BenchFeed(rows: 2_000, in: try workspace())
    let isUpsert = shape == .preparedUpsert || shape == .chunkDifference
    let file = folder.path("floor.db")
    func run(_ kind: BenchFeed.Kind, _ shape: FloorShape) throws -> JobOutcome {
      try Job.floor(
        pipeline: feed.pipeline(), input: try feed.path(kind), file: file, shape: shape, chunkRows: 300
      ).run()
    }
    #expect(try run(.shuffled, shape).rows == 2_000)
    try feed.check(file, .shuffled)
    let columns = "date, energy, impactEnergy, altitude, velocity, latitude, longitude"
    let query = "SELECT \(columns) FROM Fireball ORDER BY date"
    #expect(try folder.sqlite(file, query) == folder.sqlite(try feed.loaded(), query))
    #expect(
      try folder.sqlite(file, "PRAGMA page_size") == folder.sqlite(try feed.loaded(), "PRAGMA page_size"))
    guard isUpsert else { return }
    _ = try run(.revised, shape)
    try feed.check(file, .revised)
    if shape == .chunkDifference {
      #expect(try run(.base, shape).counts == ["inserted": 0, "updated": feed.revisedRows()])
      #expect(try run(.base, shape).counts == ["inserted": 0, "updated": 0])
    }
  }

  @Test func `a process's peak is its own, not that of the one that started it`() throws {
    let feed = try BenchFeed(rows: 100, in: try workspace())
    let store = try feed.loaded()
    let ballast = [UInt8](repeating: 1, count: 512 << 20)
    let outcome = try feed.workspace.run(.history(store: store))
    #expect(ballast.last == 1)
    let peak = try #require(outcome.peakBytes)
    #expect(peak > 1 << 20 && peak < 256 << 20, "\(peak)")
  }

  @Test func `candidates run in turn, and the first round does not count`() throws {
    var order = ""
    func candidate(_ name: String, _ seconds: Double) -> Candidate {
      Candidate(name: name) {
        order += name
        return JobOutcome(seconds: seconds * Double(order.count), rows: 1)
      }
    }
    let measures = try Measure.inTurn(runs: 2, [candidate("A", 1), candidate("B", 10)])
    #expect(order == "ABABAB")
    #expect(measures.map(\.seconds) == [[3, 5], [40, 60]])
    let ratio = Ratio(measures[1].seconds, to: measures[0].seconds)
    #expect(abs(ratio.median - (40.0 / 3 + 12) / 2) < 1e-9 && ratio.lowest == 12)
  }

  @Test func `a rate is short, and none is nothing because it is small`() {
    let rates = [0, 84.4, 999, 7_630, 98_765, 763_210, 1_234_567.0]
    #expect(rates.map(\.rate) == ["0", "84", "999", "7.6 k", "99 k", "763 k", "1.23 M"])
  }

  @Test func `medians are of the middle, means of two`() {
    #expect([3.0, 1, 2].median == 2)
    #expect([4.0, 1, 2, 3].median == 2.5)
    #expect([Double]().median == 0)
  }

  @Test func `goals take the largest size, and are reached or not by their limits`() throws {
    func result(_ scenario: Scenario, _ rows: Int, _ seconds: [String: [Double]], _ names: [String])
      -> ScenarioResult
    {
      ScenarioResult(
        scenario: scenario, rows: rows,
        measures: names.map { name in
          Measure(
            name: name, runs: (seconds[name] ?? []).map { JobOutcome(seconds: $0, rows: rows) },
            isWholeProcess: false)
        })
    }
    let floor = FloorShape.chunkInsert.title
    let upsert = FloorShape.preparedUpsert.title
    let goals = Goal.all([
      result(.gzip, 100_000, ["bolide": [9, 9, 9], floor: [1, 1, 1]], ["bolide", floor]),
      result(.gzip, 1_000_000, ["bolide": [11, 22, 12], floor: [10, 20, 10]], ["bolide", floor]),
      result(.again, 100_000, ["bolide": [1, 1], upsert: [1.7, 1.7]], ["bolide", upsert]),
      result(.shuffled, 100_000, ["bolide": [0.1]], ["bolide"]),
      result(.shuffled, 1_000_000, ["bolide": [2]], ["bolide"]),
      result(.sorted, 100_000, ["bolide": [0.1]], ["bolide"]),
      result(.sorted, 1_000_000, ["bolide": [4]], ["bolide"]),
      result(.catchUp, 99_999, ["bolide": [1]], ["bolide"]),
    ])
    #expect(goals.map(\.rows) == [1_000_000, 100_000, 1_000_000, 1_000_000])
    #expect(goals.map(\.isReached) == [true, false, true, false])
    #expect(abs(goals[0].found - 1.1) < 1e-9 && abs(goals[1].found - 1.7) < 1e-9)
    #expect(goals[2].found == 0.5 && goals[3].found == 0.25)
  }
}
