import BolideBench
import Foundation
import Testing

/// A one-to-one relationship through the tool: imports, edits at both ends, fetches, other programs.
@Suite struct OneToOneTests {
  private let folder: Folder
  private static let pipeline = """
    bolide: 1
    store: people.sqlite
    entity: Passport
    key: number
    attributes:
      number:    string
      pages:     integer32
      holder:    { type: string, transient: true }
      ownerName: { derived: owner.name }
    link: { owner: { to: { name: holder } } }
    entities:
      Person:
        key: name
        attributes:
          name:      string
          number:    { derived: passport.number }
          canonical: { derived: "lowercase:(number)" }
          passports: { derived: passport.@count }
        relationships:
          passport: { has-one: Passport, inverse: owner }
    """

  init() throws {
    folder = try Folder()
    try folder.write(Self.pipeline, to: "people.yaml")
    try folder.write(
      """
      [{"number": "A1", "pages": 10, "holder": "anna"}, {"number": "B1", "pages": 20, "holder": "bert"},
       {"number": "C1", "pages": 30}]
      """, to: "feed.json")
    try #require(try folder.bolide("import", "people.yaml", "feed.json") == .silent)
  }

  private func link(_ arguments: String...) throws -> Outcome {
    try Running(Folder.tool, ["link", "people.sqlite"] + arguments, in: folder, input: .nothing).outcome()
  }

  private func passports(_ store: String = "people.sqlite") throws -> [String] {
    try folder.sqlite(
      store,
      "SELECT a.number || ' ' || ifnull(name, '-') FROM Passport a LEFT JOIN Person p ON p.bolide_id = owner_id ORDER BY 1"
    )
  }

  private func people() throws -> [String] {
    try folder.sqlite("people.sqlite", "SELECT name, number, canonical, passports FROM Person ORDER BY name")
  }

  @Test func `a record whose owner has another one is refused by name, and lands when it is free`() throws {
    try folder.write(
      #"[{"number": "A2", "holder": "anna"}, {"number": "D1", "holder": "dora"}]"#, to: "more.json")
    let outcome = try folder.bolide("import", "people.yaml", "more.json")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix(
        "more.json:1:2: record 1: owner is one-to-one, and another Passport leads to this Person\n"
          + "people: 2 read = 1 inserted + 1 refused"))
    #expect(try passports() == ["A1 anna", "B1 bert", "C1 -", "D1 dora"])
    #expect(try link("Passport", "owner", "--where", "number = 'A1'", "--to-none") == .silent)
    #expect(try folder.bolide("import", "people.yaml", "--replay").status == 0)
    #expect(try passports() == ["A1 -", "A2 anna", "B1 bert", "C1 -", "D1 dora"])
    #expect(try people()[0] == "anna|A2|a2|1")
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  // MARK: Links

  @Test func `a link at either end takes the place of the one before`() throws {
    let token = try folder.bolide("token", "people.sqlite").lines[0]
    #expect(
      try link("Passport", "owner", "--where", "number = 'C1'", "--to", "name=anna", "--dry-run").output
        == "Passport: 2 updated\nPerson: 1 updated\n")
    #expect(try folder.bolide("token", "people.sqlite").lines[0] == token)
    #expect(try passports() == ["A1 anna", "B1 bert", "C1 -"])
    #expect(try link("Passport", "owner", "--where", "number = 'C1'", "--to", "name=anna") == .silent)
    #expect(try passports() == ["A1 -", "B1 bert", "C1 anna"])
    let changes = try folder.bolide("changes", "people.sqlite", "--since", token, "--previous").lines
    #expect(
      changes.count {
        $0.contains(#""entity":"Passport""#) && $0.contains(#""changed":["owner""#)
      } == 2)
    // From the other end: bert loses his passport to anna, and anna's leads nowhere.
    #expect(
      try link("Person", "passport", "--where", "name = 'anna'", "--to", "number=B1", "--json").output
        .contains(
          #"{"entities":{"Passport":{"inserted":0,"updated":2,"deleted":0},"Person":{"inserted":0,"updated":2,"deleted":0}}"#
        ))
    #expect(try passports() == ["A1 -", "B1 anna", "C1 -"])
    #expect(try people() == ["anna|B1|b1|1", "bert|||0"])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
    // The next import leaves it as it is.
    #expect(try folder.bolide("import", "people.yaml", "feed.json", "--force") == .silent)
    #expect(try passports() == ["A1 -", "B1 anna", "C1 -"])
  }

  @Test func `what is so already is not touched`() throws {
    let token = try folder.bolide("token", "people.sqlite")
    #expect(try link("Passport", "owner", "--where", "number = 'A1'", "--to", "name=anna") == .silent)
    #expect(try link("Person", "passport", "--where", "name = 'anna'", "--to", "number=A1") == .silent)
    #expect(try link("Person", "passport", "--all", "--remove", "number=C1") == .silent)
    #expect(try link("Passport", "owner", "--where", "number = 'A1'", "--remove", "name=bert") == .silent)
    #expect(try link("Passport", "owner", "--where", "number = 'C1'", "--to-none") == .silent)
    #expect(try folder.bolide("token", "people.sqlite") == token)
  }

  @Test(
    arguments: [
      (
        ["Passport", "owner", "--all", "--to", "name=anna"], Int32(65),
        "'owner' of Passport is one-to-one, and 3 objects are to be linked to one Person: nothing is linked",
        "Say which one of them."
      ),
      (
        ["Person", "passport", "--all", "--to", "number=C1"], 65,
        "'passport' of Person is one-to-one, and 2 objects are to be linked to one Passport: nothing is linked",
        "Say which one of them."
      ),
      (
        ["Person", "passport", "--where", "name = 'anna'", "--to", "number=Z"], 65,
        "there is no Passport with this key: nothing is changed", "Import it first."
      ),
    ] as [([String], Int32, String, String?)])
  func `what cannot be linked is told, and nothing is changed`(
    arguments: [String], status: Int32, sentence: String, hint: String?
  ) throws {
    let token = try folder.bolide("token", "people.sqlite")
    let outcome = try Running(
      Folder.tool, ["link", "people.sqlite"] + arguments, in: folder, input: .nothing
    ).outcome()
    #expect(outcome == .failure(status, "people.sqlite: " + sentence, hint))
    #expect(try folder.bolide("token", "people.sqlite") == token)
  }

  @Test func `all of them may lead nowhere at once, from either end`() throws {
    #expect(
      try link("Person", "passport", "--all", "--to-none", "--dry-run").output
        == "Passport: 2 updated\nPerson: 2 updated\n")
    #expect(try link("Passport", "owner", "--all", "--to-none") == .silent)
    #expect(try people() == ["anna|||0", "bert|||0"])
  }

  /// Links through the tool at both ends, and through the `sqlite3` shell, come to the same.
  @Test(arguments: 1...3) func `random links are what plain SQL makes`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try #require(try folder.run("cp", ["people.sqlite", "shell.sqlite"]).status == 0)
    for _ in 0..<10 {
      let (number, name) = (
        ["A1", "B1", "C1"][random.next(below: 3)], ["anna", "bert"][random.next(below: 2)]
      )
      let owner = "(SELECT bolide_id FROM Person WHERE name = '\(name)')"
      let sql: String
      switch random.next(below: 4) {
      case 0, 1:
        let outcome =
          random.next(below: 2) == 0
          ? try link("Passport", "owner", "--where", "number = '\(number)'", "--to", "name=\(name)")
          : try link("Person", "passport", "--where", "name = '\(name)'", "--to", "number=\(number)")
        #expect(outcome == .silent)
        sql =
          "UPDATE Passport SET owner_id = NULL WHERE owner_id = \(owner); "
          + "UPDATE Passport SET owner_id = \(owner) WHERE number = '\(number)'"
      case 2:
        #expect(
          try link("Passport", "owner", "--where", "number = '\(number)'", "--remove", "name=\(name)")
            == .silent)
        sql = "UPDATE Passport SET owner_id = NULL WHERE number = '\(number)' AND owner_id = \(owner)"
      default:
        #expect(try link("Person", "passport", "--where", "name = '\(name)'", "--to-none") == .silent)
        sql = "UPDATE Passport SET owner_id = NULL WHERE owner_id = \(owner)"
      }
      try folder.sqlite("shell.sqlite", sql)
      #expect(try passports() == passports("shell.sqlite"))
    }
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  // MARK: Deletions

  @Test(arguments: [
    ("nullify", ["A1 -", "B1 bert", "C1 -"], "Passport: 1 updated\nPerson: 1 deleted\n"),
    ("cascade", ["B1 bert", "C1 -"], "Passport: 1 deleted\nPerson: 1 deleted\n"),
    ("deny", ["A1 anna", "B1 bert", "C1 -"], ""),
  ])
  func `a deletion follows the rule of the has-one end`(rule: String, left: [String], trial: String) throws {
    let text = Self.pipeline.replacing("inverse: owner }", with: "inverse: owner, on-delete: \(rule) }")
    try folder.write(text, to: "people.yaml")
    #expect(try folder.bolide("import", "people.yaml", "feed.json", "--force") == .silent)
    let delete = { (arguments: [String]) throws -> Outcome in
      try Running(
        Folder.tool, ["delete", "people.sqlite", "Person", "--where", "name = 'anna'"] + arguments,
        in: folder, input: .nothing
      ).outcome()
    }
    #expect(try delete(["--dry-run"]).output == trial)
    #expect(try delete([]).status == (rule == "deny" ? 65 : 0))
    #expect(try passports() == left)
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  // MARK: Other programs

  @Test func `Python is held to it, and what it replaces is booked as deleted`() throws {
    let token = try folder.bolide("token", "people.sqlite").lines[0]
    try folder.python(
      """
      import sqlite3
      store = sqlite3.connect("people.sqlite")
      try:
        store.execute("UPDATE Passport SET owner_id = 1 WHERE number = 'C1'")
        raise SystemExit("two passports of one person")
      except sqlite3.IntegrityError as error:
        assert str(error) == "UNIQUE constraint failed: Passport.owner_id", error
      store.execute("UPDATE OR REPLACE Passport SET owner_id = 1 WHERE number = 'C1'")
      store.execute("INSERT OR REPLACE INTO Passport(number, owner_id) VALUES ('B2', 2)")
      store.commit()
      """)
    let deleted = try folder.bolide(
      "changes", "people.sqlite", "--since", token, "--kind", "delete", "--previous"
    ).lines
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
    #expect(try passports() == ["B2 bert", "C1 anna"])
    #expect(try people() == ["anna|C1|c1|1", "bert|B2|b2|1"])
    #expect(deleted.count { $0.contains(#""kind":"delete","entity":"Passport""#) } == 2)
    #expect(deleted.first?.contains(#""key":{"number":"A1"}"#) == true)
    #expect(deleted.first?.contains(#""owner":1"#) == true)
  }

  // MARK: Fetches

  @Test func `a fetch goes over it from either end`() throws {
    try folder.sqlite("people.sqlite", "INSERT INTO Person(name) VALUES ('carl')")
    #expect(
      try folder.bolide(
        "fetch", "people.sqlite", "Person", "--only", "name,passport.pages", "--sort", "-passport.pages"
      ).lines == [
        #"{"name":"bert","passport":{"pages":20}}"#, #"{"name":"anna","passport":{"pages":10}}"#,
        #"{"name":"carl","passport":null}"#,
      ])
    #expect(
      try folder.bolide(
        "fetch", "people.sqlite", "Person", "--where", "passport IS NULL", "--with", "passport"
      )
      .output
        == #"{"bolide_id":3,"name":"carl","number":null,"canonical":null,"passports":0,"passport":null}"#
        + "\n")
    let table = try folder.bolide(
      "fetch", "people.sqlite", "Person", "--where", "passport.number = 'A1'", "--with", "passport",
      "--format", "csv")
    #expect(
      table.output == """
        bolide_id,name,number,canonical,passports,passport.bolide_id,passport.number,passport.pages,\
        passport.ownerName,passport.owner\r
        1,anna,A1,a1,1,1,A1,10,anna,1\r

        """)
    #expect(
      try folder.bolide("fetch", "people.sqlite", "Person", "--where", "pasport IS NULL")
        == .failure(
          64, "people.sqlite: Person has no attribute or relationship 'pasport'; did you mean 'passport'?"))
  }

  @Test func `a plan names the rule, and a store where it does not hold is left alone`() throws {
    let many = Self.pipeline.replacing("has-one: Passport", with: "to-many: Passport")
      .replacing("      number:    { derived: passport.number }\n", with: "")
      .replacing("      canonical: { derived: \"lowercase:(number)\" }\n", with: "")
      .replacing("people.sqlite", with: "many.sqlite")
    try folder.write(many, to: "many.yaml")
    try folder.write(#"[{"number": "1", "holder": "a"}, {"number": "2", "holder": "a"}]"#, to: "many.json")
    #expect(try folder.bolide("import", "many.yaml", "many.json") == .silent)
    try folder.write(Self.pipeline.replacing("people.sqlite", with: "many.sqlite"), to: "one.yaml")
    #expect(
      try folder.bolide("migrate", "many.sqlite", "one.yaml", "--plan").lines.contains(
        "make Person.passport one-to-one"))
    #expect(
      try folder.bolide("import", "one.yaml", "feed.json")
        == .failure(
          78, "many.sqlite: Passport.owner cannot become one-to-one: several objects lead to the same Person",
          #"Find them with SQL: SELECT "owner_id", count(*) FROM "Passport" WHERE "owner_id" IS NOT NULL "#
            + #"GROUP BY "owner_id" HAVING count(*) > 1; then unlink or delete them, or say `to-many` at the other end."#
        ))
    #expect(
      try folder.bolide("link", "many.sqlite", "Passport", "owner", "--where", "number = '2'", "--to-none")
        == .silent)
    #expect(try folder.bolide("import", "one.yaml", "feed.json") == .silent)
    #expect(try folder.bolide("verify", "many.sqlite") == .silent)
    #expect(
      try folder.sqlite("many.sqlite", "SELECT name, number, canonical, passports FROM Person ORDER BY name")
        == ["a|1|1|1", "anna|A1|a1|1", "bert|B1|b1|1"])
  }
}
