import ImportModel
import ModelMerging
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// A store goes on under other names: rows, history, derived values and constraints.
struct RenamedStoreTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private static let strong = Attribute(
    name: "strong", type: .integer64,
    derivation: .count(relationship: "quakes", where: "magnitude >= 5 AND \"depth\" IS NOT NULL"))

  /// Quakes and regions under other names; the filtered count is the store's alone.
  private static func renamed(_ change: (inout Pipeline) -> Void = { _ in }) -> Pipeline {
    Quakes.pipeline {
      $0.model.renameEntity("Quake", to: "Shake")
      $0.model.renameEntity("Region", to: "region")
      $0.model.renameProperty("magnitude", of: "Shake", to: "size") { filter, _ in filter }
      $0.model.renameProperty("region", of: "Shake", to: "zone") { filter, _ in filter }
      $0.model.renameProperty("quakes", of: "region", to: "shakes") { filter, _ in filter }
      $0.model.renameProperty("magnitudes", of: "region", to: "sizes") { filter, _ in filter }
      $0.model.renameProperty("id", of: "Shake", to: "ID") { filter, _ in filter }
      $0.entity = "Shake"
      $0.fields = $0.model.entities[0].attributes.map { Field($0.name) }
      $0.links = [Link("zone", ownerKey: [Link.KeyPart("code", "place")])]
      $0.renames = [
        Rename("Shake", "size", was: "magnitude"), Rename("Shake", "zone", was: "region"),
        Rename("region", "shakes", was: "quakes"), Rename("region", "sizes", was: "magnitudes"),
        Rename("Shake", "ID", was: "id"), Rename("Shake", was: "Quake"), Rename("region", was: "Region"),
      ]
      change(&$0)
    }
  }

  private static let before = Quakes.pipeline {
    $0[entity: "Region"].attributes.append(strong)
    $0[entity: "Quake"]["depth"].isRequired = true
    $0[entity: "Quake"].uniquenessConstraints = [["depth", "id"]]
    $0[entity: "Quake"].indexes = [["magnitude"], ["region", "magnitude"], ["kind"]]
  }

  private static let records: [Record] = (0..<40).map {
    [
      "id": .text("q\($0)"), "@region": .text("r\($0 % 3)"), "magnitude": .real(Double($0) * 0.3),
      "depth": .integer(Int64($0)), "cost": .integer(5),
    ]
  }

  @Test func `Rows, links, derived values, constraints and history have the new names`() throws {
    let old: HistoryToken
    do {
      let store = try temporary.open(Self.before)
      try store.take(Self.before, Self.records)
      old = try store.newestToken()
      try store.take(Self.before, [["id": "q1", "magnitude": 9.5, "depth": 1], ["id": "q2", "depth": 77]])
      // Other programs' changes that are pending, and a value that is still to be computed.
      try temporary.shell("UPDATE Quake SET magnitude = 8 WHERE id = 'q3'; DELETE FROM Quake WHERE id = 'q4'")
    }
    let sums = try temporary.shell("SELECT code, quakeCount, magnitudes, strong, depths, costs FROM Region")
    let numbers = try temporary.shell("SELECT entity, property FROM bolide_property ORDER BY property")
    let pipeline = Self.renamed {
      $0[entity: "Shake"]["depth"].isRequired = true
      $0[entity: "Shake"].indexes = [["size"], ["zone", "size"]]
    }
    #expect(pipeline.problems().map(\.description) == [])
    let store = try temporary.open(pipeline)
    #expect(try temporary.shell("SELECT entity, property FROM bolide_property ORDER BY property") == numbers)
    try store.take(
      pipeline, [["ID": "q5", "size": 1.5, "depth": 5], ["ID": "new", "@zone": "r9", "depth": 1]])
    try expectSound(store)
    #expect(
      try store.rows(
        "SELECT code, shakeCount FROM (SELECT code, quakeCount AS shakeCount FROM region) ORDER BY 1")
        == [["r0", 14], ["r1", 12], ["r2", 13], ["r9", 1]])
    // Only what changed since differs.
    #expect(sums.contains("r2|13|"))
    #expect(
      try store.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%Quake%' OR sql LIKE '%\"magnitude\"%'")
        == [])
    #expect(
      try store.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'bolide_%.%' ORDER BY 1")
        == [
          ["bolide_index_Shake.size"], ["bolide_index_Shake.zone_id"], ["bolide_index_Shake.zone_id.size"],
          ["bolide_unique_Shake.depth.ID"],
        ])
    let changes = try Replay(store, after: old, model: pipeline.model).changes
    let update = try #require(changes.first { $0.entity == "Shake" && $0.kind == .update })
    #expect(update.previous == [.init(name: "size", type: .double, value: .real(0.3))])
    #expect(update.key == [.init(name: "ID", type: .string, value: "q1")])
    // The constraint goes on, for other programs too.
    #expect(try temporary.refusal("INSERT INTO Shake(ID, depth) VALUES ('q1', 1)") != nil)
    #expect(try temporary.refusal("INSERT INTO Shake(ID) VALUES ('z')") != nil)
  }

  @Test func `A filter that the pipeline does not name goes on`() throws {
    do { try temporary.open(Self.before).take(Self.before, Self.records) }
    let store = try temporary.open(Self.renamed { $0[entity: "Shake"]["depth"].isRequired = true })
    try temporary.shell("UPDATE Shake SET size = 0")
    try store.assignPending()
    #expect(try store.rows("SELECT DISTINCT strong FROM region") == [[0]])
    let model = try store.reading { try ModelRecord($0).model }
    #expect(
      model.entity(named: "region")?.attribute(named: "strong")?.derivation?.aggregate?.filter
        == "\"size\" >= 5 AND \"depth\" IS NOT NULL")
  }

  @Test func `The second time there is nothing to do, and a store that is new has nothing to rename`() throws
  {
    do { _ = try temporary.open(Self.renamed()) }
    do { _ = try temporary.open(Self.renamed()) }
    let store = try temporary.open(Self.renamed { $0.renames.removeAll() })
    #expect(try store.rows("SELECT count(*) FROM bolide_model") == [[1]])
  }

  @Test func `One name after another, and back again`() throws {
    func pipeline(_ name: String, was: String?) -> Pipeline {
      var pipeline = plainPipeline([
        Attribute(name: "id", type: .string, isRequired: true), Attribute(name: name, type: .integer64),
      ])
      if let was { pipeline.renames = [Rename("Thing", name, was: was)] }
      return pipeline
    }
    for (index, (name, was)) in [("a", nil), ("b", "a"), ("c", "b"), ("a", "c"), ("A", "a")].enumerated() {
      let pipeline = pipeline(name, was: was)
      let store = try temporary.open(pipeline)
      try store.take(pipeline, [["id": "x", name: .integer(Int64(index))]])
      #expect(try store.rows("SELECT \(name) FROM Thing") == [[.integer(Int64(index))]])
    }
    let store = try SQLiteEngine(reading: temporary.path)
    let history = try Replay(store, model: pipeline("A", was: nil).model)
    #expect(history.changes.compactMap(\.previous.first).map(\.name) == ["A", "A", "A", "A"])
    #expect(history.changes.compactMap(\.previous.first).map(\.value) == [0, 1, 2, 3])
    // Whoever still says an older name says it of the same attribute, and would make it a second time.
    let error = #expect(throws: StoreError.self) { try temporary.open(pipeline("b", was: "a")) }
    #expect(error?.message == "\(temporary.path): Thing.b is called A in the store: the pipeline is older")
    let both = plainPipeline([
      Attribute(name: "id", type: .string, isRequired: true), Attribute(name: "A", type: .integer64),
      Attribute(name: "b", type: .string),
    ])
    #expect(try temporary.open(both).rows("SELECT A, b FROM Thing") == [[4, .null]])
  }

  // MARK: Refusals

  @Test func `A pipeline that knows the older names is rejected, and nothing is changed`() throws {
    do { _ = try temporary.open(Quakes.pipeline()) }
    do { _ = try temporary.open(Self.renamed()) }
    let before = try temporary.shell(".dump")
    let error = #expect(throws: StoreError.self) { try temporary.open(Quakes.pipeline()) }
    #expect(error?.code == .modelChange)
    #expect(
      error?.message
        == "\(temporary.path): the entity Quake is called Shake in the store: the pipeline is older")
    #expect(try temporary.shell(".dump") == before)
  }

  @Test func `A name that never was is rejected, and one that something else has`() throws {
    do { _ = try temporary.open(Quakes.pipeline()) }
    let before = try temporary.shell(".dump")
    func refusal(_ pipeline: Pipeline) -> String? {
      #expect(throws: PipelineError.self) { try temporary.open(pipeline) }?.description
    }
    let added = Quakes.pipeline {
      $0[entity: "Quake"].attributes.append(Attribute(name: "felt", type: .integer32))
      $0.fields.append(Field("felt"))
      $0.renames = [Rename("Quake", "felt", was: "fell")]
    }
    #expect(
      refusal(added)
        == "quakes: Quake in the store has no attribute 'fell', the previous name of 'felt': correct 'was', or remove it"
    )
    let both = Quakes.pipeline {
      $0[entity: "Quake"].attributes.removeAll { $0.name == "cost" }
      $0[entity: "Region"].attributes.removeAll { $0.name == "costs" }
      $0.fields.removeAll { $0.attribute == "cost" }
      $0.renames = [Rename("Quake", "seen", was: "cost")]
    }
    #expect(
      refusal(both)
        == "quakes: Quake in the store has both 'seen' and 'cost': drop one of them in a migration, or remove 'was'"
    )
    let entity = Quakes.pipeline {
      $0.model.entities.append(
        Entity(name: "Tag", key: ["a"], attributes: [Attribute(name: "a", type: .string, isRequired: true)]))
      $0.renames = [Rename("Tag", was: "Label")]
    }
    #expect(
      refusal(entity)
        == "quakes: the store has no entity 'Label', the previous name of 'Tag': correct 'was', or remove it")
    #expect(try temporary.shell(".dump") == before)
  }

  @Test func `A rename during an import ends that import, and nothing is wrong`() throws {
    let pipeline = Quakes.pipeline()
    let store = try temporary.open(pipeline)
    let session = try SQLiteImport(store, pipeline, input: "test")
    let chunk = Chunk(layout: session.layout)
    chunk.fill([["id": "a", "magnitude": 1]])
    try session.apply(chunk, bytes: 0)
    _ = try temporary.open(Self.renamed())
    chunk.clear()
    chunk.fill([["id": "b", "magnitude": 1]])
    let error = #expect(throws: StoreError.self) { try session.apply(chunk, bytes: 0) }
    #expect(error?.code == .busy)
    try expectSound(store)
  }

  private func expectSound(_ store: SQLiteEngine) throws {
    try store.assignPending()
    #expect(try store.findings() == [])
    #expect(try store.rows("SELECT * FROM bolide_dirty") == [])
  }
}
