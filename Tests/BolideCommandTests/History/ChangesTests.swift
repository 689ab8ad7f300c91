import Foundation
import Testing

/// `bolide changes`: what changed, one JSON object a line, the token after its changes.
@Suite struct ChangesTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "place": "x", "magnitude": 1}, {"id": "b", "place": "y", "magnitude": 2}, {"id": "ü\n\""}]"#,
      to: "one.json")
    try folder.write(#"[{"id": "a", "magnitude": 4, "time": "2020-01-01"}, {"id": "b"}]"#, to: "two.json")
    try #require(try folder.bolide("import", "quakes.yaml", "one.json") == .silent)
  }

  private let first = [
    #"{"tx":1,"kind":"insert","entity":"Region","id":1,"key":{"name":"x"}}"#,
    #"{"tx":1,"kind":"insert","entity":"Region","id":2,"key":{"name":"y"}}"#,
    #"{"tx":1,"kind":"insert","entity":"Quake","id":1,"key":{"id":"a"}}"#,
    #"{"tx":1,"kind":"insert","entity":"Quake","id":2,"key":{"id":"b"}}"#,
    #"{"tx":1,"kind":"insert","entity":"Quake","id":3,"key":{"id":"ü\n\""}}"#,
    #"{"tx":1,"commit":true,"token":"T1","at":"NOW","author":"quakes","pipeline":"quakes","run":1,"changes":5}"#,
  ]
  private let second = [
    #"{"tx":2,"kind":"update","entity":"Quake","id":1,"key":{"id":"a"},"changed":["time","magnitude"]}"#,
    #"{"tx":2,"kind":"update","entity":"Region","id":1,"key":{"name":"x"},"changed":["total"],"derived":true}"#,
    #"{"tx":2,"commit":true,"token":"T2","at":"NOW","author":"cron","pipeline":"quakes","run":2,"changes":2}"#,
  ]
  private let foreign = [
    #"{"tx":3,"kind":"delete","entity":"Quake","id":2,"key":{"id":"b"}}"#,
    #"{"tx":3,"kind":"update","entity":"Region","id":2,"key":{"name":"y"},"changed":["quakeCount","total"],"derived":true}"#,
    #"{"tx":3,"commit":true,"token":"T3","at":"NOW","author":null,"pipeline":null,"run":null,"changes":2}"#,
  ]

  @Test func `the lines of inserts, updates and another program's deletes`() throws {
    #expect(try changes() == first)
    #expect(try folder.bolide("import", "quakes.yaml", "two.json", "--author", "cron") == .silent)
    #expect(try changes() == first + second)
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'b'")
    // The deleted row's key is known also where it was inserted.
    #expect(try changes() == first + second + foreign)
    // Changes are assigned once.
    #expect(try changes() == first + second + foreign)
    #expect(try folder.sqlite("quakes.sqlite", "SELECT count(*) FROM bolide_transaction") == ["3"])
  }

  @Test func `each token leads on to what came after it`() throws {
    _ = try folder.bolide("import", "quakes.yaml", "two.json", "--author", "cron")
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'b'")
    let tokens = try tokens()
    try #require(tokens.count == 3)
    #expect(try changes("--since", tokens[0]) == second + foreign)
    #expect(try changes("--since", tokens[1]) == foreign)
    #expect(try changes("--since", tokens[2]) == [])
  }

  @Test func `a pipeline stands for its store`() throws {
    #expect(try folder.bolide("changes", "quakes.yaml") == folder.bolide("changes", "quakes.sqlite"))
  }

  @Test func `every line is an object by itself, and a commit counts the lines before it`() throws {
    _ = try folder.bolide("import", "quakes.yaml", "two.json")
    let output = try folder.shell(
      #"""
      "$bolide" changes quakes.sqlite | python3 -c '
      import json, sys
      count = 0
      for line in sys.stdin:
        change = json.loads(line)
        if "commit" in change:
          assert change["changes"] == count, change
          count = 0
        else:
          assert list(change)[:5] == ["tx", "kind", "entity", "id", "key"] and change["key"], change
          count += 1
      assert count == 0
      print("fine")'
      """#)
    #expect(output == Outcome(status: 0, output: "fine\n"))
  }

  @Test func `a reader that has read enough is no error`() throws {
    // More than a pipe holds, so that the tool meets the closed end.
    let rows = (1...5_000).map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
    try folder.write("[\(rows)]", to: "many.json")
    _ = try folder.bolide("import", "quakes.yaml", "many.json")
    let outcome = try folder.shell(#"{ "$bolide" changes quakes.sqlite; echo "status $?" >&2; } | head -n 1"#)
    #expect(outcome == Outcome(status: 0, output: first[0] + "\n", errors: "status 0\n"))
    let generated = try folder.shell(
      #"{ "$bolide" generate fireballs --rows 5000; echo "status $?" >&2; } | head -c 4"#)
    #expect(generated == Outcome(status: 0, output: #"{"si"#, errors: "status 0\n"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "the system has no /dev/full"))
  func `changes that cannot be written are an error`() throws {
    let outcome = try folder.shell(#""$bolide" changes quakes.sqlite > /dev/full"#)
    #expect(
      outcome
        == .failure(
          74, "standard output cannot be written (No space left on device)",
          "Check its destination, and run the same command again."))
  }

  /// The lines, without times and with short tokens.
  private func changes(_ arguments: String...) throws -> [String] {
    let outcome = try folder.shell(#""$bolide" changes quakes.sqlite \#(arguments.joined(separator: " "))"#)
    #expect(outcome.status == 0)
    #expect(outcome.errors.isEmpty)
    return outcome.lines.map { line in
      line.replacing(/"b1-[a-z0-9]{6}-(\d+)-[a-z0-9]{6}"/) { #""T\#($0.1)""# }
        .replacing(/"at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/, with: #""at":"NOW""#)
    }
  }

  private func tokens() throws -> [String] {
    try folder.bolide("changes", "quakes.sqlite").lines.compactMap {
      $0.firstMatch(of: /"token":"([^"]+)"/).map { String($0.1) }
    }
  }
}
