import Foundation
import Testing

/// A one-to-one relationship through the tool: imports, deletions, fetches, other programs.
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
    on-absent-field: ignore
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

  init() throws { folder = try Self.folder() }

  /// A folder with two people's passports, and one that is nobody's.
  static func folder() throws -> Folder {
    let folder = try Folder()
    try folder.write(Self.pipeline, to: "people.yaml")
    try folder.write(
      """
      [{"number": "A1", "pages": 10, "holder": "anna"}, {"number": "B1", "pages": 20, "holder": "bert"},
       {"number": "C1", "pages": 30}]
      """, to: "feed.json")
    try #require(try folder.bolide("import", "people.yaml", "feed.json") == .silent)
    return folder
  }

  @Test func `a record whose owner has another one is rejected by name, and lands when it is free`() throws {
    try folder.write(
      #"[{"number": "A2", "holder": "anna"}, {"number": "D1", "holder": "dora"}]"#, to: "more.json")
    let outcome = try folder.bolide("import", "people.yaml", "more.json")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix(
        "more.json:1:2: record 1: owner is one-to-one, and another Passport is linked to this "
          + "Person\npeople: 2 read = 1 inserted + 1 rejected"))
    #expect(try folder.passports() == ["A1 anna", "B1 bert", "C1 -", "D1 dora"])
    #expect(try folder.linkPeople("Passport", "owner", "--where", "number = 'A1'", "--to-none") == .silent)
    #expect(try folder.bolide("import", "people.yaml", "--replay").status == 0)
    #expect(try folder.passports() == ["A1 -", "A2 anna", "B1 bert", "C1 -", "D1 dora"])
    #expect(try folder.people()[0] == "anna|A2|a2|1")
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  @Test func `large data is an entity of its own, from the same feed by a pipeline of its own`() throws {
    let image = "relationships: { image: { has-one: ImageData, inverse: photo, on-delete: cascade } }"
    try folder.write(
      """
      bolide: 1
      store: photos.sqlite
      entity: Photo
      key: id
      attributes: { id: integer64, title: string }
      \(image)
      entities:
        ImageData: { key: id, attributes: { id: integer64, bytes: binary } }
      """, to: "photos.yaml")
    try folder.write(
      """
      bolide: 1
      store: photos.sqlite
      entity: ImageData
      key: id
      attributes:
        id:    integer64
        bytes: { type: binary, from: data }
      link: { photo: { to: { id: id } } }
      entities:
        Photo:
          key: id
          attributes: { id: integer64 }
          \(image)
      """, to: "images.yaml")
    try folder.write(
      #"[{"id": 1, "title": "a", "data": "AAEC"}, {"id": 2, "title": "b", "data": "/w=="}]"#, to: "feed.json")
    for pipeline in ["photos.yaml", "images.yaml", "photos.yaml", "images.yaml"] {
      #expect(try folder.bolide("import", pipeline, "feed.json") == .silent)
    }
    #expect(
      try folder.bolide("fetch", "photos.sqlite", "Photo", "--only", "title,image.bytes").output
        == #"""
        {"title":"a","image":{"bytes":"AAEC"}}
        {"title":"b","image":{"bytes":"/w=="}}

        """#)
    #expect(try folder.bolide("delete", "photos.sqlite", "Photo", "--where", "id = 1") == .silent)
    #expect(try folder.bolide("fetch", "photos.sqlite", "ImageData", "--only", "id").output == "{\"id\":2}\n")
    #expect(try folder.bolide("verify", "photos.sqlite") == .silent)
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
    #expect(try folder.passports() == left)
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
    #expect(try folder.passports() == ["B2 bert", "C1 anna"])
    #expect(try folder.people() == ["anna|C1|c1|1", "bert|B2|b2|1"])
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
    #expect(
      try folder.bolide("fetch", "people.sqlite", "Person", "--with", "pasport")
        == .failure(
          64,
          "people.sqlite: Person has no relationship or fetched property 'pasport'; did you mean 'passport'?")
    )
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
          78,
          "many.sqlite: Passport.owner cannot become one-to-one: several objects are linked to the same Person",
          #"Find them with SQL: SELECT "owner_id", count(*) FROM "Passport" WHERE "owner_id" IS NOT NULL "#
            + #"GROUP BY "owner_id" HAVING count(*) > 1; then unlink or delete them, or set `to-many` at the other end."#
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

/// What is done to people and their passports, and how they are then.
extension Folder {
  func linkPeople(_ arguments: String...) throws -> Outcome {
    try Running(Self.tool, ["link", "people.sqlite"] + arguments, in: self, input: .nothing).outcome()
  }

  func passports(_ store: String = "people.sqlite") throws -> [String] {
    try sqlite(
      store,
      "SELECT a.number || ' ' || ifnull(name, '-') FROM Passport a LEFT JOIN Person p ON p.bolide_id = owner_id ORDER BY 1"
    )
  }

  func people() throws -> [String] {
    try sqlite("people.sqlite", "SELECT name, number, canonical, passports FROM Person ORDER BY name")
  }
}
