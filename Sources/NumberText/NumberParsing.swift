/// Numbers' text -> values: exact, or correctly rounded, whatever the locale.
public enum NumberParsing {
  /// What a text is as a 64-bit integer.
  public enum Integer: Sendable, Hashable {
    /// Exactly this; `42.0` and `4.2e1` are 42.
    case value(Int64)
    /// A number with a fraction other than 0.
    case fraction
    /// An integer below -2^63 or above 2^63 - 1.
    case overflow
    /// Not a number by the grammar.
    case notANumber
  }

  /// The integer that a text is.
  ///
  /// Linear in the text's length.
  public static func integer(_ text: Span<UInt8>, grammar: NumberGrammar) -> Integer {
    text.withUnsafeBufferPointer { integer($0, grammar: grammar) }
  }

  /// The double nearest to a number's text, ties to even; an infinity past the largest; nil when the text
  /// is not a number by the grammar.
  ///
  /// Linear in the text's length.
  public static func double(_ text: Span<UInt8>, grammar: NumberGrammar) -> Double? {
    text.withUnsafeBufferPointer { double($0, grammar: grammar) }
  }

  /// As the `Span` version.
  package static func integer(_ text: UnsafeBufferPointer<UInt8>, grammar: NumberGrammar) -> Integer {
    if let number = shortInteger(text, grammar: grammar) { return .value(number) }
    guard let decimal = DecimalText(text, grammar: grammar) else { return .notANumber }
    var magnitude = decimal.mantissa
    guard magnitude != 0 else { return .value(0) }
    var exponent = decimal.exponent
    while exponent < 0 {
      // Twenty digits less than one are a fraction, cut or not.
      guard magnitude % 10 == 0 else { return .fraction }
      magnitude /= 10
      exponent += 1
    }
    if decimal.isCut {
      return hasFraction(text, decimal) ? .fraction : .overflow
    }
    while exponent > 0 {
      let (product, overflows) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflows else { return .overflow }
      magnitude = product
      exponent -= 1
    }
    if decimal.isNegative {
      return magnitude <= 1 << 63 ? .value(Int64(truncatingIfNeeded: 0 &- magnitude)) : .overflow
    }
    return Int64(exactly: magnitude).map { .value($0) } ?? .overflow
  }

  /// Digits alone and perhaps a minus, so few that any of them fit, which is how most whole numbers come; nil for any
  /// other text.
  @inline(__always)
  private static func shortInteger(_ text: UnsafeBufferPointer<UInt8>, grammar: NumberGrammar) -> Int64? {
    guard let bytes = text.baseAddress, let first = text.first else { return nil }
    let start = first == UInt8(ascii: "-") ? 1 : 0
    guard 1...18 ~= text.count - start else { return nil }
    // JSON has no noughts in front.
    if grammar == .json, text.count - start > 1, bytes[start] == UInt8(ascii: "0") { return nil }
    var number: Int64 = 0
    for place in start..<text.count {
      guard isDigit(bytes[place]) else { return nil }
      number = number &* 10 &+ Int64(bytes[place] &- 0x30)
    }
    return start == 1 ? -number : number
  }

  /// As the `Span` version.
  package static func double(_ text: UnsafeBufferPointer<UInt8>, grammar: NumberGrammar) -> Double? {
    guard let decimal = DecimalText(text, grammar: grammar) else { return nil }
    let magnitude: Double
    if decimal.isCut {
      let low = NearestDouble.to(decimal.mantissa, exponent: decimal.exponent)
      let high = NearestDouble.to(decimal.mantissa + 1, exponent: decimal.exponent)
      magnitude = low == high ? low : ExactDecimal(text, decimal).nearer(low, high)
    } else {
      magnitude = NearestDouble.to(decimal.mantissa, exponent: decimal.exponent)
    }
    return decimal.isNegative ? -magnitude : magnitude
  }

  /// The same, by the text's grammar, for few digits with at most one point and perhaps a minus, which is how most
  /// numbers come; nil for any other text.
  ///
  /// - Parameter text: eight bytes of it are read, however few it has.
  @usableFromInline package static func shortDouble(_ text: UnsafePointer<UInt8>, count: Int) -> Double? {
    let word = UInt64(littleEndian: UnsafeRawPointer(text).loadUnaligned(as: UInt64.self))
    let sign: UInt64 = word & 0xff == UInt64(UInt8(ascii: "-")) ? 1 : 0
    let length = UInt64(truncatingIfNeeded: count) &- sign
    guard count <= 8, length &- 1 < 8 else { return longerDouble(text, count: count) }
    // All digits at once, as lengths and points of numbers cannot be foreseen: the last byte goes to the top, and noughts
    // come before the first.
    let noughts = (eight(0x30) &>> (8 &* length &- 8)) &>> 8
    let digits = ((word &>> (8 &* sign)) &<< (64 &- 8 &* length) | noughts) ^ eight(0x30)
    // The highest bit of the byte that is a point, the first if there are more.
    let other = digits ^ eight(UInt8(ascii: ".") ^ 0x30)
    let point = (other &- eight(1)) & ~other & eight(0x80)
    // What is before the point takes its place.
    let before = point == 0 ? 0 : point ^ (point &- 1)
    let whole = (digits & before &>> 8) &<< 8 | digits & ~before
    guard (whole &+ eight(0x76) | whole) & eight(0x80) == 0, length > 1 || point == 0 else { return nil }
    // Two digits a byte, then four in sixteen bits, then eight.
    let pairs = whole &* 10 &+ whole &>> 8
    let low = (pairs & 0xff_0000_00ff) &* 0x000f_4240_0000_0064
    let high = (pairs &>> 16 & 0xff_0000_00ff) &* 0x0000_2710_0000_0001
    let magnitude = NearestDouble.quotient(
      (low &+ high) &>> 32, powerOfTen: (64 &- point.trailingZeroBitCount) &>> 3)
    return Double(bitPattern: magnitude.bitPattern | sign &<< 63)
  }

  /// A byte eight times.
  @inline(__always)
  private static func eight(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

  /// `shortDouble` for what eight bytes do not hold.
  private static func longerDouble(_ text: UnsafePointer<UInt8>, count: Int) -> Double? {
    guard count > 0 else { return nil }
    let isNegative = text[0] == UInt8(ascii: "-")
    let end = text + count
    var place = isNegative ? text + 1 : text
    // With a point among them 15 digits at most, which are below 2^53.
    guard end - place <= 15, place < end else { return nil }
    var digits: UInt64 = 0
    while place < end, isDigit(place.pointee) {
      digits = digits &* 10 &+ UInt64(place.pointee &- 0x30)
      place += 1
    }
    var fraction = 0
    if place < end {
      guard place.pointee == UInt8(ascii: "."), count > (isNegative ? 2 : 1) else { return nil }
      place += 1
      fraction = end - place
      while place < end, isDigit(place.pointee) {
        digits = digits &* 10 &+ UInt64(place.pointee &- 0x30)
        place += 1
      }
      guard place == end else { return nil }
    }
    let magnitude = NearestDouble.to(digits, exponent: -fraction)
    return isNegative ? -magnitude : magnitude
  }

  /// Whether one of more than 19 significant digits, not 0, stands behind the point.
  private static func hasFraction(_ text: UnsafeBufferPointer<UInt8>, _ decimal: DecimalText) -> Bool {
    // The last digit that is not 0 decides by its place; there is one, since the text is cut.
    var last = decimal.digits.upperBound - 1
    var place = 0
    while text[last] < UInt8(ascii: "1") || text[last] > UInt8(ascii: "9") {
      if text[last] != UInt8(ascii: ".") { place += 1 }
      last -= 1
    }
    // `place` digits follow it; the last digit of all weighs 10^weight.
    var taken = 0
    for i in decimal.digits where text[i] != UInt8(ascii: ".") { taken += 1 }
    let weight = decimal.exponent - (taken - 19)
    return weight + place < 0
  }
}
