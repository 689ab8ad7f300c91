import Foundation
import Testing

/// A pipeline file that is wrong: every mistake with its place, status 78, and nothing is made.
@Suite struct PipelineMistakeTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  @Test func `all mistakes are told at once, in the file's order`() throws {
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: idd
      attributes:
        id:        string
        time:      dat
        magnitude: { type: double, form: mag }
      colour: red
      """, to: "bad.yaml")
    try expect(
      """
      Error: bad.yaml:4:6: the key attribute 'idd' is not declared in Quake; did you mean 'id'?
      Error: bad.yaml:7:14: unknown type 'dat'; did you mean 'date'?
      Error: bad.yaml:8:30: unknown key 'form'; did you mean 'from'?
      Error: bad.yaml:9:1: unknown key 'colour'.

      """)
  }

  @Test func `a file that the system does not open is no mistake in it`() throws {
    let found = try (5...8).map { try folder.shell("ulimit -n \($0)\n\"$bolide\" check quakes.yaml") }
    #expect(found.contains(.failure(74, "quakes.yaml: cannot be opened: Too many open files")))
    #expect(found.allSatisfy { $0.status == 0 || $0.status == 74 })
  }

  @Test func `what fetched properties ask is compiled too`() throws {
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      attributes: { id: string, magnitude: double }
      fetched:
        twins:
          entity: Quake
          where: magnitude = $FETCH_SOURCE.magnitud
          sort: [-magnitude, idd]
        felt: { entity: Repot, store: reports.sqlite, where: quake = $FETCH_SOURCE.key AND anything = 1 }
        near: { entity: Quak, where: magnitude > $FETCHED_PROPERTY.least, info: { lest: 5 } }
        id:   { entity: Quake, where: "1; DROP TABLE Quake" }
      """, to: "bad.yaml")
    try expect(
      """
      Error: bad.yaml:9:12: Quake has no attribute or relationship 'magnitud'; did you mean 'magnitude'?
      Error: bad.yaml:10:24: Quake has no attribute or relationship 'idd'; did you mean 'id'?
      Error: bad.yaml:11:56: Quake has no attribute or relationship 'key'.
      Error: bad.yaml:12:19: the entity 'Quak' of the fetched property 'near' is not declared; did you mean 'Quake'?
      Error: bad.yaml:12:32: the 'info' of 'near' has no 'least'; did you mean 'lest'?
      Error: bad.yaml:13:3: 'id' is a fetched property and an attribute of Quake: rename one.
      Error: bad.yaml:13:33: the predicate contains the character ';', which is not part of SQL.

      """)
  }

  @Test func `expressions are compiled before anything is read`() throws {
    try folder.write(
      """
      bolide: 1
      store: quakes.sqlite
      entity: Quake
      key: id
      attributes:
        id:        string
        magnitude: double
        double:    { type: double, value: "magnitud * 2" }
        random:    { type: double, value: random() }
        mistyped:  { type: double, value: "\\"magnitude\\" + \\"nowhere\\"" }
      check: [magnitude >, "magnitude > (SELECT 1)"]
      link: { region: { to: { name: sum(magnitude) } } }
      entities:
        Region: { key: name, attributes: { name: string }, relationships: { quakes: { to-many: Quake, inverse: region } } }
      """, to: "bad.yaml")
    let outcome = try folder.bolide("check", "bad.yaml")
    #expect(outcome.status == 78)
    let lines = outcome.errors.split(separator: "\n").map(String.init)
    let starts = ["8:37", "9:37", "10:37", "11:9", "11:22", "12:31"].map { "Error: bad.yaml:\($0): " }
    #expect(lines.count == starts.count)
    for (line, start) in zip(lines, starts) { #expect(line.hasPrefix(start), "\(line)") }
    #expect(lines.first?.hasSuffix("the expression cannot be used: no such column: magnitud.") == true)
    #expect(try folder.bolide("import", "bad.yaml", "feed.json") == outcome)
  }

  @Test func `text that is not YAML is told with its place`() throws {
    try folder.write("bolide: 1\nattributes: [\n", to: "bad.yaml")
    try expect("Error: bad.yaml:3:1: this is not YAML: did not find expected node content.\n")
  }

  @Test func `a file that is not there, or is not text, is told`() throws {
    for command in ["check", "import"] {
      let outcome = try folder.bolide(command, "nowhere.yaml")
      #expect(
        outcome == Outcome(status: 78, errors: "Error: nowhere.yaml: there is no such pipeline file.\n"))
    }
    try folder.write(Data([0xff, 0xfe, 0x00]), to: "bad.yaml")
    try expect("Error: bad.yaml: the file cannot be read as UTF-8 text.\n")
  }

  @Test func `a pipeline of a later format is rejected by its number`() throws {
    try folder.write(Folder.quakes.replacing("bolide: 1", with: "bolide: 2"), to: "bad.yaml")
    try expect(
      "Error: bad.yaml:1:9: the format's version is '2'; this version of Bolide reads version 1.\n")
  }

  @Test func `a good pipeline gets a line`() throws {
    #expect(
      try folder.bolide("check", "quakes.yaml")
        == Outcome(
          status: 0,
          output: "quakes.yaml: fine; quakes imports Quake by id into quakes.sqlite:"
            + " Quake (3 attributes), Region (3 attributes)\n"))
  }

  @Test func `a pipeline that names no store needs one on the command line`() throws {
    try folder.write(Folder.quakes.replacing("store: quakes.sqlite\n", with: ""), to: "quakes.yaml")
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    #expect(
      try folder.bolide("import", "quakes.yaml", "feed.json")
        == .failure(
          64, "quakes.yaml: the pipeline names no store",
          "Set `store:` in the pipeline, or use --store."))
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "--store", "other.sqlite") == .silent)
    #expect(try folder.sqlite("other.sqlite", "SELECT id FROM Quake") == ["a"])
  }

  @Test func `a relative store is relative to the pipeline, from any working directory`() throws {
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    let outcome = try folder.shell(
      """
      mkdir -p pipelines stores elsewhere/deep
      sed 's#quakes.sqlite#../stores/quakes.sqlite#' quakes.yaml > pipelines/quakes.yaml
      "$bolide" import pipelines/quakes.yaml feed.json
      (cd elsewhere/deep && "$bolide" import ../../pipelines/quakes.yaml ../../feed.json -v 2>&1)
      (cd pipelines && "$bolide" import quakes.yaml ../feed.json -v 2>&1)
      (cd / && "$bolide" import "$OLDPWD/pipelines/quakes.yaml" - -v < "$OLDPWD/feed.json" 2>&1)
      find . -name '*.sqlite'
      """)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.lines.count == 4)
    for line in outcome.lines.prefix(3) { #expect(line.hasPrefix("quakes: 1 read = 1 unchanged")) }
    #expect(outcome.lines.last == "./stores/quakes.sqlite")
    #expect(try folder.sqlite("stores/quakes.sqlite", "SELECT count(*) FROM bolide_run") == ["4"])
  }

  @Test func `a model that takes something away is rejected, and one that adds is taken`() throws {
    try folder.write(#"[{"id": "a", "magnitude": 1.5, "depth": 3}]"#, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    try folder.write(
      Folder.quakes.replacing("  magnitude: double", with: "  magnitude: double\n  depth: integer16"),
      to: "quakes.yaml")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json") == .silent)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id, magnitude, depth FROM Quake") == ["a|1.5|3"])
    try folder.write(Folder.quakes.replacing("date", with: "string"), to: "quakes.yaml")
    let outcome = try folder.bolide("import", "quakes.yaml", "feed.json")
    #expect(
      outcome
        == .failure(
          78, "quakes.sqlite: Quake.time is date in the store and string in the pipeline",
          "Change the pipeline to match the store; or drop the stored values, and start empty: "
            + "bolide migrate quakes.sqlite PIPELINE --drop Quake.time"))
    #expect(try folder.sqlite("quakes.sqlite", "SELECT id, magnitude, depth FROM Quake") == ["a|1.5|3"])
  }

  private func expect(_ errors: String) throws {
    try folder.write(#"[{"id": "a"}]"#, to: "feed.json")
    #expect(try folder.bolide("check", "bad.yaml") == Outcome(status: 78, errors: errors))
    #expect(try folder.bolide("import", "bad.yaml", "feed.json") == Outcome(status: 78, errors: errors))
    #expect(!FileManager.default.fileExists(atPath: folder.path("quakes.sqlite")))
  }
}
