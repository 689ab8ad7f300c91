import BolideBench
import Foundation
import Testing

/// `bolide link` at both ends of a one-to-one relationship.
@Suite struct OneToOneLinkTests {
  private let folder: Folder

  init() throws { folder = try OneToOneTests.folder() }

  @Test func `a link at either end takes the place of the one before`() throws {
    let token = try folder.bolide("token", "people.sqlite").lines[0]
    #expect(
      try folder.linkPeople("Passport", "owner", "--where", "number = 'C1'", "--to", "name=anna", "--dry-run")
        .output
        == "Passport: 2 updated\nPerson: 1 updated\n")
    #expect(try folder.bolide("token", "people.sqlite").lines[0] == token)
    #expect(try folder.passports() == ["A1 anna", "B1 bert", "C1 -"])
    #expect(
      try folder.linkPeople("Passport", "owner", "--where", "number = 'C1'", "--to", "name=anna") == .silent)
    #expect(try folder.passports() == ["A1 -", "B1 bert", "C1 anna"])
    let changes = try folder.bolide("changes", "people.sqlite", "--since", token, "--previous").lines
    #expect(
      changes.count {
        $0.contains(#""entity":"Passport""#) && $0.contains(#""changed":["owner""#)
      } == 2)
    // From the other end: bert loses his passport to anna, and anna's leads nowhere.
    #expect(
      try folder.linkPeople("Person", "passport", "--where", "name = 'anna'", "--to", "number=B1", "--json")
        .output
        .contains(
          #""exitStatus":0,"entities":{"Passport":{"inserted":0,"updated":2,"deleted":0},"Person":{"inserted":0,"updated":2,"deleted":0}}"#
        ))
    #expect(try folder.passports() == ["A1 -", "B1 anna", "C1 -"])
    #expect(try folder.people() == ["anna|B1|b1|1", "bert|||0"])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
    // The next import leaves it as it is.
    #expect(try folder.bolide("import", "people.yaml", "feed.json", "--force") == .silent)
    #expect(try folder.passports() == ["A1 -", "B1 anna", "C1 -"])
  }

  @Test func `what is so already is not touched`() throws {
    let token = try folder.bolide("token", "people.sqlite")
    #expect(
      try folder.linkPeople("Passport", "owner", "--where", "number = 'A1'", "--to", "name=anna") == .silent)
    #expect(
      try folder.linkPeople("Person", "passport", "--where", "name = 'anna'", "--to", "number=A1") == .silent)
    #expect(try folder.linkPeople("Person", "passport", "--all", "--remove", "number=C1") == .silent)
    #expect(
      try folder.linkPeople("Passport", "owner", "--where", "number = 'A1'", "--remove", "name=bert")
        == .silent)
    #expect(try folder.linkPeople("Passport", "owner", "--where", "number = 'C1'", "--to-none") == .silent)
    #expect(try folder.bolide("token", "people.sqlite") == token)
  }

  @Test(
    arguments: [
      (
        ["Passport", "owner", "--all", "--to", "name=anna"], Int32(65),
        "'owner' of Passport is one-to-one, and 3 objects are to be linked to one Person: nothing is linked",
        "Select one of them."
      ),
      (
        ["Person", "passport", "--all", "--to", "number=C1"], 65,
        "'passport' of Person is one-to-one, and 2 objects are to be linked to one Passport: nothing is linked",
        "Select one of them."
      ),
      (
        ["Person", "passport", "--where", "name = 'anna'", "--to", "number=Z"], 65,
        "there is no Passport with this key: nothing was changed", "Import it first."
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
      try folder.linkPeople("Person", "passport", "--all", "--to-none", "--dry-run").output
        == "Passport: 2 updated\nPerson: 2 updated\n")
    #expect(try folder.linkPeople("Passport", "owner", "--all", "--to-none") == .silent)
    #expect(try folder.people() == ["anna|||0", "bert|||0"])
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
          ? try folder.linkPeople(
            "Passport", "owner", "--where", "number = '\(number)'", "--to", "name=\(name)")
          : try folder.linkPeople(
            "Person", "passport", "--where", "name = '\(name)'", "--to", "number=\(number)")
        #expect(outcome == .silent)
        sql =
          "UPDATE Passport SET owner_id = NULL WHERE owner_id = \(owner); "
          + "UPDATE Passport SET owner_id = \(owner) WHERE number = '\(number)'"
      case 2:
        #expect(
          try folder.linkPeople(
            "Passport", "owner", "--where", "number = '\(number)'", "--remove", "name=\(name)")
            == .silent)
        sql = "UPDATE Passport SET owner_id = NULL WHERE number = '\(number)' AND owner_id = \(owner)"
      default:
        #expect(
          try folder.linkPeople("Person", "passport", "--where", "name = '\(name)'", "--to-none") == .silent)
        sql = "UPDATE Passport SET owner_id = NULL WHERE owner_id = \(owner)"
      }
      try folder.sqlite("shell.sqlite", sql)
      #expect(try folder.passports() == folder.passports("shell.sqlite"))
    }
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }
}
