import Foundation
import Testing

/// `bolide diff --sections`: what turns an older list of sections into the newer one.
@Suite struct DiffSectionTests {
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

  @Test func `sections that go and come, and objects that move between sections`() throws {
    let start = try token()
    try folder.sqlite(
      "quakes.sqlite",
      """
      UPDATE Quake SET region_id = 1 WHERE id = 'a';
      UPDATE Quake SET felt = 1, region_id = NULL WHERE magnitude = -1;
      DELETE FROM Quake WHERE magnitude > 100;
      """)
    let arguments = ["diff", "quakes.sqlite", "Quake", "--since", start, "--only", "magnitude"]
    #expect(
      try lines(arguments + ["--sections", "region.name", "--sort", "magnitude"]) == [
        #"{"kind":"delete","from":[0,0],"id":3,"values":{"magnitude":1e+300}}"#,
        #"{"kind":"delete-section","from":2,"section":"west"}"#,
        #"{"kind":"move","from":[2,0],"to":[0,0],"id":4,"changed":["felt","region"],"values":{"magnitude":-1}}"#,
        #"{"kind":"move","from":[2,1],"to":[1,1],"id":2,"changed":["region"],"values":{"magnitude":5.5}}"#,
      ])
    // What is sorted by first need not be named twice, and can fall.
    #expect(
      try lines(arguments + ["--sections", "felt", "--sort", "-felt,id"]) == [
        #"{"kind":"delete","from":[2,1],"id":3,"values":{"magnitude":1e+300}}"#,
        #"{"kind":"delete-section","from":1,"section":false}"#,
        #"{"kind":"update","from":[0,0],"to":[0,0],"id":2,"changed":["region"],"values":{"magnitude":5.5}}"#,
        #"{"kind":"move","from":[1,0],"to":[0,1],"id":4,"changed":["felt","region"],"values":{"magnitude":-1}}"#,
      ])
    // Without another place in the whole list, it is in another section.
    try folder.sqlite("quakes.sqlite", "UPDATE Region SET name = 'zone' WHERE bolide_id = 1")
    #expect(
      try lines(
        [
          "diff", "quakes.sqlite", "Quake", "--since", start, "--sections", "region.name", "--where",
          "id = ''",
        ]
          + ["--only", "id"]) == [
          #"{"kind":"delete-section","from":0,"section":"o, \"east\""}"#,
          #"{"kind":"insert-section","to":0,"section":"zone"}"#,
          #"{"kind":"move","from":[0,0],"to":[0,0],"id":1,"changed":[],"values":{"id":""}}"#,
        ])
    #expect(
      try folder.bolide("diff", "quakes.sqlite", "Quake", "--since", start, "--sections", "regoin")
        == .failure(
          64, "quakes.sqlite: Quake has no attribute or relationship 'regoin'; did you mean 'region'?"))
  }

  // MARK: Any two states

  /// A section's value, and its objects.
  private struct Section: Equatable {
    var name: String
    var rows: [String]
  }

  /// The newer list, as the command's help says how to make it.
  private func apply(_ lines: [String], to old: [Section]) throws -> [Section] {
    func place(_ name: String, _ line: String) throws -> (section: Int, row: Int)? {
      let form = try Regex(#""\#(name)":\[(\d+),(\d+)\]"#, as: (Substring, Substring, Substring).self)
      return try line.firstMatch(of: form).map {
        (try #require(Int($0.output.1)), try #require(Int($0.output.2)))
      }
    }
    func kind(_ line: String) -> String { String(line.dropFirst(9).prefix { $0 != "\"" }) }
    var list = old
    let gone = try lines.filter { ["delete", "move"].contains(kind($0)) }
      .map { try #require(try place("from", $0)) }
    for place in gone.sorted(by: >) { list[place.section].rows.remove(at: place.row) }
    for line in lines {
      let values = line.firstMatch(of: /"values":(\{.*\})\}$/).map { String($0.1) } ?? ""
      switch kind(line) {
      case "delete":
        let from = try #require(try place("from", line))
        #expect(old[from.section].rows[from.row] == values)
      case "delete-section":
        let from = try #require(line.firstMatch(of: /"from":(\d+),"section":(.*)\}$/))
        let section = list.remove(at: try #require(Int(from.1)))
        #expect(section == Section(name: String(from.2), rows: []))
      case "insert-section":
        let to = try #require(line.firstMatch(of: /"to":(\d+),"section":(.*)\}$/))
        list.insert(Section(name: String(to.2), rows: []), at: try #require(Int(to.1)))
      case "insert", "move":
        let to = try #require(try place("to", line))
        list[to.section].rows.insert(values, at: to.row)
      case "update":
        let (from, to) = (try #require(try place("from", line)), try #require(try place("to", line)))
        #expect(list[to.section].rows[to.row] == old[from.section].rows[from.row])
        list[to.section].rows[to.row] = values
      default: Issue.record("\(line)")
      }
    }
    return list
  }

  @Test(arguments: 0..<1)
  func `the lines turn the older sections into the newer ones`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var tokens = [try token()]
    for state in 0..<5 {
      let edits = (0..<5).map { edit -> String in
        let id = Int.random(in: 1...12, using: &random)
        let magnitude = Int.random(in: 0...4, using: &random)
        let felt = ["0", "1", "NULL"].randomElement(using: &random) ?? "0"
        return switch Int.random(in: 0..<8, using: &random) {
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
    let sections = ["magnitude": "magnitude", "region.name": "region\":{\"name", "felt": "felt"]
    for (section, member) in sections.sorted(by: { $0.key < $1.key }) {
      let list = ["--where", "magnitude > -10", "--only", "id,\(section),felt"]
      let order = seed % 2 == 0 ? "\(section),-felt,id" : "-\(section),felt"
      let states = try tokens.map { token in
        try lines(["fetch", "quakes.sqlite", "Quake", "--at", token, "--sort", order] + list)
          .reduce(into: [Section]()) { all, line in
            let form = try Regex(#""\#(member)":("(?:[^"\\]|\\.)*"|[^,}]*)"#, as: (Substring, Substring).self)
            let name = line.firstMatch(of: form).map { String($0.output.1) } ?? "null"
            if all.last?.name == name {
              all[all.count - 1].rows.append(line)
            } else {
              all.append(Section(name: name, rows: [line]))
            }
          }
      }
      for older in tokens.indices {
        for newer in tokens.indices[older...] {
          let found = try lines(
            ["diff", "quakes.sqlite", "Quake", "--since", tokens[older], "--until", tokens[newer]]
              + ["--sections", section, "--sort", order] + list)
          #expect(try apply(found, to: states[older]) == states[newer], "\(older) to \(newer), \(section)")
          kinds.formUnion(found.map { $0.dropFirst(9).prefix { $0 != "\"" } })
        }
      }
    }
    #expect(kinds.isSuperset(of: ["delete", "delete-section", "insert", "insert-section", "move", "update"]))
  }
}
