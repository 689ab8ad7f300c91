import JSONStream
import Testing

/// Every sentence word for word.
@Suite struct MessageTests {
  static let small = ReaderLimits(depth: 3, recordBytes: 40, stringBytes: 8, numberBytes: 5)
  static let cases: [(input: String, code: String, sentence: String)] = [
    ("[{},é]", "unexpected-byte", "found the byte 0xc3 outside a string; expected JSON"),
    ("[{},]", "expected-value", "found ']'; expected a value"),
    ("[,]", "expected-value-or-bracket", "found ','; expected a value or ']'"),
    ("[{a:1}]", "expected-key", "found 'a'; expected a key in double quotes"),
    (#"[{"a",1}]"#, "expected-colon", "found ','; expected ':'"),
    (#"[{"a":1 "b":2}]"#, "expected-comma-or-brace", "found a string; expected ',' or '}'"),
    ("[{} {}]", "expected-comma-or-bracket", "found '{'; expected ',' or ']'"),
    ("[nil]", "unexpected-word", "found a word that is not true, false or null; expected a value"),
    ("[01]", "malformed-number", "found '1' in a number; expected a number as JSON writes it"),
    ("[1. ]", "malformed-number", "found a space in a number; expected a number as JSON writes it"),
    ("[1.\n]", "malformed-number", "found a line break in a number; expected a number as JSON writes it"),
    (
      #"["\x"]"#, "malformed-escape",
      #"found an invalid escape; expected one of \" \\ \/ \b \f \n \r \t \uXXXX"#
    ),
    ("[\"\t\"]", "control-in-string", "found a tab in a string; control characters must be escaped"),
    (
      "[\"\u{1}\"]", "control-in-string",
      "found the byte 0x01 in a string; control characters must be escaped"
    ),
    ("[[[[", "depth-limit", "found arrays or objects nested deeper than the limit of 3; expected fewer"),
    (#"["123456789"]"#, "string-limit", "found a string over the limit of 8 bytes; expected a shorter one"),
    ("[123456]", "number-limit", "found a number over the limit of 5 bytes; expected a shorter one"),
    (
      "[[1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9,1,2,3,4]]", "record-limit",
      "found a record over the limit of 40 bytes; expected a smaller one"
    ),
    ("[] }", "content-after-document", "found '}' after the end of the document; expected nothing more"),
    ("[{},{", "input-ends", "the input ends inside record 2 (byte 5)"),
    ("[{}", "input-ends", "the input ends after record 1, before its last bracket (byte 3)"),
    ("[", "input-ends", "the input ends before the first record (byte 1)"),
    (" ", "no-input", "found no JSON, the input is empty; expected an array or an object"),
    ("<html>", "markup", "found an HTML or XML page; expected records"),
    (
      "\"a\"", "no-records-there",
      "found a string where the records should be; expected an array or an object"
    ),
    (
      "true", "no-records-there",
      "found text that begins with 't' where the records should be; expected an array or an object"
    ),
    ("[\0]\0", "utf-16", "found UTF-16; expected UTF-8"),
    ("[\0\0\0", "utf-32", "found UTF-32; expected UTF-8"),
  ]

  @Test(arguments: cases.indices)
  func `a mistake has its sentence`(index: Int) throws {
    let (input, code, sentence) = MessageTests.cases[index]
    let error = try #require(
      Reading(input, shape: .array(path: ""), limits: MessageTests.small).error)
    #expect(error.code.rawValue == code)
    #expect(error.description == sentence)
  }

  @Test func `bytes that are not UTF-8 have their sentence`() throws {
    let error = try #require(Reading(Array("[\"".utf8) + [0xff, 0x22, 0x5d], shape: .array(path: "")).error)
    #expect(error.description == "found the byte 0xff in a string, which is not UTF-8; expected UTF-8")
  }

  static let shapes: [(input: String, shape: RecordShape, sentence: String)] = [
    (
      #"{"a":[{"x":1}],"b":[{"x":2}]}"#, .automatic,
      "found several arrays that could be the records: 'a', 'b'; expected one array, or a path"
    ),
    (
      #"{"data":[[1]]}"#, .columnar(),
      "found rows without column names; expected names"
    ),
    (#"{"fields":["x",null]}"#, .columnar(), "found null among the columns' names; expected strings"),
    (#"{"fields":["x","y","x"]}"#, .columnar(), "found two columns with the name 'x'; expected one"),
  ]

  @Test(arguments: shapes.indices)
  func `a shape that does not fit has its sentence`(index: Int) throws {
    let (input, shape, sentence) = MessageTests.shapes[index]
    #expect(try #require(Reading(input, fields: ["x"], shape: shape).error).description == sentence)
  }

  @Test func `a limit in whole mebibytes is said so`() throws {
    let limits = ReaderLimits(recordBytes: 1 << 20)
    let text = "[\"" + String(repeating: "a", count: 1 << 20) + "\"]"
    let error = try #require(Reading(text, shape: .array(path: ""), limits: limits).error)
    #expect(error.description == "found a record over the limit of 1 MiB; expected a smaller one")
  }

  @Test func `a path that cannot be read has its sentence`() {
    let (none, cut) = ("", "a~2b")
    #expect(throws: PathError.self) { try FieldPath(none) }
    do {
      _ = try FieldPath(cut)
    } catch {
      #expect(error.description == "found a '~' in 'a~2b'; expected '~0' for '~' or '~1' for '/'")
    }
  }
}
