import Foundation
import Testing

/// `bolide revert`: an import, or all since a token, is undone.
@Suite struct RevertTests {
  private let folder: Folder

  /// Quakes of two regions; the second run corrects two of them, and brings one of a new region and one of an old.
  init() throws {
    folder = try Folder.withQuakes()
    try importing(
      #"[{"id": "a", "magnitude": 1, "place": "x"}, {"id": "b", "magnitude": 2, "place": "x"}, {"id": "c", "magnitude": 3, "place": "y"}]"#
    )
    try importing(
      #"[{"id": "a", "magnitude": 10}, {"id": "b", "magnitude": 20}, {"id": "d", "magnitude": 3, "place": "z"}, {"id": "e", "magnitude": 5, "place": "x"}]"#
    )
  }

  private func importing(_ records: String, _ pipeline: String = "quakes.yaml") throws {
    try folder.write(records, to: "feed.json")
    #expect(try folder.bolide("import", pipeline, "feed.json", "-q") == .silent)
  }

  private func revert(_ options: String...) throws -> Outcome {
    try folder.bolide(arguments: ["revert", "quakes.sqlite"] + options)
  }

  private func quakes() throws -> [String] {
    try folder.sqlite("quakes.sqlite", "SELECT bolide_id, id, magnitude, region_id FROM Quake ORDER BY 1")
  }

  private func regions() throws -> [String] {
    try folder.sqlite("quakes.sqlite", "SELECT bolide_id, name, quakeCount, total FROM Region ORDER BY 1")
  }

  private static let first = ["1|a|1.0|1", "2|b|2.0|1", "3|c|3.0|2"]

  @Test func `what a run changed is put back, and readers see it`() throws {
    let before = try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM bolide_change")
    let plan = try revert("--run", "2", "--plan")
    #expect(
      plan
        == Outcome(status: 0, output: "Quake: 2 updated, 2 deleted\nRegion: 1 updated, 1 deleted\n"))
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM bolide_change") == before)
    #expect(try revert("--run", "2", "--author", "anna") == .silent)
    #expect(try quakes() == Self.first)
    #expect(try regions() == ["1|x|2|3.0", "2|y|1|3.0"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    let changes = try folder.bolide("changes", "quakes.sqlite", "--since", "2", "--author", "anna").lines
    #expect(changes.filter { $0.contains(#""entity":"Quake""#) }.count == 4)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--since", "1", "--net", "--count").output == "0\n")
    // The same bytes are imported again: they are not taken for unchanged.
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "-q") == .silent)
    #expect(try quakes().count == 5)
  }

  @Test func `twice is once, and runs are undone one after the other`() throws {
    #expect(try revert("--run", "2") == .silent)
    let twice = try revert("--run", "2", "-v")
    #expect(twice == Outcome(status: 0, errors: "nothing changes\n"))
    #expect(
      try revert("--run", "1", "--json").output.hasPrefix(
        #"{"outcome":"ok","exitStatus":0,"entities":{"Quake":{"inserted":0,"updated":0,"deleted":3},"Region":{"inserted":0,"updated":0,"deleted":2}},"token":"#
      ))
    #expect(try quakes().isEmpty && regions().isEmpty)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a row that somebody changed afterwards stays, unless it is forced`() throws {
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 99 WHERE id = 'b'")
    let left = #"Quake 2 ("b"): not reverted, as it was changed afterwards"#
    #expect(
      try revert("--run", "2", "--plan")
        == Outcome(
          status: 3, output: "Quake: 1 updated, 2 deleted\nRegion: 1 updated, 1 deleted\n\(left)\n"))
    let outcome = try revert("--run", "2")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.hasPrefix(
        "\(left)\nQuake: 1 updated, 2 deleted; Region: 1 updated, 1 deleted · token b1-"))
    #expect(try quakes() == ["1|a|1.0|1", "2|b|99.0|1", "3|c|3.0|2"])
    let again = try revert("--run", "2", "--json")
    #expect(again.status == 3)
    #expect(
      again.output
        == #"{"outcome":"ok","exitStatus":3,"entities":{},"left":[{"entity":"Quake","id":2,"key":{"id":"b"},"reason":"changed-since"}],"token":null}"#
        + "\n")
    #expect(try revert("--run", "2", "--force") == .silent)
    #expect(try quakes() == Self.first)
  }

  @Test func `a new row that others are linked to stays, and with force its delete rule holds`() throws {
    try importing(#"[{"id": "f", "magnitude": 1, "place": "z"}]"#)
    let outcome = try revert("--run", "2")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.hasPrefix(#"Region 3 ("z"): not reverted, as other objects are linked to it"#),
      "\(outcome.errors)")
    #expect(try quakes() == Self.first + ["6|f|1.0|3"])
    #expect(try regions() == ["1|x|2|3.0", "2|y|1|3.0", "3|z|1|1.0"])
    #expect(try revert("--run", "2", "--force") == .silent)
    #expect(try quakes() == Self.first + ["6|f|1.0|"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `all since a token is undone, whoever did it, and deleted objects return with ids and links`()
    throws
  {
    let token = try folder.bolide("token", "quakes.sqlite").output.trimmingCharacters(in: .newlines)
    let (quakes, regions) = try (quakes(), regions())
    try folder.sqlite(
      "quakes.sqlite",
      "DELETE FROM Quake WHERE id IN ('a', 'c'); DELETE FROM Region WHERE name = 'x'; INSERT INTO Quake(id) VALUES ('a')"
    )
    try importing(#"[{"id": "c", "magnitude": 7, "place": "w"}]"#)
    #expect(try revert("--to", token) == .silent)
    #expect(try self.quakes() == quakes)
    #expect(try self.regions() == regions)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT run FROM bolide_run WHERE reverted IS NOT NULL") == ["3"])
  }

  @Test func `a value that another row has taken stays, and a swap is undone`() throws {
    let pipeline = """
      bolide: 1
      store: quakes.sqlite
      entity: Ship
      key: id
      unique: [call]
      attributes: { id: string, call: { type: string, required: true } }
      """
    try folder.write(pipeline, to: "ships.yaml")
    try importing(
      #"[{"id": "a", "call": "A"}, {"id": "b", "call": "B"}, {"id": "c", "call": "C"}]"#, "ships.yaml")
    try importing(
      #"[{"id": "a", "call": "B"}, {"id": "b", "call": "A"}, {"id": "c", "call": "D"}]"#, "ships.yaml")
    try folder.sqlite("quakes.sqlite", "INSERT INTO Ship(id, call) VALUES ('d', 'C')")
    let outcome = try revert("--run", "4")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors.hasPrefix(
        #"Ship 3 ("c"): not reverted, as another row has its key or another of its unique values"#),
      "\(outcome.errors)")
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT id, call FROM Ship ORDER BY id") == [
        "a|A", "b|B", "c|D", "d|C",
      ])
  }

  @Test func `a link to an object that is gone stays away`() throws {
    try folder.write(
      Folder.quakes.replacing("{ to: { name: place } }", with: "{ to: { name: place }, when: always }"),
      to: "moving.yaml")
    try importing(#"[{"id": "c", "magnitude": 3, "place": "x"}]"#, "moving.yaml")
    try folder.sqlite("quakes.sqlite", "DELETE FROM Region WHERE name = 'y'")
    let outcome = try revert("--run", "3")
    #expect(outcome.status == 3)
    #expect(
      outcome.errors == #"Quake 3 ("c"): not reverted, as an object that it was linked to is gone"#
        + "\nnothing changes\n")
    #expect(try quakes().contains("3|c|3.0|1"))
  }

  @Test func `rows that deny each other's deletion go together, and return`() throws {
    let pipeline = """
      bolide: 1
      store: steps.sqlite
      entity: Step
      key: id
      attributes: { id: string }
      relationships:
        next: { to-one: Step, inverse: previous }
        previous: { to-many: Step, inverse: next, on-delete: deny }
      """
    try folder.write(pipeline, to: "steps.yaml")
    try importing(#"[{"id": "a"}]"#, "steps.yaml")
    func token() throws -> String {
      try folder.bolide("token", "steps.sqlite").output.trimmingCharacters(in: .newlines)
    }
    func steps() throws -> [String] {
      try folder.sqlite("steps.sqlite", "SELECT bolide_id, id, next_id FROM Step ORDER BY 1")
    }
    let before = try token()
    // A ring of three, a row that is linked to itself, and one that is linked to the ring.
    try folder.sqlite(
      "steps.sqlite",
      "INSERT INTO Step(id, next_id) VALUES ('b', 3), ('c', 4), ('d', 2), ('e', 5), ('f', 2)")
    let (after, linked) = try (token(), steps())
    #expect(linked == ["1|a|", "2|b|3", "3|c|4", "4|d|2", "5|e|5", "6|f|2"])
    for (token, rows) in [(before, ["1|a|"]), (after, linked)] {
      #expect(try folder.bolide("revert", "steps.sqlite", "--to", token) == .silent)
      #expect(try steps() == rows)
      #expect(try folder.bolide("verify", "steps.sqlite") == .silent)
    }
  }

  @Test func `a row comes back that is linked to one that goes and has its value`() throws {
    try folder.write(
      """
      bolide: 1
      store: steps.sqlite
      entity: Step
      key: id
      unique: [[code]]
      attributes: { id: string, code: string }
      relationships:
        next: { to-one: Step, inverse: previous }
        previous: { to-many: Step, inverse: next, on-delete: cascade }
      """, to: "steps.yaml")
    try importing(#"[{"id": "a", "code": "1"}]"#, "steps.yaml")
    let before = try folder.bolide("token", "steps.sqlite").output.trimmingCharacters(in: .newlines)
    try folder.sqlite(
      "steps.sqlite",
      "UPDATE Step SET code = '9'; INSERT INTO Step(id, code) VALUES ('b', '1'); UPDATE Step SET next_id = 2")
    #expect(try folder.bolide("revert", "steps.sqlite", "--to", before) == .silent)
    #expect(try folder.sqlite("steps.sqlite", "SELECT bolide_id, id, code, next_id FROM Step") == ["1|a|1|"])
    #expect(try folder.bolide("verify", "steps.sqlite") == .silent)
  }

  @Test func `attributes that are new since get their default in rows that return`() throws {
    let token = try folder.bolide("token", "quakes.sqlite").output.trimmingCharacters(in: .newlines)
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'c'")
    try folder.write(
      Folder.quakes.replacing(
        "magnitude: double",
        with: "magnitude: double\n  kind: { type: string, required: true, default: quake }"),
      to: "quakes.yaml")
    #expect(try folder.bolide("migrate", "quakes.sqlite", "quakes.yaml").status == 0)
    #expect(try revert("--to", token) == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id, kind FROM Quake WHERE id = 'c'") == ["c|quake"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `attributes may be called as they like`() throws {
    try folder.write(
      "bolide: 1\nstore: words.sqlite\nentity: Word\nkey: id\n"
        + "attributes: { id: string, own: integer64, other: integer64, past: integer64, now: integer64, o: string }\n",
      to: "words.yaml")
    try importing(#"[{"id": "a", "own": 1, "other": 2, "past": 3, "now": 4, "o": "o"}]"#, "words.yaml")
    try importing(#"[{"id": "a", "own": 5, "other": 6, "past": 7, "now": 8, "o": "p"}]"#, "words.yaml")
    #expect(try folder.bolide("revert", "words.sqlite", "--run", "2") == .silent)
    #expect(try folder.sqlite("words.sqlite", "SELECT own, other, past, now, o FROM Word") == ["1|2|3|4|o"])
  }

  @Test func `a wider type is no change, and a revert that is undone is none`() throws {
    try folder.write(
      Folder.quakes.replacing("magnitude: double", with: "magnitude: integer64"), to: "narrow.yaml")
    let narrow = try String(decoding: folder.bytes(of: "narrow.yaml"), as: UTF8.self)
      .replacing("quakes.sqlite", with: "narrow.sqlite")
    try folder.write(narrow, to: "narrow.yaml")
    try importing(#"[{"id": "a", "magnitude": 1}, {"id": "b", "magnitude": 2}]"#, "narrow.yaml")
    try importing(#"[{"id": "a", "magnitude": 3}]"#, "narrow.yaml")
    try folder.write(
      narrow.replacing("magnitude: integer64", with: "magnitude: double") + "\nmax-changed: 50%\n",
      to: "narrow.yaml")
    try importing(#"[{"id": "a", "magnitude": 3}, {"id": "b", "magnitude": 2.5}]"#, "narrow.yaml")
    let token = try folder.bolide("token", "narrow.sqlite").output.trimmingCharacters(in: .newlines)
    #expect(try folder.bolide("revert", "narrow.sqlite", "--run", "2") == .silent)
    #expect(try folder.sqlite("narrow.sqlite", "SELECT magnitude FROM Quake") == ["1.0", "2.5"])
    #expect(try folder.bolide("runs", "narrow.sqlite", "--format", "table").output.contains("ok, reverted"))
    #expect(try folder.bolide("revert", "narrow.sqlite", "--to", token) == .silent)
    #expect(!(try folder.bolide("runs", "narrow.sqlite", "--format", "table").output.contains("reverted")))
  }

  @Test func `ids beyond reason end it at once`() throws {
    try folder.sqlite(
      "quakes.sqlite", "UPDATE bolide_change SET last = first + 200000000 WHERE kind = 0 AND last > first")
    let outcome = try revert("--run", "1", "--plan")
    #expect(outcome.status == 65, "\(outcome)")
  }

  @Test func `many rows that stay are told as far as ten`() throws {
    try importing("[" + (0..<12).map { #"{"id": "n\#($0)", "magnitude": 1}"# }.joined(separator: ",") + "]")
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 5 WHERE id LIKE 'n%'")
    let outcome = try revert("--run", "3")
    #expect(outcome.errors.split(separator: "\n").count == 12)
    #expect(outcome.errors.hasSuffix("\n… and 2 more rows not reverted\nnothing changes\n"))
  }

  @Test func `what cannot be reverted is refused by name`() throws {
    #expect(
      try revert("--run", "9")
        == .failure(64, "quakes.sqlite: there is no run 9", "List the runs: bolide runs quakes.sqlite"))
    #expect(try revert().errors.contains("use either --run or --to"))
    #expect(
      try revert("--run", "1", "--to", "b1-abcdef-1-abcdef").errors.contains("use either --run or --to"))
    #expect(
      try revert("--to", "b1-abcdef-1-abcdef", "--force").errors.contains(
        "--force requires --run: --to restores all rows"))
    #expect(try revert("--to", "b1-abcdef-1-abcdef").status == 82)
    #expect(try revert("--to", "yesterday").status == 64)
    #expect(try folder.bolide("prune", "quakes.sqlite", "--keep-transactions", "1") == .silent)
    #expect(
      try revert("--run", "1")
        == .failure(
          80,
          "quakes.sqlite: run 1 cannot be reverted: history is pruned through transaction 1, and does not contain all of "
            + "its changes", "Import a good input: it updates the rows that differ."))
    #expect(try revert("--run", "2") == .silent)
    #expect(try quakes() == Self.first)
    // A gap: what happened meanwhile nobody knows.
    try folder.sqlite("quakes.sqlite", "DROP TRIGGER bolide_Quake_update")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "-q", "--force").status == 0)
    let gap = try folder.sqlite("quakes.sqlite", "SELECT max(number) FROM bolide_gap")[0]
    #expect(
      try revert("--run", "2")
        == .failure(
          80,
          "quakes.sqlite: run 2 cannot be reverted: history has a gap at transaction \(gap), and does not contain all "
            + "changes since", "Import a good input: it updates the rows that differ."))
  }

  @Test func `the state before a reverted run is what the next input is held against`() throws {
    let good = #"[{"id": "a", "magnitude": 1}, {"id": "b", "magnitude": 2}]"#
    try importing(good)
    try folder.write(Folder.quakes + "\nmax-changed: 50%\n", to: "quakes.yaml")
    try folder.write(#"[{"id": "a", "magnitude": null}, {"id": "b", "magnitude": null}]"#, to: "bad.json")
    let bad = try folder.bolide("import", "quakes.yaml", "bad.json")
    let undo = "--accept max-changed. To undo this import: bolide revert quakes.sqlite --run 4\n"
    #expect(bad.errors.hasSuffix(undo))
    let accepted = try folder.bolide("import", "quakes.yaml", "bad.json", "--accept", "max-changed", "-q")
    #expect(accepted == .silent)
    #expect(try revert("--run", "4") == .silent)
    try importing(good)
    #expect(try quakes().prefix(2) == ["1|a|1.0|1", "2|b|2.0|1"])
  }
}
