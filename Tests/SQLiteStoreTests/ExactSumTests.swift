import ImportModel
import Testing

@testable import SQLiteStore

/// A sum of reals is the correctly rounded exact sum, whoever changes the summands.
struct ExactSumTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()
  private let store: Store

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
  }

  /// Edits the store like any other program, then compares each region's sum with Python's exact one, bit by bit.
  private static let script = """
    import math, random, sqlite3, struct, sys
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    dice = random.Random(int(sys.argv[2]))
    def value():
        kind = dice.random()
        if kind < 0.1: return None
        if kind < 0.4: return round(dice.uniform(-1000, 1000), 2)
        if kind < 0.7: return dice.uniform(-1e6, 1e6)
        return dice.choice([0.1, -0.1, 1e9 + 0.5, -1e9, 0.03])
    count = int(sys.argv[3])
    db.execute("BEGIN")
    for step in range(count):
        row = dice.randrange(400)
        kind = dice.random()
        if kind < 0.5:
            db.execute("INSERT INTO Quake(id, magnitude, region_id) VALUES (?, ?, ?) ON CONFLICT (id) "
                       "DO UPDATE SET magnitude = excluded.magnitude", (f"q{row}", value(), dice.randint(1, 3)))
        elif kind < 0.8:
            db.execute("UPDATE Quake SET magnitude = ?, region_id = ? WHERE id = ?",
                       (value(), dice.randint(1, 3), f"q{row}"))
        else:
            db.execute("DELETE FROM Quake WHERE id = ?", (f"q{row}",))
    db.execute("COMMIT")
    bits = lambda number: struct.pack("<d", number + 0.0)
    for owner, total, low in db.execute("SELECT bolide_id, magnitudes, bolide_magnitudes_low FROM Region"):
        summands = [row[0] for row in db.execute(
            "SELECT magnitude FROM Quake WHERE region_id = ? AND magnitude IS NOT NULL", (owner,))]
        exact = math.fsum(summands)
        if bits(exact) != bits(total) or low is None:
            print("region", owner, "of", len(summands), "has", repr(total), "instead of", repr(exact))
    """

  @Test func `Tens of thousands of changes through triggers lose not a bit`() throws {
    try temporary.shell("INSERT INTO Region(code) VALUES ('r1'), ('r2'), ('r3')")
    #expect(try temporary.python(Self.script, ["1", "30000"]) == "")
    // An import goes on with the same two parts.
    let records = (0..<400).map {
      ["id": .text("q\($0)"), "magnitude": .real(Double($0) * 0.1), "@region": "r1"] as Record
    }
    let chunks = stride(from: 0, to: 400, by: 37).map { Array(records[$0..<min($0 + 37, 400)]) }
    try store.take(pipeline, chunks: chunks)
    #expect(try temporary.python(Self.script, ["2", "300"]) == "")
    try temporary.shell("DELETE FROM Quake")
    #expect(try store.rows("SELECT quakeCount, magnitudes FROM Region") == [[0, 0.0], [0, 0.0], [0, 0.0]])
  }

  @Test(arguments: 0..<10) func `Two parts hold what a double would lose`(seed: Int) {
    var dice = Dice(seed)
    var (sum, other) = (TwoPartSum(), TwoPartSum())
    var (exact, otherExact) = (Int128(0), Int128(0))
    for _ in 0..<2000 {
      let value = Exact.random(&dice)
      switch dice.int(0...3) {
      case 0:
        sum.subtract(value)
        exact -= Exact.units(value)
      case 1:
        other.add(value)
        otherExact += Exact.units(value)
      default:
        sum.add(value)
        exact += Exact.units(value)
      }
    }
    #expect(sum.high == Exact.double(exact) && other.high == Exact.double(otherExact))
    sum.add(other)
    #expect(sum.high == Exact.double(exact + otherExact) && sum.isFinite)
    #expect(sum.low == Exact.double(exact + otherExact - Exact.units(sum.high)))
  }

  private func sums() throws -> [[Value]] {
    try store.rows("SELECT magnitudes, bolide_magnitudes_low IS NULL FROM Region ORDER BY bolide_id")
  }

  @Test func `A sum beyond the range of a double is computed anew by the next import`() throws {
    try store.take(
      pipeline, [["id": "a", "@region": "r", "magnitude": 1e308], ["id": "b", "@region": "s"]])
    try temporary.shell("INSERT INTO Quake(id, magnitude, region_id) VALUES ('c', 1.5e308, 1)")
    #expect(
      try store.rows("SELECT name, hop, object FROM bolide_dirty JOIN bolide_property USING (property)") == [
        ["magnitudes", 0, 1]
      ])
    try store.take(pipeline, [["id": "d"]])
    #expect(try sums() == [[.real(.infinity), 1], [0.0, 0]])
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
    try temporary.shell("DELETE FROM Quake WHERE id = 'a'")
    try store.take(pipeline, [["id": "e"]])
    #expect(try sums() == [[1.5e308, 0], [0.0, 0]])
  }

  @Test func `An import meets the same limit, and finds back`() throws {
    try store.take(
      pipeline,
      [["id": "a", "@region": "r", "magnitude": 1e308], ["id": "b", "@region": "r", "magnitude": 1.5e308]])
    #expect(try sums() == [[.real(.infinity), 1]])
    try store.take(pipeline, [["id": "c", "@region": "r", "magnitude": 1.0]])
    #expect(try sums() == [[.real(.infinity), 1]])
    try store.take(pipeline, [["id": "b", "magnitude": 0.5]])
    #expect(try sums() == [[1e308, 0]])
    #expect(try store.rows("SELECT quakeCount FROM Region") == [[3]])
  }

  @Test(arguments: ["INSERT", "INSERT OR FAIL", "INSERT OR ABORT", "INSERT OR ROLLBACK", "REPLACE"])
  func `An owner that waits to be computed anew can still get children`(verb: String) throws {
    try store.take(pipeline, [["id": "a", "@region": "r", "magnitude": 1e308]])
    for (id, value) in [("b", "1.5e308"), ("c", "1.0"), ("d", "-1.5e308")] {
      try temporary.shell("\(verb) INTO Quake(id, magnitude, region_id) VALUES ('\(id)', \(value), 1)")
    }
    #expect(try store.rows("SELECT count(*) FROM bolide_dirty") == [[1]])
    try temporary.shell("DELETE FROM Quake WHERE id = 'b'")
    try store.take(pipeline, [["id": "e"]])
    #expect(try sums() == [[.real(-0.5e308), 0]])
    #expect(try store.rows("SELECT quakeCount FROM Region") == [[3]])
  }

  @Test func `A sum of whole numbers beyond 64 bits is an error that says so`() throws {
    try store.take(pipeline, [["id": "a", "@region": "r", "depth": .integer(.max)]])
    let error = #expect(throws: StoreError.self) {
      try store.take(pipeline, [["id": "b", "@region": "r", "depth": 1]])
    }
    #expect(error?.code == .derivedOverflow)
    #expect(
      error?.message == "\(temporary.path): Region.depths of the object 1 is beyond the range of 64 bits")
    #expect(error?.hint == "Sum smaller numbers, or derive the sum from a double.")
    // Nothing of that chunk is there.
    #expect(try store.rows("SELECT id FROM Quake") == [["a"]])
    #expect(try store.rows("SELECT depths, quakeCount FROM Region") == [[.integer(.max), 1]])
    try store.take(
      pipeline, [["id": "b", "@region": "r", "depth": 1], ["id": "a", "depth": .integer(.max - 1)]])
    #expect(try store.rows("SELECT depths, quakeCount FROM Region") == [[.integer(.max), 2]])
  }
}
