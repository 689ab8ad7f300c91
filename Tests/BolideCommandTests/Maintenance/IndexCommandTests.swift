import Foundation
import Testing

/// Indexes of a pipeline, as the commands show and use them.
@Suite struct IndexCommandTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    let rows = (0..<500).map {
      #"{"id": "q\#($0)", "time": "2026-01-01", "magnitude": \#(Double($0 * 7 % 100) / 10), "place": "r\#($0 % 3)"}"#
    }
    try folder.write("[\(rows.joined(separator: ","))]", to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    let indexed = Folder.quakes.replacing(
      "key: id", with: "key: id\nname: quakes\nindex: [magnitude, [region, time]]"
    ).replacing("key: name", with: "key: name\n    index: quakeCount")
    try folder.write(indexed, to: "indexed.yaml")
    try folder.write(indexed.replacing("name: quakes", with: "name: other"), to: "other.yaml")
  }

  private static let names = [
    "bolide_index_Quake.magnitude", "bolide_index_Quake.region_id", "bolide_index_Quake.region_id.time",
    "bolide_index_Region.quakeCount",
  ]

  /// Imports the feed by another pipeline.
  private func take(_ pipeline: String) throws {
    try #require(try folder.bolide("import", "\(pipeline).yaml", "feed.json").status == 0)
  }

  private func indexes() throws -> [String] {
    try folder.sqlite(
      "quakes.sqlite", "SELECT name FROM sqlite_schema WHERE name GLOB 'bolide_index_*' ORDER BY 1")
  }

  @Test func `a plan shows what becomes of indexes, and an import does it`() throws {
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "indexed.yaml", "--plan")
        == Outcome(
          status: 0,
          output: """
            index Quake on magnitude
            index Quake on region and time
            index Region on quakeCount

            """))
    try take("indexed")
    #expect(try indexes() == Self.names)
    #expect(
      try folder.bolide("schema", "quakes.sqlite").output == folder.bolide("schema", "indexed.yaml").output)
    #expect(
      try folder.bolide("schema", "indexed.yaml").output.contains(
        """
        -- Quake: finds and sorts objects by region and time.
        CREATE INDEX "bolide_index_Quake.region_id.time" ON "Quake"("region_id", "time");

        """))
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "quakes.yaml").output == """
        drop the index of Quake on magnitude
        drop the index of Quake on region and time
        drop the index of Region on quakeCount

        """)
    #expect(try indexes() == ["bolide_index_Quake.region_id"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `another pipeline's index is dropped by the name that the plan prints`() throws {
    try take("other")
    let lines = ["magnitude", "region and time"].map { "keep the index of Quake on \($0)" }
    let plan = try folder.bolide("migrate", "quakes.sqlite", "quakes.yaml", "--plan")
    #expect(
      plan.lines == [
        "\(lines[0]), which the pipeline does not name; --drop bolide_index_Quake.magnitude would drop it",
        "\(lines[1]), which the pipeline does not name; --drop bolide_index_Quake.region_id.time would drop it",
        "keep the index of Region on quakeCount, which the pipeline does not name; "
          + "--drop bolide_index_Region.quakeCount would drop it",
      ])
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "quakes.yaml", "--drop", Self.names[2])
        == Outcome(status: 0, output: "drop the index of Quake on region and time\n"))
    #expect(
      try folder.bolide("migrate", "quakes.sqlite", "other.yaml", "--drop", Self.names[0])
        == .failure(
          64, "quakes.sqlite: bolide_index_Quake.magnitude cannot be dropped: the pipeline names it",
          "Remove it from the pipeline first; otherwise the next import would create it again."))
  }

  @Test func `a missing index is told, and restored`() throws {
    try take("indexed")
    try folder.sqlite("quakes.sqlite", "DROP INDEX \"\(Self.names[2])\"")
    let problem = "the index bolide_index_Quake.region_id.time is missing"
    #expect(
      try folder.bolide("verify", "quakes.sqlite") == Outcome(status: 65, output: "\(problem)\n"))
    #expect(
      try folder.bolide("verify", "quakes.sqlite", "--rebuild")
        == Outcome(status: 0, output: "repaired: \(problem)\n"))
    #expect(try indexes() == Self.names)
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `fetches answer the same with indexes and without`() throws {
    let requests = [
      ["--where", "magnitude > 9.8"], ["--where", "magnitude > 1", "--limit", "3"],
      ["--where", "region = 2 AND time >= '2026'", "--limit", "9", "--offset", "2"],
      ["--sort", "region,time"], ["--sort", "-magnitude", "--limit", "20"],
      ["--where", "region.quakeCount = 167", "--count"],
    ]
    func answers() throws -> [Outcome] {
      try requests.map { try folder.bolide(arguments: ["fetch", "quakes.sqlite", "Quake"] + $0) }
    }
    let before = try answers()
    #expect(before.allSatisfy { $0.status == 0 && !$0.output.isEmpty })
    try take("indexed")
    #expect(try answers() == before)
  }

  @Test func `a first load that is killed leaves its indexes to the next import`() throws {
    let feed = (0..<20_000).map { #"{"id": "q\#($0)", "place": "r\#($0 * 7 % 11)"}"# + "\n" }.joined()
    let loading = try Running(
      Folder.tool, ["import", "quakes.yaml", "-", "--store", "new.sqlite", "--chunk-rows", "10000"],
      in: folder, input: .open)
    defer { loading.send(SIGKILL) }
    try loading.write(Data(feed.utf8))
    try eventually { try folder.count("Quake", in: "new.sqlite") == 20_000 }
    let status = try folder.bolide("status", "new.sqlite").lines
    let line = "indexes   1 not built yet: the import that is at work, or else the next one, builds it"
    #expect(status.contains { $0.trimmingCharacters(in: .whitespaces) == line }, "\(status)")
    loading.send(SIGKILL)
    #expect(try loading.outcome().status == 128 + 9)
    #expect(try folder.bolide("verify", "new.sqlite") == .silent)
    #expect(try folder.bolide("status", "new.sqlite", "--json").output.contains(#""unbuiltIndexes":1"#))
    try folder.write(feed, to: "whole.json")
    let again = try folder.bolide("import", "quakes.yaml", "whole.json", "--store", "new.sqlite")
    #expect(
      again
        == Outcome(
          status: 0,
          errors: "Note: the index bolide_index_Quake.region_id was missing, as the last import was killed; "
            + "it has been built.\n"
        ))
    #expect(try folder.bolide("verify", "new.sqlite") == .silent)
    #expect(
      try folder.sqlite("new.sqlite", "EXPLAIN QUERY PLAN SELECT * FROM Quake WHERE region_id = 1")
        .contains { $0.contains("bolide_index_Quake.region_id") })
  }
}
