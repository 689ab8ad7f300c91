import Foundation
import ImportModel
import Testing

@testable import SQLiteStore
@testable import StoreInterface

/// What a record does to a row that is there, and to a record of the same key: a test for each sentence.
struct MergeTests {
  private static func pipeline(
    _ merge: MergePolicy, _ repeated: RepeatedKeyPolicy = .last, when timing: Link.Timing = .insert
  ) -> Pipeline {
    Quakes.pipeline(when: timing) {
      $0.mergePolicy = merge
      $0.repeatedKeyPolicy = repeated
    }
  }

  private let temporary: TemporaryStore
  private let store: SQLiteEngine

  /// Two quakes of a region are there, one of them with a time it was seen.
  init() throws {
    temporary = try TemporaryStore()
    let pipeline = Self.pipeline(.update)
    store = try temporary.open(pipeline)
    try store.take(
      pipeline,
      [
        ["id": "a", "depth": 5, "kind": "blast", "@region": "r"],
        ["id": "b", "depth": .null, "magnitude": 1.5, "@region": "r"],
      ])
  }

  private var rows: [[Value]] {
    get throws { try store.rows("SELECT id, depth, kind, magnitude FROM Quake ORDER BY id") }
  }

  private static let before: [[Value]] = [["a", 5, "blast", .null], ["b", .null, "quake", 1.5]]

  // MARK: update

  @Test func `update takes the record's values and keeps what it leaves out`() throws {
    let progress = try store.take(Self.pipeline(.update), [["id": "a", "depth": 6], ["id": "c"]])
    #expect(progress.counts.line == "2 = 1 inserted + 1 updated")
    #expect(try rows.first == ["a", 6, "blast", .null])
  }

  // MARK: ignore

  @Test func `ignore leaves rows alone that are there, and inserts the others`() throws {
    let progress = try store.take(
      Self.pipeline(.ignore), [["id": "a", "depth": 6], ["id": "b", "magnitude": 1.5], ["id": "c"]])
    #expect(progress.counts.line == "3 = 1 inserted + 2 ignored")
    #expect(try Array(rows.prefix(2)) == Self.before)
    #expect(try Replay(store).changes.filter { $0.kind == .update && $0.entity == "Quake" }.isEmpty)
  }

  @Test func `ignore is about rows from before the run: a key that comes again is a repeated one`() throws {
    let records: [Record] = [["id": "c", "depth": 1], ["id": "c", "depth": 2]]
    #expect(try store.take(Self.pipeline(.ignore), records).counts.line == "2 = 1 inserted + 1 superseded")
    #expect(try rows.last?[1] == 2)
    try store.execute("DELETE FROM Quake WHERE id = 'c'")
    let apart = try store.take(Self.pipeline(.ignore), chunks: records.map { [$0] })
    #expect(apart.counts.line == "2 = 1 inserted + 1 updated" && apart.counts.repeated == 1)
    #expect(try rows.last?[1] == 2)
    let again = try store.take(Self.pipeline(.ignore), chunks: records.map { [$0] })
    #expect(again.counts.line == "2 = 2 ignored")
  }

  // MARK: fail

  @Test func `fail ends the import at a key that is there, and says where it stands`() throws {
    let error = #expect(throws: StoreError.self) {
      try store.take(Self.pipeline(.fail), [["id": "c"], ["id": "b"]])
    }
    #expect(error?.code == .keyExists)
    #expect(
      error?.message
        == "test:2:1: record 2 has the id of an existing Quake, and the merge policy is 'fail'")
    #expect(error?.hint == "Remove the record from the input, or set `merge: ignore` or `merge: update`.")
    #expect(try rows == Self.before)
  }

  @Test func `fail takes new rows, and a key that comes again is a repeated one`() throws {
    let records: [Record] = [["id": "c", "depth": 1], ["id": "d"], ["id": "c", "depth": 2]]
    let progress = try store.take(Self.pipeline(.fail), chunks: records.map { [$0] })
    #expect(progress.counts.line == "3 = 2 inserted + 1 updated")
    #expect(throws: StoreError.self) { try store.take(Self.pipeline(.fail), records) }
  }

  @Test func `Only fail makes an import atomic`() {
    let policies: [MergePolicy] = [.update, .ignore, .fail, .updateIfNewer(attribute: "depth")]
    #expect(policies.map(\.impliesAtomic) == [false, false, true, false])
  }

  // MARK: update-if-newer

  private static let newer = pipeline(.updateIfNewer(attribute: "depth"))

  @Test(
    arguments: [
      (6, "1 = 1 updated"), (5, "1 = 1 ignored"), (4, "1 = 1 ignored"), (.null, "1 = 1 ignored"),
      (nil, "1 = 1 ignored"),
    ] as [(Value?, String)])
  func `update-if-newer takes greater values, and ignores equal, smaller, null and absent ones`(
    depth: Value?, line: String
  ) throws {
    var record: Record = ["id": "a", "kind": "other"]
    record["depth"] = depth
    #expect(try store.take(Self.newer, [record]).counts.line == line)
    #expect(try rows[0][2] == (line.contains("updated") ? "other" : "blast"))
  }

  @Test(arguments: [-1, .null, nil] as [Value?])
  func `A row whose value is null takes any record`(depth: Value?) throws {
    var record: Record = ["id": "b", "kind": "other"]
    record["depth"] = depth
    #expect(try store.take(Self.newer, [record]).counts.line == "1 = 1 updated")
  }

  @Test func `A record that is not newer and says nothing else is unchanged`() throws {
    let progress = try store.take(
      Self.newer, [["id": "a", "depth": 5, "kind": "blast"], ["id": "b", "magnitude": 1.5]])
    #expect(progress.counts.line == "2 = 2 unchanged" && progress.token == nil)
    let absent = try store.take(Self.newer, [["id": "a", "kind": "blast"], ["id": "b"]])
    #expect(absent.counts.line == "2 = 2 unchanged")
  }

  @Test func `Of equal keys in a chunk the newest counts, and the first of those that are equal`() throws {
    let progress = try store.take(
      Self.newer,
      [
        ["id": "c", "depth": 7, "kind": "seven"], ["id": "c", "depth": 9, "magnitude": 2.0],
        ["id": "c", "depth": 8, "kind": "eight"], ["id": "c", "depth": 9, "kind": "nine"],
      ])
    #expect(progress.counts.line == "4 = 1 inserted + 3 superseded")
    // What the newest leaves out comes from the one before that it took over.
    #expect(try rows.last == ["c", 9, "seven", 2.0])
  }

  @Test(arguments: [false, true])
  func `What is newer than a new row is newer than its default, in one chunk or in several`(isOne: Bool)
    throws
  {
    var pipeline = plainPipeline([
      Attribute(name: "id", type: .integer64, isRequired: true), Attribute(name: "kind", type: .string),
      Attribute(name: "rank", type: .integer64, defaultValue: 4),
    ])
    pipeline.mergePolicy = .updateIfNewer(attribute: "rank")
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    let records: [Record] = [
      ["id": 1, "kind": "first"], ["id": 1, "rank": 1], ["id": 1, "rank": .null],
      ["id": 1, "kind": "second"],
      ["id": 2, "kind": "first"], ["id": 2, "rank": 5], ["id": 2, "rank": 4, "kind": "third"],
      ["id": 3, "rank": .null], ["id": 3, "rank": 1],
    ]
    try store.take(pipeline, chunks: isOne ? [records] : records.map { [$0] })
    #expect(
      try store.rows("SELECT id, kind, rank FROM Thing") == [
        [1, "first", 4], [2, "first", 5], [3, .null, 1],
      ])
  }

  @Test func `A record older than the row gives nothing to a newer one of its key`() throws {
    let progress = try store.take(
      Self.newer, [["id": "a", "depth": 4, "kind": "old"], ["id": "a", "depth": 6]])
    #expect(progress.counts.line == "2 = 1 updated + 1 ignored")
    #expect(try rows[0] == ["a", 6, "blast", .null])
  }

  @Test func `Text dates are compared as times`() throws {
    var pipeline = plainPipeline([
      Attribute(name: "id", type: .integer64, isRequired: true),
      Attribute(name: "at", type: .date(precision: .seconds)),
    ])
    pipeline.mergePolicy = .updateIfNewer(attribute: "at")
    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    let dates = ["2024-12-31T23:59:59Z", "2025-01-01T00:00:00Z", "2024-02-01T00:00:00Z"]
    let progress = try store.take(pipeline, chunks: dates.map { [["id": 1, "at": .text($0)]] })
    #expect(progress.counts.line == "3 = 1 inserted + 1 updated + 1 ignored")
    #expect(try store.rows("SELECT at FROM Thing") == [[.text(dates[1])]])
  }

  // MARK: Links

  @Test(arguments: [
    (MergePolicy.update, "r2"), (.ignore, "r"), (.updateIfNewer(attribute: "depth"), "r"),
  ])
  func `A row that is left alone keeps its links too, and makes no owner`(merge: MergePolicy, region: String)
    throws
  {
    let pipeline = Self.pipeline(merge, when: .always)
    try store.take(pipeline, [["id": "a", "depth": 5, "@region": "r2"]])
    let found = try store.rows(
      "SELECT code FROM Quake JOIN Region ON Region.bolide_id = region_id WHERE id = 'a'")
    #expect(found == [[.text(region)]])
    #expect(try store.integer("SELECT count(*) FROM Region") == (region == "r" ? 1 : 2))
    #expect(try store.rows(Quakes.untrue) == [])
  }

  @Test func `A newer record moves the link that the pipeline owns`() throws {
    let pipeline = Self.pipeline(.updateIfNewer(attribute: "depth"), when: .always)
    try store.take(pipeline, [["id": "a", "depth": 6, "@region": "r2"]])
    #expect(try store.rows("SELECT code, quakeCount FROM Region ORDER BY code") == [["r", 1], ["r2", 1]])
  }

  // MARK: The same key twice

  private static let twice: [Record] = [
    ["id": "c", "depth": 1, "kind": "one"], ["id": "d"], ["id": "c", "depth": 2],
  ]

  @Test(arguments: [1, 2, 3]) func `first keeps the first of the whole input, and leaves the others out`(
    size: Int
  )
    throws
  {
    let progress = try take(Self.pipeline(.update, .first), size)
    #expect(progress.counts.line == "3 = 2 inserted + 1 superseded")
    #expect(try store.rows("SELECT depth FROM Quake WHERE id = 'c'") == [[1]])
  }

  @Test(arguments: [1, 2, 3]) func `reject keeps the first of the whole input, and refuses the others`(
    size: Int
  ) throws {
    let progress = try take(Self.pipeline(.update, .reject), size)
    #expect(progress.counts.line == "3 = 2 inserted + 1 rejected")
    #expect(
      try store.rows("SELECT code, attribute, message FROM bolide_reject")
        == [["repeated-key", "id", "a record before this one has the same id"]])
    #expect(try store.rows("SELECT depth FROM Quake WHERE id = 'c'") == [[1]])
  }

  @Test func `last takes one within a chunk, and counts what comes back in a later one`() throws {
    #expect(try take(Self.pipeline(.update), 3).counts.line == "3 = 2 inserted + 1 superseded")
    #expect(try rows[2] == ["c", 2, "one", .null])
    try store.execute("DELETE FROM Quake WHERE id IN ('c', 'd')")
    let progress = try take(Self.pipeline(.update), 1)
    #expect(progress.counts.line == "3 = 2 inserted + 1 updated" && progress.counts.repeated == 1)
    #expect(try rows[2] == ["c", 2, "one", .null])
    #expect(try store.rows("SELECT repeated FROM bolide_run ORDER BY run DESC LIMIT 1") == [[1]])
  }

  @Test func `Only a key that this run has met is a repeated one`() throws {
    let records: [Record] = [["id": "a", "depth": 5], ["id": "a", "depth": 6], ["id": "a", "depth": 6]]
    let progress = try store.take(Self.pipeline(.update), chunks: records.map { [$0] })
    #expect(progress.counts.line == "3 = 1 updated + 2 unchanged" && progress.counts.repeated == 1)
    let next = try store.take(Self.pipeline(.update), [["id": "a", "depth": 7]])
    #expect(next.counts.line == "1 = 1 updated" && next.counts.repeated == 0)
  }

  @Test func `first and reject hold for rows that were there, unchanged ones too`() throws {
    let records: [Record] = [["id": "a", "depth": 5], ["id": "a", "depth": 6]]
    for size in [1, 2] {
      let chunks = size == 1 ? records.map { [$0] } : [records]
      #expect(
        try store.take(Self.pipeline(.update, .first), chunks: chunks).counts.line
          == "2 = 1 unchanged + 1 superseded")
      #expect(
        try store.take(Self.pipeline(.update, .reject), chunks: chunks).counts.line
          == "2 = 1 unchanged + 1 rejected")
    }
  }

  private func take(_ pipeline: Pipeline, _ size: Int) throws -> RunProgress {
    let chunks = stride(from: 0, to: Self.twice.count, by: size).map {
      Array(Self.twice[$0..<min($0 + size, Self.twice.count)])
    }
    return try store.take(pipeline, chunks: chunks)
  }
}
