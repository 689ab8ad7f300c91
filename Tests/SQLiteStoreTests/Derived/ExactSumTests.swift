import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// A sum of reals is the correctly rounded exact sum, whoever changes the summands.
struct ExactSumTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()
  private let store: SQLiteEngine

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
  }

  /// Edits the store like any other program, then compares each region's sum with that of rational numbers, bit by bit,
  /// and its four parts too. Marked owners are left out.
  private static let script = """
    import random, sqlite3, struct, sys
    from fractions import Fraction
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    dice = random.Random(int(sys.argv[2]))
    def value():
        kind = dice.random()
        if kind < 0.1: return None
        if kind < 0.4: return round(dice.uniform(-1000, 1000), 2)
        if kind < 0.7: return dice.uniform(-1e6, 1e6)
        if kind < 0.75: return dice.choice([1e20, -1e20, 9.96921e36, 3.4028235e38, 1.0, 2.0 ** -53, 2.0 ** -54])
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
    bits = lambda number: struct.pack("<d", number)
    for owner, *parts in db.execute(
            "SELECT bolide_id, magnitudes, bolide_magnitudes_2, bolide_magnitudes_3, bolide_magnitudes_4 FROM Region "
            "WHERE bolide_id NOT IN (SELECT object FROM bolide_dirty)"):
        exact = sum((Fraction(row[0]) for row in db.execute(
            "SELECT magnitude FROM Quake WHERE region_id = ? AND magnitude IS NOT NULL", (owner,))), Fraction(0))
        if bits(float(exact)) != bits(parts[0]) or sum(map(Fraction, parts)) != exact:
            print("region", owner, "has", parts, "instead of", repr(float(exact)))
    if db.execute("SELECT count(*) FROM bolide_dirty").fetchone() != (0,): print("something is marked")
    """

  @Test func `Tens of thousands of changes through triggers lose not a bit`() throws {
    try temporary.shell("INSERT INTO Region(code) VALUES ('r1'), ('r2'), ('r3')")
    #expect(try temporary.python(Self.script, ["1", "30000"]) == "")
    // An import goes on with the same parts.
    let records = (0..<400).map {
      ["id": .text("q\($0)"), "magnitude": .real(Double($0) * 0.1), "@region": "r1"] as Record
    }
    let chunks = stride(from: 0, to: 400, by: 37).map { Array(records[$0..<min($0 + 37, 400)]) }
    try store.take(pipeline, chunks: chunks)
    #expect(try temporary.python(Self.script, ["2", "300"]) == "")
    try temporary.shell("DELETE FROM Quake")
    #expect(try store.rows("SELECT quakeCount, magnitudes FROM Region") == [[0, 0.0], [0, 0.0], [0, 0.0]])
  }

  @Test(arguments: 0..<4) func `Four parts hold what a double would lose`(seed: Int) {
    var dice = Dice(seed)
    var (sum, other, wide) = (ExactSum(), ExactSum(), WideSum())
    var (exact, otherExact) = (Int128(0), Int128(0))
    for _ in 0..<2000 {
      let value = Exact.random(&dice)
      switch dice.int(0...3) {
      case 0:
        sum.subtract(value)
        wide.add(-value)
        exact -= Exact.units(value)
      case 1:
        other.add(value)
        otherExact += Exact.units(value)
      default:
        sum.add(value)
        wide.add(value)
        exact += Exact.units(value)
      }
    }
    #expect(
      sum.normalized?.first == Exact.double(exact) && other.normalized?.first == Exact.double(otherExact))
    #expect(wide.rounded == Exact.double(exact) && wide.parts == sum.normalized?.parts)
    sum.add(other)
    let normalized = sum.normalized
    #expect(normalized?.first == Exact.double(exact + otherExact))
    #expect(
      normalized?.parts[1] == Exact.double(exact + otherExact - Exact.units(Exact.double(exact + otherExact)))
    )
    let count = Int64(dice.int(1...1_000_000))
    let mean = wide.quotient(by: count, scale: 2)
    let quick = wide.parts.compactMap(\.self)
    #expect(ExactSum(quick[0], quick[1], quick[2], quick[3]).quotient(by: count * 100) ?? mean == mean)
  }

  @Test(
    arguments: [
      ([1e100, 1e50, 1, -1e100, -1e50], 1), ([1.7e308, 1.7e308, -1.7e308, -1.7e308, 0.1], 0.1),
      ([1e308, 1e308], nil), ([-1e308, -1e308], nil), ([.infinity, 1], nil), ([0x1p-1074, -0x1p-1074], 0),
      ([0x1p-1074, 0x1p-1074], 0x1p-1073), ([1, 0x1p-53], 1), ([1, 0x1p-53, 0x1p-1074], 1 + 0x1p-52),
      ([-1, -0x1p-53, -1e-300], -1 - 0x1p-52),
      ([1, 0x1p-53, -0x1p-110], 1), ([0x1p-1022, -0x1p-1074], 0x1p-1022 - 0x1p-1074), ([-0.0], 0),
      ([.greatestFiniteMagnitude, 0x1p970, -1e-300], .greatestFiniteMagnitude),
      ([.greatestFiniteMagnitude, 0x1p970], nil), ([0x1p53, 1, 0x1p-1000], 0x1p53 + 2),
    ] as [([Double], Double?)])
  func `A sum is rounded once, whatever its values`(values: [Double], expected: Double?) throws {
    for values in [values, values.reversed()] {
      var (exact, wide) = (ExactSum(), WideSum())
      for value in values {
        exact.add(value)
        wide.add(value)
      }
      #expect(wide.rounded == expected)
      // Four parts may not hold it, but they say so.
      if let normalized = exact.normalized { #expect(normalized.first == expected) }
      // So do the importer, the triggers and recomputation.
      let temporary = try TemporaryStore()
      let store = try temporary.open(pipeline)
      try store.take(pipeline, [["id": "first", "@region": "r"]])
      for (index, value) in values.enumerated() {
        let sql = value.isInfinite ? "9e999" : "\(value)"
        try temporary.shell("INSERT INTO Quake(id, magnitude, region_id) VALUES ('q\(index)', \(sql), 1)")
      }
      try store.take(pipeline, [["id": "last", "@region": "r"]])
      let sum = expected.map(Value.real) ?? .null
      #expect(try store.rows("SELECT magnitudes FROM Region") == [[sum]])
      let findings = try store.findings()
      #expect(findings.map(\.isTrue) == (expected == nil ? [true] : []))
    }
  }

  @Test func `Outliers that a later import corrects leave nothing behind`() throws {
    for outlier in [1e19, 1e22, 1e30, 9.96921e36, 3.4028235e38, 1e300] {
      let key = "o\(outlier)"
      let records = (0..<20).map {
        ["id": .text("\(key)-\($0)"), "magnitude": .real(0.1 * Double($0)), "@region": .text(key)] as Record
      }
      try store.take(
        pipeline, records + [["id": .text(key), "magnitude": .real(outlier), "@region": .text(key)]])
      try store.take(pipeline, [["id": .text(key), "magnitude": 0.5]])
      var exact = WideSum()
      for number in 0..<20 { exact.add(0.1 * Double(number)) }
      exact.add(0.5)
      let sum = try #require(exact.rounded)
      #expect(try store.rows("SELECT magnitudes FROM Region WHERE code = '\(key)'") == [[.real(sum)]])
    }
    #expect(try store.findings() == [])
  }

  private func sums() throws -> [[Value]] {
    try store.rows("SELECT magnitudes, bolide_magnitudes_4 IS NULL FROM Region ORDER BY bolide_id")
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
    #expect(try sums() == [[.null, 1], [0.0, 0]])
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
    try temporary.shell("DELETE FROM Quake WHERE id = 'a'")
    try store.take(pipeline, [["id": "e"]])
    #expect(try sums() == [[1.5e308, 0], [0.0, 0]])
  }

  @Test func `An import meets the same limit, and finds back`() throws {
    try store.take(
      pipeline,
      [["id": "a", "@region": "r", "magnitude": 1e308], ["id": "b", "@region": "r", "magnitude": 1.5e308]])
    #expect(try sums() == [[.null, 1]])
    try store.take(pipeline, [["id": "c", "@region": "r", "magnitude": 1.0]])
    #expect(try sums() == [[.null, 1]])
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

  @Test func `A sum of whole numbers beyond 64 bits is null, and its owner is named`() throws {
    let big: Record = ["id": "a", "@region": "r", "depth": .integer(.max)]
    try store.take(pipeline, [big, ["id": "b", "@region": "r", "depth": 1], ["id": "c", "@region": "s"]])
    #expect(try store.rows("SELECT depths, quakeCount FROM Region") == [[.null, 2], [0, 1]])
    let findings = try store.findings()
    #expect(
      findings.map(\.description) == ["Region 1 depths: null, as the sum is beyond the range of 64 bits"])
    #expect(findings.map(\.isTrue) == [true])
    #expect(try store.status().nullTotals.named == findings)
    try store.rebuild { Issue.record("\($0)") }
    // By another program it comes to be so, and is so no more, with the next command.
    try temporary.shell("UPDATE Quake SET depth = -9223372036854775807 WHERE id = 'b'")
    try store.assignPending()
    #expect(try store.rows("SELECT depths FROM Region") == [[0], [0]])
    try temporary.shell(
      "UPDATE Quake SET depth = 7 WHERE id = 'b'; UPDATE Quake SET depth = 5 WHERE id = 'c'")
    #expect(try store.rows("SELECT depths FROM Region") == [[.null], [5]])
    #expect(try store.status().nullTotals.count == 0)
    try store.assignPending()
    #expect(try store.status().nullTotals.named.map(\.id) == [1])
    // What only a part of the sum leaves is in range.
    try store.take(
      pipeline, [["id": "a", "depth": .integer(.max - 8)], ["id": "d", "depth": -5, "@region": "r"]])
    #expect(try store.rows("SELECT depths FROM Region") == [[.integer(.max - 6)], [5]])
  }

  @Test func `Sums of reals beyond a double are named as such`() throws {
    try store.take(
      pipeline, (0..<26).map { ["id": .text("\($0)"), "@region": .text("r\($0 / 2)"), "magnitude": 1e308] })
    let totals = try store.status().nullTotals
    #expect(totals.count == 13 && totals.named.count == 10)
    #expect(
      totals.named.first?.description
        == "Region 1 magnitudes: null, as the sum is beyond the range of a double")
  }
}
