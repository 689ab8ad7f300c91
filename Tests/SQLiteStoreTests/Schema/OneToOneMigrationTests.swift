import Bolide
import ImportModel
import ModelMerging
import SQLiteMaintenance
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// Relationships of a store that become one-to-one, or are no more.
struct OneToOneMigrationTests {
  private let temporary: TemporaryStore

  init() throws { temporary = try TemporaryStore() }

  private let indexes =
    "SELECT name FROM sqlite_schema WHERE tbl_name = 'Passport' AND type = 'index' AND sql NOT NULL"
  private let copies = "SELECT name, number, pages, count FROM Person ORDER BY 1"

  private func expectTrue(_ store: SQLiteEngine) throws {
    #expect(try store.findings() == [])
    #expect(try Replay(store, model: OneToOneTests.pipeline().model).problems() == [])
  }

  @Test func `A to-many relationship becomes has-one where it holds, and is rejected where it does not`()
    throws
  {
    let many = OneToOneTests.pipeline(kind: .toMany)
    do {
      try temporary.open(many).take(many, [["number": "1", "@owner": "a"], ["number": "2", "@owner": "a"]])
    }
    let error = #expect(throws: StoreError.self) { _ = try temporary.open(OneToOneTests.pipeline()) }
    #expect(error?.code == .modelChange)
    #expect(
      error?.message.hasSuffix(
        "Passport.owner cannot become one-to-one: several objects are linked to the same Person") == true)
    #expect(
      error?.hint
        == #"Find them with SQL: SELECT "owner_id", count(*) FROM "Passport" WHERE "owner_id" IS NOT NULL "#
        + #"GROUP BY "owner_id" HAVING count(*) > 1; then unlink or delete them, or set `to-many` at the other end."#
    )
    #expect(try temporary.shell("SELECT count(*) FROM bolide_model") == "1\n")
    try temporary.shell("UPDATE Passport SET owner_id = NULL WHERE number = '2'")
    let store = try temporary.open(OneToOneTests.pipeline())
    #expect(try store.rows(copies) == [["a", "1", .null, 1]])
    #expect(try store.rows(indexes) == [["bolide_unique_Passport.owner_id"]])
    // The pipeline before is older now.
    let older = #expect(throws: StoreError.self) { _ = try temporary.open(many) }
    #expect(
      older?.message.hasSuffix(
        "the pipeline is older than the store's model: it declares Person.passport as "
          + "to-many, as formerly") == true)
  }

  @Test func `A has-one relationship becomes to-many`() throws {
    var one = OneToOneTests.pipeline()
    one[entity: "Person"].attributes.removeLast(3)
    do { try temporary.open(one).take(one, [["number": "1", "@owner": "a"]]) }
    let many = OneToOneTests.pipeline(kind: .toMany)
    let store = try temporary.open(many)
    #expect(try store.take(many, [["number": "2", "@owner": "a"]]).counts.line == "1 = 1 inserted")
    #expect(try store.schemaText() == many.schemaText())
    let older = #expect(throws: StoreError.self) { _ = try temporary.open(one) }
    #expect(
      older?.message.hasSuffix("it declares Person.passport as has-one, as formerly")
        == true)
  }

  @Test func `A to-one relationship without an inverse gets a has-one end, and may be named without it`()
    throws
  {
    var plain = OneToOneTests.pipeline()
    plain[entity: "Passport"].relationships[0].inverse = nil
    plain[entity: "Person"].relationships = []
    plain[entity: "Person"].attributes.removeLast(3)
    do { try temporary.open(plain).take(plain, [["number": "1", "@owner": "a"]]) }
    let store = try temporary.open(OneToOneTests.pipeline(rule: .cascade))
    #expect(try store.rows(copies) == [["a", "1", .null, 1]])
    #expect(try store.rows(indexes) == [["bolide_unique_Passport.owner_id"]])
    #expect(try store.rows("PRAGMA foreign_key_list('Passport')").map { $0[6] } == ["CASCADE"])
    let again = try temporary.open(plain)
    #expect(try again.take(plain, [["number": "2", "@owner": "a"]]).counts.line == "1 = 1 rejected")
    #expect(try store.rows("SELECT version FROM bolide_model") == [[1], [2]])
    try expectTrue(store)
  }

  @Test func `A migration plan says what becomes one-to-one`() throws {
    let many = OneToOneTests.pipeline(kind: .toMany)
    let stored = ModelRecord(many.model)
    var one = OneToOneTests.pipeline()
    one[entity: "Person"].attributes.removeLast(3)
    func steps(_ stored: ModelRecord, _ pipeline: Pipeline) throws -> [String] {
      try ModelUpdate(stored: stored, declared: pipeline).steps().map(\.description)
    }
    #expect(try steps(stored, one) == ["make Person.passport one-to-one"])
    #expect(try steps(ModelRecord(one.model), many) == ["make Person.passport to-many"])
    var plain = one
    plain[entity: "Passport"].relationships[0].inverse = nil
    plain[entity: "Person"].relationships = []
    #expect(
      try steps(ModelRecord(plain.model), one)
        == ["note the inverse of Passport.owner", "add Person.passport, has one Passport"])
    var turned = one
    turned[entity: "Person"].relationships[0].kind = .toOne
    turned[entity: "Passport"].relationships[0].kind = .hasOne
    #expect(
      try ModelUpdate(stored: ModelRecord(one.model), declared: turned).conflicts.map(\.message)
        == [
          "the relationship Passport.owner differs from the store's",
          "the relationship Person.passport differs from the store's",
        ]
    )
  }
}
