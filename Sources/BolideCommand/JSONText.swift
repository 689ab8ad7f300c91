import Bolide
import Foundation

/// Writes JSON, one value after another, into a buffer that is used again for each line.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  var string: String { String(decoding: bytes, as: UTF8.self) }

  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// Ends a line of newline-delimited JSON.
  mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// A line that is not JSON.
  mutating func write(line: String) {
    append(line)
    endLine()
  }

  mutating func object(_ body: (inout JSONText) -> Void) {
    enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  mutating func member(_ name: String, object body: (inout JSONText) -> Void) {
    key(name)
    object(body)
  }

  mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { append(string: value) } else { append("null") }
    needsComma = true
  }

  mutating func member(_ name: String, _ value: Int64) {
    key(name)
    append(String(value))
    needsComma = true
  }

  mutating func member(_ name: String, _ value: Double) {
    key(name)
    append(real: value)
    needsComma = true
  }

  mutating func member(_ name: String, _ value: Bool) {
    key(name)
    append(value ? "true" : "false")
    needsComma = true
  }

  mutating func member(_ name: String, strings: [String]) {
    key(name)
    enclosed(UInt8(ascii: "["), UInt8(ascii: "]")) { text in
      for string in strings {
        text.comma()
        text.append(string: string)
        text.needsComma = true
      }
    }
  }

  /// A property's value as its type has it: decimals and big whole numbers exact, booleans as such.
  mutating func member(_ property: HistoryChange.Property) {
    switch (property.value, property.type) {
    case (.null, _): member(property.name, nil as String?)
    case (.integer(let value), .boolean): member(property.name, value != 0)
    case (.integer(let value), .decimal(let scale)):
      key(property.name)
      append(decimal(value, scale))
      needsComma = true
    case (.integer(let value), _): member(property.name, value)
    case (.real(let value), _): member(property.name, value)
    case (.text(let value), .json):
      key(property.name)
      append(value)
      needsComma = true
    case (.text(let value), _): member(property.name, value)
    case (.blob(let value), _): member(property.name, Data(value).base64EncodedString())
    }
  }

  // MARK: Parts

  private mutating func enclosed(_ open: UInt8, _ close: UInt8, _ body: (inout JSONText) -> Void) {
    comma()
    bytes.append(open)
    needsComma = false
    body(&self)
    bytes.append(close)
    needsComma = true
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func key(_ name: String) {
    comma()
    append(string: name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// The shortest text that reads back as the same number. JSON has no infinity.
  private mutating func append(real value: Double) {
    guard value.isFinite else { return append("null") }
    let text = value.description
    append(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }

  private mutating func append(string: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case 0x0a: append("\\n")
      case 0..<0x20: append("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private func decimal(_ units: Int64, _ scale: Int) -> String {
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    let sign = units < 0 ? "-" : ""
    return scale == 0 ? sign + padded : "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
  }
}
