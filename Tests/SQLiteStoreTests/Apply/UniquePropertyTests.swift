import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Random chunks against further constraints: who lands, what is left, and that everything stays true.
struct UniquePropertyTests {
  private func records(_ dice: inout Dice, upTo count: Int) -> [Record] {
    (0..<dice.int(0...count)).map { _ in
      var record: Record = ["id": .text("q\(dice.int(0...7))")]
      if !dice.once(in: 4) { record["place"] = dice.pick(["a", "b", "c", "d", "e", "f", "g"]) }
      if !dice.once(in: 4) { record["depth"] = .integer(Int64(dice.int(0...3))) }
      if dice.once(in: 3) { record["kind"] = dice.pick(["blast", "quake"]) }
      if dice.once(in: 3) { record["magnitude"] = dice.pick([.null, 1.5, 2.25]) }
      if dice.once(in: 2) { record["@region"] = dice.pick([.null, "r1", "r2"]) }
      return record
    }
  }

  @Test(arguments: 0..<20) func `Rows land as the plain model says, and nothing else is left untrue`(
    seed: Int
  )
    throws
  {
    var dice = Dice(seed)
    let timing: Link.Timing = seed % 2 == 0 ? .insert : .always
    let pipeline = UniqueModel.pipeline(timing)
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    // Triggers of others make the import leave history and sums to Bolide's own triggers.
    if seed % 5 == 4 {
      try store.execute("CREATE TRIGGER mine AFTER UPDATE ON Quake BEGIN SELECT 1; END")
    }
    var model = UniqueModel(timing)
    for round in 0..<10 {
      model.beginRun()
      let chunks = (0...dice.int(0...2)).map { _ in records(&dice, upTo: 9) }
      for chunk in chunks { model.apply(chunk) }
      let progress = try store.take(pipeline, chunks: chunks)
      #expect(progress.counts == model.counts, "round \(round)")
      try #require(try store.rows(QuakeModel.rowQuery) == model.expectedRows, "round \(round)")
    }
    #expect(try store.rows(Quakes.untrue) == [])
    #expect(try store.rows(QuakeModel.leftovers) == [])
    #expect(try Replay(store).problems() == [])
    #expect(try store.findings() == [])
    #expect(try store.integer("SELECT count(*) FROM Quake WHERE place GLOB 'bolide*'") == 0)
  }
}
