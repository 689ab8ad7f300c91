import Bolide
import ImportModel
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// One-to-one relationships: the column and its index, imports, other programs and fetches.
struct OneToOneTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  static func pipeline(
    when timing: Link.Timing = .insert, kind: Relationship.Kind = .hasOne,
    rule: Relationship.DeleteRule = .nullify
  ) -> Pipeline {
    let passport = Entity(
      name: "Passport", key: ["number"],
      attributes: [
        Attribute(name: "number", type: .string, isRequired: true),
        Attribute(name: "pages", type: .integer64),
      ],
      relationships: [Relationship(name: "owner", kind: .toOne, destination: "Person", inverse: "passport")])
    let person = Entity(
      name: "Person", key: ["name"], attributes: [Attribute(name: "name", type: .string, isRequired: true)],
      relationships: [
        Relationship(
          name: "passport", kind: kind, destination: "Passport", inverse: "owner", deleteRule: rule)
      ])
    var pipeline = Pipeline(
      name: "passports", entity: "Passport", model: Model(entities: [passport, person]),
      fields: [Field("number"), Field("pages")],
      links: [Link("owner", ownerKey: [Link.KeyPart("name", "number")], when: timing)])
    if kind == .hasOne {
      pipeline[entity: "Person"].attributes += [
        Attribute(name: "number", type: .string, derivation: .copy(path: ["passport", "number"])),
        Attribute(name: "pages", type: .integer64, derivation: .copy(path: ["passport", "pages"])),
        Attribute(name: "count", type: .integer64, derivation: .count(relationship: "passport")),
      ]
    }
    return pipeline
  }

  private let owners = """
    SELECT Passport.number, name FROM Passport LEFT JOIN Person ON Person.bolide_id = owner_id ORDER BY 1
    """
  private let copies = "SELECT name, number, pages, count FROM Person ORDER BY 1"

  private func expectTrue(_ store: SQLiteEngine) throws {
    #expect(try store.findings() == [])
    #expect(try Replay(store, model: Self.pipeline().model).problems() == [])
  }

  @Test func `The column is unique, and nulls are free`() throws {
    let store = try temporary.open(Self.pipeline(rule: .cascade))
    #expect(
      try store.rows(
        "SELECT sql FROM sqlite_schema WHERE tbl_name = 'Passport' AND type = 'index' AND sql NOT NULL")
        == [[#"CREATE UNIQUE INDEX "bolide_unique_Passport.owner_id" ON "Passport"("owner_id")"#]])
    let schema = try store.schemaText()
    #expect(
      schema.contains(
        "-- Passport: no two objects lead to the same Person by owner.\nCREATE UNIQUE INDEX "))
    #expect(schema.contains(#""owner_id" INTEGER REFERENCES "Person" ON DELETE CASCADE"#))
    #expect(try schema == Self.pipeline(rule: .cascade).schemaText())
  }

  @Test func `A record whose owner has another is rejected, and the others land`() throws {
    let pipeline = Self.pipeline(when: .always)
    let store = try temporary.open(pipeline)
    let progress = try store.take(
      pipeline,
      [
        ["number": "1", "pages": 1, "@owner": "a"], ["number": "2", "pages": 2, "@owner": "a"],
        ["number": "3", "@owner": "b"], ["number": "4"], ["number": "5", "@owner": .null],
      ], [["number": "6", "@owner": "b"]])
    #expect(progress.counts.line == "6 = 4 inserted + 2 rejected")
    #expect(
      try store.rows("SELECT code, message, attribute FROM bolide_reject ORDER BY reject")
        == Array(
          repeating: [
            "not-unique", "owner is one-to-one, and another Passport is linked to this Person", "owner",
          ],
          count: 2))
    #expect(try store.rows(owners) == [["1", "a"], ["3", "b"], ["4", .null], ["5", .null]])
    #expect(try store.rows(copies) == [["a", "1", 1, 1], ["b", "3", .null, 1]])
    try expectTrue(store)
  }

  @Test func `Owners are handed on within a chunk: a swap, a ring, a chain to a free one`() throws {
    let pipeline = Self.pipeline(when: .always)
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [
        ["number": "1", "@owner": "a"], ["number": "2", "@owner": "b"], ["number": "3", "@owner": "c"],
        ["number": "4"],
      ])
    let ring = try store.take(
      pipeline,
      [["number": "1", "@owner": "b"], ["number": "2", "@owner": "c"], ["number": "3", "@owner": "a"]])
    #expect(ring.counts.line == "3 = 3 updated")
    #expect(try store.rows(owners) == [["1", "b"], ["2", "c"], ["3", "a"], ["4", .null]])
    let chain = try store.take(
      pipeline,
      [["number": "4", "@owner": "a"], ["number": "3", "@owner": "new"], ["number": "5", "@owner": "c"]])
    #expect(chain.counts.line == "3 = 2 updated + 1 rejected")
    #expect(try store.rows(owners) == [["1", "b"], ["2", "c"], ["3", "new"], ["4", "a"]])
    // A null makes no link, and takes none away: its owner is not free.
    let kept = try store.take(
      pipeline, [["number": "1", "@owner": .null], ["number": "5", "@owner": "b"]])
    #expect(kept.counts.line == "2 = 1 unchanged + 1 rejected")
    // A rejected record makes no owner.
    let refused = try store.take(
      pipeline, [["number": "7", "@owner": "z"], ["number": "8", "@owner": "z"]])
    #expect(refused.counts.line == "2 = 1 inserted + 1 rejected")
    #expect(try store.rows("SELECT count(*) FROM Person") == [[5]])
    try expectTrue(store)
  }

  @Test func `A link for new rows leaves the holder alone, whatever the record says of it`() throws {
    let pipeline = Self.pipeline()
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["number": "1", "@owner": "a"], ["number": "2", "@owner": "b"]])
    let progress = try store.take(
      pipeline,
      [["number": "1", "@owner": "b"], ["number": "3", "@owner": "a"], ["number": "4", "@owner": "c"]])
    #expect(progress.counts.line == "3 = 1 inserted + 1 unchanged + 1 rejected")
    #expect(try store.rows(owners) == [["1", "a"], ["2", "b"], ["4", "c"]])
  }

  @Test func `An owner that another program unlinked is free`() throws {
    let pipeline = Self.pipeline()
    let store = try temporary.open(pipeline)
    try store.take(pipeline, [["number": "1", "@owner": "a"]])
    try temporary.shell("UPDATE Passport SET owner_id = NULL")
    #expect(try store.take(pipeline, [["number": "2", "@owner": "a"]]).counts.line == "1 = 1 inserted")
    #expect(try store.rows(copies) == [["a", "2", .null, 1]])
    try expectTrue(store)
  }

  // MARK: Other programs

  @Test func `Another program cannot give an owner a second one, and a replaced one is booked as deleted`()
    throws
  {
    let pipeline = Self.pipeline()
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline, [["number": "1", "pages": 1, "@owner": "a"], ["number": "2", "pages": 2, "@owner": "b"]])
    #expect(
      try temporary.refusal("UPDATE Passport SET owner_id = 1 WHERE number = '2'")?.contains(
        "UNIQUE constraint failed: Passport.owner_id") == true)
    try temporary.shell(
      """
      INSERT OR REPLACE INTO Passport(number, pages, owner_id) VALUES ('3', 3, 1);
      UPDATE OR REPLACE Passport SET owner_id = 1 WHERE number = '2';
      INSERT OR REPLACE INTO Passport(number, pages, owner_id) VALUES ('4', 4, NULL), ('5', 5, NULL);
      """)
    _ = try store.writing { try DerivedRefresh.run($0, model: pipeline.model) }
    try store.assignPending()
    #expect(try store.rows(owners) == [["2", "a"], ["4", .null], ["5", .null]])
    #expect(try store.rows(copies) == [["a", "2", 2, 1], ["b", .null, .null, 0]])
    let deleted = try Replay(store, model: pipeline.model).changes.filter { $0.kind == .delete }
    #expect(deleted.map(\.id) == [1, 3])
    #expect(deleted.map { $0.previous.first { $0.name == "owner" }?.value } == [1, 1])
    try expectTrue(store)
  }

  @Test(arguments: [Relationship.DeleteRule.nullify, .cascade, .deny], ["ON", "OFF"])
  func `The delete rule of the has-one end holds for every program`(
    rule: Relationship.DeleteRule, keys: String
  ) throws {
    let pipeline = Self.pipeline(rule: rule)
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline, [["number": "1", "pages": 1, "@owner": "a"], ["number": "2", "pages": 2, "@owner": "b"]])
    let refusal = try temporary.refusal("PRAGMA foreign_keys = \(keys); DELETE FROM Person WHERE name = 'a'")
    #expect((refusal != nil) == (rule == .deny))
    switch rule {
    case .nullify: #expect(try store.rows(owners) == [["1", .null], ["2", "b"]])
    case .cascade: #expect(try store.rows(owners) == [["2", "b"]])
    case .deny: #expect(try store.rows(owners) == [["1", "a"], ["2", "b"]])
    }
    try store.assignPending()
    try expectTrue(store)
  }

  // MARK: Fetches

  @Test func `A fetch goes over a has-one relationship as over a to-one one`() async throws {
    let pipeline = Self.pipeline()
    let store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [
        ["number": "1", "pages": 5, "@owner": "a"], ["number": "2", "pages": 7, "@owner": "b"],
        ["number": "3"],
      ])
    try temporary.shell("INSERT INTO Person(name) VALUES ('c')")
    let before = try store.newestToken()
    var request = ObjectQuery(
      "Person", where: "passport.pages > ? OR passport IS NULL", [.integer(5)],
      sort: [.init("passport.number", ascending: false)])
    request.related = ["passport.owner"]
    let rows = try await store.face.fetch(request)
    #expect(rows.map(\.id) == [2, 3])
    #expect(rows[0].related.first?.row?.key.map(\.value) == ["2"])
    #expect(rows[0].related.first?.row?.related.first?.row?.key.map(\.value) == ["b"])
    #expect(rows[1].related.first?.row == nil)
    request = ObjectQuery("Passport", where: "owner.passport.number = number")
    #expect(try await store.face.count(request) == 2)
    // Who has whom as it was at a token.
    try temporary.shell(
      "UPDATE Passport SET owner_id = NULL; UPDATE Passport SET owner_id = 1 WHERE number = '2'")
    request = ObjectQuery("Person", where: "passport.number = '2'")
    #expect(try await store.face.fetch(request).map(\.id) == [1])
    #expect(try await store.face.fetch(request, at: before).map(\.id) == [2])
  }
}
