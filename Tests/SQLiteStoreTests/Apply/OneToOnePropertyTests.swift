import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Random chunks against a one-to-one link beside further constraints: who lands, what is left, and that everything stays true.
struct OneToOnePropertyTests {
  /// At most one quake for each region, which counts and sums it, and copies its place.
  static func pipeline(_ timing: Link.Timing) -> Pipeline {
    var pipeline = UniqueModel.pipeline(timing)
    pipeline[entity: "Region"].relationships[0].kind = .hasOne
    pipeline[entity: "Region"].attributes += [
      Attribute(name: "spot", type: .string, derivation: .copy(path: ["quakes", "place"])),
      Attribute(name: "folded", type: .string, derivation: .folded(.uppercase, path: ["spot"])),
    ]
    return pipeline
  }

  /// The regions whose copies are not those of their quake.
  static let untrue = """
    SELECT r.code FROM Region AS r LEFT JOIN Quake AS q ON q.region_id = r.bolide_id
    WHERE r.spot IS NOT q.place OR r.folded IS NOT upper(q.place)
    """

  private func records(_ dice: inout Dice, _ count: Int) -> [Record] {
    (0..<count).map { _ in
      var record: Record = ["id": .text("q\(dice.int(0...7))")]
      if !dice.once(in: 5) { record["place"] = .text("p\(dice.int(0...30))") }
      if !dice.once(in: 5) { record["depth"] = .integer(Int64(dice.int(0...30))) }
      if dice.once(in: 3) { record["magnitude"] = dice.pick([.null, 1.5, 2.25]) }
      if !dice.once(in: 4) { record["@region"] = dice.pick([.null, "r1", "r2", "r3", "r4", "r5"]) }
      return record
    }
  }

  private func expectTrue(_ store: SQLiteEngine) throws {
    #expect(try store.rows(Quakes.untrue) == [])
    #expect(try store.rows(Self.untrue) == [])
    #expect(try store.rows(QuakeModel.leftovers) == [])
    #expect(try Replay(store, model: Self.pipeline(.insert).model).problems() == [])
    #expect(try store.findings() == [])
  }

  @Test(arguments: 0..<RandomHistory.count)
  func `Records land as the plain model says, and nothing else is left untrue`(
    seed: Int
  ) throws {
    var dice = Dice(1000 + seed)
    let timing: Link.Timing = seed % 2 == 0 ? .insert : .always
    let pipeline = Self.pipeline(timing)
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    // Triggers of others make the import leave history and sums to Bolide's own triggers.
    if seed % 5 == 4 {
      try store.execute("CREATE TRIGGER mine AFTER UPDATE ON Quake BEGIN SELECT 1; END")
    }
    var model = UniqueModel(timing, isOneToOne: true)
    let size = [1, 2, 7, .max][seed / 2 % 4]
    for round in 0..<8 {
      model.beginRun()
      let all = records(&dice, dice.int(0...9))
      let chunks = stride(from: 0, to: all.count, by: min(size, 10)).map {
        Array(all[$0..<min($0 + min(size, 10), all.count)])
      }
      for chunk in chunks { model.apply(chunk) }
      let progress = try store.take(pipeline, chunks: chunks)
      #expect(progress.counts == model.counts, "round \(round)")
      try #require(try store.rows(QuakeModel.rowQuery) == model.expectedRows, "round \(round)")
    }
    try expectTrue(store)
  }

  @Test(arguments: 0..<4) func `New records land whatever the chunks, and once is as good as twice`(seed: Int)
    throws
  {
    var dice = Dice(2000 + seed)
    let timing: Link.Timing = seed % 2 == 0 ? .insert : .always
    let pipeline = Self.pipeline(timing)
    let all = (0..<30).map { number -> Record in
      [
        "id": .text("q\(number)"), "place": .text("p\(dice.int(0...60))"), "depth": .integer(Int64(number)),
        "@region": dice.once(in: 5) ? .null : .text("r\(dice.int(0...12))"),
      ]
    }
    var results: Set<[[Value]]> = []
    for size in [1, 2, 7, 30] {
      let temporary = try TemporaryStore()
      let store = try temporary.open(pipeline)
      let chunks = stride(from: 0, to: all.count, by: size).map { Array(all[$0..<min($0 + size, all.count)]) }
      let first = try store.take(pipeline, chunks: chunks).counts
      #expect(first.inserted + first.rejected == 30 && first.rejected > 0)
      results.insert(try store.rows(QuakeModel.rowQuery))
      let token = try store.rows("SELECT max(number) FROM bolide_transaction")
      let again = try store.take(pipeline, chunks: chunks).counts
      #expect((again.unchanged, again.rejected) == (first.inserted, first.rejected))
      #expect(try store.rows("SELECT max(number) FROM bolide_transaction") == token)
      try expectTrue(store)
    }
    #expect(results.count == 1)
  }
}
