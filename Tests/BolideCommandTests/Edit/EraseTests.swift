import Foundation
import Testing

/// `bolide erase`: an object goes from rows, history, rejected records and free pages.
@Suite struct EraseTests {
  private let people: PeopleFolder
  private var folder: Folder { people.folder }

  init() throws { people = try PeopleFolder() }

  private func erase(_ words: String...) throws -> Outcome {
    try folder.bolide(arguments: ["erase", "people.sqlite"] + words)
  }

  @Test func `no byte of it is left in the store's files, and the rest stays`() throws {
    try people.importTwice()
    try people.writeByHand()
    #expect(try people.found().count > 10)
    let plan = try erase("Person", "secretKey", "--plan")
    #expect(
      plan
        == Outcome(
          status: 0,
          output: """
            Person: 1 erased
            Address: 2 erased
            City: 1 updated
            Country: 1 updated
            5 copied values erased from the history of other objects
            3 rejected records erased

            """))
    let token = try folder.bolide("token", "people.sqlite").output
    #expect(try erase("Person", "secretKey", "--author", "office") == .silent)
    #expect(try people.found() == [])
    #expect(try folder.bolide("token", "people.sqlite").output != token)
    #expect(
      try people.rows("Person") + people.rows("City") + people.rows("Country") + people.rows("Address") == [
        "1|anna|Alice|Z|3.0|1950-01-01|ALICE|1", "1|Rome|1950-01-01|3.0|1|1", "1|Italy|1950-01-01",
        "1|via A|1|Alice|1",
      ])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
    #expect(try people.rows("bolide_erasure") == [])
    // The key is free: a later import makes another object.
    #expect(try folder.bolide("import", "people.yaml", "2.json", "-q").status == 65)
    #expect(
      try folder.sqlite("people.sqlite", "SELECT bolide_id FROM Person WHERE id = 'secretKey'") == ["4"])
  }

  @Test func `one that was deleted before goes from history and rejects`() throws {
    try people.importTwice()
    try people.writeByHand()
    try folder.sqlite(
      "people.sqlite", "PRAGMA secure_delete = OFF; DELETE FROM Person WHERE id = 'secretKey'")
    #expect(try folder.bolide("import", "people.yaml", "other.json", "-q") == .silent)
    #expect(try folder.bolide("prune", "people.sqlite", "--keep-transactions", "3") == .silent)
    #expect(try people.found().count > 5)
    let json = try erase("Person", "secretKey", "--json")
    #expect(
      json.output.hasPrefix(
        #"{"outcome":"ok","exitStatus":0,"entities":{},"erased":{"Person":1,"Address":2},"copies":3,"rejects":1,"unclearRejects":0,"token":"b1-"#
      ), "\(json)")
    #expect(try people.found() == [])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
    // An empty transaction names the author.
    let last = try folder.bolide("changes", "people.sqlite", "--from", "oldest").lines.last
    #expect(last?.contains(#""author":"bolide","pipeline":null,"run":null,"changes":0}"#) == true)
  }

  @Test func `readers see its deletion without key and values`() throws {
    try people.importTwice()
    try #require(
      try folder.bolide("readers", "people.sqlite", "add", "map", "--from", "beginning").status == 0)
    #expect(try erase("Person", "secretKey") == .silent)
    let lines = try folder.bolide(
      "changes", "people.sqlite", "--reader", "map", "--values", "--previous", "--", "cat"
    ).lines
    #expect(
      lines.filter { $0.contains(#""entity":"Person","id":2"#) } == [
        #"{"tx":1,"kind":"insert","entity":"Person","id":2,"key":{},"erased":"object","values":null}"#,
        #"{"tx":2,"kind":"update","entity":"Person","id":2,"key":{},"changed":[],"erased":"object","values":null,"previous":{}}"#,
        #"{"tx":2,"kind":"update","entity":"Person","id":2,"key":{},"changed":[],"erased":"object","values":null,"previous":{}}"#,
        #"{"tx":3,"kind":"delete","entity":"Person","id":2,"key":{},"erased":"object","values":null,"previous":{}}"#,
      ])
    // What is counted is told.
    for line in lines where line.contains(#""commit":true"#) {
      let transaction = try #require(line.firstMatch(of: /"tx":(\d+)/)?.1)
      let told = lines.filter { $0.hasPrefix("{\"tx\":\(transaction),\"kind\"") }.count
      #expect(line.hasSuffix("\"changes\":\(told)}"))
    }
    let net = try folder.bolide("changes", "people.sqlite", "--since", "1", "--net", "--entity", "Person")
      .lines
    #expect(net.first == #"{"tx":3,"kind":"delete","entity":"Person","id":2,"key":{},"erased":"object"}"#)
    let between = try folder.bolide(
      "changes", "people.sqlite", "--since", "1", "--until", "2", "--net", "--entity", "Person"
    ).lines
    #expect(
      between.first
        == #"{"tx":2,"kind":"update","entity":"Person","id":2,"key":{},"changed":[],"erased":"object"}"#)
    let table = try folder.bolide("changes", "people.sqlite", "--since", "2", "--format", "table").lines
    #expect(table.contains { $0.contains("delete  Person") && $0.hasSuffix("(erased)") })
    #expect(
      try folder.bolide("snapshot", "people.sqlite", "Person").lines.filter { $0.contains("secret") } == [])
  }

  @Test func `states that need it are refused by name, others are not`() throws {
    try people.importTwice()
    let before = try people.token()
    #expect(try folder.bolide("import", "people.yaml", "other.json", "-q") == .silent)
    #expect(try erase("Person", "secretKey") == .silent)
    let after = try people.token()
    func refused(_ entity: String) throws -> String {
      let outcome = try folder.bolide("fetch", "people.sqlite", entity, "--at", before)
      #expect(outcome.status == 80)
      return people.plain(outcome.errors)
    }
    let hint = "\n       Use a token after the erasure, or query the present state.\n"
    #expect(
      try refused("Person")
        == "Error: people.sqlite: Person 2 was erased at TIME: its state at \(before) is no longer known.\(hint)"
    )
    #expect(
      try refused("City")
        == "Error: people.sqlite: City 1 had values of an object that was erased at TIME: its state at \(before) is no longer known.\(hint)"
    )
    #expect(try folder.bolide("fetch", "people.sqlite", "Country", "--at", before).status == 0)
    #expect(try folder.bolide("fetch", "people.sqlite", "Person", "--at", after).lines.count == 2)
    let log = try folder.bolide("log", "people.sqlite", "Person", "--id", "2", "--format", "table").output
    #expect(
      people.plain(log) == """
        TIME  insert of 2 by people, run 1, tx 1
          (values were erased)
        TIME  update of 2 by people, run 2, tx 2
          (values were erased)
        TIME  update of 2 by people, run 2, tx 2
          (values were erased)
        TIME  delete of 2 by bolide, tx 4
          (values were erased)

        """)
    let others = try folder.bolide("log", "people.sqlite", "City", "Rome", "--derived").lines
    #expect(
      others[0].hasSuffix(
        #""kind":"insert","id":1,"erased":true,"changes":{"name":{"new":"Rome"},"population":{"new":2}}}"#))
    #expect(others[1].hasSuffix(#""kind":"update","id":1,"derived":true,"erased":true,"changes":{}}"#))
    #expect(
      try folder.bolide("log", "people.sqlite", "Person", "secretKey")
        == .failure(
          64, "people.sqlite: there is no Person with this key, and history knows of none",
          "The object's key is id."))
  }

  @Test func `a revert puts back the rest, and names it`() throws {
    try people.importTwice()
    #expect(try folder.bolide("import", "people.yaml", "other.json", "-q") == .silent)
    #expect(try erase("Person", "secretKey") == .silent)
    let second = try folder.bolide("revert", "people.sqlite", "--run", "2", "--plan")
    #expect(
      second
        == Outcome(
          status: 3,
          output: """
            nothing changes
            Person 2: not reverted, as it was erased
            Address 2: not reverted, as it was erased

            """))
    // What it did not touch is no reason against a revert.
    #expect(try folder.bolide("revert", "people.sqlite", "--run", "3") == .silent)
    #expect(try people.rows("Person") == ["1|anna|Alice|a@x|3.0|1950-01-01|ALICE|1"])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  @Test func `what is not there, or is gone already, is told as such`() throws {
    try people.importTwice()
    let before = try people.rows("bolide_transaction")
    let nobody = Outcome.failure(
      64, "people.sqlite: there is no Person with this key, and history knows of none",
      "The object's key is id.")
    #expect(try erase("Person", "nobody") == nobody)
    #expect(try erase("Person", "nobody", "--plan") == nobody)
    #expect(try erase("Person", "--id", "77") == nobody)
    #expect(try erase("Person").errors.contains("use either the object's key or --id"))
    #expect(try erase("Person", "secretKey", "--id", "2").status == 64)
    #expect(try erase("Nobody", "secretKey").status == 64)
    #expect(try erase("Person", "a", "b").errors.contains("an object of Person is named by its key, id"))
    #expect(try people.rows("bolide_transaction") == before)
    #expect(try erase("Person", "secretKey") == .silent)
    #expect(try erase("Person", "secretKey") == nobody)
    #expect(
      try people.plain(erase("Person", "--id", "2").errors)
        == "Error: people.sqlite: Person 2 was erased at TIME: there is nothing left to erase.\n")
  }

  @Test func `a child is erased alone, and its owner's rejected records are named`() throws {
    try people.importTwice()
    #expect(
      try erase("Address", "person=2", "street=SecretStreet1")
        == Outcome(
          status: 0,
          errors:
            "Note: 3 rejected records without a readable key, or with the key of a linked object, may contain erased values. List: bolide rejects people.sqlite --format ndjson. Erase: bolide rejects people.sqlite --erase\n"
        ))
    #expect(try people.rows("Address").count == 2)
    #expect(try folder.bolide("rejects", "people.sqlite", "--erase").status == 0)
    #expect(try people.found(["SecretStreet1"]) == [])
    #expect(try people.found(["SecretStreet2"]) != [])
  }

  @Test func `copies that triggers made of a replaced row go too`() throws {
    try people.importTwice()
    try folder.sqlite(
      "people.sqlite",
      "INSERT INTO Person(id) VALUES ('new'); UPDATE OR REPLACE Person SET id = 'secretKey' WHERE id = 'new'")
    #expect(try people.rows("bolide_replaced_Person").count == 1)
    let outcome = try erase("Person", "secretKey", "--verbose")
    #expect(
      outcome.errors.hasPrefix("Person: 2 erased; Address: 2 erased; 4 copied values erased"),
      "\(outcome)")
    #expect(try people.rows("bolide_replaced_Person") == [])
    #expect(try people.found() == [])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  @Test func `copies in a dropped attribute go too`() throws {
    try people.importTwice()
    let text = try String(decoding: folder.bytes(of: "people.yaml"), as: UTF8.self)
    let less = text.replacing("      best:       { derived: people.score.@max }\n", with: "").replacing(
      "      owner:  { derived: person.name }\n", with: ""
    ).replacing("  loud:  { derived: \"uppercase:(name)\" }\n", with: "")
    try #require(less.count < text.count - 100)
    try folder.write(less, to: "people.yaml")
    #expect(
      try folder.bolide(
        "migrate", "people.sqlite", "people.yaml", "--drop", "City.best", "--drop", "Address.owner", "--drop",
        "Person.loud"
      ).status == 0)
    #expect(try people.found().contains { $0.hasSuffix("77.125") })
    #expect(try erase("Person", "secretKey") == .silent)
    #expect(try people.found() == [])
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
  }

  @Test func `a rule that denies the deletion denies the erasure`() throws {
    let text = try String(decoding: folder.bytes(of: "people.yaml"), as: UTF8.self)
    try folder.write(
      text.replacing("    key: [person, street]", with: "    key: [person, street]\n    on-delete: deny"),
      to: "people.yaml")
    try people.importTwice()
    let denied = try erase("Person", "secretKey")
    #expect(
      denied.status == 65 && denied.errors.contains("deny its deletion: nothing is deleted"), "\(denied)")
    #expect(try people.found().count > 5)
    #expect(try folder.bolide("log", "people.sqlite", "Person", "secretKey").lines.count == 2)
  }

  @Test func `a reader that keeps the log is told of, and the next erasure completes it`() throws {
    try people.importTwice()
    let read = """
      import sqlite3, sys
      store = sqlite3.connect('people.sqlite', isolation_level=None)
      store.execute('BEGIN'); store.execute('SELECT count(*) FROM Person').fetchall()
      open('reading', 'w').close(); sys.stdin.read()
      """
    let reader = try Running("/usr/bin/env", ["python3", "-c", read], in: folder, input: .open)
    try eventually { FileManager.default.fileExists(atPath: folder.path("reading")) }
    let incomplete = Outcome.failure(
      75,
      "people.sqlite: the object is erased from rows and history, but its values may still be in free pages and in the write-ahead log: a reader prevents overwriting them",
      "Run the same command again when the long read has ended.")
    #expect(try erase("Person", "secretKey") == incomplete)
    #expect(try people.rows("Person").count == 1)
    try reader.close()
    _ = try reader.outcome()
    try expectIncomplete()
    #expect(
      try erase("Person", "secretKey", "--plan").output
        == "no object left to erase; an earlier erasure would be completed\n")
    #expect(
      try erase("Person", "secretKey")
        == Outcome(
          status: 0,
          errors:
            "no object left to erase; an earlier erasure is complete now: free pages and the write-ahead log are overwritten\n"
        ))
    #expect(try people.found() == [])
    #expect(try erase("Person", "secretKey").status == 64)
    #expect(try folder.bolide("verify", "people.sqlite") == .silent)
    #expect(!(try folder.bolide("status", "people.sqlite").output.contains("erasures")))
    #expect(try folder.bolide("status", "people.sqlite", "--json").output.contains(#""openErasures":0,"#))
  }

  /// Whoever looks at the store hears of an erasure that is incomplete, and how it is completed.
  private func expectIncomplete() throws {
    #expect(
      try folder.bolide("verify", "people.sqlite")
        == Outcome(
          status: 65,
          output:
            "an erasure is incomplete: what was erased may still be in free pages and in the write-ahead log; run `bolide erase` again\n"
        ))
    let status = try folder.bolide("status", "people.sqlite")
    #expect(status.status == 79)
    #expect(
      status.lines.contains {
        $0.hasPrefix("erasures ")
          && $0.hasSuffix(
            " 1 incomplete: what was erased may still be in free pages and in the write-ahead log; run `bolide erase` again"
          )
      }, "\(status.output)")
    let json = try folder.bolide("status", "people.sqlite", "--json").output
    #expect(json.contains(#""needsAttention":true,"#) && json.contains(#""openErasures":1,"#))
    let metrics = try folder.bolide("status", "people.sqlite", "--format", "prometheus").output
    #expect(metrics.contains("\nbolide_open_erasures{store=\"people.sqlite\"} 1\n"))
    let quiet = try folder.bolide("status", "-q", "people.sqlite")
    #expect(quiet.status == 79 && quiet.output.hasSuffix("ERASURE     STORE\nincomplete  people.sqlite\n"))
  }

  @Test func `a read-only store is refused`() throws {
    try people.importTwice()
    try #require(try folder.run("chmod", ["-R", "a-w", "."]).status == 0)
    defer { _ = try? folder.run("chmod", ["-R", "u+w", "."]) }
    guard !FileManager.default.isWritableFile(atPath: folder.path("people.sqlite")) else { return }
    #expect(try erase("Person", "secretKey").status == 73)
  }
}
