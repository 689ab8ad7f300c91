import Foundation
import Testing

@testable import JSONStream

struct CanonicalJSONTests {
  private func canonical(_ text: String) -> String? {
    Array(text.utf8).withUnsafeBufferPointer { CanonicalJSON.text(of: $0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    (#" { "b" : [ 1 , 2.50, -0, 1E+5 ] , "a" : null } "#, #"{"a":null,"b":[1,2.50,-0,1E+5]}"#),
    (#"{"b":{"d":1,"c":2},"a":{}}"#, #"{"a":{},"b":{"c":2,"d":1}}"#),
    (#"{"a":2,"b":0,"a":1}"#, #"{"a":2,"a":1,"b":0}"#),
    (#""\u0041\/\u00e9\ud83d\ude00\n\"\\\u0000""#, #""A/é😀\u000a\"\\\u0000""#),
    (#""half \ud800 \u0041""#, #""half \ud800 \u0041""#),
    (#"[[],[[ ]],"[",true,false,null]"#, #"[[],[[]],"[",true,false,null]"#),
    ("7", "7"), (#""""#, #""""#),
  ])
  func `A value has one text`(text: String, expected: String) {
    #expect(canonical(text) == expected)
    #expect(canonical(expected) == expected)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[1,]", "[,1]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "{1:2}", "01", "1.", "-", "+1",
    ".5", "1e",
    "tru", "nul", "truefalse", "1 2", "[1}", #""a"#, #""\x""#, #""\u12g4""#, "\"\u{1}\"", "NaN", "'a'",
    "[1] x", #""a\"#,
    String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
  ])
  func `What is no value has none`(text: String) {
    #expect(canonical(text) == nil)
  }

  @Test func `Random values are those that Foundation reads`() throws {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array(#"{}[]",:\u0a1e-. nultrfase"#.utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      let found = bytes.withUnsafeBufferPointer { CanonicalJSON.text(of: $0) }
      // Foundation reads [1,] too, which is no JSON.
      let text = String(decoding: bytes, as: UTF8.self)
      let tokens = text.filter { $0 != " " }
      if tokens.contains(",]") || tokens.contains(",}") { continue }
      let isValue = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
      // Foundation refuses halves of characters, and numbers that no double holds.
      if isValue { #expect(found != nil, "\(text)") }
    }
  }
}
