import Foundation
import ImportModel
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// What a chunk does to the rows of the table.
struct ApplyTests {
  private let temporary: TemporaryStore
  private let store: SQLiteEngine
  private let pipeline: Pipeline

  init() throws {
    temporary = try TemporaryStore()
    pipeline = Quakes.pipeline {
      $0[entity: "Quake"].attributes.append(Attribute(name: "grade", type: .integer16, isRequired: true))
      $0.fields.append(Field("grade"))
    }
    store = try temporary.open(pipeline)
  }

  private func quake(_ id: String) throws -> [Value] {
    try store.rows("SELECT magnitude, depth, kind, seen, grade FROM Quake WHERE id = \(literal(id))").first
      ?? []
  }

  @Test func `New, changed and equal rows are told apart, and counts add up`() throws {
    let first = try store.take(
      pipeline, [["id": "a", "grade": 1], ["id": "b", "grade": 1], ["id": "b", "grade": 2]])
    #expect(first.counts.line == "3 = 2 inserted + 1 superseded")
    let second = try store.take(
      pipeline, [["id": "a", "grade": 1], ["id": "b", "grade": 3], ["id": "c", "grade": 1], ["id": "d"]])
    #expect(second.counts.line == "4 = 1 inserted + 1 updated + 1 unchanged + 1 rejected")
    #expect(try store.integer("SELECT count(*) FROM Quake") == 3)
    let runs = try store.rows(
      "SELECT read, inserted, updated, unchanged, superseded, rejected FROM bolide_run")
    #expect(runs == [[3, 2, 0, 0, 1, 0], [4, 1, 1, 1, 0, 1]])
  }

  @Test func `What a record leaves out stays, null clears, a value sets`() throws {
    try store.take(pipeline, [["id": "a", "grade": 1, "magnitude": 4.5, "depth": 7]])
    try store.take(pipeline, [["id": "a", "magnitude": .null]])
    #expect(try quake("a") == [.null, 7, "quake", .null, 1])
    try store.take(pipeline, [["id": "a", "magnitude": 5.5, "kind": .null]])
    #expect(try quake("a") == [5.5, 7, .null, .null, 1])
    let again = try store.take(pipeline, [["id": "a", "kind": .null]])
    #expect(again.counts.line == "1 = 1 unchanged")
  }

  @Test func `A default is for new rows only, and not for null`() throws {
    try store.take(
      pipeline,
      [
        ["id": "a", "grade": 1], ["id": "b", "grade": 1, "kind": .null],
        ["id": "c", "grade": 1, "kind": "blast"],
      ])
    let again = try store.take(pipeline, [["id": "b", "depth": 1], ["id": "c", "depth": 1]])
    #expect(again.counts.line == "2 = 2 updated")
    #expect(try store.rows("SELECT kind FROM Quake ORDER BY id") == [["quake"], [.null], ["blast"]])
  }

  @Test func `A new row without a required value is rejected, a row that is there needs none`() throws {
    try store.take(pipeline, [["id": "a", "grade": 1]])
    let progress = try store.take(pipeline, [["id": "a", "depth": 9], ["id": "b", "depth": 9]])
    #expect(progress.counts.line == "2 = 1 updated + 1 rejected")
    #expect(
      try store.rows("SELECT code, message, attribute, input, record, times FROM bolide_reject")
        == [["missing", "grade is required, and a new row has no value for it", "grade", "test", 2, 1]])
    try store.take(pipeline, [["id": "b", "depth": 9]], [["id": "b", "depth": 9]])
    #expect(try store.integer("SELECT count(*) FROM Quake") == 1)
  }

  /// Behind a chunk of new rows, the next one is not looked for in the table, which then says that some are there.
  @Test func `A chunk after one of new rows may have rows that are there`() throws {
    let pipeline = Quakes.pipeline(when: .always)
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    func record(_ id: Value, _ depth: Value, _ region: Value) -> Record {
      ["id": id, "kind": "blast", "depth": depth, "@region": region]
    }
    let progress = try store.take(
      pipeline, [record("a", 1, "x"), record("b", 1, "x")], [record("c", 1, "y"), record("d", 1, "x")],
      [record("e", 1, "z"), record("b", 2, "z"), record("c", 1, "y"), record("f", 1, "new")],
      [record("g", 1, "x")], [record("h", 1, "x"), record("g", 1, "x")])
    #expect(progress.counts.line == "11 = 8 inserted + 1 updated + 2 unchanged")
    #expect(progress.counts.repeated == 1 && progress.chunks == 5)
    #expect(
      try store.rows(
        "SELECT q.id, depth, code FROM Quake AS q JOIN Region AS r ON r.bolide_id = region_id ORDER BY q.id")
        == [
          ["a", 1, "x"], ["b", 2, "z"], ["c", 1, "y"], ["d", 1, "x"], ["e", 1, "z"], ["f", 1, "new"],
          ["g", 1, "x"],
          ["h", 1, "x"],
        ])
    #expect(
      try store.rows(
        "SELECT t.number, c.kind, c.first, c.last FROM bolide_transaction AS t JOIN bolide_change AS c "
          + "ON c.change BETWEEN t.first_change AND t.last_change WHERE c.entity = "
          + "(SELECT entity FROM bolide_entity WHERE name = 'Quake') AND NOT (kind = 1 AND first > 2) ORDER BY c.change"
      )
        == [[1, 0, 1, 2], [2, 0, 3, 4], [3, 1, 2, 2], [3, 0, 5, 6], [4, 0, 7, 7], [5, 0, 8, 8]])
    #expect(
      try store.rows("SELECT code, quakeCount FROM Region ORDER BY code") == [
        ["new", 1], ["x", 4], ["y", 1], ["z", 2],
      ])
  }

  @Test func `The same reject again is one row with a count`() throws {
    for _ in 0..<3 {
      let run = try SQLiteImport(store, pipeline, input: "test")
      let chunk = Chunk(layout: run.layout)
      for number in 1...2 {
        chunk.recordsRead += 1
        var reject = RejectedRecord.sample
        reject.record = number
        reject.text = "{\"n\": \(number)}"
        chunk.rejects.append(reject)
      }
      chunk.sortAndFold()
      try run.apply(chunk, bytes: 1)
      try run.finish(outcome: "ok", bytes: 1)
    }
    let query = """
      SELECT t.text, times, first_run, last_run FROM bolide_reject AS r JOIN bolide_reject_text AS t ON t.id = r.text
      ORDER BY 1
      """
    #expect(try store.rows(query) == [["{\"n\": 1}", 3, 1, 3], ["{\"n\": 2}", 3, 1, 3]])
  }

  @Test func `A difference in volatile attributes alone changes nothing, with another it is written`() throws
  {
    try store.take(pipeline, [["id": "a", "grade": 1, "seen": 10]])
    let alone = try store.take(pipeline, [["id": "a", "seen": 20]])
    #expect(alone.counts.line == "1 = 1 unchanged" && alone.token == nil)
    #expect(try quake("a")[3] == 10)
    try store.take(pipeline, [["id": "a", "seen": 30, "depth": 1]])
    #expect(try quake("a")[3] == 30)
  }

  @Test func `Texts keep U+0000, and two spellings of one character are two keys`() throws {
    let names = ["", "\u{0}", "a\u{0}b", "é", "e\u{301}", "\u{1F30B}"]
    let records = names.map { ["id": .text($0), "grade": 1, "kind": .text($0 + "\u{0}")] as Record }
    #expect(try store.take(pipeline, records).counts.line == "6 = 6 inserted")
    #expect(try store.take(pipeline, records).counts.line == "6 = 6 unchanged")
    #expect(try store.integer("SELECT count(*) FROM Quake WHERE kind = id || char(0)") == 6)
  }

  @Test func `Every kind of value comes back as it was given`() throws {
    let types: [(AttributeType, [Value])] = [
      (.integer64, [.integer(.min), .integer(.max)]),
      (.double, [.real(.leastNonzeroMagnitude), .real(1.7976931348623157e308), 0.1, .real(.infinity)]),
      (.decimal(scale: 3), [-1]), (.boolean, [0, 1]), (.string, ["", "'\"%"]),
      (.binary, [.blob([]), .blob([0, 39, 255])]), (.json, ["[1, \"é\"]"]),
    ]
    for (type, values) in types {
      let temporary = try TemporaryStore()
      let pipeline = plainPipeline([
        Attribute(name: "id", type: .integer64, isRequired: true), Attribute(name: "value", type: type),
      ])
      let store = try temporary.open(pipeline)
      let records = (values + [.null]).enumerated().map {
        ["id": .integer(Int64($0)), "value": $1] as Record
      }
      try store.take(pipeline, records)
      #expect(try store.rows("SELECT value FROM Thing ORDER BY id") == (values + [.null]).map { [$0] })
      #expect(try store.take(pipeline, records).counts.unchanged == records.count, "\(type)")
    }
  }

  @Test func `What another program stored stays byte for byte where the record leaves it out`() throws {
    try store.take(pipeline, [["id": "a", "grade": 1]])
    try temporary.shell("UPDATE Quake SET kind = CAST(x'41ff00c3' AS TEXT)")
    try store.take(pipeline, [["id": "a", "grade": 2]])
    #expect(try store.rows("SELECT hex(kind), grade FROM Quake") == [["41FF00C3", 2]])
  }

  @Test func `A chunk that changes nothing writes nothing`() throws {
    let records: [Record] = (0..<50).map { ["id": .text("q\($0)"), "grade": 1, "@region": "r", "depth": 1] }
    try store.take(pipeline, records)
    let run = try SQLiteImport(store, pipeline, input: "test")
    let chunk = Chunk(layout: run.layout)
    chunk.fill(records)
    func bytes() -> [Data?] {
      ["", "-wal"].map { FileManager.default.contents(atPath: temporary.path + $0) }
    }
    let before = bytes()
    for _ in 0..<3 { try run.apply(chunk, bytes: 1) }
    #expect(bytes() == before && run.progress.token == nil)
    #expect(run.progress.counts.line == "150 = 150 unchanged")
    try run.finish(outcome: "ok", bytes: 3)
    let row = try store.rows(
      "SELECT read, unchanged, chunks, outcome, last_transaction FROM bolide_run WHERE run = 2")
    #expect(row == [[150, 150, 3, "ok", .null]])
    #expect(try store.integer("SELECT count(*) FROM bolide_transaction") == 1)
  }

  @Test func `Object ids are contiguous in a chunk and never given out again`() throws {
    try store.take(
      pipeline, (0..<100).map { ["id": .text("q\(100 - $0)"), "grade": 1] as Record })
    #expect(
      try store.rows("SELECT min(bolide_id), max(bolide_id), count(*) FROM Quake") == [[1, 100, 100]])
    #expect(try store.rows("SELECT kind, first, last FROM bolide_change") == [[0, 1, 100]])
    // Ids follow the key.
    #expect(try store.integer("SELECT bolide_id FROM Quake WHERE id = 'q1'") == 1)
    try temporary.shell("DELETE FROM Quake WHERE bolide_id > 50")
    try store.take(pipeline, [["id": "new", "grade": 1]])
    #expect(try store.integer("SELECT bolide_id FROM Quake WHERE id = 'new'") == 101)
  }

  @Test func `What another pipeline declared keeps its values, and new rows get its defaults`() throws {
    let other = Quakes.pipeline {
      $0.name = "others"
      $0[entity: "Quake"].attributes += [
        Attribute(name: "grade", type: .integer16, isRequired: true),
        Attribute(name: "alert", type: .string, defaultValue: "green"),
        Attribute(name: "count", type: .integer32, isRequired: true, defaultValue: 3),
      ]
      $0.fields += [Field("grade"), Field("alert"), Field("count")]
    }
    try store.take(pipeline, [["id": "old", "grade": 1]])
    let second = try temporary.open(other)
    try second.take(other, [["id": "a", "grade": 1, "alert": "red", "count": 5]])
    let progress = try second.take(pipeline, [["id": "a", "grade": 2], ["id": "b", "grade": 2]])
    #expect(progress.counts.line == "2 = 1 inserted + 1 updated")
    #expect(
      try second.rows("SELECT id, alert, count FROM Quake ORDER BY id")
        == [["a", "red", 5], ["b", "green", 3], ["old", "green", 3]])
  }

  @Test func `An import that was given up does not hinder the next one`() throws {
    var run: SQLiteImport? = try SQLiteImport(store, pipeline, input: "test")
    let given = try #require(run?.layout)
    let chunk = Chunk(layout: given)
    chunk.fill([["id": "a", "grade": 1]])
    try run?.apply(chunk, bytes: 1)
    run = nil
    #expect(try store.take(pipeline, [["id": "a", "grade": 2]]).counts.line == "1 = 1 updated")
    #expect(try store.rows("SELECT run, outcome FROM bolide_run ORDER BY run") == [[1, .null], [2, "ok"]])
  }
}
