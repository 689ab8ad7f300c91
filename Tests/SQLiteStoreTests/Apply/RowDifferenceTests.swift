import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Which rows are new and which are changed, however close together a chunk's rows lie in the table.
struct RowDifferenceTests {
  /// A key of one of the storage classes, or of several: each number has one place in the key's order.
  enum Key: String, CaseIterable, CustomTestStringConvertible {
    case integer, real, text, blob, group

    var testDescription: String { rawValue }

    var attributes: [Attribute] {
      switch self {
      case .integer: [Attribute(name: "a", type: .integer64, isRequired: true)]
      case .real: [Attribute(name: "a", type: .double, isRequired: true)]
      case .text: [Attribute(name: "a", type: .string, isRequired: true)]
      case .blob: [Attribute(name: "a", type: .binary, isRequired: true)]
      case .group:
        [
          Attribute(name: "b", type: .string, isRequired: true),
          Attribute(name: "a", type: .integer32, isRequired: true),
        ]
      }
    }

    func record(_ number: Int) -> Record {
      switch self {
      case .integer: ["a": .integer(Int64(number * 3 - 2000))]
      case .real: ["a": .real(Double(number) / 8 - 200)]
      // Lengths differ, and one text begins another.
      case .text: ["a": .text(String(number, radix: 3))]
      case .blob: ["a": .blob([UInt8(number % 251), UInt8(number / 251)])]
      case .group: ["b": .text(number % 7 == 0 ? "é" : "\(number % 3)"), "a": .integer(Int64(number))]
      }
    }
  }

  @Test(arguments: Key.allCases, 0..<3)
  func `New and changed rows are those of a dictionary`(key: Key, seed: Int) throws {
    let value = Attribute(name: "value", type: .integer64)
    let pipeline = plainPipeline(key.attributes + [value], key: key.attributes.map(\.name))
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    var dice = Dice(seed)
    var stored: [Int: Int64] = [:]
    // Chunks as large as the table and far smaller, in a narrow part of it and all over it.
    for rows in [900, 400, 12, 3, 1, 60, 900, 0, 12] {
      let narrow = dice.once(in: 2)
      let start = narrow ? dice.int(0...2000) : 0
      var numbers = Set<Int>()
      for _ in 0..<rows { numbers.insert(start + dice.int(0...(narrow ? rows * 2 : 4000))) }
      var expected = ChunkCounts()
      let records = numbers.sorted().map { number in
        let kept = stored[number]
        let new = kept == nil || dice.once(in: 3) ? Int64(dice.int(0...1_000_000)) : kept
        expected.read += 1
        if kept == nil {
          expected.inserted += 1
        } else if kept == new {
          expected.unchanged += 1
        } else {
          expected.updated += 1
        }
        stored[number] = new
        return key.record(number).merging(["value": .integer(new ?? 0)]) { $1 }
      }
      #expect(try store.take(pipeline, chunks: [records.shuffled(using: &dice)]).counts == expected)
    }
    let sum = stored.values.reduce(0, +)
    #expect(
      try store.rows("SELECT count(*), sum(value) FROM Thing") == [
        [.integer(Int64(stored.count)), .integer(sum)]
      ])
  }

  @Test func `The table is read in the key's order from the index, without a sort`() throws {
    let key = Key.group.attributes
    let pipeline = plainPipeline(key + [Attribute(name: "value", type: .integer64)], key: key.map(\.name))
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    let plan = try store.rows(
      """
      EXPLAIN QUERY PLAN SELECT NULL, t.bolide_id, t.value FROM Thing AS t WHERE (t.b, t.a) >= (?, ?) ORDER BY t.b, t.a
      """)
    #expect(plan.count == 1)
    #expect(plan.first?.last == "SEARCH t USING INDEX sqlite_autoindex_Thing_1 ((b,a)>(?,?))")
  }
}
