import Foundation
import ImportModel
import ModelMerging
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Indexes of the model: made, kept for other pipelines, dropped, and restored.
struct IndexTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private static func pipeline(
    _ indexes: [[String]], of name: String = "quakes", _ change: (inout Pipeline) -> Void = { _ in }
  ) -> Pipeline {
    Quakes.pipeline {
      $0.name = name
      $0[entity: "Quake"].indexes = indexes
      change(&$0)
    }
  }

  private static let records: [Record] = (0..<60).map {
    quake($0, magnitude: Double($0 % 7), cost: 10 * $0)
  }

  /// The names of the declared indexes in the file.
  private func indexes(_ store: SQLiteEngine) throws -> [Value] {
    try store.rows(
      """
      SELECT name FROM sqlite_schema WHERE name GLOB 'bolide_index_*' AND name <> 'bolide_index_Quake.region_id' ORDER BY 1
      """
    ).map { $0[0] }
  }

  private func expectSound(_ store: SQLiteEngine) throws {
    try store.assignPending()
    #expect(try store.findings() == [])
    #expect(try store.rows("PRAGMA integrity_check") == [["ok"]])
  }

  @Test func `The file has the columns in their order`() throws {
    let store = try temporary.open(
      Self.pipeline([["region", "depth"], ["magnitude"]]) { $0[entity: "Region"].indexes = [["quakeCount"]] })
    #expect(
      try store.rows("SELECT sql FROM sqlite_schema WHERE name GLOB 'bolide_index_*' ORDER BY name") == [
        [#"CREATE INDEX "bolide_index_Quake.magnitude" ON "Quake"("magnitude")"#],
        [#"CREATE INDEX "bolide_index_Quake.region_id" ON "Quake"("region_id")"#],
        [#"CREATE INDEX "bolide_index_Quake.region_id.depth" ON "Quake"("region_id", "depth")"#],
        [#"CREATE INDEX "bolide_index_Region.quakeCount" ON "Region"("quakeCount")"#],
      ])
    try store.take(Quakes.pipeline(), Self.records)
    try expectSound(store)
  }

  @Test func `A model without indexes has the JSON that it had`() throws {
    let text = try JSONEncoder().encode(ModelRecord(Quakes.pipeline().model))
    #expect(!String(decoding: text, as: UTF8.self).contains("index"))
    #expect(try JSONDecoder().decode(ModelRecord.self, from: text).model == Quakes.pipeline().model)
    let with = Self.pipeline([["depth"]]).model
    #expect(try JSONDecoder().decode(Model.self, from: JSONEncoder().encode(with)) == with)
  }

  @Test func `An index is added to rows that are there, and goes when its pipeline declares it no more`()
    throws
  {
    var store = try temporary.open(Self.pipeline([]))
    try store.take(Quakes.pipeline(), Self.records)
    let token = try store.newestToken()
    let more = Self.pipeline([["magnitude"], ["region", "depth"]])
    let steps = try store.migrationPlan(for: more).map(\.description)
    #expect(steps == ["index Quake on magnitude", "index Quake on region and depth"])
    store = try temporary.open(more)
    #expect(try indexes(store) == ["bolide_index_Quake.magnitude", "bolide_index_Quake.region_id.depth"])
    #expect(try store.migrationPlan(for: more) == [])
    let less = Self.pipeline([["depth", "region"], ["magnitude"]])
    #expect(
      try store.migrationPlan(for: less) == [
        MigrationStep(kind: .change, description: "drop the index of Quake on region and depth"),
        MigrationStep(kind: .change, description: "index Quake on depth and region"),
      ])
    store = try temporary.open(less)
    #expect(try indexes(store) == ["bolide_index_Quake.depth.region_id", "bolide_index_Quake.magnitude"])
    store = try temporary.open(Self.pipeline([]))
    #expect(try indexes(store) == [])
    let model = try store.rows("SELECT model FROM bolide_model ORDER BY version DESC LIMIT 1").description
    #expect(!model.contains("index"))
    // None of it is a change of an object.
    #expect(try store.newestToken() == token)
    try expectSound(store)
  }

  @Test func `An index stays as long as one pipeline declares it`() throws {
    _ = try temporary.open(Self.pipeline([["depth"], ["magnitude"]], of: "first"))
    _ = try temporary.open(Self.pipeline([["depth"], ["kind"]], of: "second"))
    let all: [Value] = [
      "bolide_index_Quake.depth", "bolide_index_Quake.kind", "bolide_index_Quake.magnitude",
    ]
    var store = try temporary.open(Self.pipeline([], of: "third"))
    #expect(try indexes(store) == all)
    let versions = try store.integer("SELECT count(*) FROM bolide_model")
    // No import makes what another one has just dropped.
    for _ in 0..<3 {
      _ = try temporary.open(Self.pipeline([["depth"], ["magnitude"]], of: "first"))
      _ = try temporary.open(Self.pipeline([["depth"], ["kind"]], of: "second"))
      store = try temporary.open(Self.pipeline([], of: "third"))
    }
    #expect(try store.integer("SELECT count(*) FROM bolide_model") == versions)
    store = try temporary.open(Self.pipeline([], of: "first"))
    #expect(try indexes(store) == ["bolide_index_Quake.depth", "bolide_index_Quake.kind"])
    // One that does not name the entity has no say.
    _ = try temporary.open(
      plainPipeline([Attribute(name: "id", type: .string, isRequired: true)]).renamed("second"))
    #expect(try indexes(store) == ["bolide_index_Quake.depth", "bolide_index_Quake.kind"])
    store = try temporary.open(Self.pipeline([], of: "second"))
    #expect(try indexes(store) == [])
    try expectSound(store)
  }

  @Test func `An index of another pipeline is dropped by its name`() throws {
    _ = try temporary.open(Self.pipeline([["region", "depth"]], of: "old"))
    let new = Self.pipeline([["magnitude"]], of: "new")
    let store = try temporary.open(new)
    let name = "bolide_index_Quake.region_id.depth"
    let kept = "the index of Quake on region and depth"
    #expect(
      try store.migrationPlan(for: new) == [
        MigrationStep(kind: .stays, description: "keep \(kept), which the pipeline does not name", drop: name)
      ])
    let error = #expect(throws: StoreError.self) {
      try store.migrate(new, dropping: ["bolide_index_Quake.magnitude"])
    }
    #expect(
      error?.message
        == "\(temporary.path): bolide_index_Quake.magnitude cannot be dropped: the pipeline names it")
    let step = MigrationStep(kind: .drop, description: "drop \(kept)", drop: name)
    #expect(try store.migrationPlan(for: new, dropping: [name, name]) == [step])
    #expect(try store.migrate(new, dropping: [name]) == [step])
    #expect(try indexes(store) == ["bolide_index_Quake.magnitude"])
    let again = #expect(throws: StoreError.self) { try store.migrate(new, dropping: [name]) }
    #expect(
      again?.message
        == "\(temporary.path): the store has no entity, attribute, relationship or index '\(name)'; did you mean "
        + "'bolide_index_Quake.magnitude'?")
    try expectSound(store)
  }

  @Test func `An attribute is dropped with its indexes, also where it comes again as another type`() throws {
    var store = try temporary.open(Self.pipeline([["depth", "seen"], ["kind"], ["region", "kind"]]))
    try store.take(Quakes.pipeline(), Self.records)
    let without = Self.pipeline([]) {
      $0[entity: "Quake"].attributes.removeAll { ["kind", "seen"].contains($0.name) }
      $0[entity: "Quake"].attributes.append(Attribute(name: "kind", type: .integer64))
      $0[entity: "Quake"].indexes = [["kind"]]
      $0.fields.removeAll { $0.attribute == "seen" }
    }
    #expect(
      try store.migrate(without, dropping: ["Quake.kind", "Quake.seen"]).map(\.description) == [
        "drop Quake.kind", "drop Quake.seen", "add Quake.kind, integer64", "index Quake on kind",
      ])
    #expect(try indexes(store) == ["bolide_index_Quake.kind"])
    store = try temporary.open(without)
    try expectSound(store)
    let relationship = Self.pipeline([["kind"]]) {
      $0[entity: "Quake"].attributes = without.model.entities[0].attributes
      $0[entity: "Quake"].relationships = []
      $0[entity: "Region"].relationships = []
      $0[entity: "Region"].attributes.removeAll { $0.derivation != nil }
      $0.fields.removeAll { $0.attribute == "seen" }
      $0.links = []
    }
    _ = try temporary.open(
      Self.pipeline([["region", "depth"]], of: "other") {
        $0[entity: "Quake"].attributes = without.model.entities[0].attributes
        $0.fields.removeAll { $0.attribute == "seen" }
      })
    let drops = ["quakeCount", "magnitudes", "depths", "costs", "quakes"].map { "Region.\($0)" }
    _ = try store.migrate(relationship, dropping: drops + ["Quake.region"])
    #expect(try indexes(store) == ["bolide_index_Quake.kind"])
    try expectSound(store)
  }

  @Test func `What is indexed becomes wider, is stored, and is derived in another way`() throws {
    let indexes = [["depth"], ["cost", "depth"], ["seen"]]
    var store = try temporary.open(
      Self.pipeline(indexes) {
        $0[entity: "Quake"]["place"].isTransient = true
        $0[entity: "Region"].indexes = [["depths", "code"], ["magnitudes"], ["quakeCount"]]
      })
    try store.take(Quakes.pipeline { $0[entity: "Quake"]["place"].isTransient = true }, Self.records)
    let wider = Self.pipeline(indexes + [["place", "seen"]]) {
      $0[entity: "Quake"]["depth"].type = .double
      $0[entity: "Quake"]["cost"].type = .decimal(scale: 4)
      $0[entity: "Region"]["depths"].type = .double
      $0[entity: "Region"]["costs"].type = .decimal(scale: 4)
      $0[entity: "Region"]["magnitudes"].derivation = .aggregate(.init(.max, of: "magnitude", over: "quakes"))
      $0[entity: "Region"].indexes = [["depths", "code"], ["magnitudes"], ["quakeCount"]]
    }
    store = try temporary.open(wider)
    try expectSound(store)
    #expect(try self.indexes(store).count == 7)
    let columns = "SELECT depth, cost FROM Quake"
    #expect(
      try store.rows("\(columns) INDEXED BY \"bolide_index_Quake.depth\" WHERE depth > 56 ORDER BY depth")
        == [[57.0, 57000], [58.0, 58000], [59.0, 59000]])
    #expect(
      try store.rows(
        "SELECT magnitudes FROM Region INDEXED BY \"bolide_index_Region.magnitudes\" WHERE magnitudes > 1"
      )
      .count == 3)
  }

  @Test func `A unique constraint of another pipeline takes an index's place`() throws {
    let indexed = Self.pipeline([["depth"], ["seen"]], of: "indexed") {
      $0[entity: "Quake"]["depth"].isRequired = true
    }
    let unique = Self.pipeline([], of: "unique") {
      $0[entity: "Quake"]["depth"].isRequired = true
      $0[entity: "Quake"].uniquenessConstraints = [["depth"]]
    }
    _ = try temporary.open(indexed)
    _ = try temporary.open(unique)
    let store = try temporary.open(indexed)
    #expect(try indexes(store) == ["bolide_index_Quake.seen"])
    #expect(try store.migrationPlan(for: indexed) == [])
    try expectSound(store)
  }

  @Test func `verify tells of a missing index, and a rebuild or an import makes it`() throws {
    let pipeline = Self.pipeline([["region", "depth"]])
    var store = try temporary.open(pipeline)
    try store.take(pipeline, Self.records)
    let name = "bolide_index_Quake.region_id.depth"
    try temporary.shell("DROP INDEX \"\(name)\"")
    #expect(try store.findings().map(\.description) == ["the index \(name) is missing"])
    var told: [String] = []
    try store.rebuild { told.append($0.description) }
    #expect(told == ["the index \(name) is missing"])
    #expect(try indexes(store) == [.text(name)])
    try temporary.shell("DROP INDEX \"\(name)\"")
    store = try temporary.open(pipeline)
    try store.take(pipeline, [["id": "q1", "depth": 7]])
    try store.restoreTriggers()
    #expect(try indexes(store) == [.text(name)])
    #expect(try store.rows("SELECT * FROM bolide_gap") == [])
    try expectSound(store)
  }
}

extension Pipeline {
  fileprivate func renamed(_ name: String) -> Pipeline {
    var pipeline = self
    pipeline.name = name
    return pipeline
  }
}
