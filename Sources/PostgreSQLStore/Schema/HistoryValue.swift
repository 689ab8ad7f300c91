internal import ImportModel
internal import TypedRows

extension AttributeType {
  /// A value as history keeps it, the server's text, in its stored form; null for what is none of the type.
  func value(ofHistory text: String?) -> Value {
    guard let text else { return .null }
    switch self {
    case .integer16, .integer32, .integer64: return Int64(text).map(Value.integer) ?? .null
    case .boolean: return .integer(text == "true" || text == "t" ? 1 : 0)
    case .decimal(let scale):
      let units = Array(text.utf8).withUnsafeBufferPointer { bytes in
        try? DecimalText.units(bytes, scale: scale)
      }
      return units.map(Value.integer) ?? .null
    case .double, .float: return Double(text).map(Value.real) ?? .null
    case .string, .json, .uuid: return .text(text)
    case .day: return .text(String(Self.bounded(text).prefix(10)))
    case .date(let precision): return .text(Self.instant(Self.bounded(text), precision))
    case .binary: return .blob(Self.bytes(text))
    }
  }

  /// The server calls the year 0 the first before Christ: `0001-03-01 BC`. What is beyond Bolide's calendar, infinity too, is at its end,
  /// as where it is read from a table.
  private static func bounded(_ text: String) -> String {
    let year = text.prefix { $0 != "-" }
    if text.hasSuffix(" BC"), year == "0001" { return "0000\(text.dropFirst(4).dropLast(3))" }
    if text.hasSuffix(" BC") || text == "-infinity" { return "0000-01-01 00:00:00" }
    return text == "infinity" || year.utf8.count > 4 ? "9999-12-31 23:59:59.999999" : text
  }

  /// `2026-05-12 03:14:07.25+00` as `2026-05-12T03:14:07.250Z`.
  private static func instant(_ text: String, _ precision: DatePrecision) -> String {
    var seconds = text.prefix { $0 != "+" }
    var fraction = ""
    if let point = seconds.lastIndex(of: ".") {
      fraction = String(seconds[seconds.index(after: point)...])
      seconds = seconds[..<point]
    }
    let decimals = precision.decimals
    fraction = String((fraction + String(repeating: "0", count: decimals)).prefix(decimals))
    return seconds.replacing(" ", with: "T") + (decimals > 0 ? ".\(fraction)" : "") + "Z"
  }

  /// `\x0aff` as bytes.
  private static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8.dropFirst(2))
    return stride(from: 0, to: digits.count - 1, by: 2).map { place in
      (digit(digits[place]) << 4) | digit(digits[place + 1])
    }
  }

  private static func digit(_ letter: UInt8) -> UInt8 {
    letter < UInt8(ascii: "a") ? letter & 15 : letter - UInt8(ascii: "a") + 10
  }
}
