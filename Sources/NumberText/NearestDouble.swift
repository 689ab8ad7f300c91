/// A decimal mantissa and exponent -> the nearest double.
enum NearestDouble {
  /// A literal: the compiler lays it out, and nothing is asked at run time.
  private static let exactPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19,
    1e20, 1e21, 1e22,
  ]

  /// `mantissa` × 10^`exponent`, correctly rounded.
  @inline(__always)
  static func to(_ mantissa: UInt64, exponent: Int) -> Double {
    // Clinger's case: both factors are exact doubles, so one rounding is all there is.
    if mantissa <= 1 << 53 && exponent >= -22 && exponent <= 22 {
      let value = Double(mantissa)
      return exponent < 0 ? value / exactPowers[-exponent] : value * exactPowers[exponent]
    }
    return toAny(mantissa, exponent: exponent)
  }

  /// A number of eight digits at most by a power of ten that is as small: one rounding, as above.
  @inline(__always)
  static func quotient(_ number: UInt64, powerOfTen: Int) -> Double {
    Double(Int64(truncatingIfNeeded: number)) / exactPowers[powerOfTen]
  }

  private static func toAny(_ mantissa: UInt64, exponent: Int) -> Double {
    if mantissa == 0 || exponent < PowersOfFive.least { return 0 }
    if exponent > PowersOfFive.most { return .infinity }
    return product(mantissa, exponent)
  }

  /// Eisel and Lemire's method: the mantissa times a 128-bit power of five holds enough bits to round correctly
  /// (Mushtak and Lemire showed that it always does).
  private static func product(_ mantissa: UInt64, _ exponent: Int) -> Double {
    let shift = mantissa.leadingZeroBitCount
    let power = PowersOfFive.shared[exponent]
    let w = mantissa << UInt64(shift)
    var (high, low) = w.multipliedFullWidth(by: power.high)
    if high & 0x1ff == 0x1ff {
      let (more, _) = w.multipliedFullWidth(by: power.low)
      let (sum, carries) = low.addingReportingOverflow(more)
      low = sum
      if carries { high += 1 }
    }
    let top = high >> 63
    var bits = high >> (top + 9)
    // 217706 / 2^16 is log2(10), near enough for these exponents.
    var binary = (217_706 * exponent) >> 16 + 63 + 1023 + Int(top) - shift
    if binary <= 0 {
      guard 1 - binary < 64 else { return 0 }
      bits >>= UInt64(1 - binary)
      bits = (bits + bits & 1) >> 1
      return Double(bitPattern: bits)
    }
    // An exact tie between two doubles: only there the even one must be sought.
    if low <= 1 && exponent >= -4 && exponent <= 23 && bits & 3 == 1 && bits << (top + 9) == high {
      bits &= ~1
    }
    bits = (bits + bits & 1) >> 1
    if bits >= 1 << 53 {
      bits = 1 << 52
      binary += 1
    }
    guard binary < 0x7ff else { return .infinity }
    return Double(bitPattern: UInt64(binary) << 52 | bits & ((1 << 52) - 1))
  }
}

/// The leading 128 bits of the powers of five, made once when a number first needs them.
struct PowersOfFive: Sendable {
  static let least = -342
  static let most = 308
  static let shared = PowersOfFive()

  private var words: [(high: UInt64, low: UInt64)] = []

  subscript(exponent: Int) -> (high: UInt64, low: UInt64) { words[exponent - PowersOfFive.least] }

  private init() {
    var powers = [BigNatural(1)]
    for exponent in 1...(-PowersOfFive.least) { powers.append(powers[exponent - 1] * 5) }
    for exponent in PowersOfFive.least..<0 {
      let divisor = powers[-exponent]
      var quotient = BigNatural.leading128(ofPowerOfTwoOver: divisor)
      // Small divisors give products that end in zeros or ones; rounding up keeps exact cases apart from them.
      if exponent >= -27 {
        let (low, carries) = quotient.low.addingReportingOverflow(1)
        quotient = (carries ? quotient.high + 1 : quotient.high, low)
      }
      words.append(quotient)
    }
    for exponent in 0...PowersOfFive.most { words.append(powers[exponent].leading128) }
  }
}
