import Foundation
import JSONStream
import Testing

@Suite struct JSONRecordsTests {
  struct Quake: Decodable, Equatable {
    struct Place: Decodable, Equatable {
      var name: String
      var tags: [String]
    }
    var id: String
    var mag: Double
    var felt: Int?
    var isReviewed: Bool?
    var place: Place?
  }

  struct Row: Decodable, Equatable {
    var id: String
    var mag: Double?
  }

  /// What a sequence brought before it ended, and how it ended.
  private struct Outcome<Record: Decodable> {
    var records: [Record] = []
    var failures: [RecordFailure] = []
    var error: (any Error)?

    init<Pieces>(_ sequence: JSONRecords<Pieces, Record>) async {
      do {
        for try await element in sequence {
          switch element {
          case .success(let record): records.append(record)
          case .failure(let failure): failures.append(failure)
          }
        }
      } catch {
        self.error = error
      }
    }
  }

  private static func pieces(_ text: String, of length: Int = 7) -> AsyncStream<[UInt8]> {
    let bytes = Array(text.utf8)
    return AsyncStream { stream in
      for start in stride(from: 0, to: bytes.count, by: length) {
        stream.yield(Array(bytes[start..<min(start + length, bytes.count)]))
      }
      stream.finish()
    }
  }

  private static func bytes(_ text: String) -> AsyncStream<UInt8> {
    AsyncStream { stream in
      for byte in text.utf8 { stream.yield(byte) }
      stream.finish()
    }
  }

  static let shapes: [(text: String, shape: RecordShape)] = [
    (#"[{"id": "a", "mag": 1.5}, {"mag": null, "id": "b\u00e9"}]"#, .automatic),
    ("{\"id\": \"a\", \"mag\": 1.5}\n{\"id\": \"bé\"}\n", .lines),
    (#"{"fields": ["mag", "id"], "data": [[1.5, "a"], [null, "bé"]]}"#, .columnar()),
    (#"{"data": [[1.5, "a"], [null, "bé"]], "fields": ["mag", "id"]}"#, .columnar()),
    (#"[[1.5, "a"], [null, "bé"]]"#, .positional(names: ["mag", "id"])),
    ("id,mag,x\na,1.5,\"p,\"\"q\"\nbé,,\n", .delimited()),
  ]

  @Test(arguments: shapes.indices) func `a shape has its records, however it is cut`(index: Int) async {
    let (text, shape) = Self.shapes[index]
    let expected = [Row(id: "a", mag: 1.5), Row(id: "bé", mag: nil)]
    for length in [1, 2, 7, 1000] {
      let found = await Outcome(JSONRecords(Self.pieces(text, of: length), as: Row.self, shape: shape))
      #expect(found.records == expected && found.failures.isEmpty && found.error == nil, "\(found)")
    }
    let found = await Outcome(JSONRecords(Self.bytes(text), as: Row.self, shape: shape))
    #expect(found.records == expected && found.failures.isEmpty && found.error == nil, "\(found)")
  }

  @Test func `documents behind held rows follow them, and so does what is wrong there`() async throws {
    let held = #"{"data": [["a", 1]], "fields": ["id", "mag"]}"#
    let next = #"{"fields": ["mag", "id"], "data": [[2, "b"]]}"#
    let both = await Outcome(JSONRecords(Self.pieces(held + next), as: Row.self, shape: .columnar()))
    #expect(both.records == [Row(id: "a", mag: 1), Row(id: "b", mag: 2)] && both.error == nil)
    let cut = await Outcome(
      JSONRecords(Self.pieces(held.dropLast() + " ?"), as: Row.self, shape: .columnar()))
    #expect(cut.records == [Row(id: "a", mag: 1)])
    #expect((cut.error as? JSONError)?.code == .expectedCommaOrBrace)
    let unnamed = await Outcome(
      JSONRecords(Self.pieces(#"{"data": [["a"]]}"#), as: Row.self, shape: .columnar()))
    #expect(unnamed.records.isEmpty && (unnamed.error as? JSONError)?.code == .noNames)
  }

  @Test func `what is wrong with a record is an element`() async throws {
    let lines = """
      {"id": "a", "mag": 1, "felt": 3}
      {"id": "b", "mag": tru}
      {"id": "c"}
      {"id": 4, "mag": 1}
      {"id": null, "mag": 1}
      {"id": "\\ud800", "mag": 1}
      {"id": "d", "mag": 1, "felt": 1.5}
      {"id": "e", "mag": 1, "place": {"name": "x", "tags": ["y", 1]}}
      {"id": "f", "mag": 1, "place": []}
      [1]
      {"id": "g", "mag": 2}
      """
    let found = await Outcome(JSONRecords(Self.pieces(lines), as: Quake.self, shape: .lines))
    #expect(found.records.map(\.id) == ["a", "g"] && found.error == nil)
    #expect(
      found.failures.map(\.description) == [
        "record 2, line 2, column 1: found a word that is not true, false or null; expected a value",
        "record 3, line 3, column 1: found no 'mag'; expected one",
        "record 4, line 4, column 1: 'id': found a number; expected String",
        "record 5, line 5, column 1: 'id': found null; expected String",
        "record 6, line 6, column 1: 'id': found half of a surrogate pair, which is no character; expected text",
        "record 7, line 7, column 1: 'felt': found a number that is no Int; expected one that fits",
        "record 8, line 8, column 1: 'place/tags/1': found a number; expected String",
        "record 9, line 9, column 1: 'place': found an array; expected an object",
        "record 10, line 10, column 1: found an array; expected an object",
      ])
    let rows = #"{"fields": ["id"], "data": [["a", 1], {}, "b", true, ["c"]]}"#
    let found2 = await Outcome(JSONRecords(Self.pieces(rows), as: Row.self, shape: .columnar()))
    #expect(found2.records.map(\.id) == ["c"])
    #expect(
      found2.failures.map(\.description) == [
        "record 1, line 1, column 29: found a row of 2 cells; expected 1",
        "record 2, line 1, column 39: found an object; expected an array",
        "record 3, line 1, column 43: found a string; expected an array",
        "record 4, line 1, column 48: found a boolean; expected an array",
      ])
  }

  @Test func `an array that is no JSON ends the sequence behind its records`() async throws {
    let found = await Outcome(
      JSONRecords(
        Self.pieces(#"{"a": {"b": [{"id": "a"}, {"id": "b"} {"id": "c"}]}}"#), as: Row.self, at: "a/b"))
    #expect(found.records.map(\.id) == ["a", "b"])
    let error = try #require(found.error as? JSONError)
    #expect(error.code == .expectedCommaOrBracket && error.recordsBefore == 2)
    struct Lost: Error {}
    let broken = AsyncThrowingStream<[UInt8], any Error> { stream in
      stream.yield(Array(#"[{"id": "a"}, "#.utf8))
      stream.finish(throwing: Lost())
    }
    let lost = await Outcome(JSONRecords(broken, as: Row.self))
    #expect(lost.records.map(\.id) == ["a"] && lost.error is Lost)
  }

  @Test func `the next piece is asked for when the records before it were taken`() async throws {
    final class Counter: AsyncSequence, AsyncIteratorProtocol {
      var asked = 0
      func makeAsyncIterator() -> Counter { self }
      func next() async -> [UInt8]? {
        asked += 1
        return asked > 3 ? nil : Array("{\"id\": \"a\"}\n{\"id\": \"b\"}\n".utf8)
      }
    }
    let counter = Counter()
    var iterator = JSONRecords(counter, as: Row.self, shape: .lines).makeAsyncIterator()
    var counts: [Int] = []
    while try await iterator.next() != nil { counts.append(counter.asked) }
    #expect(counts == [1, 1, 2, 2, 3, 3] && counter.asked == 4)
  }

  @Test(arguments: 0..<40) func `a record decodes as Foundation decodes it`(seed: UInt64) async throws {
    struct Thing: Codable, Equatable {
      var text: String
      var number: Double
      var count: Int64
      var byte: UInt8?
      var flag: Bool
      var list: [Double]
      var table: [String: [Thing]]
      var big: UInt64
    }
    var random = SeededGenerator(seed: seed)
    func text() -> String {
      String(
        (0..<Int.random(in: 0...6, using: &random)).map { _ in
          "aé\"\\\n😀/{[,\u{1}".randomElement(using: &random) ?? "b"
        })
    }
    func thing(_ depth: Int) -> Thing {
      var table: [String: [Thing]] = [:]
      for _ in 0..<(depth > 0 ? Int.random(in: 0...2, using: &random) : 0) {
        table[text()] = [thing(depth - 1)]
      }
      return Thing(
        text: text(), number: Double.random(in: -1e9...1e9, using: &random),
        count: Int64.random(in: .min ... .max, using: &random),
        byte: Bool.random(using: &random) ? nil : UInt8.random(in: 0...255, using: &random),
        flag: Bool.random(using: &random),
        list: (0..<3).map { _ in Double.random(in: 0...1, using: &random) },
        table: table, big: UInt64.random(in: .min ... .max, using: &random))
    }
    let things = (0..<5).map { _ in thing(2) }
    let encoder = JSONEncoder()
    if seed.isMultiple(of: 2) { encoder.outputFormatting = [.prettyPrinted, .sortedKeys] }
    let json = String(decoding: try encoder.encode(["things": things]), as: UTF8.self)
    let found = await Outcome(JSONRecords(Self.pieces(json, of: Int(seed) + 1), as: Thing.self, at: "things"))
    #expect(found.records == things && found.failures.isEmpty && found.error == nil)
  }

  @Test func `fields have Swift's values, by index and by path`() throws {
    let children: [ChildFields] = [ChildFields(path: "list", fields: ["n"])]
    var reader = try RecordReader(fields: ["s", "d", "a/b", "t"], children: children, shape: .lines)
    reader.append(
      Array(#"{"s": "é\n", "d": 4.2e1, "a": {"b": 1.5}, "t": true, "list": [{"n": 7}]}"#.utf8)[...])
    reader.append(Data("\n{\"s\": 1, \"d\": \"x\", \"t\": false}\n".utf8))
    reader.append("{}".utf8)
    reader.append([UInt8(ascii: "\n")].span.bytes)
    reader.finish()
    #expect(try reader.next() == .record)
    #expect(reader.string(ofField: 0) == "é\n" && reader.string(ofField: "s") == "é\n")
    #expect(reader.integer(ofField: "d") == 42 && reader.double(ofField: 1) == 42)
    #expect(reader.integer(ofField: "a/b") == nil && reader.double(ofField: "a/b") == 1.5)
    #expect(reader.bool(ofField: "t") == true && reader.string(ofField: "t") == nil)
    #expect(reader.nextChild(of: 0) && reader.integer(ofField: "n", ofChild: 0) == 7)
    #expect(try reader.next() == .record)
    #expect(reader.string(ofField: "s") == nil && reader.double(ofField: "d") == nil)
    #expect(reader.bool(ofField: "t") == false && reader.bool(ofField: "s") == nil)
    #expect(try reader.next() == .record)
    #expect(reader.string(ofField: "s") == nil && reader.integer(ofField: "d") == nil)
    #expect(try reader.next() == .end)

    var cells = try RecordReader(fields: ["n", "b"], shape: .delimited())
    cells.append("n,b\n+1.5,true\n".utf8)
    cells.finish()
    #expect(try cells.next() == .record)
    #expect(cells.double(ofField: "n") == 1.5 && cells.string(ofField: "n") == "+1.5")
    #expect(cells.bool(ofField: "b") == true && cells.integer(ofField: "n") == nil)
  }

  @Test func `of a key that stands twice the last value counts, and escapes in keys are resolved`() async {
    let found = await Outcome(
      JSONRecords(
        Self.pieces(#"[{"id": "a", "id": "b", "\u006dag": 2}, {"id": "c", "m\\ag": 1}]"#), as: Row.self))
    #expect(found.records == [Row(id: "b", mag: 2), Row(id: "c", mag: nil)] && found.failures.isEmpty)
  }

  @Test func `an array that is too short has its sentence`() async {
    struct Pair: Decodable {
      init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        _ = try numbers.decode(Int.self)
        _ = try numbers.decode(Int.self)
      }
    }
    struct Holder: Decodable {
      var pair: Pair
    }
    let found = await Outcome(
      JSONRecords(
        Self.pieces(#"[{"pair": [1, 2]}, {"pair": [1]}]"#), as: Holder.self, shape: .array(path: "")))
    #expect(found.records.count == 1)
    #expect(
      found.failures.map(\.description) == [
        "record 2, line 1, column 20: 'pair/1': found the end of the array; expected another element"
      ])
  }
}
