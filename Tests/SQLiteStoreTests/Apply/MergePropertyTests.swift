import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// However an input is cut into chunks, it does what its records do one after another.
struct MergePropertyTests {
  /// Records applied one after another, in the plainest way.
  private struct Turns {
    let merge: MergePolicy
    let repeated: RepeatedKeyPolicy
    var rows: [Int64: Record] = [:]
    var counts = ChunkCounts()
    var seen: Set<Int64> = []
    var made: Set<Int64> = []

    mutating func run(_ records: [Record]) {
      (counts, seen, made) = (ChunkCounts(), [], [])
      for record in records { take(record) }
    }

    private mutating func take(_ record: Record) {
      guard case .integer(let id) = record["id"] else { return }
      counts.read += 1
      if repeated != .last, seen.contains(id) {
        if repeated == .first { counts.count(rows[id] ?? [:], record) } else { counts.rejected += 1 }
        return
      }
      guard let row = rows[id] else {
        guard record["need"] != nil else { return counts.rejected += 1 }
        rows[id] = (["when": .null, "kind": "quake"] as Record).merging(record) { $1 }
        (seen, made) = (seen.union([id]), made.union([id]))
        return counts.inserted += 1
      }
      let isRepeated = !seen.insert(id).inserted
      if merge == .ignore, !made.contains(id) { return counts.ignored += 1 }
      let result = row.merging(record) { $1 }
      if result == row { return counts.unchanged += 1 }
      guard isNewer(record["when"], row["when"]) else { return counts.ignored += 1 }
      rows[id] = result
      counts.updated += 1
      if isRepeated { counts.repeated += 1 }
    }

    private func isNewer(_ new: Value?, _ old: Value?) -> Bool {
      guard case .updateIfNewer = merge, case .integer(let old) = old else { return true }
      guard case .integer(let new) = new else { return false }
      return new > old
    }
  }

  private static let attributes = [
    Attribute(name: "id", type: .integer64, isRequired: true),
    Attribute(name: "need", type: .integer64, isRequired: true),
    Attribute(name: "when", type: .integer64),
    Attribute(name: "kind", type: .string, defaultValue: "quake"),
  ]

  private func records(_ dice: inout Dice, complete: Bool) -> [Record] {
    (0..<dice.int(0...30)).map { _ in
      var record: Record = ["id": .integer(Int64(dice.int(0...9)))]
      if complete || !dice.once(in: 4) { record["need"] = .integer(Int64(dice.int(0...2))) }
      if !dice.once(in: 3) { record["when"] = dice.pick([.null, 0, 1, 2, 3, 4]) }
      if dice.once(in: 3) { record["kind"] = dice.pick([.null, "blast", "quake"]) }
      return record
    }
  }

  private static let policies: [(MergePolicy, RepeatedKeyPolicy)] = [
    (.update, .last), (.update, .first), (.update, .reject), (.ignore, .last), (.ignore, .first),
    (.ignore, .reject),
    (.updateIfNewer(attribute: "when"), .last), (.updateIfNewer(attribute: "when"), .first),
    (.updateIfNewer(attribute: "when"), .reject),
  ]

  @Test(arguments: 0..<RandomHistory.count * 9 / 5) func `Chunks of any size give the rows of one by one`(
    seed: Int
  ) throws {
    var dice = Dice(seed)
    let (merge, repeated) = Self.policies[seed % Self.policies.count]
    var pipeline = plainPipeline(Self.attributes)
    (pipeline.mergePolicy, pipeline.repeatedKeyPolicy) = (merge, repeated)
    // Where the last counts, it takes what it lacks from one before, even from one that alone would be rejected.
    let isFoldedEarly = ChunkLayout(pipeline, model: pipeline.model).foldsEarly
    let inputs = (0..<4).map { _ in records(&dice, complete: isFoldedEarly) }
    for size in [1, 2, 7, 1000] {
      let temporary = try TemporaryStore()
      let store = try temporary.open(pipeline)
      var model = Turns(merge: merge, repeated: repeated)
      for (round, input) in inputs.enumerated() {
        model.run(input)
        let chunks = stride(from: 0, to: input.count, by: size).map {
          Array(input[$0..<min($0 + size, input.count)])
        }
        let counts = try store.take(pipeline, chunks: chunks).counts
        let rows = try store.rows("SELECT id, need, \"when\", kind FROM Thing ORDER BY id")
        let expected = model.rows.sorted { $0.key < $1.key }.map { _, row in
          ["id", "need", "when", "kind"].map { row[$0] ?? .null }
        }
        try #require(rows == expected, "size \(size), round \(round)")
        #expect(!counts.line.contains("≠"), "size \(size), round \(round)")
        // Folding takes records away from the other counts, but neither new rows nor rejected ones.
        #expect(counts.inserted == model.counts.inserted && counts.rejected == model.counts.rejected)
        if size == 1 { #expect(counts == model.counts, "round \(round)") }
        // Within a chunk records are held against each other, and not against the row that both would make.
        if repeated != .last {
          #expect(counts.repeatsAsOne == model.counts.repeatsAsOne, "size \(size), round \(round)")
        }
      }
    }
  }
}
