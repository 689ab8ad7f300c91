internal import ImportModel
internal import RowExpressions
internal import StoreInterface

extension String {
  /// The number that a text is to SQLite beside a column of numbers; nil for any other text.
  var numericValue: Value? {
    let bytes = Array(utf8)
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0d ~= byte }
    let start = bytes.firstIndex { !isSpace($0) } ?? bytes.count
    let end = (bytes.lastIndex { !isSpace($0) } ?? -1) + 1
    guard start < end else { return nil }
    let number = bytes[start..<end]
    let text = String(decoding: number, as: UTF8.self)
    var rest = number
    if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    func digits() -> Int {
      let count = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count
      rest = rest.dropFirst(count)
      return count
    }
    var count = digits()
    if rest.isEmpty, let whole = Int64(text) { return .integer(whole) }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      count += digits()
    }
    guard count > 0 else { return nil }
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
      guard digits() > 0 else { return nil }
    }
    guard rest.isEmpty else { return nil }
    return Double(text).map(Value.real)
  }

  /// Whether it is a UUID as Bolide stores it.
  var isCanonicalUUID: Bool {
    utf8.count == 36
      && utf8.enumerated().allSatisfy { place, byte in
        [8, 13, 18, 23].contains(place)
          ? byte == UInt8(ascii: "-")
          : UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
      }
  }
}

extension Value {
  /// The constant as units of a decimal, where it is a number.
  func units(scale: Int) -> Value {
    let places = Int32(truncatingIfNeeded: scale)
    switch self {
    case .integer(let number): return DecimalNumbers.units(number, scale: places)
    case .real(let number): return DecimalNumbers.units(number, scale: places) ?? self
    case .text(let text): return text.numericValue?.units(scale: scale) ?? self
    case .null, .blob: return self
    }
  }

  /// A literal of a condition, as written: a number, a text in quotes, or bytes.
  init?(literal text: String) {
    let bytes = Array(text.utf8)
    switch bytes.first {
    case let quote? where quote == UInt8(ascii: "'"):
      var (text, isSecond): ([UInt8], Bool) = ([], false)
      for byte in bytes.dropFirst().dropLast() {
        isSecond = byte == quote && !isSecond
        if byte != quote || isSecond { text.append(byte) }
      }
      self = .text(String(decoding: text, as: UTF8.self))
    case UInt8(ascii: "x"), UInt8(ascii: "X"):
      let digits = bytes.dropFirst(2).dropLast().map { Character(Unicode.Scalar($0)).hexDigitValue ?? 0 }
      self = .blob(
        stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    default:
      if text.lowercased().hasPrefix("0x") {
        guard let number = UInt64(text.dropFirst(2), radix: 16) else { return nil }
        self = .integer(Int64(bitPattern: number))
      } else {
        // A literal's digits may be divided by _ in later versions of SQLite.
        guard let number = text.numericValue else { return nil }
        self = number
      }
    }
  }
}
