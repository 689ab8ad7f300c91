import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Random chunks do to a store what they do to a dictionary.
struct ApplyPropertyTests {
  private static let ids = (0..<14).map { "q\($0)" } + ["é", "\u{0}", "a\u{0}b"]

  private func records(_ dice: inout Dice) -> [Record] {
    (0..<dice.int(0...25)).map { _ in
      var record: Record = ["id": .text(dice.pick(Self.ids))]
      if dice.once(in: 2) { record["place"] = dice.pick([.null, "", "sea", "l\u{0}and"]) }
      if dice.once(in: 2) {
        record["magnitude"] = dice.once(in: 5) ? .null : .real(Exact.random(&dice))
      }
      if !dice.once(in: 3) {
        record["depth"] = .integer(Int64(dice.int(-1_000_000_000_000...1_000_000_000_000)))
      }
      if dice.once(in: 2) { record["cost"] = dice.pick([.null, -1, 0, 999_999_999_999]) }
      if dice.once(in: 3) { record["kind"] = dice.pick([.null, "blast", "quake"]) }
      if dice.once(in: 2) { record["seen"] = .integer(Int64(dice.int(1...1000))) }
      if !dice.once(in: 3) { record["@region"] = dice.pick([.null, "r1", "r2", "r3"]) }
      return record
    }
  }

  @Test(arguments: 0..<16) func `Rows, links, counts and exact sums equal the plain model's`(seed: Int) throws
  {
    var dice = Dice(seed)
    let timing: Link.Timing = seed % 2 == 0 ? .insert : .always
    let pipeline = Quakes.pipeline(when: timing) { $0[entity: "Quake"]["depth"].isRequired = true }
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    var model = QuakeModel(timing)
    for round in 0..<6 {
      var expected = ChunkCounts()
      model.beginRun()
      var chunks: [[Record]] = []
      for _ in 0...dice.int(0...3) {
        chunks.append(records(&dice))
        expected += model.apply(chunks.last ?? [])
      }
      let progress = try store.take(pipeline, chunks: chunks)
      #expect(progress.counts == expected, "round \(round)")
      try #require(try store.rows(QuakeModel.rowQuery) == model.expectedRows, "round \(round)")
      try #require(try store.rows(QuakeModel.sumQuery) == model.expectedSums, "round \(round)")
      try #require(try store.rows(QuakeModel.leftovers) == [], "round \(round)")
    }
    #expect(model.rows.count > 8)
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
  }

  @Test(arguments: 0..<8) func `Chunks of any size give the same rows and sums`(seed: Int) throws {
    let pipeline = Quakes.pipeline(when: seed % 2 == 0 ? .insert : .always)
    var all: [Record] = []
    var dice = Dice(seed)
    for _ in 0..<4 { all += records(&dice) }
    // A volatile value is written with what else changes, which the chunks decide.
    all = all.map { $0.filter { $0.key != "seen" } }
    var results: Set<[[Value]]> = []
    for size in [1, 7, 1000] {
      let temporary = try TemporaryStore()
      let store = try temporary.open(pipeline)
      let chunks = stride(from: 0, to: all.count, by: size).map { Array(all[$0..<min($0 + size, all.count)]) }
      try store.take(pipeline, chunks: chunks)
      results.insert(try store.rows(QuakeModel.rowQuery) + store.rows(QuakeModel.sumQuery))
    }
    #expect(results.count == 1)
  }
}
