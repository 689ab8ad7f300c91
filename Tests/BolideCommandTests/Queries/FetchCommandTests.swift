import Foundation
import Testing

/// `bolide fetch`: which objects, in what order, and how they are printed.
@Suite struct FetchCommandTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withTypedQuakes()
  }

  private func fetch(_ arguments: String...) throws -> Outcome {
    try Running(Folder.tool, ["fetch", "quakes.sqlite"] + arguments, in: folder, input: .nothing).outcome()
  }

  // MARK: Formats

  @Test func `ndjson is the standard of a pipe, a line an object, as in a snapshot`() throws {
    let lines = [
      #"{"bolide_id":1,"id":"","time":null,"magnitude":0.1,"cost":null,"felt":null,"raw":null,"tags":null,"region":1}"#,
      #"{"bolide_id":2,"id":"a","time":"2020-01-01T00:00:00Z","magnitude":5.5,"cost":12.50,"felt":true,"raw":"AAE=","tags":{"x": [1, "ü"]},"region":2}"#,
      #"{"bolide_id":3,"id":"d\u001b[2J\u0009","time":null,"magnitude":1e+300,"cost":null,"felt":null,"raw":null,"tags":null,"region":null}"#,
      #"{"bolide_id":4,"id":"say \"b\",\u000d\nor so","time":null,"magnitude":-1,"cost":-0.05,"felt":false,"raw":null,"tags":null,"region":2}"#,
    ]
    let output = Outcome(status: 0, output: lines.map { $0 + "\n" }.joined())
    #expect(try fetch("Quake") == output)
    #expect(try fetch("Quake", "--format", "ndjson") == output)
    #expect(try folder.bolide("fetch", "quakes.yaml", "Quake") == output)
    // The same values as a snapshot has, in the same words.
    let snapshot = try folder.bolide("snapshot", "quakes.sqlite", "Quake").lines.dropFirst().dropLast()
    #expect(
      snapshot.map { $0.replacing(/.*"values":\{(.*)\}\}/) { "\($0.1)" } }
        == lines.map { $0.replacing(/\{"bolide_id":\d,(.*)\}/) { "\($0.1)" } })
  }

  @Test func `an owner is nested, in its relationship's place`() throws {
    #expect(
      try fetch("Quake", "--only", "id,region", "--with", "region", "--where", "id = ?", "--bind", "a")
        == Outcome(
          status: 0, output: #"{"id":"a","region":{"bolide_id":2,"name":"west","quakeCount":2}}"# + "\n"))
    #expect(
      try fetch("Quake", "--only", "region.name, magnitude", "--where", "id < 'a' OR region IS NULL")
        == Outcome(
          status: 0,
          output: #"{"region":{"name":"o, \"east\""},"magnitude":0.1}"# + "\n"
            + #"{"region":null,"magnitude":1e+300}"# + "\n"))
  }

  @Test func `csv has every value, quoted where it must be; null is empty, an empty text is not`() throws {
    let csv = try fetch("Quake", "--format", "csv", "--with", "region")
    let expected = [
      "bolide_id,id,time,magnitude,cost,felt,raw,tags,region.bolide_id,region.name,region.quakeCount",
      #"1,"",,0.1,,,,,1,"o, ""east""",1"#,
      #"2,a,2020-01-01T00:00:00Z,5.5,12.50,true,AAE=,"{""x"": [1, ""ü""]}",2,west,2"#,
      "3,d\u{1b}[2J\t,,1e+300,,,,,,,",
      "4,\"say \"\"b\"\",\r\nor so\",,-1,-0.05,false,,,2,west,2",
    ]
    #expect(csv == Outcome(status: 0, output: expected.map { $0 + "\r\n" }.joined()))
    try folder.write(csv.output, to: "quakes.csv")
    let read = try folder.python(
      """
      import csv, json
      rows = list(csv.reader(open("quakes.csv", newline="")))
      print(json.dumps([row[1] for row in rows[1:]]), {len(row) for row in rows}, [float(row[3]) for row in rows[1:]])
      """)
    #expect(read == #"["", "a", "d\u001b[2J\t", "say \"b\",\r\nor so"] {11} [0.1, 5.5, 1e+300, -1.0]"# + "\n")
    #expect(
      try fetch("Quake", "--format", "csv", "--only", "id", "--limit", "0")
        == Outcome(status: 0, output: "id\r\n"))
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET raw = x'' WHERE id = ''")
    #expect(
      try fetch("Quake", "--format", "csv", "--only", "id,raw", "--limit", "2").output
        == "id,raw\r\n\"\",\"\"\r\na,AAE=\r\n")
    // Infinity, which only another program can write.
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 9e999 WHERE id = ''")
    #expect(
      try fetch("Quake", "--only", "magnitude", "--limit", "1").output
        == "{\"magnitude\":\"Infinity\"}\n")
    #expect(
      try fetch("Quake", "--only", "magnitude", "--limit", "1", "--format", "csv").output
        == "magnitude\r\nInf\r\n")
  }

  @Test func `a table for people`() throws {
    #expect(
      try fetch("Quake", "--format", "table", "--only", "id,magnitude,cost,felt,region.name").output == #"""
        id                 magnitude   cost  felt   region.name
                                 0.1                o, "east"
        a                        5.5  12.50  true   west
        d\u{1b}[2J\t          1e+300
        say "b",\r\nor so         -1  -0.05  false  west

        """#)
    #expect(try fetch("Quake", "--format", "table", "--where", "0").output == "no objects\n")
  }

  // MARK: Questions

  private func ids(_ arguments: String...) throws -> [String] {
    let outcome = try Running(
      Folder.tool, ["fetch", "quakes.sqlite", "Quake", "--only", "bolide_id", "--format", "csv"] + arguments,
      in: folder,
      input: .nothing
    ).outcome()
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.output.components(separatedBy: "\r\n").dropFirst().dropLast()
  }

  @Test func `predicates, values, orders, limits and offsets`() throws {
    #expect(try ids("--where", "region.name = 'west' AND magnitude > 1") == ["2"])
    #expect(try ids("--where", "-magnitude < -1") == ["2", "3"])
    #expect(try ids("--where", "id = ? OR magnitude = ?", "--bind", "a", "--bind", "0.1") == ["1", "2"])
    #expect(try ids("--where", "id = ?", "--bind", "--where") == [])
    #expect(try ids("--where=id IS NOT ?", "--bind", "") == ["2", "3", "4"])
    #expect(try ids("--sort", "-magnitude") == ["3", "2", "1", "4"])
    #expect(try ids("--sort", "region.name, -magnitude") == ["3", "1", "2", "4"])
    #expect(try ids("--sort", "-region.quakeCount", "--sort", "magnitude") == ["4", "2", "1", "3"])
    #expect(try ids("--sort=-region,id", "--limit", "2", "--offset", "1") == ["4", "1"])
    #expect(try ids("--limit", "0") == [])
    #expect(try fetch("Quake", "--count") == Outcome(status: 0, output: "4\n"))
    #expect(try fetch("Quake", "--count", "--where", "felt").output == "1\n")
    #expect(try fetch("Quake", "--count", "--limit", "3", "--offset", "2").output == "2\n")
  }

  @Test func `a state of the past`() throws {
    let token = try folder.bolide("token", "quakes.sqlite").output.trimmingCharacters(in: .newlines)
    try folder.sqlite(
      "quakes.sqlite", "UPDATE Region SET name = 'W' WHERE name = 'west'; DELETE FROM Quake WHERE id = 'a'")
    let arguments = ["--where", "region.name = 'west'", "--only", "id,region.name"]
    let past = try Running(
      Folder.tool, ["fetch", "quakes.sqlite", "Quake", "--at", token] + arguments, in: folder, input: .nothing
    ).outcome()
    #expect(past.lines.first == #"{"id":"a","region":{"name":"west"}}"# && past.lines.count == 2)
    #expect(try fetch("Quake", "--count", "--where", "region.name = 'west'").output == "0\n")
    #expect(try fetch("Quake", "--count", "--at", token).output == "4\n")
    #expect(
      try fetch("Quake", "--at", "b1-aaaaaa-1-aaaaaa").status == 82)
    #expect(try fetch("Quake", "--at", "yesterday").status == 64)
  }

  @Test func `what other programs left to be computed is computed first, and said where it cannot be`() throws
  {
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET region_id = 2")
    #expect(try fetch("Region", "--only", "quakeCount").output == "{\"quakeCount\":0}\n{\"quakeCount\":4}\n")
    #expect(try folder.sqlite("quakes.sqlite", "SELECT max(number) FROM bolide_transaction") == ["2"])
  }
}

extension Folder {
  /// A folder with quakes of all kinds of values in a store, `quakes.sqlite`.
  static func withTypedQuakes() throws -> Folder {
    let folder = try Folder()
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      attributes:
        id:        string
        time:      date
        magnitude: double
        cost:      { type: decimal, scale: 2 }
        felt:      boolean
        raw:       binary
        tags:      json
        lat:       { type: double, transient: true }
        place:     { type: string, transient: true }
      link:
        region: { to: { name: place } }
      entities:
        Region:
          key: name
          attributes:
            name:       string
            quakeCount: { derived: quakes.@count }
          relationships:
            quakes: { to-many: Quake, inverse: region, on-delete: nullify }
      """, to: "quakes.yaml")
    try folder.write(
      #"""
      [{"id": "", "magnitude": 0.1, "place": "o, \"east\""},
       {"id": "a", "time": "2020-01-01", "magnitude": 5.5, "cost": "12.50", "felt": true, "raw": "AAE=",
        "tags": {"x": [1, "ü"]}, "place": "west"},
       {"id": "d\u001b[2J\t", "magnitude": 1e300},
       {"id": "say \"b\",\r\nor so", "magnitude": -1.0, "cost": "-0.05", "felt": false, "place": "west"}]
      """#, to: "feed.json")
    try #require(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    return folder
  }
}
