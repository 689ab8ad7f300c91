import Foundation
import Testing

/// Several inputs of one command are one import.
@Suite struct SeveralInputsTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(Folder.quakes + "\nrepeated-key: last\n", to: "quakes.yaml")
    try folder.write(#"[{"id": "a", "magnitude": 1}, {"id": "b", "place": "x"}]"#, to: "1.json")
    try folder.write(#"{"fields": ["magnitude", "id"], "data": [[2, "c"], ["?", "d"]]}"#, to: "2.json")
    try folder.write("{\"id\": \"e\", \"place\": \"x\"}\n{\"id\": \"a\", \"magnitude\": 3}\n", to: "3.json")
    try folder.gzip("2.json")
  }

  @Test func `they are read in their order, each in its own shape, as one run with one report`() throws {
    let outcome = try folder.bolide(
      "import", "quakes.yaml", "1.json", "2.json.gz", "-", "--json", input: .file("3.json"))
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("2.json.gz:1:53: record 2: magnitude: expected a number such as 12.8\n"))
    #expect(try Counts(outcome) == Counts(read: 6, inserted: 4, updated: 1, rejected: 1))
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT id, magnitude, region_id FROM Quake ORDER BY id")
        == ["a|3.0|", "b||1", "c|2.0|", "e||1"])
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT input, read, chunks, repeated FROM bolide_run")
        == ["1.json and 2 more|6|3|1"])
    #expect(try folder.sqlite("quakes.sqlite", "SELECT input, record FROM bolide_reject") == ["2.json.gz|2"])
    #expect(try folder.bolide("verify", "quakes.sqlite") == .silent)
  }

  @Test func `the same files in the same order are known again`() throws {
    let runs: [(files: [String], sameAs: Int?)] = [
      (["1.json", "3.json"], nil), (["1.json", "3.json"], 1), (["3.json", "1.json"], nil), (["1.json"], nil),
    ]
    for run in runs {
      let outcome = try folder.shell("$bolide import quakes.yaml \(run.files.joined(separator: " ")) --json")
      let sameAs = outcome.output.firstMatch(of: #/"sameAs":(\d+)/#).flatMap { Int($0.1) }
      #expect(sameAs == run.sameAs, "\(run.files)")
    }
    #expect(
      try folder.sqlite("quakes.sqlite", "SELECT input FROM bolide_run WHERE same_as = 1")
        == ["1.json and 1 more"])
  }

  @Test func `a full feed may come in parts`() throws {
    try folder.write(Folder.quakes + "\nrepeated-key: last\nfeed: full", to: "quakes.yaml")
    try #require(try folder.bolide("import", "quakes.yaml", "1.json", "3.json") == .silent)
    #expect(try folder.bolide("missing", "quakes.sqlite") == .silent)
    try #require(try folder.bolide("import", "quakes.yaml", "1.json", "3.json", "--force") == .silent)
    #expect(try folder.bolide("missing", "quakes.sqlite") == .silent)
    // A part that is cut says nothing of what is missing, and the others do not either.
    try folder.write(#"[{"id": "e"}"#, to: "cut.json")
    #expect(try folder.bolide("import", "quakes.yaml", "1.json", "cut.json").status == 65)
    #expect(try folder.bolide("missing", "quakes.sqlite") == .silent)
    try #require(try folder.bolide("import", "quakes.yaml", "1.json") == .silent)
    #expect(try folder.bolide("missing", "quakes.sqlite").lines.count == 1)
  }

  @Test func `an atomic import of several lands whole or not at all`() throws {
    try folder.write(#"{"count": 3, "data": [{"id": "z"}]}"#, to: "short.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "1.json", "short.json", "--atomic")
    #expect(outcome.status == 65)
    #expect(outcome.errors.hasPrefix("Error: short.json: the feed's `count` is 3, but 1 record was read"))
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 0)
    let each = try folder.bolide("import", "quakes.yaml", "1.json", "short.json")
    #expect(each.status == 65)
    #expect(try folder.count("Quake", in: "quakes.sqlite") == 3)
  }

  @Test func `what the store refuses has the place in its own input`() throws {
    let pipeline = Folder.quakes.replacing(
      "magnitude: double", with: "magnitude: { type: double, required: true }")
    try folder.write(pipeline + "\nunique: time", to: "quakes.yaml")
    try folder.write(#"[{"id": "a", "magnitude": 1, "time": "2020-01-01 00:00:00"}]"#, to: "first.json")
    try folder.write(
      "[\n{\"id\": \"b\", \"magnitude\": 1, \"time\": \"2020-01-01 00:00:00\"},\n"
        + "{\"id\": \"c\", \"time\": \"2020-01-01 00:00:01\"}]", to: "second.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "first.json", "second.json")
    #expect(
      outcome.errors.split(separator: "\n").prefix(2).map { $0.prefix(23) } == [
        "second.json:2:1: record", "second.json:3:1: record",
      ])
  }

  @Test func `of two rejected records the one of the later input counts`() throws {
    try folder.write(#"[{"id": "a", "magnitude": "?"}]"#, to: "first.json")
    try folder.write(#"[{"id": "a", "magnitude": "!"}]"#, to: "second.json")
    #expect(try folder.bolide("import", "quakes.yaml", "first.json", "second.json").status == 65)
    #expect(
      try folder.sqlite(
        "quakes.sqlite", "SELECT input, read_since IS NULL FROM bolide_reject ORDER BY reject")
        == ["first.json|0", "second.json|1"])
  }

  @Test func `first keeps the first of all inputs`() throws {
    try folder.write(Folder.quakes + "\nrepeated-key: first", to: "quakes.yaml")
    let outcome = try folder.bolide("import", "quakes.yaml", "1.json", "3.json", "--json")
    #expect(try Counts(outcome) == Counts(read: 4, inserted: 3, superseded: 1))
    #expect(try folder.sqlite("quakes.sqlite", "SELECT magnitude FROM Quake WHERE id = 'a'") == ["1.0"])
  }

  @Test func `a new field of a later input is told of`() throws {
    try #require(try folder.bolide("import", "quakes.yaml", "1.json", "3.json") == .silent)
    try folder.write(#"[{"id": "f", "depth": 3}]"#, to: "4.json")
    let outcome = try folder.bolide("import", "quakes.yaml", "1.json", "4.json", "--json")
    #expect(outcome.output.contains(#""name":"depth""#))
    #expect(
      try folder.bolide("import", "quakes.yaml", "4.json", "1.json", "--json").output.contains("depth")
        == false)
  }

  @Test func `what is named wrongly makes no store`() throws {
    let missing = try folder.bolide("import", "quakes.yaml", "1.json", "9.json")
    #expect(missing.status == 66)
    #expect(missing.errors.hasPrefix("Error: 9.json: "))
    let twice = try folder.bolide("import", "quakes.yaml", "-", "1.json", "-")
    #expect(twice.status == 64)
    #expect(twice.errors.hasPrefix("Error: - can be given only once\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("quakes.sqlite")))
  }
}
