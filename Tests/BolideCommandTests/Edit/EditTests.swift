import BolideBench
import Foundation
import Testing

/// `bolide delete` and `bolide link`.
@Suite struct EditTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      """
      [{"id": "a", "magnitude": 1.5, "place": "north"}, {"id": "b", "magnitude": 2.5, "place": "north"},
       {"id": "c", "magnitude": 4.5, "place": "south"}, {"id": "d", "magnitude": null, "place": null}]
      """, to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  private func regions() throws -> [String] {
    try folder.sqlite("quakes.sqlite", "SELECT name, quakeCount, total FROM Region ORDER BY name")
  }

  private func quakes() throws -> [String] {
    try folder.sqlite(
      "quakes.sqlite",
      "SELECT q.id, r.name FROM Quake q LEFT JOIN Region r ON r.bolide_id = q.region_id ORDER BY q.id")
  }

  // MARK: Delete

  @Test func `deleted objects leave their owners' counts and a history with their values`() throws {
    let token = try folder.bolide("token", "quakes.sqlite").lines[0]
    let trial = try folder.bolide(
      "delete", "quakes.yaml", "Quake", "--where", "region.name = ? AND magnitude > ?", "--bind", "north",
      "--bind",
      "2", "--dry-run")
    #expect(trial == Outcome(status: 0, output: "Quake: 1 deleted\nRegion: 1 updated\n"))
    #expect(try regions() == ["north|2|4.0", "south|1|4.5"])
    #expect(try folder.bolide("token", "quakes.sqlite").lines[0] == token)
    let outcome = try folder.bolide(
      "delete", "quakes.sqlite", "Quake", "--where", "region.name = 'north' AND magnitude > 2", "--author",
      "anna", "-v")
    #expect(outcome.errors.wholeMatch(of: /Quake: 1 deleted; Region: 1 updated · token \S+\n/) != nil)
    #expect(try regions() == ["north|1|1.5", "south|1|4.5"])
    let changes = try folder.bolide("changes", "quakes.sqlite", "--since", token, "--previous").lines
    #expect(
      changes.contains {
        $0.contains(#""kind":"delete","entity":"Quake","id":2,"key":{"id":"b"}"#)
          && $0.contains(#""magnitude":2.5"#)
      })
    #expect(changes.last?.contains(#""author":"anna","pipeline":null,"run":null"#) == true)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `an owner that is deleted unlinks its objects`() throws {
    let outcome = try folder.bolide(
      "delete", "quakes.sqlite", "Region", "--where", "name = 'north'", "--json")
    #expect(
      outcome.output.contains(
        #""exitStatus":0,"entities":{"Quake":{"inserted":0,"updated":2,"deleted":0},"Region":{"inserted":0,"updated":0,"deleted":1}}"#
      ))
    #expect(try quakes() == ["a|", "b|", "c|south", "d|"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(try folder.bolide("delete", "quakes.sqlite", "Quake", "--all") == .silent)
    #expect(try regions() == ["south|0|0.0"])
    #expect(
      try folder.bolide("delete", "quakes.sqlite", "Quake", "--all", "--dry-run").output
        == "nothing changes\n")
  }

  @Test func `a rule that denies keeps all of it`() throws {
    let text = Folder.quakes.replacing("on-delete: nullify", with: "on-delete: deny")
      .replacing("quakes.sqlite", with: "denied.sqlite")
    try folder.write(text, to: "denied.yaml")
    #expect(try folder.bolide("import", "denied.yaml", "feed.json") == .silent)
    #expect(
      try folder.bolide("delete", "denied.sqlite", "Region", "--all")
        == .failure(
          65,
          "denied.sqlite: a row of Region, or of its dependents, has related objects that deny its deletion: nothing is deleted",
          "Delete those objects first, or set another `on-delete` rule in the model."))
    #expect(try folder.count("Region", in: "denied.sqlite") == 2)
  }

  // MARK: Link

  @Test func `a link is made, moved and taken away, and both owners follow`() throws {
    #expect(
      try folder.bolide(
        "link", "quakes.sqlite", "Quake", "region", "--where", "id = 'd'", "--to", "name=south")
        == .silent)
    #expect(try quakes() == ["a|north", "b|north", "c|south", "d|south"])
    let moved = try folder.bolide(
      "link", "quakes.sqlite", "Quake", "region", "--where", "magnitude < 2 OR id = 'c'", "--to",
      "name=south",
      "--dry-run")
    #expect(moved.output == "Quake: 1 updated\nRegion: 2 updated\n")
    #expect(try regions() == ["north|2|4.0", "south|2|4.5"])
    #expect(
      try folder.bolide(
        "link", "quakes.sqlite", "Quake", "region", "--where", "magnitude < 2", "--to", "name=south")
        == .silent)
    #expect(try regions() == ["north|1|2.5", "south|3|6.0"])
    #expect(try folder.bolide("link", "quakes.sqlite", "Quake", "region", "--all", "--to-none") == .silent)
    #expect(try regions() == ["north|0|0.0", "south|0|0.0"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    // The next import leaves them as they are.
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
    #expect(try quakes() == ["a|", "b|", "c|", "d|"])
  }

  @Test func `a link that the key forbids is not made`() throws {
    try folder.write(
      """
      bolide: 1
      store: orders.sqlite
      entity: Order
      key: id
      attributes: { id: string }
      children:
        lines: { entity: Line, inverse: order, key: [order, sku], attributes: { sku: string } }
      """, to: "orders.yaml")
    try folder.write(
      #"[{"id": "a", "lines": [{"sku": "x"}]}, {"id": "b", "lines": [{"sku": "x"}]}]"#, to: "orders.json")
    #expect(try folder.bolide("import", "orders.yaml", "orders.json") == .silent)
    for target in [["--to", "id=a"], ["--to-none"]] {
      let outcome = try Running(
        Folder.tool, ["link", "orders.sqlite", "Line", "order", "--all"] + target, in: folder, input: .nothing
      ).outcome()
      #expect(
        outcome
          == .failure(
            65, "orders.sqlite: the link 'order' violates a constraint of Line: nothing is linked",
            "A required relationship cannot be null, and a key that contains a relationship must be unique."))
    }
    #expect(try folder.sqlite("orders.sqlite", "SELECT order_id FROM Line ORDER BY 1") == ["1", "2"])
  }

  /// Deletions and links through the tool and through the `sqlite3` shell come to the same.
  @Test(arguments: 1...4) func `random edits are what plain SQL does`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    try #require(try folder.run("cp", ["quakes.sqlite", "shell.sqlite"]).status == 0)
    for _ in 0..<12 {
      let low = random.next(below: 5)
      let region = ["north", "south"][random.next(below: 2)]
      switch random.next(below: 4) {
      case 0:
        _ = try folder.bolide(
          "delete", "quakes.sqlite", "Quake", "--where", "magnitude BETWEEN \(low) AND \(low + 1)")
        try folder.sqlite(
          "shell.sqlite", "DELETE FROM Quake WHERE magnitude BETWEEN \(low) AND \(low + 1)")
      case 1:
        _ = try folder.bolide(
          "link", "quakes.sqlite", "Quake", "region", "--where", "magnitude > \(low)", "--to",
          "name=\(region)")
        try folder.sqlite(
          "shell.sqlite",
          "UPDATE Quake SET region_id = (SELECT bolide_id FROM Region WHERE name = '\(region)') WHERE magnitude > \(low)"
        )
      case 2:
        _ = try folder.bolide(
          "link", "quakes.sqlite", "Quake", "region", "--where", "region.name = '\(region)'", "--to-none")
        try folder.sqlite(
          "shell.sqlite",
          "UPDATE Quake SET region_id = NULL WHERE region_id = (SELECT bolide_id FROM Region WHERE name = '\(region)')"
        )
      default:
        let name = "q\(random.next(below: 6))"
        for store in ["quakes.sqlite", "shell.sqlite"] {
          try folder.sqlite(
            store,
            "INSERT INTO Quake(id, magnitude, region_id) VALUES ('\(name)', \(low).25, (SELECT bolide_id FROM Region LIMIT 1)) ON CONFLICT DO NOTHING"
          )
        }
      }
    }
    let all = "SELECT id, magnitude, region_id FROM Quake ORDER BY id; SELECT * FROM Region ORDER BY 1"
    #expect(try folder.sqlite("quakes.sqlite", all) == folder.sqlite("shell.sqlite", all))
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  // MARK: Words

  @Test(
    arguments: [
      (
        ["link", "quakes.sqlite", "Quake", "region", "--all", "--to", "name=west"], Int32(65),
        "there is no Region with this key: nothing was changed", "Import it first."
      ),
      (
        ["link", "quakes.sqlite", "Quake", "regoin", "--all", "--to-none"], 64,
        "Quake has no relationship 'regoin'; did you mean 'region'?", nil
      ),
      (
        ["link", "quakes.sqlite", "Quake", "owner", "--all", "--to-none"], 64,
        "Quake has no relationship 'owner'",
        "It has region."
      ),
      (
        ["link", "quakes.sqlite", "Region", "quakes", "--all", "--to-none"], 64,
        "'quakes' of Region is to-many; link from its to-one end",
        "Link from the other end: bolide link quakes.sqlite Quake region"
      ),
      (
        ["link", "quakes.sqlite", "Quake", "region", "--all", "--to", "id=3"], 64,
        "an object of Region is named by its key, name", "Use name=…."
      ),
      (
        ["delete", "quakes.sqlite", "Quak", "--all"], 64, "the store has no entity 'Quak'",
        "It has Quake, Region."
      ),
      (
        ["delete", "quakes.sqlite", "Quake", "--where", "place = 'x'"], 64,
        "'place' of Quake is transient, and not stored", nil
      ),
    ] as [([String], Int32, String, String?)])
  func `what cannot be done is told, and nothing is changed`(
    arguments: [String], status: Int32, sentence: String, hint: String?
  ) throws {
    let token = try folder.bolide("token", "quakes.sqlite")
    let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
    #expect(outcome == .failure(status, "quakes.sqlite: " + sentence, hint))
    #expect(try folder.bolide("token", "quakes.sqlite") == token)
  }

  @Test(arguments: [
    (["delete", "quakes.sqlite", "Quake"], "select the objects: --where EXPRESSION, or --all"),
    (["delete", "quakes.sqlite", "Quake", "--all", "--where", "1"], "--where and --all cannot be combined"),
    (
      ["delete", "quakes.sqlite", "Quake", "--all", "--bind", "1"],
      "--bind requires --where"
    ),
    (
      ["link", "quakes.sqlite", "Quake", "region", "--all"],
      "set the link: --to NAME=VALUE, --remove NAME=VALUE, or --to-none"
    ),
    (
      ["link", "quakes.sqlite", "Quake", "region", "--all", "--to-none", "--to", "name=x"],
      "--to, --remove and --to-none cannot be combined"
    ),
    (
      ["link", "quakes.sqlite", "Quake", "region", "--all", "--to", "north"],
      "'north' is not of the form NAME=VALUE"
    ),
  ])
  func `what cannot be meant`(arguments: [String], sentence: String) throws {
    let outcome = try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
    #expect(outcome.status == 64)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)\n"))
  }

  @Test func `a key is read as its attribute's type wants it`() throws {
    let fireballs = try Folder.withFireballs()
    try fireballs.write(
      #"{"fields": ["date"], "data": [["2001-01-01 00:00:00"], ["2002-01-01 00:00:00"]]}"#, to: "two.json")
    #expect(try fireballs.bolide("import", "fireballs.yaml", "two.json") == .silent)
    #expect(
      try fireballs.bolide("link", "fireballs.sqlite", "Fireball", "group", "--all", "--to", "year=2001")
        == .silent)
    #expect(
      try fireballs.sqlite("fireballs.sqlite", "SELECT year, fireballCount FROM FireballGroup ORDER BY 1")
        == ["2001|2", "2002|0"])
    #expect(
      try fireballs.bolide("link", "fireballs.sqlite", "Fireball", "group", "--all", "--to", "year=soon")
        == .failure(64, "fireballs.sqlite: 'year' expects a whole number from -32768 to 32767"))
  }

  /// What a rule denies depends on what others have taken along by then: with foreign keys and without, the same.
  @Test(arguments: [false, true]) func `delete rules are the same whoever deletes`(isReversed: Bool) throws {
    let entities = [
      """
        Dep:
          key: name
          attributes: { name: string }
          relationships:
            people: { to-many: Person, inverse: dep, on-delete: cascade }
            projects: { to-many: Project, inverse: dep, on-delete: cascade }
      """,
      """
        Person: { key: name, attributes: { name: string } }
      """,
      """
        Project:
          key: name
          attributes: { name: string }
          relationships: { people: { to-many: Person, inverse: project, on-delete: deny } }
      """,
    ]
    let list = (isReversed ? entities.reversed() : entities).joined(separator: "\n")
    try folder.write(
      "bolide: 1\nstore: deps.sqlite\nentity: Note\nkey: id\nattributes: { id: string }\nentities:\n\(list)\n",
      to: "deps.yaml")
    try folder.write(#"[{"id":"a"}]"#, to: "note.json")
    try folder.bolide("import", "deps.yaml", "note.json").expectSilence()
    try folder.sqlite(
      "deps.sqlite",
      """
      INSERT INTO Dep(name) VALUES ('d'); INSERT INTO Project(name, dep_id) VALUES ('p', 1);
      INSERT INTO Person(name, dep_id, project_id) VALUES ('x', 1, 1)
      """)
    var left: [String] = []
    for delete in [
      "\"$bolide\" delete S Dep --all", "sqlite3 S 'PRAGMA foreign_keys = ON; DELETE FROM Dep'",
      "sqlite3 S 'PRAGMA foreign_keys = OFF; DELETE FROM Dep'",
    ] {
      let outcome = try folder.shell(
        """
        rm -f one.sqlite*; sqlite3 deps.sqlite "VACUUM INTO 'one.sqlite'"
        \(delete.replacing("S", with: "one.sqlite")) 2>/dev/null
        sqlite3 one.sqlite "SELECT (SELECT count(*) FROM Dep), (SELECT count(*) FROM Project), (SELECT count(*) FROM Person)"
        """)
      left.append(outcome.output)
    }
    #expect(Set(left).count == 1, "\(left)")
  }
}
