import Foundation
import JSONStream
import Testing

/// RFC 8259: what must be read is, what must be refused is, wherever in a record it stands.
@Suite struct AcceptanceTests {
  static let values: [(text: String, isRight: Bool)] = [
    ("0", true), ("-0", true), ("1", true), ("-1", true), ("10", true), ("0.5", true), ("-0.0", true),
    ("1e5", true),
    ("1E+5", true), ("1e-05", true), ("123456789012345678901234567890", true), ("1.5e300", true),
    ("1e999", true),
    ("00", false), ("01", false), ("-01", false), ("1.", false), (".5", false), ("+1", false), ("-", false),
    ("--1", false), ("1e", false), ("1e+", false), ("1.e5", false), ("1.5.5", false), ("0x10", false),
    ("1_000", false),
    ("1 000", false), ("Infinity", false), ("-Infinity", false), ("NaN", false), ("nan", false),
    ("1a", false),
    ("true", true), ("false", true), ("null", true), ("True", false), ("TRUE", false), ("nul", false),
    ("nulls", false), ("true1", false), ("undefined", false), ("tru e", false), ("truefalse", false),
    (#""""#, true), (#""a""#, true), (#""\"""#, true), (#""\\""#, true), (#""\\\"""#, true),
    (#""\/\b\f\n\r\t""#, true),
    (#""\u0000""#, true), (#""\uD834\uDD1E""#, true), (#""\ud834""#, true), (#""\udd1e\ud834""#, true),
    ("\"\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}\"", true), ("\"\u{2028}\u{feff}\"", true),
    (#""\""#, false), (#""\\\""#, false), (#""\a""#, false), (#""\x41""#, false), (#""\u""#, false),
    (#""\u123""#, false), (#""\u12G4""#, false), (#""\U0041""#, false), (#""\'""#, false), ("\"\t\"", false),
    ("\"\n\"", false), ("\"\u{0}\"", false), ("\"\u{1f}\"", false), ("'a'", false), ("\"a", false),
    ("a\"", false),
    (#""a""b""#, false), (#""a"b"#, false), (#""a"1"#, false), (#"1"a""#, false), (#"null"a""#, false),
    ("[]", true), ("[ ]", true), ("[1]", true), ("[1,2]", true), ("[\t1\n,\r2 ]", true), ("[[[[]]]]", true),
    ("[1,[2,{}],\"]\",null]", true), ("[,]", false), ("[1,]", false), ("[,1]", false), ("[1,,2]", false),
    ("[1 2]", false), ("[1", false), ("1]", false), ("[1}", false), ("[}", false), ("[1:2]", false),
    ("[\u{0b}1]", false), ("[\u{0c}1]", false), ("[\u{a0}1]", false), ("[1]]", false), ("[[1]", false),
    ("{}", true), ("{ }", true), (#"{"a":1}"#, true), (#"{"a":1,"b":{"c":[]}}"#, true), (#"{"":0}"#, true),
    (#"{"a":1,"a":2}"#, true), (#"{"a" : 1 , "b" : 2}"#, true), (#"{"\u0061":1}"#, true), ("{\"é\":1}", true),
    ("{a:1}", false), (#"{'a':1}"#, false), (#"{"a"}"#, false), (#"{"a":}"#, false), (#"{"a":1,}"#, false),
    (#"{,"a":1}"#, false), (#"{"a":1,,"b":2}"#, false), (#"{"a":1 "b":2}"#, false), (#"{"a",1}"#, false),
    (#"{"a"::1}"#, false), (#"{1:1}"#, false), (#"{null:1}"#, false), (#"{[]:1}"#, false),
    (#"{"a":1"#, false),
    (#"{"a":1]"#, false), (#"{"a":1}}"#, false), (#"{"a\q":1}"#, false), (#"{"a":1:2}"#, false),
    (#"{:1}"#, false),
    ("/**/1", false), ("1//", false), ("#", false), ("<", false), ("", false), ("\\", false),
    ("\u{1}", false),
  ]

  @Test(arguments: values.indices)
  func `a value is accepted or refused in every place alike`(index: Int) {
    let (text, isRight) = AcceptanceTests.values[index]
    // Decoded or passed over, in an object, a row, a nested value, behind an escape, or in the envelope.
    let places: [(String, RecordShape)] = [
      ("[{\"k\":\(text)}]", .array(path: "")), ("[{\"x\":\(text)}]", .array(path: "")),
      ("[{\"k\":{\"m\":\(text)}}]", .array(path: "")), ("[{\"o\":[\(text)]}]", .array(path: "")),
      ("[{\"o\":{\"p\":\(text)}}]", .array(path: "")), ("[{\"z\":\"\\n\",\"k\":\(text)}]", .array(path: "")),
      ("{\"k\":\(text)}", .lines), ("{\"fields\":[\"k\"],\"data\":[[\(text)]]}", .columnar()),
      ("{\"fields\":[\"x\"],\"data\":[[\(text)]]}", .columnar()),
      ("{\"e\":\(text),\"data\":[]}", .array(path: "data")),
    ]
    for (document, shape) in places {
      // An empty text is a value nowhere, but an array and a row may be empty.
      if text.isEmpty && (document.contains("[]}]") || document.contains("[[]]")) { continue }
      let reading = Reading(document, fields: ["k", "o/p"], shape: shape)
      #expect(
        (reading.error == nil) == isRight, "\(document) as \(shape): \(reading.error.map { "\($0)" } ?? "")")
    }
  }

  static let documents: [(bytes: [UInt8], isRight: Bool)] = [
    (Array("[]".utf8), true), (Array(" \t\r\n[ ]\n ".utf8), true),
    ([0xef, 0xbb, 0xbf] + Array("[]".utf8), true),
    (Array("[]x".utf8), false), (Array("[] []".utf8), true), (Array("[],".utf8), false),
    (Array("[]\0".utf8), false),
    (Array("[]".utf8) + [0xef, 0xbb, 0xbf], true), (Array("[]".utf8) + [0xef, 0xbb, 0x80], false),
    ([0xef, 0xbb] + Array("[]".utf8), false), ([0xff], false),
    ([0xfe, 0xff, 0, 0x5b, 0, 0x5d], false), ([0xff, 0xfe, 0x5b, 0, 0x5d, 0], false),
    (Array("]".utf8), false),
    (Array("[\"".utf8) + [0x80] + Array("\"]".utf8), false),
    (Array("[\"".utf8) + [0xc1, 0xbf] + Array("\"]".utf8), false),
    (Array("[\"".utf8) + [0xe0, 0x9f, 0xbf] + Array("\"]".utf8), false),
    (Array("[\"".utf8) + [0xf5, 0x80, 0x80, 0x80] + Array("\"]".utf8), false),
    (Array("<!DOCTYPE html>".utf8), false),
  ]

  @Test(arguments: documents.indices)
  func `a document is accepted or refused`(index: Int) {
    let (bytes, isRight) = AcceptanceTests.documents[index]
    #expect((Reading(bytes, shape: .array(path: "")).error == nil) == isRight)
  }

  @Test func `a hundred thousand open brackets are an error`() {
    for opening in ["[", "{\"a\":"] {
      let error = Reading(String(repeating: opening, count: 100_000)).error
      #expect(error?.code == .depthLimit && error?.limit == 512)
    }
  }

  @Test func `any bytes in a string are UTF-8 to us when they are to the standard library`() {
    var random = SeededGenerator(seed: 5)
    var refused = 0
    for _ in 0..<3000 {
      let length = Int.random(in: 1...70, using: &random)
      var bytes = (0..<length).map { _ in UInt8(ascii: "a") }
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let scalar = [0x41, 0xe9, 0x20ac, 0xfffd, 0x1f600, 0x10ffff].randomElement(using: &random) ?? 0x41
        let text = Array(String(UnicodeScalar(UInt32(scalar)).map(Character.init) ?? "x").utf8)
        bytes.insert(contentsOf: text, at: Int.random(in: 0...bytes.count, using: &random))
      }
      if Bool.random(using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0x80...0xff, using: &random)
      }
      let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
      let reading = Reading(
        Array("[{\"k\":\"".utf8) + bytes + Array("\"}]".utf8), fields: ["k"], shape: .array(path: ""))
      #expect((reading.error == nil) == isUTF8)
      if isUTF8 { #expect(reading.texts == [[String(decoding: bytes, as: UTF8.self)]]) } else { refused += 1 }
    }
    #expect(refused > 100)
  }
}
