#if !FUZZING
  import JSONStream
#endif
import Testing

/// Feeds of lines, in which a broken one ends nothing, and several documents in one input.
@Suite struct LineTests {
  private static let small = ReaderLimits(depth: 4, recordBytes: 60, stringBytes: 16, numberBytes: 5)

  /// What is wrong in the second of three lines, at which column, and in which words.
  private static let broken: [(line: String, column: Int, sentence: String)] = [
    (#"{"id":2,"name":"#, 16, "the line ends inside its record"),
    (#"{"id":2,"name": "cut"#, 21, "the line ends inside its record"),
    (#"{"id":2,"list":[1,2"#, 20, "the line ends inside its record"),
    ("{", 2, "the line ends inside its record"),
    (#"{"id":2,}"#, 9, "found '}'; expected a key in double quotes"),
    (#"{"id":2 "a":1}"#, 9, "found a string; expected ',' or '}'"),
    (#"{"id":nul}"#, 7, "found a word that is not true, false or null; expected a value"),
    (#"{"id":01}"#, 8, "found '1' in a number; expected a number as JSON writes it"),
    (#"{"id":123456}"#, 7, "found a number over the limit of 5 bytes; expected a shorter one"),
    (#"{"id":"12345678901234567"}"#, 7, "found a string over the limit of 16 bytes; expected a shorter one"),
    (#"{"a":[[[[1]]]]}"#, 9, "found arrays or objects nested deeper than the limit of 4; expected fewer"),
    (
      #"{"a":["aaaaaaaaaaa","aaaaaaaaaaa","aaaaaaaaaaa","aaaaaaaaaaaa"]}"#, 1,
      "found a record over the limit of 60 bytes; expected a smaller one"
    ),
    ("{\"id\":\"a\tb\"}", 9, "found a tab in a string; control characters must be escaped"),
    (
      #"{"id":"\x"}"#, 8,
      #"found an invalid escape; expected one of \" \\ \/ \b \f \n \r \t \uXXXX"#
    ),
    ("}", 1, "found '}'; expected a value"),
    ("oops", 1, "found a word that is not true, false or null; expected a value"),
    ("é", 1, "found the byte 0xc3 outside a string; expected JSON"),
    (#"{"id":2}}"#, 9, "found '}'; expected a value"),
  ]

  @Test(arguments: broken.indices, [[Int.max], [1], [7]])
  func `a broken line that another one follows is a record, and the next line is read`(
    index: Int, pieces: [Int]
  ) throws {
    let (line, column, sentence) = Self.broken[index]
    for (end, lines) in [("\n", 1), ("\r\n", 1), (" \n\n", 2)] {
      let text = "{\"id\":1}\(end)\(line)\(end){\"id\":3}\(end)"
      let reading = Reading(text, fields: ["id"], shape: .lines, limits: Self.small, pieces: pieces)
      #expect(reading.error == nil)
      #expect(reading.records[0].fields[0].text == "1")
      let bad = try #require(reading.records.last { $0.problem != nil })
      guard case .brokenLine(let error) = bad.problem else {
        Issue.record("\(String(describing: bad.problem))")
        continue
      }
      #expect(error.description == sentence)
      #expect(error.position.line == 1 + lines && error.position.column == column)
      #expect(bad.fields.map(\.kind) == [.absent])
      #expect(bad.text == (line.hasSuffix("}}") ? "}" : line.utf8.count > 60 ? "" : line))
      #expect(bad.number == error.record)
      let last = try #require(reading.records.last)
      #expect(last.problem == nil && last.fields[0].text == "3" && last.number == bad.number + 1)
      #expect(last.position.column == 1 && last.position.line == 1 + 2 * lines)
    }
  }

  @Test(arguments: [[Int.max], [1], [3]])
  func `bytes that are not UTF-8 break their line alone`(pieces: [Int]) {
    let lines: [[UInt8]] = [
      Array(#"{"id":1}"#.utf8), Array(#"{"id":""#.utf8) + [0xff] + Array(#""}"#.utf8), [0xe9, 0xc3],
      Array(#"{"id":4}"#.utf8),
    ]
    let text = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    let reading = Reading(text, fields: ["id"], shape: .lines, pieces: pieces)
    #expect(reading.error == nil && reading.records.map { $0.problem == nil } == [true, false, false, true])
  }

  @Test(arguments: [
    "{\"id\":1,\"a\":\n{\"id\":2}\n{\"id\":3}", "{\"id\":1}\n{\"id\":\n{\"id\":3}",
    "{\"id\":\"1\n{\"id\":2}\n{\"id\":3}",
  ])
  func `lines are known as such without being told, by the first one too`(text: String) {
    let reading = Reading(text, fields: ["id"])
    #expect(reading.error == nil && reading.records.count == 3)
    #expect(reading.records.count { $0.problem == nil } == 2)
  }

  @Test func `rows under a line of names are lines too`() {
    let text = "[\"id\",\"v\"]\n[\"1\",\"a\"]\n[\"2\",\n[\"3\",\"c\"]\n"
    let reading = Reading(text, fields: ["v", "id"])
    #expect(reading.error == nil && reading.texts == [["a", "1"], ["absent", "absent"], ["c", "3"]])
  }

  @Test(arguments: [
    ("{\"id\":1}\n{\"id\":2,", "the input ends inside record 2 (byte 17)"),
    ("{\"id\":1}\n{\"id\":2,\n \n", "the input ends inside record 2 (byte 20)"),
    ("{\"id\":1}\n{\"id\":nul}\n", "found a word that is not true, false or null; expected a value"),
    // Records that are more than a line each, or share one.
    ("{\n\"id\":1}\n{\"id\":\n{\"id\":3}\n{}\n", "found '{'; expected ',' or '}'"),
    ("{\"id\":1} {\"id\":2}\n{\"id\":\n{\"id\":3}\n{}", "found '{'; expected ',' or '}'"),
    ("{\n  \"id\": 1,\n  \"a\": nul\n}\n", "found a word that is not true, false or null; expected a value"),
    ("Service Unavailable\nTry again\n", "found a word that is not true, false or null; expected a value"),
  ])
  func `where no line follows, or records are no lines, the input ends`(text: String, sentence: String) {
    for pieces in [[Int.max], [1]] {
      let reading = Reading(text, fields: ["id"], shape: .lines, pieces: pieces)
      #expect(reading.error?.description == sentence)
    }
  }

  private static let mark = "\u{feff}"

  @Test(arguments: [
    (#"[{"id":1}][{"id":2},{"id":3}] [] [{"id":4}]"#, 4),
    (#"{"items":[{"id":1},{"id":2}]}\#n{"items":[]}{"next":1,"items":[{"id":3}]}"#, 3),
    (#"{"fields":["v","id"],"data":[[0,1],[0,2]]}{"fields":["id"],"data":[[3]]}"#, 3),
    (#"[["id","v"],["1","x"]]\#n[["v","id"],["y","2"]]"#, 2),
    (#"\#(mark)[{"id":1}]\#(mark)[{"id":2}]"#, 2),
    (#"\#(mark){"id":1}\#n\#(mark){"id":2}\#n\#(mark)"#, 2),
    (#"{"2020":[{"id":1}]}{"2021":[{"id":2}]}"#, 2),
  ])
  func `several documents are read as one, byte order marks between them`(text: String, count: Int) {
    for pieces in [[Int.max], [1], [5]] {
      let reading = Reading(text, fields: ["id"], pieces: pieces)
      #expect(reading.error == nil)
      #expect(reading.texts == (1...count).map { ["\($0)"] })
      #expect(reading.records.map(\.number) == Array(1...count))
    }
  }

  @Test func `each document has its own surroundings`() {
    let reading = Reading(#"{"count":2,"items":[{"id":1}]}{"count":1,"items":[]}"#, fields: ["id"])
    #expect(reading.documents.map(\.count) == [2] && reading.envelope?.count == 1)
  }

  @Test(arguments: [
    #"{"data":[[1]]} {"fields":["a"],"data":[[2]]}"#,
    #"{"fields":["a"],"data":[[1]]} {"data":[[2]]} {"fields":["a"],"data":[[3]]}"#,
  ])
  func `rows that their own document does not name are refused, whatever another one says`(text: String) {
    let reading = Reading(text, fields: ["a"], shape: .columnar())
    #expect(reading.error?.code == .noNames)
    #expect(reading.error?.recordsBefore == reading.records.count)
    #expect(reading.texts == (text.hasPrefix(#"{"fields""#) ? [["1"]] : []))
  }

  @Test func `what is no document behind one ends the input`() {
    let error = Reading(#"[{"id":1}] true"#, fields: ["id"]).error
    #expect(error?.description == "found 't' after the end of the document; expected nothing more")
  }
}
