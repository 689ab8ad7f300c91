import ImportModel
import ModelMerging
import RowExpressions
@testable import SQLiteAccess
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Whatever way a store's model came about, it is the same as one made at once.
struct MigrationPropertyTests {
  /// A pipeline that grows and is renamed; which value is whose is told by the attribute's first name.
  private struct Growing {
    var pipeline = Quakes.pipeline {
      $0[entity: "Region"].attributes.removeAll { $0.derivation != nil }
      $0[entity: "Quake"].indexes = [["magnitude"], ["region", "depth"], ["depth", "kind"]]
    }
    /// By first name: the present one.
    var names = Dictionary(uniqueKeysWithValues: Quakes.attributes.map { ($0.name, $0.name) })
    private var next = 0

    private mutating func word() -> String {
      next += 1
      return ["w\(next)", "W \(next)", "w\"\(next).x", "select\(next)"][next % 4]
    }

    private var quake: String { pipeline.model.entities[0].name }
    private var region: String { pipeline.model.entities[1].name }
    private var toOne: String { pipeline.model.entities[0].relationships[0].name }
    private var toMany: String { pipeline.model.entities[1].relationships[0].name }

    mutating func change(_ dice: inout Dice) {
      pipeline.renames = []
      let stored = Set(
        pipeline.model.entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
      for _ in 0...dice.int(0...2) { step(&dice) }
      // What is new in this very step has no name before.
      pipeline.renames.removeAll { $0.property != nil && !stored.contains($0.was) }
      refresh()
    }

    private mutating func step(_ dice: inout Dice) {
      let new = word()
      let renamed = Set(pipeline.renames.map { "\($0.entity).\($0.property ?? "")" })
      switch dice.int(0...6) {
      case 0:
        guard !renamed.contains("\(quake).") else { return }
        let old = quake
        pipeline.model.renameEntity(old, to: new)
        for index in pipeline.renames.indices where pipeline.renames[index].entity == old {
          pipeline.renames[index].entity = new
        }
        pipeline.renames.append(Rename(new, was: old))
        pipeline.entity = new
      case 1, 2:
        let first = dice.pick(names.keys.sorted())
        guard let old = names[first], !renamed.contains("\(quake).\(old)") else { return }
        rename(old, of: quake, to: new)
        names[first] = new
      case 3:
        let old = dice.once(in: 2) ? toMany : pipeline.model.entities[1].attributes.last?.name ?? toMany
        guard !renamed.contains("\(region).\(old)"), old != "code" else { return }
        rename(old, of: region, to: new)
      case 4:
        guard !renamed.contains("\(quake).\(toOne)") else { return }
        rename(toOne, of: quake, to: new)
      case 5:
        pipeline.model.entities[0].attributes.append(Attribute(name: new, type: .integer32, defaultValue: 7))
        names[new] = new
      default:
        guard let depth = names["depth"], let magnitude = names["magnitude"] else { return }
        let derivation = dice.pick([
          Derivation.count(relationship: toMany), .sum(relationship: toMany, attribute: magnitude),
          .count(relationship: toMany, where: "\(quoted(depth)) > 10"),
          .aggregate(.init(.average, of: magnitude, over: toMany)),
          .aggregate(.init(.max, of: depth, over: toMany, where: "\(quoted(magnitude)) < 3")),
        ])
        let type = pipeline.model.type(of: derivation, in: pipeline.model.entities[1]) ?? .double
        pipeline.model.entities[1].attributes.append(Attribute(name: new, type: type, derivation: derivation))
      }
    }

    private mutating func rename(_ old: String, of entity: String, to new: String) {
      let present = pipeline.model
      pipeline.model.renameProperty(old, of: entity, to: new) { filter, entity in
        (try? FilterText.renaming(old, to: new, in: filter, over: entity)) ?? filter
      }
      #expect(present != pipeline.model)
      pipeline.renames.append(Rename(entity, new, was: old))
    }

    private mutating func refresh() {
      pipeline.fields = pipeline.model.entities[0].attributes.map { Field($0.name) }
      pipeline.links = [Link(toOne, ownerKey: [Link.KeyPart("code", quoted(names["place"] ?? ""))])]
    }

    func record(_ values: Record) -> Record {
      Dictionary(
        uniqueKeysWithValues: values.map { name, value in
          (name == "@" ? "@\(toOne)" : names[name] ?? name, value)
        })
    }
  }

  @Test(arguments: 0..<RandomHistory.count / 2)
  func `Additions and renames in any order end in the store that was made at once`(seed: Int) throws {
    var dice = Dice(seed)
    let temporary = try TemporaryStore()
    var growing = Growing()
    var told: [(values: Record, at: Int)] = []
    var token: HistoryToken?
    for round in 0..<6 {
      if round > 0 { growing.change(&dice) }
      try #require(growing.pipeline.problems().map(\.description) == [], "seed \(seed)")
      let store = try temporary.open(growing.pipeline)
      let records = (0..<15).map { _ -> Record in
        [
          "id": .text("q\(dice.int(0...30))"), "@": .text("r\(dice.int(0...3))"),
          "depth": .integer(Int64(dice.int(0...20))),
          "magnitude": .real(Double(dice.int(0...50)) / 8), "cost": .integer(Int64(dice.int(0...99))),
        ]
      }
      // Each key once a chunk, so that the same chunks mean the same rows.
      var seen: Set<Value> = []
      let chunk = records.filter { seen.insert($0["id"] ?? .null).inserted }
      told += chunk.map { ($0, round) }
      try store.take(growing.pipeline, chunk.map(growing.record))
      if let token {
        #expect(throws: Never.self) { try Replay(store, after: token, model: growing.pipeline.model) }
      }
      token = try store.newestToken()
      if dice.once(in: 2) {
        let (table, depth) = (quoted(growing.pipeline.entity), quoted(growing.names["depth"] ?? ""))
        try temporary.shell(
          "UPDATE \(table) SET \(depth) = \(depth) + 0 WHERE bolide_id % 2; UPDATE \(table) SET \(depth) = \(depth) WHERE 0"
        )
      }
    }
    let store = try SQLiteEngine(reading: temporary.path)
    let other = try TemporaryStore()
    growing.pipeline.renames = []
    let afresh = try other.open(growing.pipeline)
    for round in 0..<6 {
      try afresh.take(growing.pipeline, told.filter { $0.at == round }.map { growing.record($0.values) })
    }
    for entity in growing.pipeline.model.entities {
      let names = entity.columnNames.map(quoted).joined(separator: ", ")
      let query = "SELECT bolide_id, \(names) FROM \(quoted(entity.name)) ORDER BY bolide_id"
      #expect(try store.rows(query) == afresh.rows(query), "seed \(seed)")
    }
    let findings = try store.findings().map(\.description)
    #expect(findings == [], "seed \(seed)")
    let triggers =
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
    #expect(try store.rows(triggers) == afresh.rows(triggers))
    let replay = try Replay(store, model: growing.pipeline.model)
    #expect(replay.changes.allSatisfy { !$0.key.isEmpty })
    #expect(
      try store.reading { try ModelRecord($0).model }.entities.map(\.name)
        == growing.pipeline.model.entities.map(\.name))
  }
}
