import Foundation
import Testing

@testable import TypedRows

struct ConversionTextTests {
  // MARK: Booleans

  @Test func `A boolean has eight spellings`() throws {
    for text in ["true", "TRUE", "True", "1"] { #expect(try text.withBytes { try BooleanText.value($0) }) }
    for text in ["false", "FALSE", "False", "0"] {
      #expect(try !text.withBytes { try BooleanText.value($0) })
    }
    #expect(try BooleanText.value(1) && !BooleanText.value(0))
  }

  @Test(arguments: [
    "", "yes", "no", "Y", "N", "t", "tRUE", "TRue", "falsE", "FaLSE", "2", "01", "true ", "on",
  ])
  func `Any other word is rejected`(text: String) {
    #expect(throws: ConversionFailure.notABoolean) { try text.withBytes { try BooleanText.value($0) } }
    #expect(throws: ConversionFailure.notABoolean) { try BooleanText.value(2) }
  }

  // MARK: UUIDs

  @Test(arguments: [
    "6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01", "6F1C2F0E-8D0B-4F43-9A55-0F2D8F6F7A01",
    "6f1c2f0e8d0b4f439a550f2d8f6f7a01", "{6F1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01}",
    "{6F1C2F0E8D0B4F439A550F2D8F6F7A01}",
  ])
  func `A UUID has one stored form`(text: String) throws {
    #expect(try uuid(text) == "6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01")
  }

  @Test(arguments: [
    "", "{}", "{", "6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a0", "6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a011",
    "6f1c2f0e-8d0b-4f43-9a550-f2d8f6f7a01", "6f1c2f0e8d0b-4f43-9a55-0f2d8f6f7a01",
    "{6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01", "6g1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01",
    "6f1c2f0e_8d0b_4f43_9a55_0f2d8f6f7a01", "urn:uuid:6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01",
    "\u{10}f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01",
  ])
  func `What is no UUID is rejected`(text: String) {
    #expect(throws: ConversionFailure.notAUUID) { try uuid(text) }
  }

  private func uuid(_ text: String) throws -> String {
    try written(UUIDText.length) { output in try text.withBytes { try UUIDText.write($0, to: output) } }
  }

  // MARK: Base64

  @Test(
    arguments: [
      ("", []), ("AA==", [0]), ("AA", [0]), ("AAE=", [0, 1]), ("AAE", [0, 1]), ("AAEC", [0, 1, 2]),
      ("+/+/", [0xFB, 0xFF, 0xBF]), ("-_-_", [0xFB, 0xFF, 0xBF]), ("/w==", [0xFF]), ("_w", [0xFF]),
    ] as [(String, [UInt8])])
  func `Base64 gives its bytes`(text: String, bytes: [UInt8]) throws {
    #expect(try decoded(text) == bytes)
  }

  @Test(arguments: [
    "A", "AAAAA", "A===", "=", "==", "====", "AA=", "AAE==", "AAEC=", "AAEC====", "AA=A", "A A=", "AAEC\n",
    "AA*=",
    "+_==", "+/-_", "AB==", "AAF=", "é",
  ])
  func `What is not base64 is rejected`(text: String) {
    #expect(throws: ConversionFailure.notBase64) { try decoded(text) }
  }

  @Test func `Random bytes come back`() throws {
    for count in 0..<300 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      let text = Data(bytes).base64EncodedString()
      #expect(try decoded(text) == bytes)
      let forURLs = text.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
      #expect(try decoded(forURLs) == bytes)
    }
  }

  private func decoded(_ text: String) throws -> [UInt8] {
    try text.withBytes { bytes in
      let count = try Base64Text.decodedCount(bytes)
      var output = [UInt8](repeating: 0xEE, count: count + 1)
      try output.withUnsafeMutableBufferPointer { buffer in
        try Base64Text.decode(bytes, to: try #require(buffer.baseAddress))
      }
      #expect(output.last == 0xEE)
      return Array(output.dropLast())
    }
  }

  // MARK: Failures

  @Test func `Each failure has its own word and sentence`() {
    let sentences = ConversionFailure.allCases.map { "\($0.code): \($0.message)" }
    #expect(
      sentences == [
        "not-a-number: expected a number such as 12.8",
        "fraction: expected a whole number; this one has decimals",
        "out-of-range: the value is out of the range of its type",
        "too-many-decimals: the number has more decimals than the attribute's scale",
        "not-a-date: expected a date such as 2026-05-12 03:14:07",
        "ambiguous-date: the order of day and month is ambiguous; declare `format: day-first` or "
          + "`month-first`",
        "no-such-day: the calendar has no such day",
        "no-such-time: the time is out of range; expected 00:00:00 to 23:59:59",
        "wrong-weekday: the day falls on another weekday than the one beside it",
        "not-in-format: the date does not have the form declared by `format`",
        "skipped-time: the declared zone has no such time: its clocks were put forward over it",
        "repeated-time: the declared zone had this time twice, as its clocks were put back; only an offset such as +02:00 "
          + "tells which is meant",
        "unknown-zone: expected no time zone, or Z, UT, UTC, GMT or an offset such as +02:00",
        "fraction-of-second: the date has a fraction of a second; declare `precision: ms` or `us` to keep it, or `seconds` to cut it off",
        "undeclared-epoch: the value is a number; declare `epoch: seconds` or `epoch: milliseconds`",
        "time-in-day: expected a day without a time; declare the attribute a date to keep it",
        "not-a-boolean: expected true or false",
        "not-a-uuid: expected a UUID such as 6f1c2f0e-8d0b-4f43-9a55-0f2d8f6f7a01",
        "not-base64: expected base64",
        "not-json: expected JSON; use `json_quote(…)` for a text",
        "not-a-string: expected a text",
        "not-one-value: expected one value, found an object or an array",
      ])
  }
}
extension String {
  /// Calls a closure with the text's bytes, in memory that ends with them.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try Array(utf8).withUnsafeBufferPointer(body)
  }
}

/// What a closure writes into memory of just that many bytes, as text; the byte behind it must stay as it is.
func written(_ count: Int, by body: (UnsafeMutablePointer<UInt8>) throws -> Void) throws -> String {
  var bytes = [UInt8](repeating: 0xFF, count: count + 1)
  return try bytes.withUnsafeMutableBufferPointer { buffer in
    try body(try #require(buffer.baseAddress))
    #expect(buffer[count] == 0xFF)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
