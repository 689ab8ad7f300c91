import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// A first load builds its indexes at its end, also where that end does not come.
struct DeferredIndexTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline { $0[entity: "Quake"].indexes = [["depth"]] }

  init() throws { temporary = try TemporaryStore() }

  private static let names = ["bolide_index_Quake.depth", "bolide_index_Quake.region_id"]

  private static func records(_ ids: Range<Int>) -> [Record] {
    ids.map {
      [
        "id": .text("q\($0)"), "@region": .text("r\($0 * 7 % 5)"), "magnitude": .real(Double($0) / 8),
        "depth": .integer(Int64($0 * 31 % 101)),
      ]
    }
  }

  /// Begins a load whose first chunk is large enough.
  private func load(
    _ store: SQLiteEngine, _ pipeline: Pipeline, _ chunks: [Record]..., leastRows: Int = 10,
    change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> SQLiteImport {
    var settings = ImportSettings()
    settings.deferredIndexRows = leastRows
    change(&settings)
    let run = try SQLiteImport(store, pipeline, input: "test", settings: settings)
    for records in chunks { try apply(records, run) }
    return run
  }

  private func apply(_ records: [Record], _ run: SQLiteImport) throws {
    let chunk = Chunk(layout: run.layout)
    chunk.fill(records)
    try run.apply(chunk, bytes: records.count)
  }

  /// The names of a table's indexes that are not unique, in order.
  private func indexes(_ store: SQLiteEngine, of table: String = "Quake") throws -> [String] {
    try store.rows(
      """
      SELECT name FROM sqlite_schema WHERE tbl_name = '\(table)' AND name GLOB 'bolide_index_*' ORDER BY name
      """
    ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
  }

  private func expectSound(_ store: SQLiteEngine) throws {
    #expect(try store.findings() == [])
    #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
    #expect(try store.rows("PRAGMA foreign_key_check") == [])
    #expect(try store.rows(Quakes.untrue) == [])
  }

  @Test func `They are gone from the first chunk on, and there at the end as they were`() throws {
    let store = try temporary.open(pipeline)
    let sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' ORDER BY name"
    let before = try store.rows(sql)
    #expect(try indexes(store) == Self.names)
    let run = try load(store, pipeline, Self.records(0..<40))
    #expect(try indexes(store) == [])
    try apply(Self.records(40..<50), run)
    #expect(try indexes(store) == [])
    // What other programs read and write meanwhile is right all the same.
    try temporary.shell("PRAGMA foreign_keys = ON; DELETE FROM Region WHERE code = 'r3';")
    #expect(try store.rows("SELECT count(*) FROM Quake WHERE region_id IS NULL") == [[10]])
    try run.finish(outcome: "ok", bytes: 0)
    #expect(try store.rows(sql) == before)
    try expectSound(store)
  }

  @Test func `A table that has rows keeps them, and so does a small first chunk`() throws {
    let store = try temporary.open(pipeline)
    var run = try load(store, pipeline, Self.records(0..<9), Self.records(9..<60))
    #expect(try indexes(store) == Self.names)
    try run.finish(outcome: "ok", bytes: 0)
    run = try load(store, pipeline, Self.records(60..<99))
    #expect(try indexes(store) == Self.names)
    try run.finish(outcome: "ok", bytes: 0)
    try expectSound(store)
  }

  @Test(arguments: [(500, true), (499, false)])
  func `One of owners whose rows come together and fill pages of it is kept`(rows: Int, isKept: Bool) throws {
    let store = try temporary.open(pipeline)
    let run = try load(
      store, pipeline,
      (1000..<2000).map { ["id": .text("q\($0)"), "@region": .text("r\(($0 - 1000) / rows)")] })
    #expect(try indexes(store) == (isKept ? ["bolide_index_Quake.region_id"] : []))
    try run.finish(outcome: "ok", bytes: 0)
    #expect(try indexes(store) == Self.names)
    try expectSound(store)
  }

  @Test func `An import that never ends leaves them to the next command that writes`() throws {
    let store = try temporary.open(pipeline)
    _ = try load(store, pipeline, Self.records(0..<40))
    #expect(try store.status().upkeep == RepairReport(unbuiltIndexes: Self.names.reversed()))
    #expect(try store.findings() == [])
    // A reader has no need of them.
    #expect(try store.assignPendingChanges(readsHistory: true, waiting: 1) == [])
    #expect(try indexes(store) == [])
    #expect(try store.restoreTriggers() == RepairReport(unbuiltIndexes: Self.names.reversed()))
    #expect(try indexes(store) == Self.names)
    #expect(try store.restoreTriggers() == RepairReport())
    try expectSound(store)
  }

  @Test func `Once the import has ended, a missing one is a finding again`() throws {
    let store = try temporary.open(pipeline)
    let run = try load(store, pipeline, Self.records(0..<40))
    try run.finish(outcome: "ok", bytes: 0)
    try temporary.shell(#"DROP INDEX "bolide_index_Quake.depth""#)
    #expect(try store.findings().map(\.description) == ["the index bolide_index_Quake.depth is missing"])
    #expect(try store.status().upkeep.unbuiltIndexes == [])
  }

  @Test func `A chunk that is taken back takes them back`() throws {
    let store = try temporary.open(pipeline)
    let run = try load(store, pipeline)
    let isKept = try run.atomically {
      try apply(Self.records(0..<40), run)
      return false
    }
    #expect(!isKept)
    #expect(try indexes(store) == Self.names)
    try run.finish(outcome: "stopped", bytes: 0)
    #expect(try indexes(store) == Self.names)
    try expectSound(store)
  }

  @Test func `An atomic load is the same`() throws {
    let store = try temporary.open(pipeline)
    let run = try load(store, pipeline)
    let isKept = try run.atomically {
      for start in [0, 40, 80] { try apply(Self.records(start..<start + 40), run) }
      return true
    }
    #expect(isKept)
    try run.finish(outcome: "ok", bytes: 0)
    #expect(try indexes(store) == Self.names)
    try expectSound(store)
  }

  @Test func `An aggregate that has to look at the rows builds them first`() throws {
    let pipeline = Quakes.pipeline {
      $0[entity: "Region"].attributes.append(
        Attribute(
          name: "deepest", type: .integer64, derivation: .aggregate(.init(.max, of: "depth", over: "quakes")))
      )
    }
    let store = try temporary.open(pipeline)
    let run = try load(store, pipeline, Self.records(0..<40))
    #expect(try indexes(store) == [])
    // The largest of a region is lowered: the next one is only in the rows.
    let deepest = try store.rows("SELECT id FROM Quake ORDER BY depth DESC LIMIT 1")[0][0]
    try apply([["id": deepest, "depth": -1]], run)
    #expect(try indexes(store) == ["bolide_index_Quake.region_id"])
    try apply(Self.records(40..<60), run)
    try run.finish(outcome: "ok", bytes: 0)
    try expectSound(store)
  }

  @Test func `One that derived attributes search all the time is kept row by row`() throws {
    let pipeline = Quakes.pipeline {
      $0[entity: "Quake"].indexes = [["depth"]]
      $0[entity: "Quake"].attributes.append(
        Attribute(name: "regionCode", type: .string, derivation: .copy(path: ["region", "code"])))
    }
    let store = try temporary.open(pipeline)
    let run = try load(store, pipeline, Self.records(0..<40))
    #expect(try indexes(store) == ["bolide_index_Quake.region_id"])
    try run.finish(outcome: "ok", bytes: 0)
    #expect(try indexes(store) == Self.names)
    try expectSound(store)
  }

  @Test func `Where triggers of another program fire they are all kept`() throws {
    let store = try temporary.open(pipeline)
    try temporary.shell("CREATE TRIGGER watch AFTER INSERT ON Quake BEGIN SELECT 1; END")
    let run = try load(store, pipeline, Self.records(0..<40))
    #expect(try indexes(store) == Self.names)
    try run.finish(outcome: "ok", bytes: 0)
    try expectSound(store)
  }
}
