/// How a number may be written.
public enum NumberGrammar: Sendable, Hashable {
  /// RFC 8259, section 6.
  case json
  /// What feeds put into strings: JSON's form, and also a leading `+`, leading zeros, and a point without
  /// digits on one of its sides (`.19`, `35.`, `+12.8`, `5.3E-9`).
  ///
  /// No white space, no `inf`, no `nan`, no hexadecimal.
  case text
}

/// A number's text taken apart: the value is ± `mantissa` × 10^`exponent`, and a little more where digits are left
/// out.
struct DecimalText {
  var isNegative = false
  /// The first 19 significant digits.
  var mantissa: UInt64 = 0
  /// Saturates far outside of what a `Double` can hold.
  var exponent = 0
  /// Digits other than 0 follow the mantissa's.
  var isCut = false
  /// The first significant digit and the end of the digits, for whoever needs all of them.
  var digits = 0..<0

  private static let mostDigits = 19

  /// Nil when the whole text is not one number.
  init?(_ text: UnsafeBufferPointer<UInt8>, grammar: NumberGrammar) {
    var i = 0
    let end = text.count
    guard let bytes = text.baseAddress, end > 0 else { return nil }
    let isLenient = grammar == .text
    if end <= DecimalText.mostDigits, takeShort(bytes, end, isLenient) { return }
    if bytes[0] == UInt8(ascii: "-") || isLenient && bytes[0] == UInt8(ascii: "+") {
      isNegative = bytes[0] == UInt8(ascii: "-")
      i = 1
    }
    let whole = i
    var taken = 0
    var dropped = 0
    var first = -1
    while i < end, isDigit(bytes[i]) {
      take(bytes[i], i, &taken, &dropped, &first)
      i &+= 1
    }
    let wholeCount = i - whole
    if !isLenient && (wholeCount == 0 || wholeCount > 1 && bytes[whole] == UInt8(ascii: "0")) { return nil }
    exponent = dropped
    var fractionCount = 0
    if i < end, bytes[i] == UInt8(ascii: ".") {
      i &+= 1
      let fraction = i
      let droppedBefore = dropped
      while i < end, isDigit(bytes[i]) {
        take(bytes[i], i, &taken, &dropped, &first)
        i &+= 1
      }
      fractionCount = i - fraction
      exponent -= fractionCount - (dropped - droppedBefore)
      if !isLenient && fractionCount == 0 { return nil }
    }
    guard wholeCount + fractionCount > 0 else { return nil }
    digits = (first < 0 ? i : first)..<i
    if i < end, bytes[i] | 0x20 == UInt8(ascii: "e") {
      i &+= 1
      var isDown = false
      if i < end, bytes[i] == UInt8(ascii: "+") || bytes[i] == UInt8(ascii: "-") {
        isDown = bytes[i] == UInt8(ascii: "-")
        i &+= 1
      }
      let start = i
      var power = 0
      while i < end, isDigit(bytes[i]) {
        if power < 1 << 32 { power = power * 10 + Int(bytes[i] &- 0x30) }
        i &+= 1
      }
      guard i > start else { return nil }
      exponent += isDown ? -power : power
    }
    guard i == end else { return nil }
  }

  /// Takes digits with at most one point and perhaps a minus, so few that none can be left out: most numbers there are.
  ///
  /// - Returns: whether that was all; if not, nothing is taken.
  @inline(__always)
  private mutating func takeShort(_ bytes: UnsafePointer<UInt8>, _ end: Int, _ isLenient: Bool) -> Bool {
    let start = bytes[0] == UInt8(ascii: "-") ? 1 : 0
    var value: UInt64 = 0
    var point = -1
    var i = start
    while i < end {
      let digit = bytes[i] &- 0x30
      if digit < 10 {
        value = value &* 10 &+ UInt64(digit)
      } else if bytes[i] == UInt8(ascii: "."), point < 0 {
        point = i
      } else {
        return false
      }
      i &+= 1
    }
    let wholeEnd = point < 0 ? end : point
    let wholeCount = wholeEnd &- start
    let fractionCount = point < 0 ? 0 : end &- point &- 1
    guard wholeCount &+ fractionCount > 0 else { return false }
    if !isLenient {
      guard wholeCount == 1 || wholeCount > 1 && bytes[start] != UInt8(ascii: "0"),
        point < 0 || fractionCount > 0
      else { return false }
    }
    isNegative = start == 1
    mantissa = value
    exponent = -fractionCount
    digits = start..<end
    return true
  }

  @inline(__always)
  private mutating func take(
    _ digit: UInt8, _ place: Int, _ taken: inout Int, _ dropped: inout Int, _ first: inout Int
  ) {
    if taken < DecimalText.mostDigits {
      mantissa = mantissa &* 10 &+ UInt64(digit &- 0x30)
      if mantissa != 0 {
        if taken == 0 { first = place }
        taken &+= 1
      }
    } else {
      dropped &+= 1
      if digit != UInt8(ascii: "0") { isCut = true }
    }
  }
}

@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
