import Bolide
import StoreInterface
import TestServer
import Testing

/// Triggers that another program has dropped or disabled are made anew by whoever writes next, and history says what it lacks.
struct TriggerRepairTests {
  private let store: ServerStore

  init() throws {
    store = try ServerStore()
    try store.take([#"{"id": 1, "magnitude": 2, "place": "A"}"#])
  }

  /// What another program then writes is in no history, and leaves derived attributes false.
  private func lose(_ trigger: String, of entity: String, dropping: Bool) throws {
    try store.psql(
      dropping
        ? #"DROP TRIGGER "\#(trigger)" ON "\#(entity)""#
        : #"ALTER TABLE "\#(entity)" DISABLE TRIGGER "\#(trigger)""#)
    try store.psql(#"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (7, 4, 1)"#)
  }

  @Test(
    arguments: [
      ("bolide_after_insert", "Quake"), ("bolide_after_update", "Quake"), ("bolide_after_delete", "Quake"),
      ("~bolide_before_insert", "Quake"), ("bolide_truncate", "Region"), ("bolide_after_update", "Region"),
    ], [true, false])
  func `an import makes a lost trigger anew`(_ lost: (trigger: String, entity: String), dropping: Bool) throws
  {
    try lose(lost.trigger, of: lost.entity, dropping: dropping)
    let said = "the trigger \(lost.trigger) on \(lost.entity) is missing or disabled"
    #expect(try store.engine.status().upkeep.problems == [said])
    let before = try store.engine.newestToken()
    let report = try store.take([#"{"id": 2, "magnitude": 3, "place": "A"}"#])
    #expect(report.restored.problems == [said] && report.restored.hasGap)
    #expect(try store.engine.verified() == [])
    #expect(try store.psql(#"SELECT "count", total, largest FROM "Region""#) == "3|9|4")
    let error = #expect(throws: StoreError.self) { try store.engine.history(HistoryRequest(after: before)) }
    #expect(error?.code == .tokenExpired && error?.reason.contains("has a gap") == true)
    let token = try store.engine.newestToken()
    try store.psql(#"UPDATE "Quake" SET magnitude = 5 WHERE id = 7"#)
    #expect(try store.changes(after: token).contains("update Quake 7 magnitude 4.0"))
  }

  /// What changes the model makes all triggers anew: behind it nobody would know of the loss.
  @Test(arguments: ["import", "migrate", "other", "rename"])
  func `what makes all triggers anew tells what was lost, too`(_ act: String) throws {
    try lose("bolide_after_insert", of: "Quake", dropping: true)
    let said = ["the trigger bolide_after_insert on Quake is missing or disabled"]
    let before = try store.engine.newestToken()
    let grown = ServerStore.quakes.replacing(
      "  code:      string\n", with: "  code:      string\n  size:      integer32\n")
    var address = store.server.address(schema: store.schema)
    switch act {
    case "import": #expect(try opened(address, grown).restoreTriggers().problems == said)
    case "migrate":
      let pipeline = try Pipeline(yaml: grown, file: "quakes.yaml", directory: ".")
      let steps = try store.engine.migrate(pipeline, dropping: [], lockWait: 10) { _ in }
      #expect(steps.count == 1)
    case "other":
      let other = "bolide: 1\nname: boats\nentity: Boat\nkey: id\nattributes: { id: integer64 }\n"
      #expect(try opened(address, other).restoreTriggers().problems == said)
    default:
      try store.psql("ALTER SCHEMA \(store.schema) RENAME TO \(store.schema)_now")
      address += "_now"
    }
    let engine = try StoreAddress(address).open()
    if act == "rename" { #expect(try engine.restoreTriggers().problems == said) }
    #expect(try engine.restoreTriggers() == RepairReport())
    #expect(try engine.verified() == [])
    let error = #expect(throws: StoreError.self) { try engine.history(HistoryRequest(after: before)) }
    #expect(error?.code == .tokenExpired && error?.reason.contains("has a gap") == true)
  }

  /// What waits for its number gets it by the ids of the cluster that it is in by now.
  @Test(arguments: [true, false]) func `a store that was written elsewhere is noticed first`(
    _ isMigrated: Bool
  ) throws {
    try store.engine.addReader("map", from: .beginning)
    try lose("bolide_after_insert", of: "Quake", dropping: true)
    try store.psql("UPDATE bolide_store SET origin = '1/00000001/1/1'")
    let address = store.server.address(schema: store.schema)
    let model =
      isMigrated
      ? ServerStore.quakes.replacing(
        "  code:      string\n", with: "  code:      string\n  size: integer32\n")
      : ServerStore.quakes
    let engine = try opened(address, model)
    try engine.restoreTriggers()
    #expect(try store.psql("SELECT origin = bolide_origin() FROM bolide_store") == "t")
    #expect(try engine.namedReaders().map(\.state) == [.diverged])
    #expect(try engine.verified() == [])
  }

  private func opened(_ address: String, _ model: String) throws -> any StoreEngine {
    try StoreAddress(address).open(
      for: Pipeline(yaml: model, file: "quakes.yaml", directory: "."), lockWait: 10)
  }

  @Test func `one of another name goes when it is made anew`() throws {
    try store.psql(#"ALTER TRIGGER bolide_after_insert ON "Quake" RENAME TO house_after_insert"#)
    let report = try store.take([#"{"id": 2, "magnitude": 3, "place": "A"}"#])
    #expect(report.restored.problems == ["the trigger bolide_after_insert on Quake is missing or disabled"])
    let token = try store.engine.newestToken()
    try store.psql(#"INSERT INTO "Quake"(id, magnitude, in_id) VALUES (8, 4, 1)"#)
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "3|9")
    #expect(try store.changes(after: token).filter { $0.hasPrefix("insert") }.count == 1)
    #expect(try store.engine.verified() == [])
  }

  @Test func `an edit does so, and its plan does not`() throws {
    try lose("bolide_after_insert", of: "Quake", dropping: false)
    let request = ObjectQuery("Quake", where: "id = 1")
    var options = EditOptions()
    options.isTrial = true
    _ = try store.engine.deleteObjects(request, options)
    #expect(try store.engine.status().upkeep.triggers.count == 1)
    _ = try store.engine.deleteObjects(request, EditOptions())
    #expect(try store.engine.status().upkeep.triggers == [])
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "1|4")
  }

  @Test func `who does not own the store is told to ask its owner`() throws {
    try lose("bolide_after_insert", of: "Quake", dropping: false)
    try store.asWriter { writer in
      let request = ObjectQuery("Quake", where: "id = 1")
      let error = #expect(throws: StoreError.self) { try writer.deleteObjects(request, EditOptions()) }
      #expect(error?.code == .foreignSchema)
      #expect(error?.reason == "a trigger of Bolide's on Quake is missing or disabled")
      #expect(
        error?.hint == "Run bolide verify --rebuild as the user who owns the store: that makes it anew.")
      var findings: [String] = []
      try store.engine.rebuild { findings.append("\($0)") }
      #expect(findings == ["the trigger bolide_after_insert on Quake is missing or disabled"])
      #expect(try store.engine.verified() == [])
      _ = try writer.deleteObjects(request, EditOptions())
    }
  }

  @Test func `only what is false, and not what waits to be computed, is said to be repaired`() throws {
    try store.psql(
      """
      BEGIN ISOLATION LEVEL REPEATABLE READ;
      INSERT INTO "Quake"(id, magnitude, in_id) VALUES (7, 4, 1);
      COMMIT;
      """)
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "1|2")
    func repaired() throws -> [String] {
      var findings: [String] = []
      try store.engine.rebuild { findings.append("\($0)") }
      return findings
    }
    #expect(try repaired() == [])
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "2|6")
    try store.psql(#"SET session_replication_role = replica; UPDATE "Region" SET total = 9"#)
    #expect(try repaired() == ["Region 1 total: stored 9.0, true 6.0"])
    #expect(try store.psql(#"SELECT "count", total FROM "Region""#) == "2|6")
    #expect(try store.engine.verified() == [])
  }
}
