import ImportModel
import PipelineFile
import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Triggers that a tool dropped in silence are noticed and restored, and history says that it has a gap.
struct TriggerMaintenanceTests {
  private let temporary: TemporaryStore
  private let pipeline = Quakes.pipeline()
  private let store: SQLiteEngine
  private let token: HistoryToken

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
    let records = (0..<6).map {
      ["id": .text("q\($0)"), "@region": .text("r\($0 % 2)"), "depth": .integer(Int64($0))] as Record
    }
    token = try #require(try store.take(pipeline, records).token)
  }

  private func findings() throws -> [String] {
    try store.findings().map(\.description)
  }

  @Test func `A sound store has nothing to restore`() throws {
    #expect(try store.restoreTriggers() == RepairReport())
    #expect(try findings() == [])
    try temporary.shell("CREATE TRIGGER mine AFTER INSERT ON Quake BEGIN SELECT 1; END; VACUUM")
    #expect(try store.restoreTriggers() == RepairReport())
    #expect(try store.newestToken() == token)
  }

  @Test func `Dropped triggers are told, restored, and what they missed is computed anew`() throws {
    try temporary.shell(
      """
      DROP TRIGGER bolide_Quake_insert; DROP TRIGGER bolide_Region_derived; DROP INDEX "bolide_index_Quake.region_id";
      INSERT INTO Quake(id, depth, region_id) VALUES ('new', 100, 1);
      """)
    let problems = [
      "the index bolide_index_Quake.region_id is missing", "the trigger bolide_Quake_insert is missing",
      "the trigger bolide_Region_derived is missing",
    ]
    #expect(try Array(findings().prefix(3)) == problems)
    #expect(try store.rows(Quakes.untrue) == [["r0"]])
    let restored = try store.restoreTriggers()
    #expect(restored.problems == problems && restored.indexes.count == 1 && restored.hasGap)
    #expect(try store.rows(Quakes.untrue) == [])
    #expect(try findings() == [])
    let error = #expect(throws: StoreError.self) { try Replay(store, after: token) }
    #expect(error?.code == .tokenExpired)
    #expect(
      error?.message
        == "\(temporary.path): the history after the token \(token) has a gap: some changes are not in it"
    )
    // From the gap on, history is whole again.
    let gap = try store.newestToken()
    try temporary.shell("INSERT INTO Quake(id, depth, region_id) VALUES ('newer', 1, 1)")
    try store.assignPending()
    #expect(try Replay(store, after: gap).changes.map(\.entity) == ["Quake", "Region"])
  }

  @Test func `A missing index leaves no gap`() throws {
    try temporary.shell("DROP INDEX \"bolide_index_Quake.region_id\"")
    let restored = try store.restoreTriggers()
    #expect(restored == RepairReport(indexes: ["the index bolide_index_Quake.region_id is missing"]))
    #expect(!restored.hasGap && restored.problems == restored.indexes)
    #expect(try findings() == [] && store.newestToken() == token)
    #expect(try Replay(store, after: token).changes.isEmpty)
  }

  @Test func `An altered trigger is one that is missing`() throws {
    try temporary.shell(
      """
      DROP TRIGGER bolide_Quake_update;
      CREATE TRIGGER bolide_Quake_update AFTER UPDATE ON Quake BEGIN SELECT 1; END;
      CREATE TRIGGER bolide_extra AFTER UPDATE ON Quake BEGIN SELECT 1; END;
      """)
    #expect(try store.restoreTriggers().triggers == ["the trigger bolide_Quake_update was altered"])
    try temporary.shell("CREATE TRIGGER bolide_extra AFTER UPDATE ON Quake BEGIN SELECT 1; END")
    #expect(try store.restoreTriggers().triggers == ["a trigger with a name of Bolide's was added"])
    #expect(try store.rows("SELECT count(*) FROM bolide_gap") == [[2]])
    #expect(try findings() == [])
  }

  @Test func `Those of an earlier version are made anew, and history has no gap`() throws {
    let digest = try store.rows("SELECT triggers FROM bolide_store")
    let ours =
      "SELECT sql FROM sqlite_schema WHERE tbl_name = 'bolide_deriving' AND type = 'trigger' ORDER BY name"
    let triggers = try store.rows(ours)
    try temporary.shell(
      "DROP TRIGGER bolide_deriving_adds; DROP TRIGGER bolide_deriving_passes; \(SumSQL.former.sql)")
    let opened = try temporary.open(pipeline)
    #expect(try opened.restoreTriggers() == RepairReport())
    #expect(try store.rows(ours) == triggers && triggers.count == 2)
    #expect(try store.rows("SELECT triggers FROM bolide_store") == digest)
    #expect(try findings() == [] && store.newestToken() == token)
  }

  @Test func `Those of a version that had none before a deletion are made anew, without a gap`() throws {
    let digest = try store.rows("SELECT triggers FROM bolide_store")
    try temporary.shell("DROP TRIGGER bolide_Quake_before_delete; DROP TRIGGER bolide_Region_before_delete")
    // As that version noted its own.
    try store.writing {
      try $0.run("UPDATE bolide_store SET triggers = ?", .text(TriggerMaintenance.fingerprint($0)))
    }
    #expect(try store.rows("SELECT triggers FROM bolide_store") != digest)
    let opened = try temporary.open(pipeline)
    #expect(try opened.restoreTriggers() == RepairReport())
    #expect(try store.rows("SELECT triggers FROM bolide_store") == digest)
    #expect(try findings() == [] && store.newestToken() == token)
  }

  @Test func `Those of a version that took no notice of kept rows are made anew, without a gap`() throws {
    let digest = try store.rows("SELECT triggers FROM bolide_store")
    let triggers = try store.rows("SELECT sql FROM sqlite_schema WHERE instr(sql, 'keeps rows')")
      .compactMap { if case .text(let sql) = $0[0] { sql } else { nil } }
    let check = /SELECT RAISE\(ABORT, 'a trigger of another program keeps rows[^;]*;/
    for sql in triggers {
      let name = try #require(sql.firstMatch(of: /TRIGGER ("[^"]+"|[^ ]+)/)?.1)
      try temporary.shell("DROP TRIGGER \(name); \(sql.replacing(check, with: ""));")
    }
    try store.writing {
      try $0.run("UPDATE bolide_store SET triggers = ?", .text(TriggerMaintenance.fingerprint($0)))
    }
    #expect(try !triggers.isEmpty && store.rows("SELECT triggers FROM bolide_store") != digest)
    let opened = try temporary.open(pipeline)
    #expect(try opened.restoreTriggers() == RepairReport())
    #expect(try store.rows("SELECT triggers FROM bolide_store") == digest)
    #expect(try findings() == [] && store.newestToken() == token)
  }

  /// Names hold what an earlier version's triggers are known by.
  @Test func `Those of this version are not made anew with each opening`() throws {
    let place = try TemporaryStore()
    let store = try place.open(
      Pipeline(
        yaml: """
          bolide: 1
          name: items
          store: items.sqlite
          entity: Item
          key: id
          attributes: { id: integer64, 'SET bolide_below = 2': string, 'DELETE FROM "x': string }
          relationships: { owner: { to-one: Owner, inverse: items } }
          entities:
            Owner:
              key: id
              attributes: { id: integer64, number: { derived: items.@count } }
              relationships: { items: { to-many: Item, inverse: owner } }
          """, file: "items.yaml", directory: "."))
    let version = try store.rows("PRAGMA schema_version")
    for _ in 0..<2 { #expect(try store.restoreTriggers() == RepairReport()) }
    #expect(try store.rows("PRAGMA schema_version") == version)
  }

  @Test func `A model that grows does not hide what was missing`() throws {
    try temporary.shell("DROP TRIGGER bolide_Quake_delete; DELETE FROM Quake WHERE id = 'q0'")
    let wider = Quakes.pipeline {
      $0[entity: "Quake"].attributes.append(Attribute(name: "note", type: .string))
    }
    let store = try temporary.open(wider)
    #expect(try store.rows("SELECT count(*) FROM bolide_gap") == [[1]])
    #expect(try store.rows(Quakes.untrue) == [])
  }

  @Test func `Whoever reads history restores them too`() throws {
    try temporary.shell("DROP TRIGGER bolide_Quake_delete; DELETE FROM Quake WHERE id = 'q0'")
    try store.assignPending()
    #expect(throws: StoreError.self) { try Replay(store, after: token) }
    #expect(try store.rows(Quakes.untrue) == [])
  }

  @Test func `Triggers that a row keeps from working are told, and work again`() throws {
    try temporary.shell(
      "INSERT INTO bolide_deriving(entity) VALUES (0); UPDATE Quake SET depth = 70 WHERE id = 'q0'")
    #expect(
      try store.restoreTriggers().problems == [
        "bolide_deriving has rows, which keep the triggers from working"
      ])
    #expect(try store.rows(Quakes.untrue) == [])
    #expect(try findings() == [])
  }

  @Test func `A rebuild repairs wrong values once, and says each`() throws {
    try temporary.shell(derivedly("UPDATE Region SET quakeCount = 77, depths = 5 WHERE code = 'r0'"))
    var repaired: [String] = []
    try store.rebuild { repaired.append("\($0)") }
    #expect(repaired == ["Region 1 quakeCount: stored 77, true 3", "Region 1 depths: stored 5, true 6"])
    #expect(try findings() == [])
    #expect(try store.rows("SELECT reason FROM bolide_gap") == [["derived values were not true"]])
    try store.rebuild { _ in Issue.record("nothing is wrong any more") }
    #expect(try store.rows("SELECT count(*) FROM bolide_gap") == [[1]])
  }
}
