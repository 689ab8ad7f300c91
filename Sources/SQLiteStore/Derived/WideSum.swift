/// An exact sum of any real numbers: a whole number with as many digits as all doubles together have places.
///
/// What a step at a time cannot hold (`ExactSum`), and what left the range of a double in between, is summed anew by this.
struct WideSum: Sendable {
  /// Digits of 32 bits, the lowest first; between carries they are larger, and any of them may be negative.
  private var digits = [Int64](repeating: 0, count: 72)
  /// Additions since the last carry.
  private var additions = 0
  /// No infinity was added.
  private var isFinite = true

  /// The lowest digit counts units of 2 to this power: there is room below the least double for its halves.
  private static let lowest = -1088

  init() {}

  /// Adds a number.
  mutating func add(_ value: Double) {
    guard value.isFinite else { return isFinite = false }
    if value == 0 { return }
    let isNormal = value.exponentBitPattern > 0
    let significand = UInt128(value.significandBitPattern | (isNormal ? 1 << 52 : 0))
    let place = Int(max(value.exponentBitPattern, 1)) - 1075 - Self.lowest
    let (index, units) = (place / 32, significand << UInt128(place % 32))
    for offset in 0..<3 {
      let digit = Int64(truncatingIfNeeded: units >> UInt128(32 * offset)) & 0xffff_ffff
      digits[index + offset] += value < 0 ? -digit : digit
    }
    additions += 1
    if additions == 1 << 30 { carry() }
  }

  /// Adds a number, exactly.
  mutating func add(_ number: Number) {
    for part in ExactSum(number).parts { add(part) }
  }

  /// The correctly rounded sum; nil beyond the range of a double.
  var rounded: Double? {
    guard isFinite else { return nil }
    let (magnitude, isNegative) = magnitude
    return Self.rounded(magnitude, isNegative, hasRest: false)
  }

  /// The correctly rounded quotient of the sum and `count * 10^scale`; nil where an infinity was added.
  func quotient(by count: Int64, scale: Int) -> Double? {
    guard isFinite else { return nil }
    var (magnitude, isNegative) = magnitude
    var hasRest = false
    for divisor in [UInt128(count)] + Array(repeating: 10, count: scale) {
      var rest: UInt128 = 0
      for index in magnitude.indices.reversed() {
        let dividend = rest << 32 | UInt128(magnitude[index])
        (magnitude[index], rest) = (Int64(dividend / divisor), dividend % divisor)
      }
      hasRest = hasRest || rest != 0
    }
    return Self.rounded(magnitude, isNegative, hasRest: hasRest)
  }

  /// The sum in the parts of an `ExactSum`; null for the last where four do not hold it, for all beyond the range of a
  /// double.
  var parts: [Double?] {
    var rest = self
    var parts: [Double?] = []
    while parts.count < 4 {
      guard let part = rest.rounded else { return [nil, nil, nil, nil] }
      parts.append(part)
      rest.add(-part)
    }
    if rest.rounded != 0 { parts[3] = nil }
    return parts
  }

  private mutating func carry() {
    for index in digits.indices.dropLast() {
      digits[index + 1] += digits[index] >> 32
      digits[index] &= 0xffff_ffff
    }
    additions = 0
  }

  /// The digits of the sum without its sign, each of 32 bits.
  private var magnitude: (digits: [Int64], isNegative: Bool) {
    var sum = self
    sum.carry()
    guard let last = sum.digits.last, last < 0 else { return (sum.digits, false) }
    sum.digits = sum.digits.map { -$0 }
    sum.carry()
    return (sum.digits, true)
  }

  /// - Parameter hasRest: whether something is left below the digits.
  private static func rounded(_ digits: [Int64], _ isNegative: Bool, hasRest: Bool) -> Double? {
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    let used = max(top - 2, 0)
    let bits = digits[used...top].reversed().reduce(UInt128(0)) { $0 << 32 | UInt128($1) }
    let exponent = lowest + 32 * used
    let hasMore = hasRest || digits[..<used].contains { $0 != 0 }
    // The power of 2 of the last bit that a double has; it is above the exponent, as three digits have more bits.
    let last = max(exponent + 128 - bits.leadingZeroBitCount - 53, -1074)
    let shift = UInt128(last - exponent)
    var significand = bits >> shift
    let (rest, half) = (bits & ((1 << shift) - 1), UInt128(1) << (shift - 1))
    if rest > half || (rest == half && (hasMore || significand & 1 == 1)) { significand += 1 }
    let value = Double(
      sign: isNegative ? .minus : .plus, exponent: last, significand: Double(significand))
    // No negative zero.
    return value.isFinite ? value + 0 : nil
  }
}
