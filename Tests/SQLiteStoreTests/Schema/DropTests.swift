import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What is dropped by name, what keeps it, and other changes of a store's model.
struct DropTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  /// A pipeline that knows the key of a quake only.
  private static let least = plain { _ in }

  private static func plain(_ change: (inout Pipeline) -> Void) -> Pipeline {
    var pipeline = plainPipeline([Attribute(name: "id", type: .string, isRequired: true)])
    pipeline.model.entities[0].name = "Quake"
    pipeline.entity = "Quake"
    change(&pipeline)
    return pipeline
  }

  private static let records: [Record] = (0..<20).map {
    [
      "id": .text("q\($0)"), "@region": .text("r\($0 % 3)"), "magnitude": .real(Double($0) * 0.25),
      "depth": .integer(Int64($0)), "cost": .integer(1234), "kind": "blast",
    ]
  }

  private func fill() throws -> SQLiteEngine {
    let store = try temporary.open(Quakes.pipeline())
    try store.take(Quakes.pipeline(), Self.records)
    try store.take(Quakes.pipeline(), [["id": "q1", "cost": 99, "kind": "x"], ["id": "q2", "place": "p"]])
    return store
  }

  @Test func `A dropped attribute is gone, and history has its values`() throws {
    let store = try fill()
    try store.execute("DELETE FROM Quake WHERE id = 'q7'")
    try store.assignPending()
    let steps = try store.migrate(Self.least, dropping: ["Region.costs", "Quake.cost"])
    #expect(steps.map(\.description) == ["drop Region.costs", "drop Quake.cost"])
    try expectSound(store)
    #expect(try store.rows("SELECT count(*) FROM pragma_table_info('Quake') WHERE name = 'cost'") == [[0]])
    let changes = try Replay(store).changes
    let update = try #require(changes.first { $0.kind == .update && $0.entity == "Quake" })
    #expect(
      Set(update.previous) == [
        .init(name: "cost", type: .decimal(scale: 2), value: 1234),
        .init(name: "kind", type: .string, value: "blast"),
      ])
    let deletion = try #require(changes.first { $0.kind == .delete })
    #expect(deletion.previous.contains(.init(name: "cost", type: .decimal(scale: 2), value: 1234)))
    // It may come again, as something else, and is another property then.
    let again = Self.plain {
      $0[entity: "Quake"].attributes.append(Attribute(name: "cost", type: .string))
      $0.fields.append(Field("cost"))
    }
    do {
      let store = try temporary.open(again)
      try store.take(again, [["id": "q1", "cost": "free"]])
      try expectSound(store)
      #expect(try store.rows("SELECT count(*) FROM bolide_property WHERE name LIKE '%cost%'") == [[3]])
      let last = try #require(try Replay(store).changes.last)
      #expect(last.previous == [.init(name: "cost", type: .string, value: .null)])
    }
  }

  @Test func `A relationship is dropped with its inverse, and what leads nowhere then with its entity`()
    throws
  {
    let store = try fill()
    _ = try store.migrate(
      Self.least,
      dropping: [
        "Region.quakes", "Quake.region", "Region.quakeCount", "Region.magnitudes", "Region.depths",
        "Region.costs",
      ])
    try expectSound(store)
    #expect(
      try store.rows("SELECT count(*) FROM sqlite_schema WHERE sql GLOB '*[\"]region_id[\"]*'") == [[0]])
    let token = try store.newestToken()
    #expect(try store.migrate(Self.least, dropping: ["Region"]).map(\.description) == ["drop Region"])
    try expectSound(store)
    #expect(try store.rows("SELECT reason FROM bolide_gap") == [["Region dropped"]])
    let error = #expect(throws: StoreError.self) { try Replay(store, after: token) }
    #expect(error?.code == .tokenExpired)
    // What is kept of the others can be read.
    #expect(try store.history(HistoryRequest()).flatMap(\.changes).allSatisfy { $0.entity == "Quake" })
    _ = try temporary.open(Quakes.pipeline()).take(Quakes.pipeline(), [["id": "n", "@region": "r"]])
    try expectSound(try SQLiteEngine(reading: temporary.path))
  }

  @Test func `Entities that lead to each other are dropped together`() throws {
    let store = try temporary.open(Quakes.pipeline(rule: .deny))
    try store.take(Quakes.pipeline(rule: .deny), Self.records)
    var other = plainPipeline([Attribute(name: "id", type: .string, isRequired: true)])
    other.renames = []
    _ = try store.migrate(other, dropping: ["Region", "Quake"])
    try expectSound(store)
    #expect(
      try store.rows("SELECT name FROM bolide_entity") == [
        ["bolide_dropped_1_Quake"], ["bolide_dropped_2_Region"], ["Thing"],
      ])
  }

  @Test(
    arguments: [
      (["Quake.id"], "Quake.id cannot be dropped: it is part of the key", nil),
      (["Region.code"], "Region.code cannot be dropped: it is part of the key", nil),
      (
        ["Quake.cost"], "Quake.cost cannot be dropped: Region.costs is derived from it",
        "Remove both from the pipeline, and drop both. --drop Region.costs --drop Quake.cost"
      ),
      (
        ["Region.quakes"], "Region.quakes cannot be dropped: it is the inverse of Quake.region",
        "Remove both from the pipeline, and drop both. --drop Quake.region --drop Region.quakes"
      ),
      (
        ["Region.quakes", "Quake.region"],
        "Region.quakes cannot be dropped: Region.quakeCount is derived from it",
        "Remove both from the pipeline, and drop both. --drop Region.quakeCount --drop Region.quakes"
      ),
      (["Quake.place"], "Quake.place cannot be dropped: the constraint on place and kind needs it", nil),
      (
        ["Quake.seen"], "Quake.seen cannot be dropped: Region.recent is derived from it",
        "Remove both from the pipeline, and drop both. --drop Region.recent --drop Quake.seen"
      ),
      (
        ["Region"], "Region cannot be dropped: Quake.region refers to it",
        "Remove both from the pipeline, and drop both. --drop Quake.region --drop Region"
      ),
      (
        ["Quake.costs"],
        "the store has no entity, attribute, relationship or index 'Quake.costs'; did you mean 'Quake.cost'?",
        "An attribute is named with its entity, as in Quake.magnitude."
      ),
    ] as [([String], String, String?)])
  func `What something needs is not dropped`(names: [String], sentence: String, hint: String?) throws {
    let full = Quakes.pipeline {
      $0[entity: "Quake"]["place"].isRequired = true
      $0[entity: "Quake"]["kind"].isRequired = true
      $0[entity: "Quake"].uniquenessConstraints = [["place", "kind"]]
      $0[entity: "Region"].attributes.append(
        Attribute(
          name: "recent", type: .integer64, derivation: .count(relationship: "quakes", where: "seen > 5")))
    }
    let store = try temporary.open(full)
    let before = try temporary.shell(".dump")
    let error = #expect(throws: StoreError.self) { try store.migrate(Self.least, dropping: names) }
    #expect(error?.code == .badRequest)
    #expect(error?.message == "\(temporary.path): \(sentence)")
    let drops = (error?.droppable ?? []).map { " --drop \($0)" }.joined()
    #expect(error?.hint.map { $0 + drops } == hint)
    #expect(try temporary.shell(".dump") == before)
  }

  @Test func `Another program's view keeps a column, and nothing is changed`() throws {
    let store = try fill()
    try store.execute("CREATE VIEW kinds AS SELECT kind FROM Quake")
    let before = try temporary.shell(".dump")
    let error = #expect(throws: StoreError.self) {
      try store.migrate(Self.least, dropping: ["Region.costs", "Quake.cost", "Quake.kind"])
    }
    #expect(error?.code == .modelChange)
    #expect(
      error?.message
        == "\(temporary.path): Quake.kind cannot be dropped: SQLite reports: error in view kinds after drop column: no such column: kind"
    )
    #expect(try temporary.shell(".dump") == before)
  }

  // MARK: Other changes

  @Test func `A looser rule, another delete rule, another derivation`() throws {
    let strict = Quakes.pipeline { $0[entity: "Quake"]["depth"].isRequired = true }
    do { try temporary.open(strict).take(strict, Self.records) }
    try temporary.shell(
      "CREATE TABLE heard(x); CREATE TRIGGER hears AFTER UPDATE ON Quake BEGIN INSERT INTO heard VALUES (1); END"
    )
    let token = try SQLiteEngine(reading: temporary.path).newestToken()
    let looser = Quakes.pipeline(rule: .cascade) {
      $0[entity: "Region"]["depths"].derivation = .sum(relationship: "quakes", attribute: "seen")
      $0[entity: "Region"]["magnitudes"].derivation = .aggregate(.init(.max, of: "magnitude", over: "quakes"))
      $0[entity: "Quake"]["place"].description = "where"
    }
    let store = try temporary.open(looser)
    try expectSound(store)
    #expect(try store.rows("SELECT * FROM heard") == [])
    #expect(
      try store.rows("SELECT depths, magnitudes FROM Region ORDER BY code") == [
        [0, 4.5], [0, 4.75], [0, 4.25],
      ])
    // Readers learn of the new values.
    let changes = try Replay(store, after: token).changes
    #expect(changes.map(\.entity) == ["Region", "Region", "Region"] && changes.allSatisfy(\.isDerived))
    let previous = Set(changes.flatMap(\.previous))
    #expect(previous.contains(.init(name: "depths", type: .integer64, value: 63)))
    try temporary.shell(
      "INSERT INTO Quake(id) VALUES ('none'); PRAGMA foreign_keys = ON; DELETE FROM Region WHERE code = 'r0'")
    try store.assignPending()
    #expect(try store.rows("SELECT count(*) FROM Quake") == [[14]])
    try expectSound(store)
    // The older pipeline does not take it back, unless it is told to.
    let older = Quakes.pipeline()
    let error = #expect(throws: StoreError.self) { try temporary.open(older) }
    #expect(
      error?.message
        == "\(temporary.path): the pipeline is older than the store's model: it declares "
        + "a former derivation of Region.magnitudes")
    #expect(
      error?.hint
        == "Use the newer pipeline, or migrate the store to revert to this one.")
    #expect(
      try store.migrate(older).map(\.description) == [
        "change the rules of Quake.place",
        "recompute Region.magnitudes as quakes.magnitude.@sum",
        "recompute Region.depths as quakes.depth.@sum",
        "change the delete rule of Region.quakes to nullify",
      ])
    try expectSound(store)
    #expect(try store.rows(Quakes.untrue) == [])
  }

  @Test func `A plan touches nothing`() throws {
    do { _ = try fill() }
    let before = try temporary.shell(".dump")
    let pipeline = Quakes.pipeline {
      $0[entity: "Quake"]["magnitude"].type = .string
      $0[entity: "Quake"].attributes.removeAll { $0.name == "kind" }
      $0[entity: "Quake"].attributes.append(Attribute(name: "felt", type: .integer32))
      $0.fields.removeAll { $0.attribute == "kind" }
      $0.fields.append(Field("felt"))
      $0[entity: "Region"].attributes.removeAll { $0.name == "magnitudes" }
    }
    let steps = try SQLiteEngine(reading: temporary.path).migrationPlan(for: pipeline)
    #expect(
      steps == [
        MigrationStep(kind: .change, description: "add Quake.felt, integer32"),
        MigrationStep(
          kind: .conflict,
          description: "cannot: Quake.magnitude is double in the store and string in the pipeline",
          drop: "Quake.magnitude"),
        MigrationStep(
          kind: .stays,
          description: "keep Quake.kind, which the pipeline does not name",
          drop: "Quake.kind"),
        MigrationStep(
          kind: .stays,
          description:
            "keep Region.magnitudes, which the pipeline does not name",
          drop: "Region.magnitudes"),
      ])
    #expect(try temporary.shell(".dump") == before)
    let store = try SQLiteEngine(reading: temporary.path)
    let drops = ["Quake.magnitude", "Region.magnitudes"]
    let done = try store.migrate(pipeline, dropping: drops)
    #expect(
      done.map(\.description) == [
        "drop Quake.magnitude", "drop Region.magnitudes", "add Quake.magnitude, string",
        "add Quake.felt, integer32",
      ])
    try expectSound(store)
    #expect(try store.migrate(pipeline) == [])
  }

  private func expectSound(_ store: SQLiteEngine) throws {
    try store.assignPending()
    #expect(try store.findings() == [])
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
  }
}
