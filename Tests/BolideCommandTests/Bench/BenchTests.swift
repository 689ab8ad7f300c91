import Foundation
import TestServer
import Testing

@testable import BolideBench

/// `bolide bench` as a person runs it, at sizes that say nothing about speed.
@Suite struct BenchTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
  }

  @Test func `a bench measures and checks everything, and leaves nothing behind`() throws {
    let outcome = try folder.bolide(
      "bench", "--rows", "2k", "--runs", "1", "--folder", ".", "--json", "bench.json", "--chart", "bench.svg"
    )
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.isEmpty)
    for scenario in Scenario.allCases where scenario.runsOnFile {
      #expect(outcome.output.contains("\n\(scenario.rawValue), 2,000 rows: \(scenario.title)\n"))
    }
    #expect(outcome.output.contains("No goals: they are for 100,000 rows and more."))

    let report = try JSONDecoder().decode(BenchReport.self, from: try folder.bytes(of: "bench.json"))
    #expect(report.results.map(\.scenario) == Scenario.allCases.filter(\.runsOnFile))
    for result in report.results {
      for measure in result.measures { #expect(measure.runs.count == 1 && measure.median > 0) }
      for measure in result.measures {
        #expect(measure.followed?.latencies.count == (result.scenario == .follow ? 20 : nil))
      }
      #expect((result.stages != nil) == result.scenario.isImport)
      guard result.scenario.isImport, let stages = result.stages else { continue }
      let sum = stages.writing.map(\.share).reduce(0, +)
      #expect(
        abs(sum - 1) < 0.01, "\(result.scenario): the writing thread's stages are \(sum) of the wall time")
      #expect(stages.reading.map(\.share).reduce(0, +) <= 1)
    }
    // What the tests need is on the machine: `.ci/setup tests` sees to it.
    for result in report.results where [.firstLoad, .again, .revised, .shuffled].contains(result.scenario) {
      let names = result.measures.map(\.name)
      for peer in ["sqlite3, json_each", "python3, executemany"] {
        #expect(names.contains(peer), "\(result.scenario): \(result.notes)")
      }
      #expect(result.measures.filter { $0.name.hasPrefix("floor: ") }.count == 2)
    }

    // The picture is well-formed, and shows every scenario and every candidate.
    let texts = try folder.python(
      """
      import xml.etree.ElementTree as tree
      for text in tree.parse("bench.svg").iter("{http://www.w3.org/2000/svg}text"): print(text.text)
      """)
    // A follower has no rate that could be drawn.
    for result in report.results where result.scenario != .follow {
      #expect(texts.contains("\n\(result.scenario.rawValue), 2,000 rows\n"))
      for measure in result.measures { #expect(texts.contains("\n\(measure.name)\n")) }
    }

    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path("")).filter {
      !$0.hasPrefix(".")
    }
    #expect(left.sorted() == ["bench.json", "bench.svg", "quakes.yaml"])
  }

  @Test func `the other programs are written out, and nothing is measured`() throws {
    let outcome = try folder.bolide("bench", "--show-peers")
    #expect(outcome.status == 0)
    for peer in Peer.all { #expect(outcome.output.contains("\(peer.name)")) }
    #expect(outcome.output.contains("FROM json_each(CAST(readfile('{feed}') AS TEXT), '$.data')"))
    #expect(!outcome.output.contains("seconds"))
  }

  @Test func `without the other programs Bolide and the floor are alone`() throws {
    let outcome = try folder.bolide(
      "bench", "first-load", "--rows", "1k,2k", "--runs", "1", "--no-peers", "--folder", ".", "--chart",
      "b.svg")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.output.contains("sqlite3") && outcome.output.contains("floor: prepared insert"))
    // Two sizes give the curve of the rate by the size.
    let chart = String(decoding: try folder.bytes(of: "b.svg"), as: UTF8.self)
    #expect(
      chart.contains("<polyline ") && chart.contains(">1,000</text>") && chart.contains(">2,000</text>"))
  }

  @Test func `one scenario at two sizes runs alone`() throws {
    let outcome = try folder.bolide("bench", "catch-up", "--rows", "1k,2K", "--runs", "2", "--folder", ".")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let heads = outcome.lines.filter { $0.contains(" rows: ") }
    #expect(heads.map { $0.prefix { $0 != ":" } } == ["catch-up, 1,000 rows", "catch-up, 2,000 rows"])
  }

  @Test func `a feed of one's own is put to what it can be put to`() throws {
    try folder.write(
      """
      [{"id": "a", "time": "2026-01-01T00:00:00Z", "magnitude": 1.5, "place": "Bern"},
       {"id": "b", "time": "2026-01-02T00:00:00Z", "place": "Ulm"}]
      """, to: "quakes.json")
    let outcome = try folder.bolide(
      "bench", "--feed", "quakes.json", "--pipeline", "quakes.yaml", "--runs", "1", "--folder", ".")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let scenarios = outcome.lines.filter { $0.contains(", 2 rows: ") }.map { $0.prefix { $0 != "," } }
    #expect(scenarios == ["parse", "first-load", "again", "gzip", "catch-up"])
    #expect(outcome.output.contains("floor: set-wise insert"))
    #expect(outcome.output.contains("\nparse, 2 rows: the records alone, read from the file\n"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("quakes.sqlite")))
  }

  @Test func `a feed that the floor cannot take is measured without it, and the reason is said`() throws {
    // The key comes back in a later chunk: a plain insert meets it twice.
    let rows = (0..<33_000).map { #"{"id": "\#($0 % 32_900)", "magnitude": 1}"# }
    try folder.write("[\(rows.joined(separator: ",\n"))]", to: "quakes.json")
    let outcome = try folder.bolide(
      "bench", "first-load", "--feed", "quakes.json", "--pipeline", "quakes.yaml", "--runs", "1", "--folder",
      ".")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.contains { $0.hasPrefix("  bolide ") })
    let notes = outcome.lines.filter { $0.contains("is left out") }
    #expect(notes.count == 2)
    #expect(
      notes.allSatisfy { $0.hasSuffix("SQLite reports: UNIQUE constraint failed: Quake.id") }, "\(notes)")
  }

  @Test func `a feed whose nested arrays become rows is measured too`() throws {
    let outcome = try folder.bolide(
      "bench", "--feed", Folder.repository.appending(path: "SampleData/neows.json.gz").path, "--pipeline",
      Folder.repository.appending(path: "pipelines/neows.yaml").path, "--runs", "1", "--folder", ".")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.count { $0.hasPrefix("  bolide ") } == 5)
  }

  @Test func `what is rejected of a feed of one's own, and what has the key of another, is said`() throws {
    try folder.write(
      #"[{"id": "a", "magnitude": 1}, {"id": "a", "magnitude": 2}, {"id": "b", "magnitude": "x"}, {"id": "c"}]"#,
      to: "quakes.json")
    let outcome = try folder.bolide(
      "bench", "first-load", "--feed", "quakes.json", "--pipeline", "quakes.yaml", "--runs", "1", "--folder",
      ".")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.lines.contains("  rejected records: 1; bolide check PIPELINE FEED says why"))
    #expect(outcome.lines.contains("  records with the key of another: 1"))
  }

  @Test(arguments: [
    #"[{"id": "a", "magnitude": "x"}]"#, #"{"fields": ["name"], "data": [["a"]]}"#, "[]",
  ]) func `a feed of which nothing would land is rejected before anything is measured`(feed: String) throws {
    try folder.write(feed, to: "quakes.json")
    let outcome = try folder.bolide(
      "bench", "--feed", "quakes.json", "--pipeline", "quakes.yaml", "--folder", ".")
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("would land; bolide check PIPELINE FEED says why."), "\(outcome.errors)")
    #expect(!outcome.output.contains("first-load"))
  }

  @Test func `a feed that cannot be read ends the bench, and no folder is left`() throws {
    try folder.write("[{\"id\": ", to: "quakes.json")
    let outcome = try folder.bolide(
      "bench", "--feed", "quakes.json", "--pipeline", "quakes.yaml", "--folder", ".")
    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix("Error: \(folder.path("quakes.json")):1:9: the input ends inside record 1"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
    #expect(!names.contains { $0.hasPrefix("bolide-bench") })
  }

  @Test(arguments: [
    (["frist-load"], "The value 'frist-load' is invalid for '<scenario>'."),
    (["--runs", "0"], "--runs is at least 1"),
    (["--feed", "a.json"], "--feed and --pipeline go together"),
    (
      ["--feed", "a.json", "--pipeline", "quakes.yaml", "--rows", "1k"],
      "--rows is for generated feeds; --feed has the rows that it has"
    ),
    (
      ["revised", "--feed", "a.json", "--pipeline", "quakes.yaml"],
      "'revised' needs a generated feed, and --feed names one of your own"
    ),
    (
      ["--rows", "1q"],
      "The value '1q' is invalid for '--rows <n>': '1q' is not a number of rows such as 500000, 100k or 1m"
    ),
    (
      ["--store", "a.sqlite"],
      "--store is the address of a server, such as postgresql:///feeds, and not 'a.sqlite'"
    ),
    (
      ["--store", "postgresql:///x", "--feed", "a.json", "--pipeline", "quakes.yaml"],
      "--store is measured with generated feeds, and --feed names one of your own"
    ),
    (
      ["gzip", "--store", "postgresql:///x"], "'gzip' is measured in files alone, not on a server"
    ),
    (["foreign-clients"], "'foreign-clients' is measured on a server alone: name it with --store"),
    (["--rows", "1k,"], "The value '1k,' is invalid for '--rows <n>': '' is not a number of rows"),
    (["--rows", "9999999m"], "The value '9999999m' is invalid for '--rows <n>': '9999999m' is not a number"),
  ]) func `a wrong call is rejected before anything is done`(arguments: [String], sentence: String) throws {
    let outcome = try Running(Folder.tool, ["bench"] + arguments, in: folder, input: .nothing).outcome()
    #expect(outcome.status == 64)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("Error: \(sentence)"), "\(outcome.errors)")
  }

  @Test func `a server is measured beside psql, and left as it was`() throws {
    let server = try TestServer.shared.get()
    let owners = ["2,000 owners", "one owner"]
    for (scenarios, names) in [
      (
        ["first-load", "again"],
        ["bolide", "psql: COPY and MERGE", "psql: COPY and upsert"]
      ),
      (["foreign-clients"], owners.flatMap { ["\($0), count and sum", "\($0), without triggers"] }),
      (["connections"], ["bolide, one connection", "bolide, 2 connections", "bolide, 4 connections"]),
      (["importers"], ["one importer", "2 importers"]),
      (["follow"], ["imports", "another program's SQL"]),
    ] {
      let outcome = try folder.bolide(
        arguments: ["bench"] + scenarios + [
          "--rows", "500", "--runs", "1", "--store", server.address(schema: "public"),
        ])
      #expect(outcome.status == 0, "\(outcome)")
      #expect(outcome.output.contains("PostgreSQL ") && outcome.output.contains("fsync = off"))
      for name in names { #expect(outcome.output.contains("\n  \(name) "), "\(outcome.output)") }
    }
    let left = try server.psql(
      "SELECT count(*) FROM pg_namespace WHERE starts_with(nspname, 'bolide_bench')", schema: "public")
    #expect(left == "0")
  }

  @Test func `a server's password is in no program's arguments`() throws {
    let server = try TestServer.shared.get()
    let address = "postgresql://postgres:se%20cret@/postgres?host=\(server.folder)"
    let workspace = try Workspace(in: folder.path("."), tool: Folder.tool)
    defer { workspace.remove() }
    let measured = try #require(BenchServer(address, in: workspace))
    defer { unsetenv("PGPASSWORD") }
    try measured.check()
    #expect(ProcessInfo.processInfo.environment["PGPASSWORD"] == "se cret")
    #expect(measured.store("first").hasPrefix("postgresql://postgres@/postgres?host=\(server.folder)#"))
    #expect(try measured.psql("SELECT 1") == "1")
  }

  @Test func `a server that does not answer is 69, before anything is measured`() throws {
    let outcome = try folder.bolide("bench", "--store", "postgresql:///feeds?host=/nonexistent")
    #expect(outcome.status == 69 && outcome.output.isEmpty)
    #expect(
      outcome.errors.hasPrefix("Error: postgresql:///feeds?host=/nonexistent: no connection to the server: "))
  }

  @Test func `an own feed that is not there is 66`() throws {
    let outcome = try folder.bolide("bench", "--feed", "a.json", "--pipeline", "quakes.yaml")
    #expect(
      outcome
        == .failure(
          66, "a.json: no such file", "Check the path; a relative path starts at the working directory."))
  }

  @Test func `the measured process is no command for people`() throws {
    #expect(!(try folder.bolide("--help").output.contains("bench-job")))
  }

  @Test func `the page on throughput knows every scenario and option`() throws {
    let page = try String(
      contentsOf: Folder.repository.appending(path: "Sources/Bolide/Documentation.docc/Throughput.md"),
      encoding: .utf8)
    for scenario in Scenario.allCases { #expect(page.contains("| `\(scenario.rawValue)` |")) }
    let options = try folder.bolide("bench", "--help").output.split { !$0.isLetter && $0 != "-" }.filter {
      $0.hasPrefix("--") && $0 != "--help" && $0 != "--version"
    }
    #expect(Set(options).count >= 6)
    for option in options { #expect(page.contains("`\(option)"), "\(option)") }
  }
}
