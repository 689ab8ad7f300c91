import Bolide
import CommandSupport
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
  mutating func write(line: String, within columns: Int? = nil, indent: Int = 0) {
    append(line.printable.wrapped(to: columns, indent: indent))
    endLine()
  }

  mutating func object(_ body: (inout JSONText) throws -> Void) rethrows {
    try enclosed(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  mutating func array(_ body: (inout JSONText) throws -> Void) rethrows {
    try enclosed(UInt8(ascii: "["), UInt8(ascii: "]"), body)
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

  mutating func member(_ name: String, integers: [Int]) {
    key(name)
    append("[\(integers.map(String.init).joined(separator: ","))]")
    needsComma = true
  }

  /// A property's value as its type has it: decimals and big whole numbers exact, booleans as such.
  mutating func member(_ property: HistoryChange.Property) {
    switch (property.value, property.type) {
    case (.null, _): member(property.name, nil as String?)
    case (.integer(let value), .boolean): member(property.name, value != 0)
    case (.integer(let value), .decimal(let scale)):
      key(property.name)
      append(value.decimalText(scale))
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

  // MARK: Fetched rows

  /// A member's name as it is written, with its colon, to be written many times.
  static func key(_ name: String) -> [UInt8] {
    var text = JSONText()
    text.key(name)
    return text.bytes
  }

  /// Writes such a name; its value comes next.
  mutating func append(key: [UInt8]) {
    comma()
    bytes.append(contentsOf: key)
    needsComma = false
  }

  /// Writes a fetched value as its type has it.
  mutating func append(_ cell: FetchedCell, _ type: AttributeType?) {
    switch (cell, type) {
    case (.null, _): append("null")
    case (.text(let value), .json): append(json: unsafe String(decoding: value, as: UTF8.self))
    case (.text(let value), _): unsafe append(string: value)
    case (.blob, _): append(string: cell.text(type))
    case (.real(let value), _) where !value.isFinite: append(real: value)
    case (.real, _), (.integer, _): append(cell.text(type))
    }
    needsComma = true
  }

  /// Writes what is no JSON.
  mutating func append(bytes more: UnsafeBufferPointer<UInt8>) {
    unsafe bytes.append(contentsOf: more)
  }

  /// Writes what is no JSON.
  mutating func append(byte: UInt8) {
    bytes.append(byte)
  }

  // MARK: Parts

  private mutating func enclosed(
    _ open: UInt8, _ close: UInt8, _ body: (inout JSONText) throws -> Void
  ) rethrows {
    comma()
    bytes.append(open)
    needsComma = false
    try body(&self)
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

  /// Writes what is no JSON, or is already.
  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  /// The shortest text that reads back as the same number. JSON has no infinity, so that is a string.
  private mutating func append(real value: Double) {
    append(value.isFinite ? value.shortText : value < 0 ? #""-Infinity""# : #""Infinity""#)
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

  /// A JSON value that is text already. What another program has stored past its CHECK, and is none, is a string.
  private mutating func append(json: String) {
    guard NestedJSON.isValue(json) else { return append(string: json) }
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

  /// Text as SQLite hands it over.
  private mutating func append(string value: UnsafeBufferPointer<UInt8>) {
    var isPlain = true
    for index in value.indices {
      let byte = unsafe value[index]
      if !(0x20..<0x7f ~= byte) || byte == 0x22 || byte == 0x5c { isPlain = false }
    }
    guard isPlain else { return append(string: unsafe String(decoding: value, as: UTF8.self)) }
    bytes.append(UInt8(ascii: "\""))
    unsafe bytes.append(contentsOf: value)
    bytes.append(UInt8(ascii: "\""))
  }
}

extension FetchedCell {
  /// The value as text, exact; nothing for null.
  func text(_ type: AttributeType?) -> String {
    switch (self, type) {
    case (.null, _): ""
    case (.integer(let value), .boolean): value == 0 ? "false" : "true"
    case (.integer(let value), .decimal(let scale)): value.decimalText(scale)
    case (.integer(let value), _): String(value)
    case (.real(let value), _): value.shortText
    case (.text(let value), _): unsafe String(decoding: value, as: UTF8.self)
    case (.blob(let value), _): unsafe Data(value).base64EncodedString()
    }
  }
}

extension Double {
  /// The shortest text that reads back as the same number.
  fileprivate var shortText: String {
    // As SQLite and most programs write it.
    guard isFinite else { return self < 0 ? "-Inf" : "Inf" }
    let text = description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
