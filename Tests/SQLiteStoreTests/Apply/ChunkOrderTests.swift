import ImportModel
@testable import SQLiteAccess
import Testing

@testable import SQLiteStore
@testable import TypedRows

/// Rows are applied in the order of their key, one for each key.
struct ChunkOrderTests {
  /// What keys may be: few enough to meet again, odd enough to be compared wrongly.
  private static let integers: [Value] = [
    .integer(.min), .integer(.max), -1, 0, 1, 255, 256, 65_536, -65_536,
  ]
  private static let reals: [Value] = [
    0.0, .real(-0.0), 1.5, -1.5, .real(.leastNonzeroMagnitude), 1e308, -1e308, .real(.infinity),
    .real(-.infinity), 0.1,
  ]
  private static let texts: [Value] = [
    "", "a", "a\u{0}", "a\u{0}b", "ab", "B", "é", "e\u{301}", "\u{10000}", "\u{FFFF}", "\u{7f}", "ÿ", "a ",
  ]
  private static let blobs: [Value] = [.blob([]), .blob([0]), .blob([0, 1]), .blob([255]), .blob([128])]

  private static let kinds: [(AttributeType, [Value])] = [
    (.integer64, integers), (.double, reals), (.string, texts), (.binary, blobs),
  ]

  @Test(arguments: 0..<24) func `The order of keys is SQLite's own`(seed: Int) throws {
    var dice = Dice(seed)
    // One to three attributes of any kind.
    let parts = (0...(seed % 3)).map { _ in dice.pick(Self.kinds) }
    let attributes = parts.enumerated().map { Attribute(name: "k\($0)", type: $1.0, isRequired: true) }
    let number = Attribute(name: "n", type: .integer64)
    let pipeline = plainPipeline(attributes + [number], key: attributes.map(\.name))
    var records: [Record] = []
    for row in 0..<60 {
      var record: Record = ["n": .integer(Int64(row))]
      for (attribute, part) in zip(attributes, parts) { record[attribute.name] = dice.pick(part.1) }
      records.append(record)
    }
    let chunk = chunk(pipeline)
    chunk.fill(records)

    let temporary = try TemporaryStore()
    let store = try temporary.open(pipeline)
    let names = attributes.map(\.name).joined(separator: ", ")
    let columns = zip(attributes, parts).map { "\($0.name) \($1.0.storage.sql)" }.joined(separator: ", ")
    try store.execute("CREATE TABLE record(\(columns), n INTEGER)")
    try store.writing { db in
      let marks = (1...attributes.count + 1).map { "?\($0)" }.joined(separator: ", ")
      let insert = try RawStatement(db, "INSERT INTO record(\(names), n) VALUES (\(marks))")
      for record in records {
        for (index, attribute) in (attributes + [number]).enumerated() {
          insert.bind(record[attribute.name] ?? .null, at: Int32(index + 1))
        }
        try insert.run()
      }
    }
    let expected = try store.rows("SELECT max(n) FROM record GROUP BY \(names) ORDER BY \(names)")
    #expect(chunk.order.map { [Value.integer(Int64($0))] } == expected)
    #expect(chunk.repeats == records.count - expected.count)
  }

  @Test(arguments: ["a b c d", "d c b a", "a a b b", "d d c c", "b a d c a"])
  func `Equal keys keep the input's order, however the rows come`(keys: String) {
    let chunk = chunk(
      plainPipeline([
        Attribute(name: "id", type: .string, isRequired: true), Attribute(name: "n", type: .integer64),
      ]))
    let words = keys.split(separator: " ").map(String.init)
    chunk.fill(words.enumerated().map { ["id": .text($1), "n": .integer(Int64($0))] })
    var last: [String: Int32] = [:]
    for (number, word) in words.enumerated() { last[word] = Int32(number) }
    #expect(chunk.order == last.sorted { $0.key < $1.key }.map(\.value))
  }

  @Test(arguments: 0..<60) func `Keys of every kind are sorted as SQLite compares them`(seed: Int) {
    var dice = Dice(seed)
    let types = (0..<dice.int(1...3)).map { _ in
      dice.pick([AttributeType.integer64, .double, .string, .binary])
    }
    let attributes = types.enumerated().map { Attribute(name: "k\($0)", type: $1, isRequired: true) }
    let chunk = chunk(plainPipeline(attributes, key: attributes.map(\.name)))
    func bytes() -> [UInt8] {
      // Long common beginnings, texts that begin another, and bytes of 0.
      let start = dice.pick([[], Array("2026-05-1".utf8), Array("the same beginning ".utf8)])
      return start + (0..<dice.int(0...3)).map { _ in dice.pick([0, 1, 48, 49, 127]) }
    }
    for _ in 0..<200 {
      var record: Record = [:]
      for (index, type) in types.enumerated() {
        record["k\(index)"] =
          switch type {
          case .integer64: dice.pick([.integer(.min), .integer(.max), .integer(Int64(dice.int(-3...3)))])
          case .double:
            dice.pick([.real(-0.0), .real(1e300), .real(-1e-300), .real(Double(dice.int(-9...9)) / 4)])
          case .string: .text(String(decoding: bytes(), as: UTF8.self))
          default: .blob(bytes())
          }
      }
      chunk.append(record)
    }
    chunk.sortAndFold()
    let places = chunk.order.map(Int.init)
    #expect(places.count > 3 && places.count + chunk.repeats == 200)
    #expect(zip(places, places.dropFirst()).allSatisfy { chunk.compareKeys($0, $1) < 0 })
    // Of equal keys the last is there.
    for row in 0..<200 { #expect(places.contains { $0 >= row && chunk.compareKeys($0, row) == 0 }) }
  }

  @Test func `A rejected row takes no part, not even for its key`() {
    let chunk = chunk(Quakes.pipeline())
    chunk.append(["id": "a", "depth": 1])
    chunk.append(["id": "a", "place": "refused", "depth": 2])
    chunk.append(["id": "b"])
    chunk.flushBatch(removed: [false, true, true])
    #expect(chunk.batch == 3..<3 && chunk.acceptedRows == [0])
    chunk.append(["id": "c"])
    chunk.append(["id": "a", "place": "next window"])
    chunk.flushBatch(removed: [true, false])
    chunk.sortAndFold()
    #expect(chunk.applied == [["id": "a", "place": "next window", "depth": 1]] && chunk.repeats == 1)
  }

  @Test func `An empty chunk and one row need no folding`() {
    let chunk = chunk(Quakes.pipeline())
    chunk.sortAndFold()
    #expect(chunk.order.isEmpty && chunk.repeats == 0)
    chunk.fill([["id": "a"]])
    #expect(chunk.order == [0] && chunk.repeats == 0)
  }

  @Test(arguments: 0..<40) func `Folding equals applying the records one by one`(seed: Int) {
    var dice = Dice(seed)
    let chunk = chunk(Quakes.pipeline())
    var model: [String: Record] = [:]
    var records: [Record] = []
    for _ in 0..<dice.int(0...60) {
      var record: Record = ["id": .text(dice.pick(["a", "b", "c", "é", "e\u{301}", "a\u{0}"]))]
      if dice.once(in: 2) { record["place"] = dice.pick([.null, "x", "y"]) }
      if dice.once(in: 2) { record["magnitude"] = dice.pick([.null, 1.5, -2.5]) }
      if dice.once(in: 3) { record["depth"] = dice.pick([.null, 1, 2]) }
      records.append(record)
      // Bytes, as texts of two spellings are two keys.
      guard case .text(let id) = record["id"] else { continue }
      model["\(Array(id.utf8))", default: [:]].merge(record) { $1 }
    }
    chunk.fill(records)
    let applied = Dictionary(
      uniqueKeysWithValues: chunk.applied.map { record in
        guard case .text(let id) = record["id"] else { return ("", record) }
        return ("\(Array(id.utf8))", record)
      })
    #expect(applied == model && chunk.repeats == records.count - model.count)
  }
}
