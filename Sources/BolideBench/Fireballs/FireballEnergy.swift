#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A radiated energy as the feed writes it: three digits, where the point stands, and how many digits follow it.
///
/// ```
/// digits 472, exponent 0, decimals 2   4.72
/// digits 250, exponent 2, decimals 1   250.0
/// digits 375, exponent 4, decimals 0   37500
/// ```
struct FireballEnergy: Equatable {
  /// 100 to 999.
  var digits: Int
  /// Of ten, for the first digit: the value is `digits` × 10^(`exponent` - 2), in 10^10 J.
  var exponent: Int
  var decimals: Int

  static let exponents = 0...5

  /// Draws an energy.
  ///
  /// Few hold most of the sum, as in the sky: the chance of more than x falls with x^-0.8.
  init(_ random: inout SplitMix64) {
    // Not below `smallest`, which bounds the energy near 40,000. Square roots alone, no `pow`: they are exact to the
    // bit on every machine.
    let smallest = 0.000_43
    let chance = smallest + (1 - smallest) * random.nextFraction()
    var value = 2.5 / (chance * chance.squareRoot().squareRoot()) - 0.5
    exponent = 0
    while value >= 9.995 && exponent < Self.exponents.upperBound {
      value /= 10
      exponent += 1
    }
    digits = min(999, max(100, Int((value * 100).rounded())))
    decimals = Self.drawDecimals(exponent, &random)
    digits -= digits % step
  }

  /// A higher energy, always another one, in the same form as far as it fits.
  func raised(_ random: inout SplitMix64) -> FireballEnergy {
    var result = self
    result.digits += step * (1 + random.next(below: 9))
    if result.digits > 999 {
      result.digits /= 10
      result.exponent += 1
      // 9.9 may become 10.4, which needs its one decimal.
      result.decimals = result.exponent == 1 ? 1 : 0
    }
    return result
  }

  /// How many digits follow the point, with the shares of the real feed in thousandths.
  private static func drawDecimals(_ exponent: Int, _ random: inout SplitMix64) -> Int {
    let draw = random.next(below: 1_000)
    return switch exponent {
    case 0: draw < 388 ? 2 : draw < 984 ? 1 : 0
    case 1: draw < 946 ? 1 : 0
    case 2: draw < 373 ? 1 : 0
    default: 0
    }
  }

  /// The smallest change of `digits` that the form can show.
  private var step: Int {
    switch (exponent, decimals) {
    case (0, 1), (1, 0): 10
    case (0, 0): 100
    default: 1
    }
  }
}

/// The impact energy that belongs to each radiated energy, as text, worked out once.
struct FireballImpacts {
  private let texts: [[UInt8]]

  init() {
    texts = FireballEnergy.exponents.flatMap { exponent in
      (100...999).map { digits in Self.text(kilotons: Self.kilotons(digits: digits, exponent: exponent)) }
    }
  }

  subscript(energy: FireballEnergy) -> [UInt8] {
    texts[energy.exponent * 900 + energy.digits - 100]
  }

  /// The feed's empirical relation: 8.2508 × (radiated kt)^0.885, with 4.185 × 10^12 J to the kiloton.
  private static func kilotons(digits: Int, exponent: Int) -> Double {
    let radiated = Double(digits) * pow(10, Double(exponent - 2)) * 1e10 / 4.185e12
    return 8.2508 * pow(radiated, 0.885)
  }

  /// Two digits without zeros at the end, or whole kilotons from 100 on.
  private static func text(kilotons: Double) -> [UInt8] {
    var decimals = 0
    var shown = kilotons
    while shown < 9.95 {
      shown *= 10
      decimals += 1
    }
    var number = Int(shown.rounded())
    while decimals > 0 && number % 10 == 0 {
      number /= 10
      decimals -= 1
    }
    let text = String(number)
    if decimals == 0 { return Array(text.utf8) }
    let padded = String(repeating: "0", count: max(0, decimals + 1 - text.count)) + text
    return Array("\(padded.dropLast(decimals)).\(padded.suffix(decimals))".utf8)
  }
}
