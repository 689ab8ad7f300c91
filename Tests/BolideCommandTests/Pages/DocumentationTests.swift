import Foundation
import Testing

/// What the documents say is there, and what is there stands in the documents.
struct DocumentationTests {
  private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Puts the shipped pipelines and their samples into a folder.
  private func copySamples(to folder: Folder) throws {
    for name in ["pipelines", "SampleData"] {
      try FileManager.default.copyItem(at: root.appending(path: name), to: folder.url.appending(path: name))
    }
  }

  @Test func `the README stays within 150 lines, and its first command within the first twenty`() throws {
    let lines = try text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 150)
    let first = lines.firstIndex {
      $0.contains(
        "swift build -c release --product bolide --force-resolved-versions -debug-info-format none && "
          + ".build/release/bolide import")
    }
    #expect(first.map { $0 < 20 } == true)
  }

  @Test func `every bolide command of the README runs, on the README's own files`() throws {
    let folder = try Folder()
    try copySamples(to: folder)
    let commands = try text("README.md").split(separator: "\n").filter { line in
      (line.hasPrefix("bolide ") || line.contains("| bolide ")) && !line.contains("curl")
    }
    #expect(commands.count >= 4)
    // The first command, for which the tests have no release build.
    #expect(
      try folder.shell(
        "$bolide import --store sample.sqlite pipelines/fireballs.yaml SampleData/fireballs.json.gz"
      ).status == 0)
    for command in commands {
      // A token is good for one store alone.
      let line = command.replacing(#/ --since \S+/#, with: "")
      let outcome = try folder.shell("set -e; bolide() { \"$bolide\" \"$@\"; }; \(line)")
      #expect(outcome.status == 0, "\(line): \(outcome.errors)")
    }
  }

  @Test func `the samples' examples print what they show, and the generated samples are those of the tool`()
    throws
  {
    let folder = try Folder()
    try copySamples(to: folder)
    let page = try text("SampleData/README.md")
    try expect(screens: 5, of: page, in: folder) { $0 }
    let commands = page.split(separator: "\n").filter { $0.hasPrefix("bolide generate ") }
    #expect(commands.count == 3)
    for command in commands {
      try #require(try folder.shell("bolide() { \"$bolide\" \"$@\"; }; \(command)").status == 0)
      let name = try #require(command.split(separator: " ").last)
      // Other versions of gzip may pack otherwise.
      let unpacked = try [folder.url, root].map {
        try folder.shell("gzip -dc '\($0.appending(path: String(name)).path)'").output
      }
      #expect(unpacked[0] == unpacked[1], "\(command)")
    }
  }

  @Test func `every shipped pipeline is fine`() throws {
    let folder = root.appending(path: "pipelines")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".yaml")
    }
    #expect(!names.isEmpty)
    for name in names {
      let outcome = try Folder().bolide("check", folder.appending(path: name).path)
      #expect(outcome.status == 0, "\(name): \(outcome.errors)")
    }
  }

  @Test func `the reference and the schema are those that the tool prints`() throws {
    let page = try text("Sources/Bolide/Documentation.docc/Pipelines.md")
    let tables = try Folder().bolide("schema", "--pipeline-format", "--markdown").output.components(
      separatedBy: "\n\n")
    #expect(tables.count == 10)
    for table in tables {
      let table = table.trimmingCharacters(in: .newlines)
      #expect(page.contains(table + "\n\n"), "run .ci/reference: \(table.prefix(40))")
    }
    let schema = try Folder().bolide("schema", "--pipeline-format").output
    #expect(try text("pipelines/pipeline.schema.json") == schema, "run .ci/reference")
    for name in try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "pipelines").path)
    where name.hasSuffix(".yaml") {
      #expect(
        try text("pipelines/\(name)").hasPrefix("# yaml-language-server: $schema=pipeline.schema.json\n"))
    }
  }

  @Test func `each module's page lists its interface`() throws {
    let check = try Folder().run(root.appending(path: ".ci/faces").path, ["--check"])
    #expect(check == .silent)
    let contents = try text("Sources/Bolide/Documentation.docc/Bolide.md")
    let folder = root.appending(path: "Sources/Bolide/Documentation.docc/Modules")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      #expect(contents.contains("<doc:\(name.dropLast(3))>"), "\(name)")
    }
  }

  @Test func `the table of exit statuses is that of the help`() throws {
    let help = try Folder().bolide("--help").output
    let lines = help.split(separator: "\n").drop {
      !$0.hasPrefix("  EXIT STATUS") && !$0.hasPrefix("EXIT STATUS")
    }
    let statuses = lines.dropFirst().prefix { $0.hasPrefix("  ") }.map { line in
      line.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(statuses.count >= 15)
    let page = try text("Sources/Bolide/Documentation.docc/Operations.md")
    for status in statuses {
      #expect(page.contains("\n| \(status[0]) | \(status[1]) |\n"), "\(status)")
    }
  }

  @Test func `the screens are what is seen`() throws {
    let page = try text("Sources/Bolide/Documentation.docc/Screens.md")
    let folder = try Folder()
    for file in page.matches(of: #/`([\w.]+)`:\n\n```\w+\n((?s:.*?))```/#) {
      try folder.write(String(file.2), to: String(file.1))
    }
    try expect(screens: 5, of: page, in: folder, plain)
  }

  @Test func `the first hour's commands print what the page shows, and its crontab is silent`() throws {
    let page = try text("Sources/Bolide/Documentation.docc/FirstHour.md")
    let folder = try Folder()
    try copySamples(to: folder)
    try expect(screens: 9, of: page, in: folder, plain)
    // A line of the crontab: five fields of times, and a command.
    let crontab = page.matches(of: #/\n(?:[\d*]+ +){5}(.+)/#)
    #expect(crontab.count == 3)
    for line in crontab {
      let command = String(line.1).replacing("/usr/local/bin/", with: "").replacing("/srv/hour/", with: "")
      let outcome = try folder.shell("bolide() { \"$bolide\" \"$@\"; }\n\(command)")
      #expect(outcome == .silent, "\(command)")
    }
  }

  @Test func `the feeds of the page on feeds are imported as it shows`() throws {
    let page = try text("Sources/Bolide/Documentation.docc/Feeds.md")
    try expect(screens: 6, of: page, in: try Folder(), plain)
  }

  /// A console without what is another each time: durations, tokens, times and sizes.
  private func plain(_ text: String) -> String {
    text.replacing(#/\d+\.\d\d s/#, with: "SECONDS").replacing(#/b1-\w+-(\d+)-\w+/#) {
      "TOKEN \($0.1)"
    }
    .replacing(#/20\d\d-\d\d-\d\d \d\d:\d\d UTC|20\d\d-\d\d-\d\dT[\d:.]+Z/#, with: "TIME")
    .replacing(#/\d+\.\d kB/#, with: "SIZE").replacing(#/just now|\d+ s ago/#, with: "AGE")
  }

  @Test func `the fetches are what is printed`() throws {
    let folder = try Folder.withFireballs()
    let feed = root.appending(path: "SampleData/fireballs.json.gz").path
    try #require(try folder.bolide("import", "fireballs.yaml", feed) == .silent)
    try copySamples(to: folder)
    try expect(screens: 7, of: try text("Sources/Bolide/Documentation.docc/Fetching.md"), in: folder) { $0 }
  }

  /// Runs the commands of a page's consoles and compares what they print. A command begins with `$`, and its further lines
  /// with `>`.
  private func expect(
    screens count: Int, of page: String, in folder: Folder, _ plain: (String) -> String
  ) throws {
    let screens = page.matches(of: #/```console\n((?s:.*?))```/#)
    #expect(screens.count == count)
    for screen in screens {
      var commands: [[Substring]] = []
      for line in screen.1.split(separator: "\n") {
        if line.hasPrefix("$ ") {
          commands.append([line])
        } else if line.hasPrefix("> "), !commands.isEmpty {
          commands[commands.count - 1].append(line)
        }
      }
      var seen = ""
      for lines in commands {
        let text = lines.map { $0.dropFirst(2) }.joined(separator: "\n")
        let output = try folder.shell("bolide() { \"$bolide\" \"$@\"; }\nexec 2>&1\n\(text)").output
        seen += "\(lines.joined(separator: "\n"))\n\(output.replacing("\r\n", with: "\n"))"
      }
      #expect(plain(seen) == plain(String(screen.1)))
    }
  }

  static let hasValidator =
    (try? Folder().run("python3", ["-c", "import jsonschema, yaml"]).status) == 0

  @Test(.enabled(if: hasValidator, "python3 has no jsonschema and yaml"))
  func `the schema takes good pipelines and refuses what the parser refuses`() throws {
    let folder = try Folder()
    try folder.write(Folder.quakes, to: "quakes.yaml")
    let good = [
      try text("pipelines/fireballs.yaml"), try text("pipelines/neows.yaml"), try text("pipelines/blog.yaml"),
      Folder.quakes,
      Folder.quakes + "\nmax-age: 26h\nmax-rejects: 5\nlock-wait: 30\nmerge: { update-if-newer: time }",
      Folder.quakes
        + "\nmax-rejects: 2%\nunique: [[magnitude, time]]\nmerge: ignore\nwal-limit: 1GiB\nmemory: 48MiB\nhistory: { keep: 90d, cap: 256 MB }",
    ]
    let bad = [
      "max-age: 26", "max-rejects: some", "lock-wait: 5x", "merge: replace", "form: x", "atomic: maybe",
      "chunk-rows: 0",
      "wal-limit: big", "memory: big", "repeated-key: none", "keep-text: 7", "shape: round",
      "on-new-field: die",
      "history: { keep: 90 }", "children: { parts: { entity: Part, on-delete: none } }",
    ]
    for (index, pipeline) in (good + bad.map { Folder.quakes + "\n" + $0 }).enumerated() {
      try folder.write(pipeline, to: "one.yaml")
      let outcome = try folder.run(
        "python3",
        [
          "-c",
          "import json, sys, yaml, jsonschema\n"
            + "jsonschema.validate(yaml.safe_load(open('one.yaml')), json.load(open(sys.argv[1])))",
          root.appending(path: "pipelines/pipeline.schema.json").path,
        ])
      let isGood = index < good.count
      #expect((outcome.status == 0) == isGood, "\(pipeline.suffix(60)): \(outcome.errors.suffix(300))")
      #expect((try folder.bolide("check", "one.yaml").status == 0) == isGood, "\(pipeline.suffix(60))")
    }
  }
}
