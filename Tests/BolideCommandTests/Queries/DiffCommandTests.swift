import Foundation
import Testing

/// `bolide diff`: what turns a fetch's older list into its newer one.
@Suite struct DiffCommandTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withTypedQuakes()
  }

  private func token() throws -> String {
    try folder.bolide("token", "quakes.sqlite").output.trimmingCharacters(in: .newlines)
  }

  private func lines(_ arguments: [String]) throws -> [String] {
    let outcome = try folder.bolide(arguments: arguments)
    try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(arguments): \(outcome)")
    return outcome.lines
  }

  @Test func `who went, then who came, moved and changed, in their places`() throws {
    let start = try token()
    try folder.sqlite(
      "quakes.sqlite",
      """
      UPDATE Quake SET magnitude = 9 WHERE id = 'a';
      UPDATE Quake SET magnitude = 7, felt = 1 WHERE id = '';
      DELETE FROM Quake WHERE magnitude > 100;
      INSERT INTO Quake (id, magnitude) VALUES ('new', 8);
      UPDATE Region SET name = 'W' WHERE name = 'west';
      """)
    let middle = try token()
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = -2 WHERE id = 'a'")
    let options = ["--since", start, "--sort", "-magnitude", "--only", "id,magnitude,region.name"]
    let old = try lines(["fetch", "quakes.sqlite", "Quake", "--at", start] + options.dropFirst(2))
    #expect(old.map { $0.prefix(8) } == [#"{"id":"d"#, #"{"id":"a"#, #"{"id":"""#, #"{"id":"s"#])
    // A region's name is not its quakes': the last one has not changed.
    #expect(
      try lines(["diff", "quakes.sqlite", "Quake", "--until", middle] + options) == [
        #"{"kind":"delete","from":0,"id":3,"values":{"id":"d\u001b[2J\u0009","magnitude":1e+300,"region":null}}"#,
        #"{"kind":"update","from":1,"to":0,"id":2,"changed":["magnitude"],"values":{"id":"a","magnitude":9,"region":{"name":"W"}}}"#,
        #"{"kind":"insert","to":1,"id":5,"values":{"id":"new","magnitude":8,"region":null}}"#,
        #"{"kind":"update","from":2,"to":2,"id":1,"changed":["magnitude","felt"],"values":{"id":"","magnitude":7,"region":{"name":"o, \"east\""}}}"#,
      ])
    // The newest token is the standard.
    let moved = [
      #"{"kind":"move","from":0,"to":3,"id":2,"changed":["magnitude"],"values":{"id":"a","magnitude":-2,"region":{"name":"W"}}}"#
    ]
    let rest = Array(options.dropFirst(2))
    #expect(try lines(["diff", "quakes.sqlite", "Quake", "--since", middle] + rest) == moved)
    #expect(try lines(["diff", "quakes.yaml", "Quake", "--since", middle] + rest) == moved)
    // Whoever gives way in a list with a limit leaves it, and whoever is let in comes.
    #expect(
      try lines(
        ["diff", "quakes.sqlite", "Quake", "--since", middle, "--sort=-magnitude", "--limit", "2"]
          + ["--offset", "1", "--where", "magnitude IS NOT ?", "--bind", "100", "--only", "id"])
        == [
          #"{"kind":"delete","from":0,"id":5,"values":{"id":"new"}}"#,
          #"{"kind":"insert","to":1,"id":4,"values":{"id":"say \"b\",\u000d\nor so"}}"#,
        ])
    #expect(try lines(["diff", "quakes.sqlite", "Quake", "--since", middle, "--until", middle]) == [])
  }

  // MARK: Any two states

  private struct Line {
    let kind: Substring
    let from: Int?
    let to: Int?
    let changed: Substring?
    let values: String

    init(_ line: String) throws {
      let parts = try #require(
        line.wholeMatch(
          of:
            /\{"kind":"(\w+)"(?:,"from":(\d+))?(?:,"to":(\d+))?,"id":\d+(?:,"changed":(\[.*?\]))?,"values":(\{.*\})\}/
        )?.output, "\(line)")
      (kind, changed, values) = (parts.1, parts.4, String(parts.5))
      (from, to) = (parts.2.flatMap { Int($0) }, parts.3.flatMap { Int($0) })
    }
  }

  /// The newer list, as the command's help says how to make it.
  private func apply(_ lines: [Line], to old: [String]) throws -> [String] {
    var list = old
    let gone = lines.filter { ["delete", "move"].contains($0.kind) }
    for place in try gone.map({ try #require($0.from) }).sorted(by: >) { list.remove(at: place) }
    for line in lines {
      switch line.kind {
      case "delete":
        #expect(try line.to == nil && line.changed == nil && old[#require(line.from)] == line.values)
      case "insert":
        #expect(line.from == nil && line.changed == nil)
        list.insert(line.values, at: try #require(line.to))
      case "move":
        #expect(try (old[#require(line.from)] == line.values) == (line.changed == "[]"))
        list.insert(line.values, at: try #require(line.to))
      case "update":
        let (from, to) = (try #require(line.from), try #require(line.to))
        #expect(list[to] == old[from] && list[to] != line.values && line.changed != "[]")
        list[to] = line.values
      default: Issue.record("\(line)")
      }
    }
    return list
  }

  private static let lists = [
    [], ["--sort", "-magnitude,felt", "--limit", "5", "--offset", "1"],
    ["--where", "felt IS NOT 0", "--sort", "region.name,-magnitude"],
  ]

  @Test(arguments: 0..<1)
  func `the lines turn the older list into the newer one`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var tokens = [try token()]
    for state in 0..<4 {
      let edits = (0..<4).map { edit -> String in
        let id = Int.random(in: 1...12, using: &random)
        let magnitude = Int.random(in: 0...4, using: &random)
        let felt = ["0", "1", "NULL"].randomElement(using: &random) ?? "0"
        // The last edits delete something in any case.
        return switch state == 3 && edit == 0 ? 0 : Int.random(in: 0..<8, using: &random) {
        case 0: "DELETE FROM Quake WHERE bolide_id % 3 = \(id % 3)"
        case 1: "UPDATE Quake SET region_id = 3 - region_id WHERE bolide_id = \(id)"
        case 2: "UPDATE Region SET name = '\(magnitude)' || bolide_id WHERE bolide_id = \(id % 2 + 1)"
        case 3, 4: "UPDATE Quake SET magnitude = \(magnitude), felt = \(felt) WHERE bolide_id % 4 = \(id % 4)"
        default:
          "INSERT INTO Quake (id, magnitude, felt, region_id) VALUES ('\(state) \(edit)', \(magnitude), \(felt), \(id % 2 + 1))"
        }
      }
      try folder.sqlite("quakes.sqlite", "BEGIN; \(edits.joined(separator: "; ")); COMMIT")
      tokens.append(try token())
    }
    var kinds: Set<Substring> = []
    for list in Self.lists {
      let states = try tokens.map { try lines(["fetch", "quakes.sqlite", "Quake", "--at", $0] + list) }
      for older in tokens.indices {
        for newer in tokens.indices[older...] {
          let found = try lines(
            ["diff", "quakes.sqlite", "Quake", "--since", tokens[older], "--until", tokens[newer]] + list
          ).map(Line.init)
          #expect(try apply(found, to: states[older]) == states[newer], "\(older) to \(newer), \(list)")
          // First who left, by their old places; then all others by their new ones, each once.
          let left = found.prefix { $0.kind == "delete" }
          #expect(left.compactMap(\.from) == left.compactMap(\.from).sorted())
          let places = found.dropFirst(left.count).compactMap(\.to)
          #expect(places.count == found.count - left.count && places == Set(places).sorted())
          kinds.formUnion(found.map(\.kind))
        }
      }
    }
    #expect(kinds == ["delete", "insert", "move", "update"])
  }

  // MARK: Refusals

  @Test func `tokens are refused as those of fetch and changes are, and what is asked for too`() throws {
    let start = try token()
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 3")
    let end = try token()
    func status(_ arguments: String...) throws -> Int32 {
      try folder.bolide(arguments: ["diff", "quakes.sqlite", "Quake"] + arguments).status
    }
    #expect(
      try folder.bolide("diff", "quakes.sqlite", "Quake", "--since", end, "--until", start)
        == .failure(
          64, "quakes.sqlite: the request ends at \(start), before its start",
          "Use the older token as the start."))
    #expect(try status("--since", "b1-aaaaaa-1-aaaaaa") == 82)
    #expect(try status("--since", start, "--until", "b1-aaaaaa-1-aaaaaa") == 82)
    #expect(try status("--since", "yesterday") == 64)
    #expect(try status() == 64)
    #expect(try status("--since", start, "--bind", "1") == 64)
    #expect(try status("--since", start, "--where", "magnitud > 1") == 64)
    #expect(try status("--since", start, "--with", "region") == 64)
    try #require(try folder.bolide("backup", "quakes.sqlite", "backup.sqlite").status == 0)
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET magnitude = 4")
    let future = try token()
    #expect(
      try folder.bolide("diff", "backup.sqlite", "Quake", "--since", start, "--until", future).status == 83)
    try #require(try folder.bolide("prune", "quakes.sqlite", "--keep-transactions", "0").status == 0)
    #expect(try status("--since", start) == 80)
    #expect(try status("--since", start, "--until", end) == 80)
    #expect(try status("--since", future) == 0)
  }
}
