extension Value {
  /// Reads a value that a pipeline file gives as text: a default, a limit, an allowed value.
  ///
  /// The text is the stored form, but for decimals and booleans, which people write as such.
  ///
  /// - Throws: `ValueTextError` with the form that is expected.
  package init(_ text: String, as type: AttributeType) throws(ValueTextError) {
    let value: Value? =
      switch type {
      case .integer16: Int16(text).map { .integer(Int64($0)) }
      case .integer32: Int32(text).map { .integer(Int64($0)) }
      case .integer64: Int64(text).map { .integer($0) }
      case .double: Double(number: text).map { .real($0) }
      case .float: Double(number: text).map { .real(Double(Float($0))) }.flatMap { $0.isFinite ? $0 : nil }
      case .decimal(let scale): Int64(units: text, scale: scale).map { .integer($0) }
      case .boolean: ["true": 1, "false": 0][text].map { .integer($0) }
      case .string: .text(text)
      case .date(let precision): text.isInstant(precision) ? .text(text) : nil
      case .day: text.isDay ? .text(text) : nil
      case .uuid: text.isUUID ? .text(text) : nil
      case .binary, .json: nil
      }
    guard let value else { throw ValueTextError(expected: type.writtenForm) }
    self = value
  }

  private var isFinite: Bool {
    if case .real(let number) = self { number.isFinite } else { true }
  }
}

/// A text that is no value of its attribute's type.
package struct ValueTextError: Error, Hashable {
  /// What is expected, with an example.
  package var expected: String
}

extension Int64 {
  /// The units of a decimal number at a scale: `1.5` is 150 at scale 2.
  fileprivate init?(units text: String, scale: Int) {
    let unsigned = text.drop { $0 == "-" || $0 == "+" }
    let parts = unsigned.split(separator: ".", omittingEmptySubsequences: false)
    guard text.count - unsigned.count <= 1, (1...2).contains(parts.count), scale >= 0,
      let whole = parts.first, let decimals = parts.count == 2 ? parts.last : "", decimals.count <= scale,
      !(whole.isEmpty && decimals.isEmpty), (whole + decimals).utf8.allSatisfy({ isDigit($0) })
    else { return nil }
    let sign = text.hasPrefix("-") ? "-" : ""
    self.init("\(sign)\(whole)\(decimals)" + String(repeating: "0", count: scale - decimals.count))
  }
}

extension String {
  fileprivate var isDay: Bool {
    guard matches("dddd-dd-dd"), let year = number(0..<4), let month = number(5..<7),
      let day = number(8..<10),
      (1...12).contains(month)
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    return (1...days[month - 1]).contains(day)
  }

  fileprivate func isInstant(_ precision: DatePrecision) -> Bool {
    let decimals = String(repeating: "d", count: precision.decimals)
    guard matches("dddd-dd-ddTdd:dd:dd\(decimals.isEmpty ? "" : ".")\(decimals)Z"),
      String(prefix(10)).isDay, let hour = number(11..<13), let minute = number(14..<16),
      let second = number(17..<19)
    else { return false }
    return hour < 24 && minute < 60 && second < 60
  }

  fileprivate var isUUID: Bool {
    matches("hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
  }

  /// Whether the text has a pattern's form: `d` is a digit, `h` a lower-case hexadecimal digit, the rest
  /// itself.
  private func matches(_ pattern: String) -> Bool {
    utf8.count == pattern.utf8.count
      && zip(utf8, pattern.utf8).allSatisfy { byte, form in
        switch form {
        case UInt8(ascii: "d"): isDigit(byte)
        case UInt8(ascii: "h"): isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
        default: byte == form
        }
      }
  }

  private func number(_ range: Range<Int>) -> Int? {
    Int(String(decoding: Array(utf8)[range], as: UTF8.self))
  }
}

private func isDigit(_ byte: UInt8) -> Bool {
  UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
}
