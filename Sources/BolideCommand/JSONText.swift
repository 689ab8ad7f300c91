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

  /// A line that is not JSON, as a terminal may show it.
  mutating func write(line: String) {
    append(line.printable)
    endLine()
  }

  mutating func object(_ body: (inout JSONText) -> Void) {
    enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  mutating func member(_ name: String, object body: (inout JSONText) -> Void) {
    key(name)
    object(body)
  }

  mutating func member<Element>(
    _ name: String, objects: [Element], _ body: (inout JSONText, Element) -> Void
  ) {
    key(name)
    enclosed(UInt8(ascii: "["), UInt8(ascii: "]")) { text in
      for element in objects { text.object { body(&$0, element) } }
    }
  }

  mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { append(string: value) } else { append("null") }
    needsComma = true
  }

  mutating func member(_ name: String, _ value: Int64?) {
    key(name)
    append(value.map(String.init) ?? "null")
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
      append(json: value)
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

  /// What a terminal would obey is escaped, so that a JSON line may be shown on one.
  private mutating func append(string: String) {
    bytes.append(UInt8(ascii: "\""))
    let isPlain = string.utf8.allSatisfy { 0x20..<0x7f ~= $0 && $0 != 0x22 && $0 != 0x5c }
    if isPlain { append(string) } else { append(escaping: string.unicodeScalars) }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func append(escaping scalars: String.UnicodeScalarView) {
    for scalar in scalars {
      switch scalar {
      case "\"": append("\\\"")
      case "\\": append("\\\\")
      case "\n": append("\\n")
      default: append(scalar)
      }
    }
  }

  /// A JSON value that is text already.
  private mutating func append(json: String) {
    if json.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return append(json) }
    for scalar in json.unicodeScalars {
      // Below U+0020 there is only space between values; what else a terminal would obey stands in a string.
      if scalar.value < 0x20 { append(" ") } else { append(scalar) }
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    guard !scalar.isVisible else { return append(String(scalar)) }
    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
      let digits = String(unit, radix: 16)
      append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
    }
  }

  private func decimal(_ units: Int64, _ scale: Int) -> String {
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    let sign = units < 0 ? "-" : ""
    return scale == 0 ? sign + padded : "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
  }
}
