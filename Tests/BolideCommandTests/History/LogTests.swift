import Foundation
import Testing

/// `bolide log`, `bolide runs`, and the end of `bolide changes`.
@Suite struct LogTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try importing(
      #"[{"id": "a", "magnitude": 1, "place": "x"}, {"id": "b", "magnitude": 2, "place": "x"}]"#)
    try importing(#"[{"id": "a", "magnitude": 10}, {"id": "c", "magnitude": null, "place": "z"}]"#)
    try folder.sqlite(
      "quakes.sqlite", "UPDATE Quake SET magnitude = 99 WHERE id = 'a'; DELETE FROM Quake WHERE id = 'b'")
  }

  private func importing(_ records: String) throws {
    try folder.write(records, to: "feed.json")
    #expect(try folder.bolide("import", "quakes.yaml", "feed.json", "-q") == .silent)
  }

  private func log(_ words: String...) throws -> Outcome {
    try folder.bolide(arguments: ["log", "quakes.sqlite"] + words)
  }

  private func plain(_ text: String) -> String {
    text.replacing(#/20\d\d-\d\d-\d\dT[\d:.]+Z/#, with: "TIME")
  }

  @Test func `an object's changes are told with who made them, and values before and after`() throws {
    let text = try log("Quake", "a", "--format", "table")
    #expect(
      plain(text.output) == """
        TIME  insert of 1 by quakes, run 1, tx 1
          id: "a"
          magnitude: 1
          region: 1
        TIME  update of 1 by quakes, run 2, tx 2
          magnitude: 1 → 10
        TIME  update of 1 by another program, tx 3
          magnitude: 10 → 99

        """)
    #expect(
      try log("Quake", "--id", "1").lines.map(plain) == [
        #"{"tx":1,"at":"TIME","author":"quakes","run":1,"kind":"insert","id":1,"changes":{"id":{"new":"a"},"magnitude":{"new":1},"region":{"new":1}}}"#,
        #"{"tx":2,"at":"TIME","author":"quakes","run":2,"kind":"update","id":1,"changes":{"magnitude":{"old":1,"new":10}}}"#,
        #"{"tx":3,"at":"TIME","author":null,"run":null,"kind":"update","id":1,"changes":{"magnitude":{"old":10,"new":99}}}"#,
      ])
  }

  @Test func `one that is gone, or has another key, is found by the key that it had`() throws {
    #expect(
      try log("Quake", "id=b").lines.last.map(plain)
        == #"{"tx":3,"at":"TIME","author":null,"run":null,"kind":"delete","id":2,"changes":{"id":{"old":"b"},"magnitude":{"old":2},"region":{"old":1}}}"#
    )
    // Another object with the same key: both are told.
    try importing(#"[{"id": "b", "magnitude": 7}]"#)
    #expect(try log("Quake", "b", "--format", "table").output.contains("insert of 4 by quakes, run 3, tx 4"))
    #expect(try log("Quake", "b").lines.count == 3)
    try folder.sqlite("quakes.sqlite", "UPDATE Quake SET id = 'k=v' WHERE id = 'b'")
    #expect(try log("Quake", "b").lines.count == 4)
    #expect(try log("Quake", "k=v").lines.count == 2)
    // What history does not keep any more is not told.
    #expect(try folder.bolide("prune", "quakes.sqlite", "--keep-transactions", "1") == .silent)
    #expect(try log("Quake", "k=v").lines.count == 1)
    #expect(try log("Quake", "a") == .silent)
  }

  @Test func `a key of several parts is found though all its objects are gone`() throws {
    try folder.write(
      "bolide: 1\nstore: passes.sqlite\nentity: Pass\nkey: [body, n]\nattributes: { body: string, n: integer64 }\n",
      to: "passes.yaml")
    let records = (0..<500).map { #"{"body": "Earth", "n": \#($0)}"# }
    try folder.write("[\(records.joined(separator: ","))]", to: "passes.json")
    #expect(try folder.bolide("import", "passes.yaml", "passes.json") == .silent)
    try folder.sqlite("passes.sqlite", "DELETE FROM Pass")
    let log = try folder.bolide("log", "passes.sqlite", "Pass", "body=Earth", "n=77")
    #expect(log.lines.count == 2 && log.lines.allSatisfy { $0.contains(#""id":78,"#) }, "\(log)")
    #expect(try folder.bolide("log", "passes.sqlite", "Pass", "body=Mars", "n=77").status == 64)
  }

  @Test func `derived changes are told when they are asked for`() throws {
    let asked = try log("Region", "x", "--derived").lines
    #expect(asked.count == 4)
    #expect(
      asked[1].contains(#""kind":"update","id":1,"derived":true,"changes":{"total":{"old":3,"new":12}}"#))
    #expect(try log("Region", "x").lines.count == 1)
  }

  @Test func `what is not there is told by name`() throws {
    #expect(
      try log("Quake", "zz")
        == .failure(
          64, "quakes.sqlite: there is no Quake with this key, and history knows of none",
          "The object's key is id."))
    #expect(try log("Quake", "a", "b").errors.contains("an object of Quake is named by its key, id"))
    #expect(try log("Quake").errors.contains("use either the object's key or --id"))
    #expect(try log("Quake", "a", "--id", "1").status == 64)
    #expect(try log("Quack", "a").status == 64)
    #expect(try log("Quake", "--id", "77").status == 64)
  }

  @Test func `runs are listed, the newest first, with what they read in fields`() throws {
    try folder.write("[{", to: "bad.json")
    #expect(try folder.bolide("import", "quakes.yaml", "bad.json").status == 65)
    #expect(try folder.bolide("revert", "quakes.sqlite", "--run", "2", "--force") == .silent)
    let table = try folder.bolide("runs", "quakes.sqlite", "--format", "table").lines
    #expect(
      table.map { $0.replacing(#/20\d\d-\d\d-\d\d \d\d:\d\d UTC  \d+\.\d\d s/#, with: "TIME  SECONDS") }.map {
        $0.split(separator: " ").joined(separator: " ")
      } == [
        "RUN PIPELINE STARTED TOOK OUTCOME READ NEW UPDATED REJECTED MISSING INPUT",
        "3 quakes TIME SECONDS input-ends 0 0 0 0 bad.json",
        "2 quakes TIME SECONDS ok, reverted 2 1 1 0 feed.json",
        "1 quakes TIME SECONDS ok 2 2 0 0 feed.json",
      ])
    let lines = try folder.bolide("runs", "quakes.sqlite", "--limit", "2").lines
    #expect(lines.count == 2)
    let run = try #require(try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
    #expect(run["run"] as? Int == 2 && run["outcome"] as? String == "ok" && run["reverted"] as? Int == 4)
    let fields = run["fields"] as? [[String: Any]] ?? []
    #expect(fields.map { $0["attribute"] as? String } == ["id", "magnitude", "place", "time"])
    #expect(fields.map { $0["present"] as? Int } == [2, 2, 1, 0])
    #expect(fields.map { $0["nulls"] as? Int } == [0, 1, 0, 0])
    #expect(fields.map { $0["records"] as? Int } == [2, 2, 2, 2])
    #expect(try folder.bolide("runs", "quakes.yaml", "--pipeline", "other") == .silent)
    #expect(try folder.bolide("runs", "quakes.yaml", "--pipeline", "quakes.yaml").lines.count == 3)
    #expect(
      try folder.bolide("runs", "quakes.sqlite", "--limit", "0").errors.contains("--limit must be at least 1")
    )
  }

  @Test func `changes end with a transaction, or before an instant`() throws {
    func changes(_ options: String...) throws -> [String] {
      try folder.bolide(arguments: ["changes", "quakes.sqlite"] + options).lines
    }
    let all = try changes()
    let first = try changes("--until", "1")
    #expect(first == Array(all.prefix(first.count)) && first.last?.contains(#""tx":1,"commit":true"#) == true)
    let token = try #require(first.last?.firstMatch(of: /"token":"([^"]+)"/)?.1)
    #expect(try changes("--until", String(token)) == first)
    #expect(try changes("--since", "1", "--until", "2").allSatisfy { $0.hasPrefix(#"{"tx":2,"#) })
    #expect(try changes("--since", "2", "--until", "1") == [])
    #expect(try changes("--until", "2020-01-01") == [])
    #expect(try changes("--until", "2999-01-01") == all)
    #expect(
      try changes("--until", "2", "--count")
        == changes("--until", "2").filter { !$0.contains("commit") }.count.lines)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--until", "99").status == 83)
    #expect(try folder.bolide("changes", "quakes.sqlite", "--until", "2020-02-30").status == 64)
  }
}

extension Int {
  fileprivate var lines: [String] { ["\(self)"] }
}
