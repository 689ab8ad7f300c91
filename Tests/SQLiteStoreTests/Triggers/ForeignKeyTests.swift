import ImportModel
@testable import PipelineFile
import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// A link that leads nowhere, written by a program that has switched foreign keys on: SQLite refuses it, whatever the triggers
/// delete.
struct ForeignKeyTests {
  /// Their rows' deletion clears a link to them, and they are deleted together with the row that has the link.
  private static let models = [
    """
    entity: Ant
    key: k
    attributes: { k: integer64, a: integer64, most: { type: integer64, derived: bees.a.@max } }
    relationships:
      bee:  { to-one: Bee, inverse: ants }
      bees: { to-many: Bee, inverse: ant, on-delete: cascade }
    entities:
      Bee:
        key: k
        attributes: { k: integer64, a: integer64 }
        relationships:
          ants:  { to-many: Ant, inverse: bee, on-delete: nullify }
          ant:   { to-one: Ant, inverse: bees }
          next:  { to-one: Bee, inverse: lasts }
          lasts: { to-many: Bee, inverse: next, on-delete: nullify }
    """,
    """
    entity: Ant
    key: k
    attributes: { k: integer64, a: integer64, most: { type: integer64, derived: bees.a.@max } }
    relationships:
      bees:  { to-many: Bee, inverse: ant, on-delete: cascade }
      queen: { has-one: Bee, inverse: nest, on-delete: cascade }
      bee:   { to-one: Bee, inverse: owner }
    entities:
      Bee:
        key: k
        attributes: { k: integer64, a: integer64 }
        relationships:
          ant:   { to-one: Ant, inverse: bees }
          nest:  { to-one: Ant, inverse: queen }
          owner: { has-one: Ant, inverse: bee, on-delete: nullify }
    """,
    """
    entity: Ant
    key: k
    attributes: { k: integer64, a: integer64, most: { type: integer64, derived: cats.a.@max } }
    relationships:
      cats: { to-many: Cat, inverse: ant, on-delete: cascade }
      bee:  { to-one: Bee, inverse: ants }
    entities:
      Bee:
        key: k
        attributes: { k: integer64, a: integer64, count: { derived: ants.@count } }
        relationships:
          owner: { has-one: Cat, inverse: bee, on-delete: nullify }
          cat:   { to-one: Cat, inverse: bees }
          ants:  { to-many: Ant, inverse: bee, on-delete: cascade }
      Cat:
        key: k
        attributes: { k: integer64, a: integer64, most: { type: integer64, derived: bees.a.@max } }
        relationships:
          bee:  { to-one: Bee, inverse: owner }
          ant:  { to-one: Ant, inverse: cats }
          bees: { to-many: Bee, inverse: cat, on-delete: nullify }
    """,
    """
    entity: Node
    key: k
    attributes: { k: integer64, a: integer64, most: { type: integer64, derived: below.a.@max } }
    relationships:
      parent: { to-one: Node, inverse: below }
      below:  { to-many: Node, inverse: parent, on-delete: cascade }
      next:   { to-one: Node, inverse: lasts }
      lasts:  { to-many: Node, inverse: next, on-delete: nullify }
    """,
  ]

  private static func statements(_ table: String, _ column: String) -> [String] {
    ["", "OR IGNORE ", "OR FAIL ", "OR ROLLBACK "].flatMap { otherwise in
      [
        "UPDATE \(otherwise)\(table) SET \(column) = 999 WHERE k = 1",
        "UPDATE \(otherwise)\(table) SET \(column) = 999 WHERE a = 1",
        "UPDATE \(otherwise)\(table) SET a = 5, \(column) = 999 WHERE k = 1",
        "UPDATE \(otherwise)\(table) SET k = 8, \(column) = 999 WHERE k = 1",
        "INSERT \(otherwise)INTO \(table)(k, \(column)) VALUES (9, 999)",
      ]
        + [1, 9].map {
          "INSERT \(otherwise)INTO \(table)(k, \(column)) VALUES (\($0), 999) ON CONFLICT (k) DO UPDATE SET \(column) = 999"
        }
    } + ["UPDATE OR REPLACE \(table) SET \(column) = 999 WHERE k = 1"]
  }

  @Test(arguments: models) func `It is refused, whatever the triggers delete`(model: String) throws {
    let (temporary, store, pipeline) = try filled(model)
    let tables = pipeline.model.entities.map { "SELECT * FROM \($0.name) ORDER BY k" }
    let rows = try tables.map(store.rows)
    for entity in pipeline.model.entities {
      for column in entity.toOneRelationships.map(\.column) {
        for statement in Self.statements(entity.name, column) {
          let refusal = try temporary.refusal("PRAGMA foreign_keys = ON; \(statement)")
          #expect(
            refusal == "Runtime error near line 1: FOREIGN KEY constraint failed (19)\n",
            Comment(rawValue: statement))
        }
      }
    }
    #expect(try tables.map(store.rows) == rows)
    #expect(try store.findings() == [])
  }

  @Test func `The triggers of a version that had SQLite pass over it are made anew, without a gap`() throws {
    let (temporary, store, pipeline) = try filled(Self.models[0])
    let token = try store.newestToken()
    let digest = try store.rows("SELECT triggers FROM bolide_store")
    let marked = "SELECT sql FROM sqlite_schema WHERE instr(sql, 'SET bolide_id = bolide_id')"
    let triggers = try store.rows(marked).compactMap { if case .text(let sql) = $0[0] { sql } else { nil } }
    for sql in triggers {
      let name = try #require(sql.firstMatch(of: /TRIGGER "([^"]+)"/)?.1)
      let former = sql.replacing(/\n[^\n]*SET bolide_id = bolide_id[^\n]*/, with: "")
      try temporary.shell("DROP TRIGGER \(name); \(former);")
    }
    try temporary.shell("DROP TRIGGER bolide_Bee_keys")
    try store.writing {
      try $0.run("UPDATE bolide_store SET triggers = ?", .text(TriggerMaintenance.fingerprint($0)))
    }
    #expect(try triggers.count == 2 && store.rows("SELECT triggers FROM bolide_store") != digest)
    let opened = try temporary.open(pipeline)
    #expect(try opened.restoreTriggers() == RepairReport())
    #expect(try store.rows(marked).count == 2 && store.rows("SELECT triggers FROM bolide_store") == digest)
    #expect(try store.findings() == [] && store.newestToken() == token)
  }

  /// A store of such a model, with a row in each table that has no link, and one that leads to it.
  private func filled(_ model: String) throws -> (TemporaryStore, SQLiteEngine, Pipeline) {
    let pipeline = try Pipeline(
      yaml: "bolide: 1\nname: ants\nstore: ants.sqlite\n\(model)", file: "ants.yaml", directory: ".")
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    for entity in pipeline.model.entities {
      try temporary.shell("INSERT INTO \(entity.name)(bolide_id, k, a) VALUES (1, 1, 1), (2, 2, 2)")
    }
    for entity in pipeline.model.entities {
      let links = entity.toOneRelationships.map { "\($0.column) = 2" }.joined(separator: ", ")
      try temporary.shell("UPDATE \(entity.name) SET \(links) WHERE k = 1")
    }
    try store.assignPendingChanges()
    return (temporary, store, pipeline)
  }
}
