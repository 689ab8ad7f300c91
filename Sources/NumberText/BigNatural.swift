/// A natural number of any size: just what exact decimals need.
struct BigNatural: Sendable {
  /// Least significant first, the last one not 0.
  private(set) var words: [UInt64]

  init(_ value: UInt64) { words = value == 0 ? [] : [value] }

  var bitWidth: Int { words.count * 64 - (words.last?.leadingZeroBitCount ?? 0) }

  static func * (number: BigNatural, factor: UInt64) -> BigNatural {
    var product = number
    product.multiply(by: factor, adding: 0)
    return product
  }

  mutating func multiply(by factor: UInt64, adding summand: UInt64) {
    var carry = summand
    for i in words.indices {
      let (high, low) = words[i].multipliedFullWidth(by: factor)
      let (sum, overflows) = low.addingReportingOverflow(carry)
      words[i] = sum
      carry = high + (overflows ? 1 : 0)
    }
    if carry != 0 { words.append(carry) }
  }

  mutating func multiply(byPowerOfFive power: Int) {
    var left = power
    // 5^27 is the largest power of five in 64 bits.
    while left >= 27 {
      multiply(by: 7_450_580_596_923_828_125, adding: 0)
      left -= 27
    }
    var factor: UInt64 = 1
    for _ in 0..<left { factor *= 5 }
    multiply(by: factor, adding: 0)
  }

  mutating func shiftLeft(_ count: Int) {
    guard count > 0, !words.isEmpty else { return }
    let bits = UInt64(count % 64)
    if bits > 0 {
      var carry: UInt64 = 0
      for i in words.indices {
        let word = words[i]
        words[i] = word << bits | carry
        carry = word >> (64 - bits)
      }
      if carry != 0 { words.append(carry) }
    }
    words.insert(contentsOf: repeatElement(0, count: count / 64), at: 0)
  }

  /// Less than 0, 0, or more than 0, as this number is less than, equal to, or more than `other`.
  func compare(_ other: BigNatural) -> Int {
    guard words.count == other.words.count else { return words.count - other.words.count }
    for i in words.indices.reversed() where words[i] != other.words[i] {
      return words[i] < other.words[i] ? -1 : 1
    }
    return 0
  }

  mutating func subtract(_ other: BigNatural) {
    var borrow: UInt64 = 0
    for i in words.indices {
      let (first, underflows) = words[i].subtractingReportingOverflow(
        i < other.words.count ? other.words[i] : 0)
      let (second, underflowsToo) = first.subtractingReportingOverflow(borrow)
      words[i] = second
      borrow = underflows || underflowsToo ? 1 : 0
    }
    while words.last == 0 { words.removeLast() }
  }

  /// The leading 128 bits, those below them cut off.
  var leading128: (high: UInt64, low: UInt64) {
    var shifted = self
    shifted.shiftLeft((64 - bitWidth % 64) % 64)
    let last = shifted.words.count - 1
    return (shifted.words[last], last > 0 ? shifted.words[last - 1] : 0)
  }

  /// The 128 bits of 2^n / `divisor`, rounded down, for the n that gives exactly 128.
  static func leading128(ofPowerOfTwoOver divisor: BigNatural) -> (high: UInt64, low: UInt64) {
    // 2^(width-1) <= divisor, so one doubling makes the first bit a 1 and 127 more the rest.
    var remainder = BigNatural(1)
    remainder.shiftLeft(divisor.bitWidth - 1)
    var high: UInt64 = 0
    var low: UInt64 = 0
    for _ in 0..<128 {
      remainder.shiftLeft(1)
      high = high << 1 | low >> 63
      low <<= 1
      if remainder.compare(divisor) >= 0 {
        remainder.subtract(divisor)
        low |= 1
      }
    }
    return (high, low)
  }
}

/// A decimal with all its digits, for the few that lie too near the middle between two doubles.
struct ExactDecimal {
  private var digits = BigNatural(0)
  private var exponent: Int

  /// The middle between two doubles has at most 767 digits; all behind that is told by one digit more.
  private static let mostDigits = 800

  init(_ text: UnsafeBufferPointer<UInt8>, _ decimal: DecimalText) {
    exponent = decimal.exponent
    var count = 0
    for i in decimal.digits where text[i] != UInt8(ascii: ".") {
      count += 1
      if count > ExactDecimal.mostDigits { break }
      digits.multiply(by: 10, adding: UInt64(text[i] &- 0x30))
      // The mantissa's exponent holds behind its 19 digits.
      if count > 19 { exponent -= 1 }
    }
    if count > ExactDecimal.mostDigits {
      digits.multiply(by: 10, adding: 1)
      exponent -= 1
    }
  }

  /// Whichever of two neighbouring doubles is nearer, the even one when neither is.
  func nearer(_ low: Double, _ high: Double) -> Double {
    // The middle is one bit finer than `low` itself: (2 × significand + 1) × 2^(scale - 1).
    let biased = Int(low.bitPattern >> 52)
    let fraction = low.bitPattern & ((1 << 52) - 1)
    let significand = biased == 0 ? fraction : fraction | 1 << 52
    var middle = BigNatural(2 * significand + 1)
    var value = digits
    // value × 10^exponent against middle × 2^scale, all powers moved to where they are positive.
    let scale = max(biased, 1) - 1075 - 1
    if exponent >= 0 {
      value.multiply(byPowerOfFive: exponent)
    } else {
      middle.multiply(byPowerOfFive: -exponent)
    }
    let twos = exponent - scale
    if twos >= 0 { value.shiftLeft(twos) } else { middle.shiftLeft(-twos) }
    let order = value.compare(middle)
    if order == 0 { return significand % 2 == 0 ? low : high }
    return order < 0 ? low : high
  }
}
