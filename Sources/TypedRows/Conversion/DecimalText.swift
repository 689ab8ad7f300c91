/// Turns a decimal number in digits into whole units, exactly.
package enum DecimalText {
  /// What happens to digits that are smaller than a unit.
  package enum Excess {
    /// They are rejected, unless they are zeros.
    case rejected
    /// They are cut off, towards the smaller number.
    case cutOff
    /// They are rounded to the nearest unit, half to the even one.
    case rounded
  }

  /// The units of a number at a scale: `1.50` is 150 at scale 2.
  ///
  /// Taken are a sign, digits with a point anywhere among them, and an exponent: `-12.8`, `+.19`, `35.`,
  /// `5.3E-9`.
  ///
  /// - Parameter scale: The decimals that are kept: a unit is `10^-scale`.
  package static func units(
    _ bytes: UnsafeBufferPointer<UInt8>, scale: Int, excess: Excess = .rejected
  ) throws(ConversionFailure) -> Int64 {
    let number = try DigitScanner(bytes)
    // The number is its digits times 10^(exponent - decimals); in units, times another 10^scale.
    let shift = number.exponent - number.decimals + scale
    let kept = number.digits + min(shift, 0)
    let magnitude = try number.magnitude(ofFirst: kept)
    let hasRest = number.hasNonzeroDigits(after: kept)
    if hasRest, excess == .rejected { throw .tooManyDecimals }
    let whole = try scaled(magnitude, by: max(shift, 0))
    if excess == .rounded {
      let isUp = hasRest && number.isMoreThanHalf(after: kept, orHalf: whole % 2 == 1)
      return try signed(isUp ? whole + 1 : whole, isNegative: number.isNegative, roundsDown: false)
    }
    return try signed(whole, isNegative: number.isNegative, roundsDown: hasRest)
  }

  private static func scaled(_ magnitude: UInt64, by zeros: Int) throws(ConversionFailure) -> UInt64 {
    guard magnitude != 0, zeros > 0 else { return magnitude }
    // 10^19 is the largest power of ten in 64 bits.
    guard zeros < 20 else { throw .outOfRange }
    var result = magnitude
    for _ in 0..<zeros {
      let (product, isOverflow) = result.multipliedReportingOverflow(by: 10)
      guard !isOverflow else { throw .outOfRange }
      result = product
    }
    return result
  }

  private static func signed(
    _ magnitude: UInt64, isNegative: Bool, roundsDown: Bool
  ) throws(ConversionFailure) -> Int64 {
    guard isNegative else {
      guard let number = Int64(exactly: magnitude) else { throw .outOfRange }
      return number
    }
    let limit = UInt64(Int64.max) + 1
    guard magnitude < limit || (magnitude == limit && !roundsDown) else { throw .outOfRange }
    // Two's complement: the smallest number has no positive counterpart.
    return Int64(truncatingIfNeeded: 0 &- magnitude) - (roundsDown ? 1 : 0)
  }
}

/// The parts of a number in digits.
private struct DigitScanner {
  let isNegative: Bool
  /// How many digits there are before the exponent.
  private(set) var digits = 0
  /// How many of them stand behind the point.
  private(set) var decimals = 0
  private(set) var exponent = 0

  private let bytes: UnsafeBufferPointer<UInt8>
  /// Where the digits begin, the point among them included.
  private let start: Int

  /// An exponent past this makes any number that is not 0 too large or too small, whatever digits it has.
  private static let largestExponent = 1_000_000_000

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(ConversionFailure) {
    self.bytes = bytes
    var index = 0
    isNegative = bytes.first == UInt8(ascii: "-")
    if isNegative || bytes.first == UInt8(ascii: "+") { index = 1 }
    start = index
    var hasPoint = false
    while index < bytes.count {
      if bytes[index].isDigit {
        digits += 1
        if hasPoint { decimals += 1 }
      } else if bytes[index] == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else {
        break
      }
      index += 1
    }
    guard digits > 0 else { throw .notANumber }
    guard index < bytes.count else { return }
    guard bytes[index] | 0x20 == UInt8(ascii: "e") else { throw .notANumber }
    exponent = try Self.exponent(bytes, from: index + 1)
  }

  private static func exponent(
    _ bytes: UnsafeBufferPointer<UInt8>, from start: Int
  ) throws(ConversionFailure) -> Int {
    var index = start
    let isNegative = index < bytes.count && bytes[index] == UInt8(ascii: "-")
    if isNegative || (index < bytes.count && bytes[index] == UInt8(ascii: "+")) { index += 1 }
    guard index < bytes.count else { throw .notANumber }
    var exponent = 0
    while index < bytes.count {
      guard bytes[index].isDigit else { throw .notANumber }
      exponent = min(exponent * 10 + Int(bytes[index] &- UInt8(ascii: "0")), largestExponent)
      index += 1
    }
    return isNegative ? -exponent : exponent
  }

  /// The number that the first digits make; none make 0.
  func magnitude(ofFirst count: Int) throws(ConversionFailure) -> UInt64 {
    var magnitude: UInt64 = 0
    var left = count
    var index = start
    while left > 0 {
      let byte = bytes[index]
      index += 1
      guard byte.isDigit else { continue }
      left -= 1
      let (product, isTooLarge) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, isOverflow) = product.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
      guard !isTooLarge, !isOverflow else { throw .outOfRange }
      magnitude = sum
    }
    return magnitude
  }

  /// Whether the digits behind the first ones are more than half of the last of these, or half where that counts too.
  func isMoreThanHalf(after count: Int, orHalf: Bool) -> Bool {
    guard 0..<digits ~= count else { return false }
    let all = bytes[start...].lazy.filter(\.isDigit)
    let next = all[all.index(all.startIndex, offsetBy: count)] &- UInt8(ascii: "0")
    return next == 5 ? orHalf || hasNonzeroDigits(after: count + 1) : next > 5
  }

  /// Whether any digit behind the first ones is not 0.
  func hasNonzeroDigits(after count: Int) -> Bool {
    guard count < digits else { return false }
    var left = digits
    var index = start
    while left > 0 {
      let byte = bytes[index]
      index += 1
      guard byte.isDigit else { continue }
      if digits - left >= count, byte != UInt8(ascii: "0") { return true }
      left -= 1
    }
    return false
  }
}

extension Int64 {
  /// Units of a decimal with so many places.
  package func decimalText(_ scale: Int) -> String {
    let digits = String(magnitude)
    let padded = String(repeating: "0", count: Swift.max(0, scale + 1 - digits.count)) + digits
    let sign = self < 0 ? "-" : ""
    return scale == 0 ? sign + padded : "\(sign)\(padded.dropLast(scale)).\(padded.suffix(scale))"
  }
}
