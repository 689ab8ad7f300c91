import Foundation
import Testing

/// `bolide copy`: objects go into another store, with what they reach.
@Suite struct CopyTests {
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

  private func copy(_ arguments: String...) throws -> Outcome {
    try Running(Folder.tool, ["copy"] + arguments, in: folder, input: .nothing).outcome()
  }

  private func quakes(_ store: String) throws -> [String] {
    try folder.sqlite(
      store,
      """
      SELECT q.id, q.magnitude, r.name, r.quakeCount FROM Quake q LEFT JOIN Region r ON r.bolide_id = q.region_id
      ORDER BY q.id
      """)
  }

  @Test func `a new store has the objects, their owners, and true counts of its own`() throws {
    let trial = try copy(
      "quakes.sqlite", "copy.sqlite", "Quake", "--where", "magnitude > ?", "--bind", "2", "--dry-run")
    #expect(trial == Outcome(status: 0, output: "Quake: 2 inserted\nRegion: 2 inserted\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("copy.sqlite")))
    let outcome = try copy("quakes.sqlite", "copy.sqlite", "Quake", "--where", "magnitude > 2", "-v")
    #expect(
      outcome.status == 0 && outcome.output.isEmpty
        && outcome.errors.wholeMatch(of: /Quake: 2 inserted; Region: 2 inserted · token \S+\n/) != nil)
    #expect(try quakes("copy.sqlite") == ["b|2.5|north|1", "c|4.5|south|1"])
    #expect(try folder.bolide("verify", "copy.sqlite") == .silent)
    // A second time there is nothing to do.
    let token = try folder.bolide("token", "copy.sqlite").output
    #expect(
      try copy("quakes.yaml", "copy.sqlite", "Quake", "--where", "magnitude > 2", "-v").errors
        == "Quake: 2 unchanged; Region: 2 unchanged\n")
    #expect(try folder.bolide("token", "copy.sqlite").output == token)
    #expect(
      try copy("quakes.sqlite", "copy.sqlite", "Quake", "--where", "FALSE", "--dry-run").output
        == "nothing is copied\n")
    // The feed's own pipeline fits it.
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "copy.sqlite") == .silent)
    #expect(try quakes("copy.sqlite") == quakes("quakes.sqlite"))
  }

  @Test func `objects that are there get the values and links, in one transaction with an author`() throws {
    try #require(try copy("quakes.sqlite", "copy.sqlite", "Quake", "--all") == .silent)
    try folder.sqlite(
      "copy.sqlite",
      """
      UPDATE Quake SET magnitude = 9 WHERE id IN ('a', 'd'); UPDATE Quake SET region_id = NULL WHERE id = 'b';
      DELETE FROM Quake WHERE id = 'c'; INSERT INTO Quake (id, magnitude) VALUES ('own', 3);
      """)
    let token = try folder.bolide("token", "copy.sqlite").lines[0]
    let outcome = try copy(
      "quakes.sqlite", "copy.sqlite", "Quake", "--where", "id < 'd'", "--author", "anna", "--json")
    #expect(
      outcome.output.hasPrefix(
        #"{"outcome":"ok","exitStatus":0,"entities":{"Quake":{"inserted":1,"updated":2,"unchanged":0},"#
          + #""Region":{"inserted":0,"updated":0,"unchanged":2}},"token":"b1-"#), "\(outcome.output)")
    #expect(
      try quakes("copy.sqlite") == [
        "a|1.5|north|2", "b|2.5|north|2", "c|4.5|south|1", "d|9.0||", "own|3.0||",
      ])
    let changes = try folder.bolide("changes", "copy.sqlite", "--since", token, "--transactions").lines
    #expect(changes.count == 1 && changes[0].contains(#""author":"anna","pipeline":null,"run":null"#))
    #expect(try folder.bolide("verify", "copy.sqlite") == .silent)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a base and an overlay make one view, in which the overlay wins`() throws {
    try folder.write(
      #"[{"id": "b", "magnitude": 7, "place": "south"}, {"id": "e", "magnitude": 3, "place": "east"}]"#,
      to: "overlay.json")
    try #require(
      try folder.bolide("import", "quakes.yaml", "overlay.json", "--store", "overlay.sqlite") == .silent)
    for store in ["quakes.sqlite", "overlay.sqlite"] {
      try #require(try copy(store, "view.sqlite", "Quake", "--all") == .silent)
    }
    #expect(
      try quakes("view.sqlite")
        == ["a|1.5|north|1", "b|7.0|south|2", "c|4.5|south|2", "d|||", "e|3.0|east|1"])
    #expect(try folder.bolide("verify", "view.sqlite") == .silent)
  }

  @Test func `what is refused`() throws {
    #expect(
      try copy("quakes.sqlite", "quakes.sqlite", "Quake", "--all")
        == .failure(64, "quakes.sqlite: objects are copied into another store, and this is the same one"))
    #expect(
      try copy("quakes.sqlite", "none.sqlite", "Quake", "--where", "magnitud > 1")
        == .failure(
          64, "quakes.sqlite: Quake has no attribute or relationship 'magnitud'; did you mean 'magnitude'?"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
    #expect(
      try copy("none.sqlite", "copy.sqlite", "Quake", "--all")
        == .failure(73, "none.sqlite: no such store", "Check the path, or import first."))
    #expect(try copy("quakes.sqlite", "copy.sqlite", "Quake").status == 64)
    try folder.write("no store", to: "text.sqlite")
    #expect(try copy("quakes.sqlite", "text.sqlite", "Quake", "--all").status == 73)
    #expect(try String(decoding: folder.bytes(of: "text.sqlite"), as: UTF8.self) == "no store")
    // Another model.
    try folder.write(
      "bolide: 1\nstore: other.sqlite\nentity: Quake\nkey: id\nattributes: { id: string, magnitude: double }\n",
      to: "other.yaml")
    try folder.write("[]", to: "empty.json")
    try #require(try folder.bolide("import", "other.yaml", "empty.json").status == 0)
    let other = try copy("quakes.sqlite", "other.sqlite", "Quake", "--where", "magnitude > 2")
    #expect(other.status == 78 && other.errors.contains("nothing was copied"), "\(other.errors)")
    #expect(try folder.sqlite("other.sqlite", "SELECT count(*) FROM Quake") == ["0"])
  }
}
