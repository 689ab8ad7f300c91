import Foundation
import Testing

/// Another program has renamed or dropped what Bolide made: each command says so, and what is there stays readable.
@Suite struct SchemaDriftTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "time": "2020-01-01", "magnitude": 1.5, "place": "west"}, {"id": "b", "magnitude": 2, "place": "west"}]"#,
      to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
  }

  private static let message = "Error: quakes.sqlite: the schema is not the one that Bolide created: "

  private func run(_ arguments: [String]) throws -> Outcome {
    try Running(Folder.tool, arguments, in: folder, input: .nothing).outcome()
  }

  /// Each command ends with 78 and such an error.
  private func expectEach(_ commands: [[String]], _ isTold: (String) -> Bool) throws {
    for arguments in commands {
      let outcome = try run(arguments)
      #expect(outcome.status == 78 && isTold(outcome.errors), "\(arguments): \(outcome)")
    }
  }

  /// The commands that need what is gone.
  private static let commands = [
    ["import", "quakes.yaml", "feed.json"], ["import", "quakes.yaml", "feed.json", "--dry-run"],
    ["changes", "quakes.sqlite"], ["token", "quakes.sqlite"], ["snapshot", "quakes.sqlite"],
    ["snapshot", "quakes.sqlite", "Region"], ["fetch", "quakes.sqlite", "Quake"],
    ["verify", "quakes.sqlite"], ["verify", "quakes.sqlite", "--rebuild"], ["status", "quakes.sqlite"],
    ["migrate", "quakes.sqlite", "quakes.yaml"], ["migrate", "quakes.sqlite", "quakes.yaml", "--plan"],
    ["delete", "quakes.sqlite", "Quake", "--where", "id = 'a'"],
    ["readers", "quakes.sqlite", "add", "r", "--from", "now"],
  ]

  @Test func `a column that was renamed is told with the statement that puts it right`() throws {
    try folder.sqlite("quakes.sqlite", #"ALTER TABLE Quake RENAME COLUMN magnitude TO "how ""big""""#)
    let error =
      Self.message
      + "the table Quake has no column magnitude, but one named how \"big\" that Bolide did not "
      + "make.\n       If another program has renamed it, rename it back: ALTER TABLE \"Quake\" RENAME "
      + "COLUMN \"how \"\"big\"\"\" TO \"magnitude\"\n"
    try expectEach(Self.commands) { $0.hasSuffix(error) }
    // What does not need it.
    let regions = try run(["fetch", "quakes.sqlite", "Region", "--format", "csv"])
    #expect(regions.status == 0 && regions.output.contains("1,west,2,3.5\r\n"), "\(regions)")
    #expect(try run(["verify", "quakes.sqlite"]).output.contains("the table Quake has no column magnitude"))
    #expect(try run(["status", "quakes.sqlite"]).output.contains("Quake"))
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 2)

    try folder.sqlite("quakes.sqlite", #"ALTER TABLE Quake RENAME COLUMN "how ""big""" TO magnitude"#)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a column that was dropped is made anew`() throws {
    let triggers = try folder.sqlite("quakes.sqlite", "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    let drops = triggers.map { "DROP TRIGGER \"\($0)\";" }.joined()
    try folder.sqlite("quakes.sqlite", drops + "ALTER TABLE Quake DROP COLUMN time")
    let problem = "the table Quake has no column time"
    #expect(
      try run(["import", "quakes.yaml", "feed.json"])
        == .failure(
          78, "quakes.sqlite: the schema is not the one that Bolide created: \(problem)",
          "Restore what another program has dropped, or create it again, empty: bolide verify quakes.sqlite --rebuild"
        ))
    let token = try folder.sqlite("quakes.sqlite", "SELECT max(number) FROM bolide_transaction")
    let outcome = try run(["verify", "quakes.sqlite", "--rebuild"])
    #expect(outcome == Outcome(status: 0, output: "repaired: \(problem)\n"))
    // Who reads history starts again.
    #expect(try folder.sqlite("quakes.sqlite", "SELECT reason FROM bolide_gap") == [problem])
    #expect(try folder.sqlite("quakes.sqlite", "SELECT max(number) FROM bolide_transaction") != token)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT time FROM Quake ORDER BY id").first?.isEmpty == false)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a table that is gone or was made anew by another program is told`() throws {
    try folder.sqlite("quakes.sqlite", "DROP TABLE Quake")
    let gone = Self.message + "the table Quake is missing"
    try expectEach(Self.commands.filter { !$0.contains("--rebuild") }) { $0.contains(gone) }
    let regions = try run(["fetch", "quakes.sqlite", "Region"])
    #expect(regions.status == 0)
    #expect(
      regions.errors
        == "Note: derived values may be out of date: the table Quake is missing. Check the store with `bolide verify`.\n"
    )

    // As pandas does it.
    try folder.sqlite("quakes.sqlite", "CREATE TABLE Quake(\"index\", id, time, magnitude, region_id)")
    let anew =
      Self.message
      + "the table Quake has no column bolide_id INTEGER PRIMARY KEY.\n       Restore the store from a "
      + "backup; or drop the table and create it again, empty: bolide verify quakes.sqlite --rebuild\n"
    try expectEach(Self.commands) { $0.hasSuffix(anew) }
    try folder.sqlite("quakes.sqlite", "DROP TABLE Quake")
    #expect(
      try run(["verify", "quakes.sqlite", "--rebuild"])
        == Outcome(
          status: 0,
          output: """
            repaired: the table Quake is missing
            repaired: the index bolide_index_Quake.region_id is missing

            """))
    #expect(try folder.sqlite("quakes.sqlite", "SELECT quakeCount, total FROM Region") == ["0|0.0"])
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT bolide_id FROM Quake ORDER BY id") == ["3", "4"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `who led to a table that is made anew leads nowhere else`() throws {
    try folder.sqlite("quakes.sqlite", "PRAGMA foreign_keys = OFF; DROP TABLE Region")
    #expect(try run(["verify", "quakes.sqlite", "--rebuild"]).status == 0)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM Quake WHERE region_id IS NULL") == ["2"])
    #expect(
      try folder.sqlite("quakes.sqlite", "INSERT INTO Region(name) VALUES ('south') RETURNING bolide_id") == [
        "2"
      ])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `a name that another program has taken already is told`() throws {
    try folder.sqlite(
      "quakes.sqlite",
      "CREATE TABLE Depth(a); ALTER TABLE Quake ADD COLUMN Felt TEXT; ALTER TABLE Quake ADD COLUMN near_id INTEGER"
    )
    let hint = "Rename or drop that one with SQL, or choose another name in the pipeline."
    let yaml = String(decoding: try folder.bytes(of: "quakes.yaml"), as: UTF8.self)
    for (more, problem) in [
      (
        "  Depth: { key: name, attributes: { name: string } }\n",
        "Depth cannot be added: another program's table, view or index has this name"
      )
    ] {
      try folder.write(yaml + "\n" + more, to: "more.yaml")
      #expect(
        try run(["import", "more.yaml", "feed.json"]) == .failure(78, "quakes.sqlite: \(problem)", hint))
    }
    for name in ["felt", "FELT"] {
      try folder.write(
        yaml.replacing("  magnitude: double\n", with: "  magnitude: double\n  \(name): string\n"),
        to: "more.yaml")
      #expect(
        try run(["import", "more.yaml", "feed.json"])
          == .failure(
            78,
            "quakes.sqlite: the column \(name) cannot be added to Quake: another program's column has this name",
            hint))
    }
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--force") == .silent)
  }

  @Test func `a computed column in the place of a stored one is rejected`() throws {
    let table = try folder.sqlite("quakes.sqlite", "SELECT sql FROM sqlite_schema WHERE name = 'Quake'")
      .joined(
        separator: "\n")
    let computed = table.replacing(
      "\"magnitude\" REAL", with: "\"magnitude\" REAL AS (length(zeroblob(9999999)))")
    try #require(computed != table)
    try folder.sqlite("quakes.sqlite", "DROP TABLE Quake; \(computed)")
    try expectEach([["fetch", "quakes.sqlite", "Region"], ["import", "quakes.yaml", "feed.json"]]) {
      $0.hasPrefix(Self.message + "the column magnitude of Quake is computed, and not stored")
    }
  }
}
