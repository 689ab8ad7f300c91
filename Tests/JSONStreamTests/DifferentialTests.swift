import Foundation
import JSONStream
import Testing

/// Generated documents, read by this module and by Foundation: the same values, or the same refusal.
@Suite struct DifferentialTests {
  @Test func `records hold what Foundation finds in them`() throws {
    var maker = DocumentMaker(seed: 21)
    for round in 0..<150 {
      let keys = ["k0", "k\u{e9}", "k\"2", "k3", "k4"]
      let text = maker.arrayOfObjects(keys: keys)
      let reading = Reading(
        text, fields: keys.map { "\(FieldPath(key: $0))" }, shape: .array(path: ""),
        pieces: [Int.random(in: 1...300, using: &maker.random)])
      #expect(reading.error == nil, "\(text)")
      let expected = try #require(
        JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]], "round \(round)")
      try #require(reading.records.count == expected.count)
      for (record, object) in zip(reading.records, expected) {
        for (field, key) in zip(record.fields, keys) { try expectEqual(field, object[key], text) }
      }
    }
  }

  @Test func `damaged documents are refused by both, or by neither`() {
    var maker = DocumentMaker(seed: 22)
    var refused = 0
    var accepted = 0
    for _ in 0..<1500 {
      var bytes = Array(maker.arrayOfObjects(keys: ["a", "b"]).utf8)
      let place = Int.random(in: 0..<bytes.count, using: &maker.random)
      switch Int.random(in: 0..<3, using: &maker.random) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = UInt8.random(in: 0x20..<0x7f, using: &maker.random)
      default: bytes.insert(Array("[]{},:\"\\0e-".utf8).randomElement(using: &maker.random) ?? 0, at: place)
      }
      let reading = Reading(bytes, fields: ["a"], shape: .array(path: ""))
      let theirs = try? JSONSerialization.jsonObject(with: Data(bytes))
      // Foundation refuses half a surrogate pair, and doubles that are too large; RFC 8259 has nothing against them.
      if reading.error == nil && theirs == nil && isFoundationsOwn(bytes) { continue }
      // Foundation on Linux lets a trailing comma pass.
      if reading.error != nil && String(decoding: bytes, as: UTF8.self).contains(/,\s*[\]}]/) { continue }
      let isTable = theirs is [Any] || theirs is [String: Any]
      #expect((reading.error == nil) == isTable, "\(String(decoding: bytes, as: UTF8.self))")
      if reading.error == nil { accepted += 1 } else { refused += 1 }
    }
    #expect(refused > 300 && accepted > 300)
  }

  private func isFoundationsOwn(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("\\u") || text.contains(where: { $0 == "e" || $0 == "E" })
  }

  private func expectEqual(_ field: Reading.Field, _ value: Any?, _ text: String) throws {
    switch field.kind {
    case .absent: #expect(value == nil)
    case .null: #expect(value is NSNull)
    case .true: #expect(value as? Bool == true)
    case .false: #expect(value as? Bool == false)
    case .string: #expect(value as? String == field.text, "\(text)")
    case .integer, .decimal:
      let double = NumberParsing.double(Array(field.text.utf8).span, grammar: .json)
      // Foundation on Linux is off in the last bits for some; `NumberTests` holds us to exactness.
      let theirs = try #require((value as? NSNumber)?.doubleValue)
      let ours = try #require(double)
      #expect(abs(theirs - ours) <= 4 * ours.ulp, "\(field.text)")
    case .object, .array:
      let nested = try JSONSerialization.jsonObject(with: Data(field.text.utf8))
      let expected = try JSONSerialization.data(withJSONObject: #require(value), options: .sortedKeys)
      #expect(try JSONSerialization.data(withJSONObject: nested, options: .sortedKeys) == expected)
    }
  }
}

/// Random JSON text: all kinds of values, white space and escapes.
struct DocumentMaker {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func arrayOfObjects(keys: [String]) -> String {
    let count = Int.random(in: 0...6, using: &random)
    let objects = (0..<count).map { _ in object(keys.shuffled(using: &random), depth: 0) }
    return "[" + space() + objects.joined(separator: space() + "," + space()) + space() + "]" + space()
  }

  private mutating func object(_ keys: [String], depth: Int) -> String {
    let members = keys.prefix(Int.random(in: 0...keys.count, using: &random)).map { key in
      string(key) + space() + ":" + space() + value(depth: depth + 1)
    }
    return "{" + space() + members.joined(separator: "," + space()) + space() + "}"
  }

  private mutating func value(depth: Int) -> String {
    switch Int.random(in: 0..<(depth > 4 ? 8 : 10), using: &random) {
    case 0: return "null"
    case 1: return "true"
    case 2: return "false"
    case 3: return String(Int.random(in: -1_000_000...1_000_000, using: &random))
    case 4: return "\(Double.random(in: -1e6...1e6, using: &random))"
    case 5: return "\(Int.random(in: 0...9, using: &random))e\(Int.random(in: -20...20, using: &random))"
    case 6, 7: return string((0..<Int.random(in: 0...90, using: &random)).map { _ in character() }.joined())
    case 8: return object(["x", "y", "k0"], depth: depth)
    default:
      let values = (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1) }
      return "[" + values.joined(separator: "," + space()) + space() + "]"
    }
  }

  private mutating func character() -> String {
    ["a", "Z", "0", " ", "\"", "\\", "/", "\n", "\u{0}", "é", "€", "😀", "[", "}", ",", ":"]
      .randomElement(using: &random) ?? "a"
  }

  private mutating func string(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      let asEscape = Int.random(in: 0..<8, using: &random) == 0
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += asEscape ? "\\u000a" : "\\n"
      case _ where scalar.value < 0x20 || asEscape:
        for unit in String(scalar).utf16 { quoted += "\\u" + String(format: "%04x", unit) }
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  private mutating func space() -> String {
    ["", "", "", " ", "\n", "\t ", "\r\n    "].randomElement(using: &random) ?? ""
  }
}
