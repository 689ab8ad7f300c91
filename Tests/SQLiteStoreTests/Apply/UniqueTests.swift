import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Constraints besides the key, sentence by sentence.
struct UniqueTests {
  private static let attributes = [
    Attribute(name: "id", type: .integer64, isRequired: true),
    Attribute(name: "name", type: .string, isRequired: true),
    Attribute(name: "code", type: .binary, isRequired: true, defaultValue: .blob([1])),
    Attribute(name: "region", type: .integer16, isRequired: true),
    Attribute(name: "weight", type: .double, isRequired: true, defaultValue: 0.5),
  ]

  private static func pipeline(_ constraints: [[String]]) -> Pipeline {
    var pipeline = plainPipeline(attributes)
    pipeline[entity: "Thing"].uniquenessConstraints = constraints
    return pipeline
  }

  private let temporary: TemporaryStore
  private let store: SQLiteEngine
  private let pipeline = pipeline([["name"], ["region", "code"]])

  init() throws {
    temporary = try TemporaryStore()
    store = try temporary.open(pipeline)
    try store.take(pipeline, [thing(1, "a", 1), thing(2, "b", 2), thing(3, "c", 3)])
  }

  private func thing(_ id: Int64, _ name: String, _ region: Int64) -> Record {
    ["id": .integer(id), "name": .text(name), "region": .integer(region)]
  }

  private var names: String {
    get throws {
      try store.rows("SELECT id || name || region FROM Thing ORDER BY id").compactMap { row in
        guard case .text(let text) = row[0] else { return nil }
        return text
      }.joined(separator: " ")
    }
  }

  @Test func `A clash is a reject that names the constraint, and the other rows land`() throws {
    let progress = try store.take(pipeline, [thing(4, "b", 4), thing(5, "e", 3), thing(6, "f", 6)])
    #expect(progress.counts.line == "3 = 1 inserted + 2 rejected")
    #expect(
      try store.rows("SELECT record, code, attribute, message FROM bolide_reject ORDER BY record") == [
        [1, "not-unique", "name", "name is unique, and another Thing has this value"],
        [2, "not-unique", .null, "region and code are unique together, and another Thing has these values"],
      ])
    #expect(try names == "1a1 2b2 3c3 6f6")
  }

  @Test func `A swap within a chunk lands, and its history tells the values before`() throws {
    let progress = try store.take(pipeline, [["id": 1, "name": "b"], ["id": 2, "name": "a"]])
    #expect(progress.counts.line == "2 = 2 updated")
    #expect(try names == "1b1 2a2 3c3")
    #expect(
      try store.rows("SELECT change, value FROM bolide_previous ORDER BY change") == [[2, "a"], [3, "b"]])
  }

  @Test func `A swap in a compound constraint, and a ring, land`() throws {
    try store.take(pipeline, [["id": 1, "region": 2], ["id": 2, "region": 1]])
    #expect(try names == "1a2 2b1 3c3")
    try store.take(pipeline, [["id": 1, "name": "b"], ["id": 2, "name": "c"], ["id": 3, "name": "a"]])
    #expect(try names == "1b2 2c1 3a3")
  }

  @Test func `A new row takes the value that another hands on, in either order`() throws {
    try store.take(pipeline, [thing(4, "a", 4), ["id": 1, "name": "z"]])
    #expect(try names == "1z1 2b2 3c3 4a4")
    try store.take(pipeline, [["id": 1, "name": "y"], thing(5, "z", 5)])
    #expect(try names == "1y1 2b2 3c3 4a4 5z5")
  }

  @Test func `Across chunks a value must have been handed on before`() throws {
    let progress = try store.take(
      pipeline, [["id": 1, "name": "b"]], [["id": 2, "name": "z"]], [["id": 1, "name": "b"]])
    #expect(progress.counts.line == "3 = 2 updated + 1 rejected")
    #expect(try names == "1b1 2z2 3c3")
  }

  @Test func `Of two new rows with the same values the first in the input lands`() throws {
    let progress = try store.take(pipeline, [thing(9, "x", 9), thing(8, "x", 8)])
    #expect(progress.counts.line == "2 = 1 inserted + 1 rejected")
    #expect(try names == "1a1 2b2 3c3 9x9")
  }

  @Test func `A row that is rejected for what it lacks keeps nobody out`() throws {
    let progress = try store.take(pipeline, [["id": 4, "name": "x"], thing(5, "x", 5)])
    #expect(progress.counts.line == "2 = 1 inserted + 1 rejected")
    #expect(try store.rows("SELECT code FROM bolide_reject") == [["missing"]])
  }

  @Test func `A default counts for a new row, the stored value where a record leaves it out`() throws {
    // The region 1 with the default code is taken; a code of its own is not.
    let progress = try store.take(
      pipeline, [thing(4, "x", 1), thing(5, "y", 1).merging(["code": .blob([2])]) { $1 }])
    #expect(progress.counts.line == "2 = 1 inserted + 1 rejected")
    #expect(try store.take(pipeline, [["id": 5, "code": .blob([1])]]).counts.line == "1 = 1 rejected")
    #expect(try store.take(pipeline, [["id": 5, "code": .blob([3])]]).counts.line == "1 = 1 updated")
  }

  @Test func `Two spellings of one character are two values`() throws {
    let records = [thing(4, "é", 4), thing(5, "e\u{301}", 5)]
    #expect(try store.take(pipeline, records).counts.line == "2 = 2 inserted")
    let swapped = [thing(4, "e\u{301}", 4), thing(5, "é", 5)]
    #expect(try store.take(pipeline, swapped).counts.line == "2 = 2 updated")
    #expect(try store.rows("SELECT hex(name) FROM Thing WHERE id > 3") == [["65CC81"], ["C3A9"]])
  }

  @Test func `The same rows again write nothing`() throws {
    let again = try store.take(pipeline, [thing(1, "a", 1), thing(2, "b", 2), thing(3, "c", 3)])
    #expect(again.counts.line == "3 = 3 unchanged" && again.token == nil)
  }

  @Test func `A rejected row makes no owner`() throws {
    let pipeline = UniqueModel.pipeline(.always)
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [
        ["id": "a", "place": "x", "depth": 1, "@region": "r1"],
        ["id": "b", "place": "x", "depth": 2, "@region": "r2"],
      ])
    #expect(try store.rows("SELECT code, quakeCount FROM Region") == [["r1", 1]])
  }

  @Test func `Each kind of value can be swapped`() throws {
    for (name, values) in [
      ("name", ["p", "q"] as [Value]), ("region", [7, 8]), ("code", [.blob([7]), .blob([])]),
      ("weight", [7.5, -0.0]),
    ] {
      let pipeline = Self.pipeline([[name]])
      let temporary = try TemporaryStore()
      let store = try temporary.open(pipeline)
      var records = [thing(1, "p", 1), thing(2, "q", 2)]
      for index in 0...1 { records[index][name] = values[index] }
      try store.take(pipeline, records)
      for index in 0...1 { records[index][name] = values[1 - index] }
      #expect(try store.take(pipeline, records).counts.line == "2 = 2 updated")
      #expect(try store.rows("SELECT \(name) FROM Thing ORDER BY id") == [[values[1]], [values[0]]])
    }
  }

  // MARK: The schema

  @Test func `A constraint is added to a table that is there, and kept for pipelines that do not name it`()
    throws
  {
    let before = Self.pipeline([])
    let temporary = try TemporaryStore()
    var store = try temporary.open(before)
    try store.take(before, [thing(1, "a", 1), thing(2, "b", 2)])
    store = try temporary.open(Self.pipeline([["name"]]))
    #expect(
      try store.rows("SELECT sql FROM sqlite_schema WHERE name GLOB 'bolide_unique_*'")
        == [[#"CREATE UNIQUE INDEX "bolide_unique_Thing.name" ON "Thing"("name")"#]])
    store = try temporary.open(before)
    #expect(try store.take(before, [thing(3, "a", 3)]).counts.line == "1 = 1 rejected")
    // Another order of the same attributes is the same constraint.
    _ = try temporary.open(Self.pipeline([["code", "region"]]))
    _ = try temporary.open(Self.pipeline([["region", "code"]]))
    #expect(
      try store.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'bolide_unique_*' ORDER BY 1")
        == [["bolide_unique_Thing.code.region"], ["bolide_unique_Thing.name"]])
  }

  @Test func `Rows that are equal already keep a constraint out, in a sentence that names it`() throws {
    let before = Self.pipeline([])
    let temporary = try TemporaryStore()
    let store = try temporary.open(before)
    try store.take(before, [thing(1, "a", 1), thing(2, "a", 1)])
    let error = #expect(throws: StoreError.self) {
      try temporary.open(Self.pipeline([["name"], ["region", "code"]]))
    }
    #expect(error?.code == .modelChange)
    #expect(
      error?.message
        == "\(temporary.path): Thing cannot become unique on name: some of its objects have the same "
        + "values there")
    #expect(
      error?.hint
        == #"Find them with SQL: SELECT "name", count(*) FROM "Thing" GROUP BY "name" HAVING count(*) > 1; "#
        + "then change or delete them, or remove the constraint.")
    #expect(try store.rows("SELECT name FROM sqlite_schema WHERE name GLOB 'bolide_unique_*'") == [])
  }

  @Test func `Names of indexes do not collide, whatever entities and attributes are called`() {
    var names: Set<String> = []
    let entities = ["A", "A_b", "A.b", "A~", "A~1b"]
    let attributes = [["b_c"], ["c"], ["b", "c"], ["b.c"], ["b~1c"], ["~1b"], [".b"]]
    for entity in entities {
      for list in attributes {
        let schema = EntitySchema(entity: Entity(name: entity, key: [], attributes: []), model: Model())
        names.insert(schema.index(list).sql.split(separator: " ON ")[0].lowercased())
        names.insert(schema.declaredIndex(list + ["z"]).sql.split(separator: " ON ")[0].lowercased())
        let toOne = Relationship(name: list.joined(), kind: .toOne, destination: "X")
        names.insert(schema.index(toOne).sql.split(separator: " ON ")[0].lowercased())
      }
    }
    // Two of the lists are joined to the same relationship.
    #expect(names.count == entities.count * (attributes.count * 3))
  }

  @Test func `The model in the store shows the constraints`() throws {
    let text = try store.rows("SELECT model -> '$.entities[0].uniquenessConstraints' FROM bolide_model")
    #expect(text == [[#"[["name"],["region","code"]]"#]])
  }
}
