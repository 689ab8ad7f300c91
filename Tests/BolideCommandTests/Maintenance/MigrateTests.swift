import Foundation
import Testing

/// `bolide migrate`, and imports by a pipeline that has changed.
@Suite struct MigrateTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    let rows = (0..<50).map {
      #"{"id": "q\#($0)", "time": "2026-01-01", "magnitude": \#($0).5, "place": "r\#($0 % 3)"}"#
    }
    try folder.write("[\(rows.joined(separator: ","))]", to: "feed.json")
    try folder.bolide("import", "quakes.yaml", "feed.json").expectSilence()
    let newer = Folder.quakes.replacing(
      "magnitude: double", with: "size: { type: double, was: magnitude, from: magnitude }\n  felt: integer32"
    )
    .replacing("quakes.magnitude.@sum", with: "quakes.size.@sum").replacing("  time:      date\n", with: "")
    try folder.write(newer.replacing("bolide: 1", with: "bolide: 1\nname: quakes"), to: "newer.yaml")
  }

  @Test func `the plan is printed and touches no byte`() throws {
    let before = try folder.bytes(of: "quakes.sqlite")
    let plan = try folder.bolide("migrate", "quakes.sqlite", "newer.yaml", "--plan")
    #expect(
      plan
        == Outcome(
          status: 0,
          output: """
            rename Quake.magnitude to size
            add Quake.felt, integer32
            keep Quake.time, which the pipeline does not name; --drop Quake.time would drop it

            """))
    #expect(try folder.bytes(of: "quakes.sqlite") == before)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
      .filter { !$0.hasPrefix(".") }
    // A connection that only reads leaves SQLite's two files, the log empty.
    #expect(
      Set(names).subtracting(["quakes.sqlite-shm", "quakes.sqlite-wal"])
        == ["feed.json", "newer.yaml", "quakes.sqlite", "quakes.sqlite-bolide", "quakes.yaml"])
    #expect((try? folder.bytes(of: "quakes.sqlite-wal"))?.isEmpty != false)
  }

  @Test func `the plan refuses what the rows do not hold, as the migration does`() throws {
    let folder = try Folder()
    let yaml = Folder.quakes.replacing(
      "magnitude: double", with: "magnitude: { type: double, required: true }")
    try folder.write(yaml, to: "quakes.yaml")
    try folder.write(#"[{"id": "a", "magnitude": 1}, {"id": "b", "magnitude": 1}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.write(yaml.replacing("key: id", with: "key: id\nunique: magnitude"), to: "unique.yaml")
    let migration = try folder.bolide("migrate", "quakes.sqlite", "unique.yaml")
    let sentence = try #require(migration.errors.firstMatch(of: /Error: quakes.sqlite: (.*)\.\n/)?.1)
    #expect(migration.status == 78)
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "unique.yaml", "--plan")
        == Outcome(status: 78, output: "make Quake unique on magnitude\ncannot: \(sentence)\n"))
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `an import does what the plan says, and the older pipeline is rejected`() throws {
    try folder.bolide("import", "newer.yaml", "feed.json").expectStatus(0)
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT max(size), total FROM Quake, Region") == ["49.5|416.5"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(try folder.bolide("migrate", "quakes.sqlite", "newer.yaml") == .silent)
    let before = try folder.sqlite("quakes.sqlite", ".dump")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json")
        == .failure(
          78, "quakes.sqlite: Quake.magnitude is called size in the store: the pipeline is older",
          "Import into a new store, or change the pipeline to match this one."))
    #expect(try folder.sqlite("quakes.sqlite", ".dump") == before)
    // An older pipeline that fits runs on.
    try folder.write(
      Folder.quakes.replacing("  magnitude: double\n", with: "").replacing(
        "      total:      { derived: quakes.magnitude.@sum }\n", with: ""), to: "less.yaml")
    try folder.bolide("import", "less.yaml", "feed.json").expectStatus(0)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `migrate drops by name, and says what it does`() throws {
    #expect(
      try folder.bolide("migrate", "quakes.yaml", "newer.yaml", "--drop", "Quake.time")
        == Outcome(
          status: 0, output: "drop Quake.time\nrename Quake.magnitude to size\nadd Quake.felt, integer32\n"))
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "newer.yaml", "--drop", "Quake.size")
        == .failure(
          64, "quakes.sqlite: Quake.size cannot be dropped: Region.total is derived from it",
          "Remove both from the pipeline, and drop both: bolide migrate quakes.sqlite PIPELINE --drop Region.total --drop Quake.size"
        ))
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "newer.yaml", "--drop", "Region.total")
        == .failure(
          64, "quakes.sqlite: Region.total cannot be dropped: the pipeline names it",
          "Remove it from the pipeline first; otherwise the next import would create it again."))
    #expect(try folder.bolide("changes", "quakes.sqlite").lines.count == 54)
  }

  @Test func `a type that would convert is no step, and status 78 says so`() throws {
    try folder.write(
      Folder.quakes.replacing("time:      date", with: "time:      string"), to: "typed.yaml")
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "typed.yaml", "--plan")
        == Outcome(
          status: 78,
          output:
            "cannot: Quake.time is date in the store and string in the pipeline; --drop Quake.time would delete its values and add it again, empty\n"
        ))
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "typed.yaml")
        == .failure(
          78, "quakes.sqlite: Quake.time is date in the store and string in the pipeline",
          "Change the pipeline to match the store; or drop the stored values, and start empty: bolide migrate quakes.sqlite PIPELINE --drop Quake.time"
        ))
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "typed.yaml", "--plan", "--drop", "Quake.time").output
        == "drop Quake.time\nadd Quake.time, string\n")
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "typed.yaml", "--drop", "Quake.time").output
        == "drop Quake.time\nadd Quake.time, string\n")
    try folder.bolide("import", "typed.yaml", "feed.json").expectSilence()
    #expect(try folder.sqlite("quakes.sqlite", "SELECT DISTINCT time FROM Quake") == ["2026-01-01"])
  }

  @Test func `a name that never was has its place in the file`() throws {
    let text = try String(decoding: folder.bytes(of: "newer.yaml"), as: UTF8.self)
    try folder.write(text.replacing("was: magnitude", with: "was: magnitud"), to: "wrong.yaml")
    let refusal = Outcome.failure(
      78,
      "wrong.yaml:8:30: Quake in the store has no attribute 'magnitud', the previous name of 'size': correct 'was', or remove it"
    )
    #expect(try folder.bolide("migrate", "quakes.sqlite", "wrong.yaml", "--plan") == refusal)
    #expect(try folder.bolide("import", "wrong.yaml", "feed.json", "--store", "quakes.sqlite") == refusal)
    // A new store has no names before.
    try folder.bolide("import", "wrong.yaml", "feed.json", "--store", "new.sqlite").expectStatus(0)
  }

  @Test func `a store of a later format, and one that is not there`() throws {
    try folder.sqlite("quakes.sqlite", "PRAGMA user_version = 3")
    let before = try folder.bytes(of: "quakes.sqlite")
    for options in [[], ["--plan"], ["--drop", "Quake.time"]] {
      #expect(
        try folder.run(Folder.tool, ["migrate", "quakes.sqlite", "newer.yaml"] + options)
          == .failure(
            73, "quakes.sqlite: the store was written by a newer version of Bolide",
            "Use that version or a newer one."))
      #expect(
        try folder.run(Folder.tool, ["migrate", "none.sqlite", "newer.yaml"] + options)
          == .failure(73, "none.sqlite: no such store", "Check the path, or import first."))
    }
    #expect(try folder.bytes(of: "quakes.sqlite") == before)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.sqlite")))
  }

  @Test func `killed in the middle, the old model is whole`() throws {
    // So many rows that the migration takes long enough to be killed at different places.
    try folder.sqlite(
      "quakes.sqlite",
      "INSERT INTO Quake(id, magnitude, region_id) SELECT 'k' || value, value, 1 + value % 3 FROM generate_series(1, 60000)"
    )
    try folder.bolide("token", "quakes.sqlite").expectStatus(0)
    let rows = "SELECT count(*), sum(magnitude) FROM Quake"
    let before = try folder.sqlite("quakes.sqlite", rows)
    let schema = try folder.bolide("schema", "quakes.sqlite")
    let long = try String(decoding: folder.bytes(of: "newer.yaml"), as: UTF8.self)
      .replacing(
        "quakeCount: { derived: quakes.@count }",
        with: "quakeCount: { derived: quakes.@count, where: \"size > 3\" }")
    try folder.write(long, to: "newer.yaml")
    try folder.bolide("backup", "quakes.sqlite", "other.sqlite").expectStatus(0)
    try folder.bolide("migrate", "other.sqlite", "newer.yaml").expectStatus(0)
    let migrated = try folder.bolide("schema", "other.sqlite")
    #expect(migrated != schema)
    var killed = 0
    for pause in [2, 5, 10, 20, 40, 80, 160, 320] as [UInt32] {
      let running = try folder.starting("migrate", "quakes.sqlite", "newer.yaml")
      usleep(pause * 1000)
      running.send(SIGKILL)
      guard try running.outcome().status == 128 + SIGKILL else { break }
      let left = try folder.bolide("schema", "quakes.sqlite")
      // Between its commit and its end it is killed too: then the new model is whole.
      if left == migrated { break }
      #expect(left == schema)
      #expect(try folder.sqlite("quakes.sqlite", rows) == before)
      killed += 1
    }
    #expect(killed > 0)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    try folder.bolide("migrate", "quakes.sqlite", "newer.yaml").expectStatus(0)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }
}

extension Outcome {
  fileprivate func expectStatus(_ status: Int32) { #expect(self.status == status, "\(errors)") }
}
