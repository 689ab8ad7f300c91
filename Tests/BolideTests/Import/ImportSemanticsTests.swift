import Bolide
import Foundation
import Testing

/// What an import does to the rows that are there, from the input's text to the store: a test for each sentence.
/// One at a time: tests that wait would hold hundreds of stores open, and beside so many files no process can be started.
@Suite(.serialized) struct ImportSemanticsTests {
  private let place: StorePlace

  init() throws { place = try StorePlace() }

  private static let yaml = """
    bolide: 1
    store: quakes.sqlite
    entity: Quake
    key: [net, code]
    attributes:
      net:       string
      code:      integer32
      magnitude: double
      kind:      { type: string, default: quake }
      grade:     { type: integer16, required: true, default: 1 }
      modified:  integer64
      seen:      { type: integer64, volatile: true }
      hint:      { type: string, transient: true }
      place:     { type: string, value: "upper(hint)" }
    check: hint IS NULL OR hint <> 'bad'
    link:
      region: { to: { name: hint } }
    entities:
      Region:
        key: name
        attributes: { name: string, quakeCount: { derived: quakes.@count } }
        relationships: { quakes: { to-many: Quake, inverse: region } }

    """

  /// Imports records in the order given, with a setting of the pipeline, and gives the counts.
  @discardableResult
  private func take(
    with setting: String = "", chunkRows: Int? = nil, _ records: String...
  ) async throws -> ImportReport {
    try Data((Self.yaml + setting).utf8).write(to: place.url("quakes.yaml"))
    let pipeline = try Pipeline(path: place.path("quakes.yaml"))
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    var options = ImportOptions()
    options.chunkRows = chunkRows
    let report = try await store.run(
      pipeline, on: .bytes(records.joined(separator: "\n").utf8, name: "feed"), options: options)
    let counts = report.progress.counts
    let sum =
      counts.inserted + counts.updated + counts.unchanged + counts.ignored + counts.duplicates
      + counts.superseded + counts.rejected
    #expect(counts.read == sum && counts.repeated <= counts.updated)
    return report
  }

  private func texts(_ sql: String) throws -> [String] { try place.texts(sql) }

  /// Everything in the store but the rows of runs and of what they read, their number, and rejects.
  private func contents() throws -> [String] {
    let tables = try texts(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('bolide_run', 'bolide_run_field', 'sqlite_sequence')"
    )
    return try tables.flatMap { table in
      let columns = try texts(
        "SELECT group_concat('quote(\"' || name || '\")', '||') FROM pragma_table_info('\(table)')")
      return try texts("SELECT '\(table) ' || \(columns[0]) FROM \"\(table)\"")
    }
  }

  // MARK: Three states, defaults

  @Test func `what a record leaves out is kept, null clears, a value sets`() async throws {
    try await take(#"{"net": "us", "code": 1, "magnitude": 4.5, "kind": "blast"}"#)
    try await take(#"{"net": "us", "code": 1, "magnitude": null}"#)
    #expect(try texts("SELECT ifnull(magnitude, 'null') || kind FROM Quake") == ["nullblast"])
  }

  @Test func `a default is for a new row that says nothing, not for null and not for a row that is there`()
    async throws
  {
    try await take(#"{"net": "us", "code": 1}"#, #"{"net": "us", "code": 2, "kind": null}"#)
    try await take(#"{"net": "us", "code": 2, "magnitude": 1}"#)
    #expect(try texts("SELECT ifnull(kind, 'null') FROM Quake ORDER BY code") == ["quake", "null"])
  }

  @Test func `null into a required attribute is rejected, a default or not`() async throws {
    let report = try await take(#"{"net": "us", "code": 1, "grade": null}"#, #"{"net": "us", "code": 2}"#)
    #expect(report.firstRejects.map(\.attribute) == ["grade"])
    #expect(report.progress.counts.inserted == 1)
  }

  @Test func `null or nothing in a part of the key is rejected, and the others land`() async throws {
    let report = try await take(
      #"{"net": null, "code": 1}"#, #"{"code": 1}"#, #"{"net": "us"}"#, #"{"net": "us", "code": null}"#,
      #"{"net": "", "code": 0}"#)
    #expect(report.firstRejects.map(\.code) == ["null-key", "null-key", "null-key", "null-key"])
    #expect(report.firstRejects.map(\.attribute) == ["net", "net", "code", "code"])
    #expect(report.progress.counts.inserted == 1)
  }

  // MARK: Transient and volatile

  @Test func `a transient attribute is used in expressions, links and checks, and never stored`() async throws
  {
    let report = try await take(
      #"{"net": "us", "code": 1, "hint": "sea"}"#, #"{"net": "us", "code": 2, "hint": "bad"}"#)
    #expect(report.firstRejects.map(\.code) == ["check-failed"])
    #expect(
      try texts("SELECT place || Region.name FROM Quake JOIN Region ON Region.bolide_id = region_id") == [
        "SEAsea"
      ])
    #expect(try texts("SELECT name FROM pragma_table_info('Quake') WHERE name = 'hint'") == [])
  }

  @Test func `a transient attribute's default is its value wherever a record says nothing of it`()
    async throws
  {
    let yaml = """
      bolide: 1
      entity: Quake
      key: code
      attributes:
        code:  integer32
        depth: { type: double, transient: true, default: 10 }
        hint:  { type: string, transient: true }
        level: { type: string, transient: true, value: "lower(hint)", default: flat }
        text:  { type: string, value: "ifnull(depth, 'no') || ' ' || level" }
      """
    try Data(yaml.utf8).write(to: place.url("depths.yaml"))
    let pipeline = try Pipeline(path: place.path("depths.yaml"))
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    func rows(after records: String) async throws -> [String] {
      _ = try await store.run(pipeline, on: .bytes(records.utf8))
      return try texts("SELECT text FROM Quake ORDER BY code")
    }
    let first = #"{"code": 1} {"code": 2, "depth": 99, "hint": "Deep"} {"code": 3, "depth": null}"#
    #expect(try await rows(after: first) == ["10.0 flat", "99.0 deep", "no flat"])
    // For a row that is there too: what it was given before is nowhere.
    #expect(try await rows(after: #"{"code": 2, "hint": "x"}"#) == ["10.0 flat", "10.0 x", "no flat"])
  }

  @Test func `a rejected record is replayed with its transient attributes`() async throws {
    let bad = #"{"net": "us", "code": 1, "hint": "bad"}"#
    #expect(try await take(bad).progress.counts.rejected == 1)
    let mended = Self.yaml.replacing("hint <> 'bad'", with: "hint <> 'worse'")
    try Data(mended.utf8).write(to: place.url("quakes.yaml"))
    let pipeline = try Pipeline(path: place.path("quakes.yaml"))
    let store = try await Store(path: place.path("quakes.sqlite"), for: pipeline)
    let report = try await store.replay(pipeline)
    #expect(report.progress.counts.inserted == 1)
    let row = "SELECT place || name FROM Quake JOIN Region ON Region.bolide_id = region_id"
    #expect(try texts(row) == ["BADbad"])
  }

  @Test func `a difference in a transient attribute alone does not make a row changed`() async throws {
    try await take(#"{"net": "us", "code": 1, "hint": "sea"}"#)
    let report = try await take(#"{"net": "us", "code": 1, "hint": "SEA"}"#)
    #expect(report.progress.counts.unchanged == 1 && report.token == nil)
  }

  @Test func `a difference in volatile attributes alone writes nothing; with another one they are written`()
    async throws
  {
    try await take(#"{"net": "us", "code": 1, "seen": 1}"#)
    let alone = try await take(#"{"net": "us", "code": 1, "seen": 2}"#)
    #expect(alone.progress.counts.unchanged == 1 && alone.token == nil)
    #expect(try texts("SELECT seen FROM Quake") == ["1"])
    try await take(#"{"net": "us", "code": 1, "seen": 3, "magnitude": 1}"#)
    #expect(try texts("SELECT seen FROM Quake") == ["3"])
  }

  // MARK: Identity and relationships

  @Test func `an update keeps the object's id and its links`() async throws {
    try await take(#"{"net": "us", "code": 1, "hint": "sea"}"#)
    let query = "SELECT bolide_id || ' ' || region_id FROM Quake"
    let before = try texts(query)
    let report = try await take(#"{"net": "us", "code": 1, "hint": "land", "magnitude": 2}"#)
    #expect(report.progress.counts.updated == 1)
    #expect(try texts(query) == before)
    #expect(try texts("SELECT name || quakeCount FROM Region") == ["sea1"])
  }

  @Test func `identical rows write nothing but the run's row`() async throws {
    let records = (1...50).map {
      #"{"net": "us", "code": \#($0), "hint": "sea", "kind": null, "magnitude": 0.1}"#
    }
    let text = records.joined(separator: "\n")
    try await take(text)
    let before = try contents()
    let again = try await take(chunkRows: 7, text)
    #expect(again.progress.counts.unchanged == 50 && again.token == nil)
    #expect(try contents() == before)
    #expect(
      try texts("SELECT read || ' ' || unchanged || ' ' || outcome FROM bolide_run") == [
        "50 0 ok", "50 50 ok",
      ])
  }

  @Test func `importing twice is the same as importing once`() async throws {
    let records = (1...40).map { #"{"net": "us", "code": \#($0 * 7 % 41), "magnitude": \#($0)}"# }
    try await take(chunkRows: 9, records.joined(separator: "\n"))
    let before = try contents()
    let again = try await take(chunkRows: 11, records.reversed().joined(separator: "\n"))
    #expect(again.progress.counts.unchanged == 40)
    #expect(try contents() == before)
  }

  // MARK: Merge policies

  private static let here = #"{"net": "us", "code": 1, "magnitude": 5, "modified": 10}"#

  @Test func `ignore leaves rows alone and inserts the others`() async throws {
    try await take(Self.here)
    let report = try await take(
      with: "merge: ignore", #"{"net": "us", "code": 1, "magnitude": 6}"#, #"{"net": "us", "code": 2}"#)
    #expect(report.progress.counts.ignored == 1 && report.progress.counts.inserted == 1)
    #expect(try texts("SELECT magnitude FROM Quake WHERE code = 1") == ["5.0"])
  }

  @Test func `fail ends the import at a record whose key is there, with its place and no values`()
    async throws
  {
    try await take(Self.here)
    let error = try #require(
      await #expect(throws: ImportError.self) {
        try await take(with: "merge: fail", #"{"net": "us", "code": 2}"#, #"{"net": "us", "code": 1}"#)
      })
    #expect(error.kind == .store(.keyExists) && error.code == "keyExists")
    #expect(
      error.message
        == "feed:2:1: record 2 has the net and code of an existing Quake, and the merge policy is 'fail'"
    )
    #expect(try texts("SELECT code FROM Quake") == ["1"])
  }

  @Test(arguments: [(11, "6.0"), (10, "5.0"), (9, "5.0")])
  func `update-if-newer takes a record whose attribute is greater`(modified: Int, magnitude: String)
    async throws
  {
    try await take(Self.here)
    let report = try await take(
      with: "merge: { update-if-newer: modified }",
      #"{"net": "us", "code": 1, "magnitude": 6, "modified": \#(modified)}"#)
    #expect(report.progress.counts.updated == (modified > 10 ? 1 : 0))
    #expect(report.progress.counts.ignored == (modified > 10 ? 0 : 1))
    #expect(try texts("SELECT magnitude FROM Quake") == [magnitude])
  }

  // MARK: The same key twice

  private static let twice = [
    #"{"net": "us", "code": 1, "magnitude": 1, "kind": "x"}"#, #"{"net": "us", "code": 2}"#,
    #"{"net": "us", "code": 1, "magnitude": 2}"#,
  ].joined(separator: "\n")

  @Test(arguments: [1, 2, 3]) func `last lets the last record of a key count`(chunkRows: Int) async throws {
    let counts = try await take(with: "repeated-key: last", chunkRows: chunkRows, Self.twice).progress.counts
    #expect(counts.superseded == (chunkRows == 3 ? 1 : 0) && counts.repeated == (chunkRows == 3 ? 0 : 1))
    #expect(try texts("SELECT magnitude || kind FROM Quake WHERE code = 1") == ["2.0x"])
  }

  @Test(arguments: [1, 2, 3]) func `first lets the first of the whole input count`(chunkRows: Int)
    async throws
  {
    let counts = try await take(with: "repeated-key: first", chunkRows: chunkRows, Self.twice).progress.counts
    #expect(counts.superseded == 1 && counts.inserted == 2)
    #expect(try texts("SELECT magnitude FROM Quake WHERE code = 1") == ["1.0"])
  }

  @Test(arguments: [1, 2, 3]) func `reject refuses all but the first of the whole input`(chunkRows: Int)
    async throws
  {
    let report = try await take(with: "repeated-key: reject", chunkRows: chunkRows, Self.twice)
    #expect(report.firstRejects.map(\.code) == ["repeated-key"] && report.firstRejects.map(\.record) == [3])
    #expect(report.firstRejects.first?.message == "a record before this one has the same net and code")
    #expect(report.firstRejects.first?.text == #"{"net": "us", "code": 1, "magnitude": 2}"#)
  }

  // MARK: Further constraints

  @Test func `a second constraint that clashes is a reject that names it, and a swap lands`() async throws {
    let unique = "unique: [[modified, grade]]"
    try await take(
      with: unique, #"{"net": "us", "code": 1, "modified": 1}"#, #"{"net": "us", "code": 2, "modified": 2}"#)
    let swap = try await take(
      with: unique, #"{"net": "us", "code": 1, "modified": 2}"#, #"{"net": "us", "code": 2, "modified": 1}"#)
    #expect(swap.progress.counts.updated == 2)
    #expect(try texts("SELECT modified FROM Quake ORDER BY code") == ["2", "1"])
    let clash = try await take(with: unique, #"{"net": "us", "code": 3, "modified": 1}"#)
    #expect(clash.firstRejects.map(\.code) == ["not-unique"])
    #expect(
      clash.firstRejects.first?.message
        == "modified and grade are unique together, and another Quake has these values")
  }
}
