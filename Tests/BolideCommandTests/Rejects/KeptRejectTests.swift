import Foundation
import Testing

/// What a store keeps of rejected records: for whose eyes, how long, and in which order.
@Suite struct KeptRejectTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(#"[{"id": "a"}, {"id": null}]"#, to: "feed.json")
  }

  private func mode(_ name: String) throws -> String {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(name))
    return String(try #require(attributes[.posixPermissions] as? Int), radix: 8)
  }

  @Test func `a new store, its log and its lock are their owner's alone`() throws {
    let running = try folder.starting("import", "quakes.yaml", "-", "--chunk-rows", "1")
    try running.write(Data(#"[{"id": "a"}, "#.utf8))
    try eventually { try folder.count("Quake", in: "quakes.sqlite") == 1 }
    for name in ["quakes.sqlite", "quakes.sqlite-wal", "quakes.sqlite-shm", "quakes.sqlite-bolide"] {
      #expect(try mode(name) == "600", "\(name)")
    }
    running.send(SIGKILL)
    _ = try running.outcome()
  }

  @Test func `a store that its owner has opened stays open, and who may write it may take its lock`() throws {
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    try #require(try folder.run("chmod", ["660", "quakes.sqlite"]).status == 0)
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    #expect(try mode("quakes.sqlite") == "660")
    #expect(try mode("quakes.sqlite-bolide") == "660")
    // A file that was there before, however empty, keeps its mode.
    try #require(try folder.shell("touch made.sqlite; chmod 640 made.sqlite").status == 0)
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q", "--store", "made.sqlite")
    #expect(try mode("made.sqlite") == "640")
  }

  @Test func `records that no run of thirty days has rejected are forgotten, in steps`() throws {
    let rows = (1...1_500).map { #"{"id": "k\#($0)", "magnitude": "x"}"# }.joined(separator: ",")
    try folder.write(#"[{"id": "good"}, \#(rows)]"#, to: "bad.json")
    _ = try folder.bolide("import", "quakes.yaml", "bad.json", "-q")
    // A run forgets twice as many as it keeps, and a thousand at least.
    try folder.write(Folder.quakes + "\nreject-rows: 100\n", to: "quakes.yaml")
    let count = "SELECT count(*) FROM bolide_reject"
    for (age, left) in [(29, 1_500), (31, 501), (31, 1)] {
      try folder.sqlite(
        "quakes.sqlite",
        "UPDATE bolide_run SET started = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-\(age) days') WHERE run = 1")
      _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
      // The newest run has rejected one of its own, and again.
      #expect(try folder.sqlite("quakes.sqlite", count) == ["\(age == 29 ? left + 1 : left)"])
      let texts = "SELECT count(*) FROM bolide_reject_text"
      #expect(try folder.sqlite("quakes.sqlite", texts) == ["\(age == 29 ? left + 1 : left)"])
    }
  }

  @Test func `the list is in the order of the records, whoever rejected them`() throws {
    try folder.write(
      Folder.quakes.replacing(
        "  magnitude: double", with: "  magnitude: double\n  size: { type: integer32, required: true }")
        + "\ncheck: magnitude IS NULL OR magnitude < 10\n", to: "quakes.yaml")
    try folder.write(
      """
      [{"id": "a"}, {"id": "b", "size": 1, "magnitude": 11}, {"id": "c", "size": "x"}, {"id": "d", "size": 4},
       {"id": "e"}, {"id": "f", "size": 1, "magnitude": 12}, {"id": "g", "size": "x"}]
      """, to: "feed.json")
    _ = try folder.bolide("import", "quakes.yaml", "feed.json", "-q")
    let list = try folder.bolide("rejects", "quakes.sqlite")
    #expect(list.status == 0)
    #expect(list.lines.map { $0.split(separator: " ")[2] } == ["1:", "2:", "3:", "5:", "6:", "7:"])
  }
}
