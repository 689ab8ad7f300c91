import JSONStream
import Testing

@Suite struct RecordTests {
  private func first(_ text: String, _ fields: [String]) -> [Reading.Field] {
    Reading(text, fields: fields, shape: .array(path: "")).records.first?.fields ?? []
  }

  @Test func `every kind of value is told and lent`() {
    let text =
      #"[{"n":null,"t":true,"f":false,"i":-12,"d":1.50,"e":1E2,"s":"a\"b","o":{"x": 1},"a":[1, "]"]}]"#
    let fields = first(text, ["n", "t", "f", "i", "d", "e", "s", "o", "a", "z"])
    #expect(
      fields.map(\.kind) == [
        .null, .true, .false, .integer, .decimal, .decimal, .string, .object, .array, .absent,
      ])
    #expect(fields[3...8].map(\.text) == ["-12", "1.50", "1E2", "a\"b", #"{"x": 1}"#, #"[1, "]"]"#])
  }

  @Test func `absent, null and a value are three states at any depth`() {
    let paths = ["a/b", "a/c/0", "a"]
    #expect(first(#"[{"a":{"b":1,"c":[2]}}]"#, paths).map(\.kind) == [.integer, .integer, .object])
    #expect(first(#"[{"a":{"b":null}}]"#, paths).map(\.kind) == [.null, .absent, .object])
    #expect(first(#"[{"a":null}]"#, paths).map(\.kind) == [.null, .null, .null])
    #expect(first(#"[{"a":5}]"#, paths).map(\.kind) == [.absent, .absent, .integer])
    #expect(first(#"[{"a":{"c":[]}}]"#, paths).map(\.kind) == [.absent, .absent, .object])
    #expect(first(#"[{}]"#, paths).map(\.kind) == [.absent, .absent, .absent])
  }

  @Test func `of a key that comes twice the last counts, with all below it`() {
    #expect(first(#"[{"a":1,"a":"2"}]"#, ["a"]).map(\.text) == ["2"])
    #expect(first(#"[{"a":{"b":1},"a":{"c":2}}]"#, ["a/b", "a/c"]).map(\.kind) == [.absent, .integer])
    #expect(first(#"[{"a":{"b":1},"a":"x"}]"#, ["a/b"]).map(\.kind) == [.absent])
    #expect(first(#"[{"a":{"b":1},"a":"\n"}]"#, ["a/b"]).map(\.kind) == [.absent])
  }

  @Test func `one record leaves nothing behind in the next`() {
    let text = #"[{"a":1,"b":{"c":"x"}},{},{"b":{}},{"a":"\u0041"},3,{"b":{"c":2}}]"#
    let reading = Reading(text, fields: ["a", "b/c"], shape: .array(path: ""))
    #expect(
      reading.texts == [
        ["1", "x"], ["absent", "absent"], ["absent", "absent"], ["A", "absent"], ["absent", "absent"],
        ["absent", "2"],
      ])
    let rows = Reading(
      #"{"fields":["a","b"],"data":[["1",{"c":2}],["3"],[],["4","x"],[null,null]]}"#, fields: ["a", "b/c"])
    #expect(
      rows.records.map { $0.fields.map(\.kind) } == [
        [.string, .integer], [.string, .absent], [.absent, .absent], [.string, .absent], [.null, .null],
      ])
  }

  @Test func `two fields may ask for one path, and for a value and its parts`() {
    let fields = first(#"[{"a":{"b":[7,8]}}]"#, ["a/b/1", "a/b", "a/b/1", "a"])
    #expect(fields.map(\.text) == ["8", "[7,8]", "8", #"{"b":[7,8]}"#])
  }

  @Test func `keys are compared as text, however they are written`() {
    #expect(first(#"[{"\u0061\/b":1,"A":2}]"#, ["a~1b", "A", "a"]).map(\.text) == ["1", "2", ""])
    let long = String(repeating: "k", count: 200)
    #expect(first("[{\"\(long)\":1,\"\(long)x\":2}]", [long + "x", long]).map(\.text) == ["2", "1"])
  }

  @Test func `keys in any order lead to their fields, record after record`() {
    var random = SeededGenerator(seed: 3)
    let keys = (0..<40).map { "key\($0)" + String(repeating: "x", count: $0 % 17) }
    var text = ""
    var expected: [[String]] = []
    for record in 0..<50 {
      let order = record % 3 == 0 ? keys : keys.shuffled(using: &random)
      text += "{" + order.map { "\"\($0)\":\"\($0)\(record)\"" }.joined(separator: ",") + "}\n"
      expected.append(keys.prefix(20).map { "\($0)\(record)" })
    }
    #expect(Reading(text, fields: Array(keys.prefix(20)), shape: .lines).texts == expected)
  }

  @Test func `positions count bytes from 0, lines and columns from 1`() {
    let text = "[\n {\"a\":1},\r\n\n  {\"é\":\"\\n\",\"a\":22},\n[5]]"
    let reading = Reading(text, fields: ["a"], shape: .array(path: ""))
    #expect(
      reading.records.map(\.position) == [
        Position(byte: 3, line: 2, column: 2), Position(byte: 16, line: 4, column: 3),
        Position(byte: 36, line: 5, column: 1),
      ])
    #expect(reading.records.map { $0.fields[0].byte } == [8, 31, nil])
    #expect(reading.records.map(\.text) == [#"{"a":1}"#, #"{"é":"\n","a":22}"#, "[5]"])
    let error = Reading("[\n {\"a\":1},\n  {\"a\" 1}]", fields: ["a"], shape: .array(path: "")).error
    #expect(error?.position == Position(byte: 19, line: 3, column: 8))
    #expect(error?.record == 2 && error?.recordsBefore == 1)
  }

  @Test func `half a surrogate pair is not passed off as text`() {
    let text = #"[{"a":"x\ud800"},{"a":"\ud800\udc00"},{"b":"\udfff"},{"a":"ok"}]"#
    let reading = Reading(text, fields: ["a"], shape: .array(path: ""))
    #expect(reading.records.map(\.problem) == [.unpairedSurrogate(field: 0, offset: 7), nil, nil, nil])
    #expect(reading.texts[1] == ["\u{10000}"])
  }

  @Test func `rows of the wrong length are told, and the scan goes on`() {
    let text = #"{"fields":["a","b"],"data":[[1],[1,2,3],{"a":1},"x",null,[1,2]]}"#
    let problems = Reading(text, fields: ["a"]).records.map(\.problem)
    #expect(
      problems == [
        .wrongLength(found: 1, expected: 2), .wrongLength(found: 3, expected: 2), .notAnArray(.object),
        .notAnArray(.string), .notAnArray(.null), nil,
      ])
  }

  @Test func `keys that nobody asked for are named once`() throws {
    var reader = try RecordReader(fields: ["a"], shape: .lines)
    reader.append(Array(#"{"a":1,"b":2}{"b":3,"c":4}{"\u0064":1}"#.utf8).span)
    reader.finish()
    while try reader.next() == .record {}
    #expect(reader.unrequestedKeys == ["b", "c", "d"])
  }

  @Test func `a reader that failed fails again, after every whole record`() throws {
    var reader = try RecordReader(fields: [], shape: .lines)
    reader.append(Array(#"{} {} x {}"#.utf8).span)
    reader.finish()
    #expect(try reader.next() == .record)
    #expect(try reader.next() == .record)
    for _ in 0..<2 {
      #expect(throws: JSONError.self) { try reader.next() }
    }
    #expect(reader.recordsRead == 2)
  }
}
