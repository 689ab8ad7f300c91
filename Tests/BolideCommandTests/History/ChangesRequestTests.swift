import Foundation
import Testing

/// `bolide changes` with a question: where from, which changes, and what of them.
@Suite struct ChangesRequestTests {
  private let folder: Folder

  init() throws {
    folder = try Folder.withQuakes()
    try folder.write(
      #"[{"id": "a", "place": "x", "magnitude": 1}, {"id": "b", "place": "x"}]"#, to: "one.json")
    try folder.write(#"[{"id": "a", "magnitude": 4}, {"id": "c", "place": "x"}]"#, to: "two.json")
    try #require(try folder.bolide("import", "quakes.yaml", "one.json") == .silent)
    try #require(try folder.bolide("import", "quakes.yaml", "two.json", "--author", "cron") == .silent)
    try folder.sqlite("quakes.sqlite", "DELETE FROM Quake WHERE id = 'b'")
  }

  /// The lines without what differs from run to run.
  private func changes(_ arguments: String) throws -> [String] {
    let outcome = try folder.shell(#""$bolide" changes quakes.sqlite \#(arguments)"#)
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    return outcome.lines.map { line in
      line.replacing(/b1-[a-z0-9]{6}-(\d+)-[a-z0-9]{6}/) { "T\($0.1)" }
        .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "NOW")
    }
  }

  /// `insert Quake 1` for each change, and `end 1` for each commit.
  private func brief(_ arguments: String) throws -> [String] {
    try changes(arguments).map { line in
      if let commit = line.firstMatch(of: /"tx":(\d+),"commit":(true|false),.*"changes":(\d+)/) {
        return "\(commit.2 == "true" ? "end" : "page") \(commit.1) of \(commit.3)"
      }
      let change = line.firstMatch(of: /"kind":"(\w+)","entity":"(\w+)","id":(\d+)/)
      return change.map { "\($0.1) \($0.2) \($0.3)" } ?? line
    }
  }

  @Test func `by author, entity, kind and attribute`() throws {
    #expect(
      try brief("--author cron") == [
        "update Quake 1", "insert Quake 3", "update Region 1", "end 2 of 3", "end 3 of 0",
      ])
    // What another program did has no author, and is not lost.
    #expect(
      try brief("--not-author quakes --not-author nobody --entity Quake")
        == ["update Quake 1", "insert Quake 3", "end 2 of 2", "delete Quake 2", "end 3 of 1"])
    #expect(
      try brief("--entity Region --kind update")
        == ["update Region 1", "end 2 of 1", "update Region 1", "end 3 of 1"])
    #expect(
      try brief("--attribute Quake.magnitude --kind update") == [
        "update Quake 1", "end 2 of 1", "end 3 of 0",
      ])
    #expect(try changes("--count") == ["8"])
    #expect(try changes("--count --kind delete") == ["1"])
    #expect(try changes("--count --net") == ["3"])
  }

  @Test func `only objects, or only transactions`() throws {
    let objects = [
      #"{"entity":"Quake","id":1}"#, #"{"entity":"Quake","id":2}"#, #"{"entity":"Region","id":1}"#,
      #"{"entity":"Quake","id":3}"#,
    ]
    // An owner is there before its first row.
    #expect(try changes("--ids") == [objects[2], objects[0], objects[1], objects[3]])
    #expect(try changes("--ids --since 1 --entity Quake") == [objects[0], objects[3], objects[1]])
    #expect(try changes("--ids --net") == [objects[0], objects[3], objects[2]])
    #expect(try changes("--ids --since 3") == [])
    #expect(
      try changes("--transactions --since 1") == [
        #"{"tx":2,"commit":true,"token":"T2","at":"NOW","author":"cron","pipeline":"quakes","run":2,"changes":3}"#,
        #"{"tx":3,"commit":true,"token":"T3","at":"NOW","author":null,"pipeline":null,"run":null,"changes":2}"#,
      ])
    // They count what the filters let through.
    #expect(try brief("--transactions --kind delete") == ["end 3 of 1"])
    #expect(
      try changes("--transactions --since 2 --format table") == [
        "    tx  what    entity                id  key                       changed",
        "     3  commit  2 changes at NOW by another program, token T3",
      ])
  }

  @Test func `from a number, a day or an instant`() throws {
    #expect(
      try brief("--since 1 --entity Quake --kind insert") == ["insert Quake 3", "end 2 of 1", "end 3 of 0"])
    #expect(try brief("--since 3") == [])
    #expect(try brief("--since 2000-01-01 --kind delete") == ["delete Quake 2", "end 3 of 1"])
    #expect(try brief("--since 2999-12-31T23:59Z") == [])
    try folder.sqlite(
      "quakes.sqlite", "UPDATE bolide_transaction SET at = '2000-01-0' || number || 'T00:00:00.000Z'")
    #expect(try brief("--since 2000-01-03T00:00:00Z --kind delete") == ["delete Quake 2", "end 3 of 1"])
    #expect(try brief("--since 2000-01-03T00:00:01Z") == [])
  }

  @Test func `net changes, with the values before and now`() throws {
    #expect(
      try changes("--net --values --previous --since 1") == [
        #"{"tx":3,"kind":"update","entity":"Quake","id":1,"key":{"id":"a"},"changed":["magnitude"],"values":{"id":"a","time":null,"magnitude":4,"region":1},"previous":{"magnitude":1}}"#,
        #"{"tx":3,"kind":"delete","entity":"Quake","id":2,"key":{"id":"b"},"values":null,"previous":{"id":"b","region":1}}"#,
        #"{"tx":3,"kind":"insert","entity":"Quake","id":3,"key":{"id":"c"},"values":{"id":"c","time":null,"magnitude":null,"region":1}}"#,
        #"{"tx":3,"kind":"update","entity":"Region","id":1,"key":{"name":"x"},"changed":["total"],"derived":true,"values":{"name":"x","quakeCount":2,"total":4},"previous":{"total":1}}"#,
        #"{"tx":3,"commit":true,"token":"T3","at":"NOW","author":null,"pipeline":null,"run":null,"changes":4}"#,
      ])
    #expect(try brief("--net") == ["insert Quake 1", "insert Quake 3", "insert Region 1", "end 3 of 3"])
  }

  @Test func `pages go on inside a transaction`() throws {
    var lines: [String] = []
    var since = "0"
    for _ in 0..<20 {
      let outcome = try folder.bolide("changes", "quakes.sqlite", "--since", since, "--limit", "2")
      guard let last = outcome.lines.last else { break }
      lines += outcome.lines
      since = String(try #require(last.firstMatch(of: /"token":"([^"]+)"/)?.1))
    }
    let whole = try folder.bolide("changes", "quakes.sqlite").lines
    #expect(lines.filter { !$0.contains(#""commit""#) } == whole.filter { !$0.contains(#""commit""#) })
    #expect(lines.filter { $0.contains(#""commit":true"#) }.count == 3)
    #expect(lines.filter { $0.contains(#""commit":false"#) }.count == 2)
  }

  @Test func `a table for people`() throws {
    let table = try changes("--format table --since 1 --previous")
    #expect(
      table == [
        "    tx  what    entity                id  key                       changed",
        #"     2  update  Quake                  1  "a"                       magnitude was 1"#,
        #"     2  insert  Quake                  3  "c""#,
        #"     2  update  Region                 1  "x"                       quakeCount was 2, total was 1 (derived)"#,
        "     2  commit  3 changes at NOW by cron, run 2, token T2",
        #"     3  delete  Quake                  2  "b"                       id was "b", region was 1"#,
        #"     3  update  Region                 1  "x"                       quakeCount was 3 (derived)"#,
        "     3  commit  2 changes at NOW by another program, token T3",
      ])
  }

  @Test(arguments: [
    (
      ["--kind", "upsert"],
      "Error: The value 'upsert' is invalid for '--kind <kind>': 'upsert' is not one of insert, update, delete\n"
    ),
    (
      ["--entity", "Qake"],
      "Error: quakes.sqlite: the store has no entity 'Qake'.\n       It has Quake, Region.\n"
    ),
    (["--attribute", "size"], "Error: quakes.sqlite: the store has no attribute or relationship 'size'.\n"),
    (["--limit", "0"], "Error: quakes.sqlite: the limit must be at least 1.\n"),
    (["--net", "--author", "me"], "Error: quakes.sqlite: net changes cannot be filtered by author.\n"),
  ]) func `a question that cannot be answered`(arguments: [String], errors: String) throws {
    let outcome = try folder.run(Folder.tool, ["changes", "quakes.sqlite"] + arguments)
    #expect(outcome.status == 64 && outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix(errors), "\(outcome.errors)")
  }
}
