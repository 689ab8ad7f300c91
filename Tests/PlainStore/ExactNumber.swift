/// A whole number of units of 2^-1280: holds every sum of doubles, and what is left of it when it is divided.
struct ExactNumber {
  /// The least bit of the least double is 2^-1074; below it is room for a quotient.
  private static let spare = 206
  private static let lowest = 1074 + spare
  /// 32 bits each, the lowest first; not brought within their range while sums go on.
  private var digits = [Int64](repeating: 0, count: (lowest + 1024 + 96) / 32)

  mutating func add(_ number: Double) {
    guard number != 0 else { return }
    let exponent = max(number.exponent, -1022)
    let whole = UInt64(number.magnitude / Double(sign: .plus, exponent: exponent, significand: 1) * 0x1p52)
    add(whole, at: Int(exponent) - 52 + Self.lowest, isNegative: number < 0)
  }

  mutating func add(_ number: Int64) { add(number.magnitude, at: Self.lowest, isNegative: number < 0) }

  private mutating func add(_ whole: UInt64, at bit: Int, isNegative: Bool) {
    for place in 0..<64 where whole >> UInt64(place) & 1 == 1 {
      let bit = bit + place
      digits[bit / 32] += isNegative ? -(1 << Int64(bit % 32)) : 1 << Int64(bit % 32)
    }
    carry()
  }

  private mutating func carry() {
    for index in digits.indices.dropLast() {
      let over = digits[index] >> 32
      digits[index] -= over << 32
      digits[index + 1] += over
    }
  }

  /// The nearest double to this number divided by another, the even one of two; nil beyond the range.
  func rounded(dividedBy divisor: Int64 = 1) -> Double? {
    var number = self
    let isNegative = (number.digits.last ?? 0) < 0
    if isNegative {
      for index in number.digits.indices { number.digits[index].negate() }
      number.carry()
    }
    var remainder: UInt64 = 0
    var bits: [Bool] = []
    for digit in number.digits.reversed() {
      for place in (0..<32).reversed() {
        remainder = remainder * 2 + UInt64(digit >> Int64(place) & 1)
        bits.append(remainder >= UInt64(divisor))
        if remainder >= UInt64(divisor) { remainder -= UInt64(divisor) }
      }
    }
    guard let top = bits.firstIndex(of: true) else { return remainder == 0 ? 0 : nil }
    // The last bit that a double keeps: 53 from the top, and none below 2^-1074.
    let end = min(top + 53, bits.count - Self.spare)
    guard top <= end else { return isNegative ? -0.0 : 0 }
    var kept = bits[top..<end].reduce(UInt64(0)) { $0 * 2 + ($1 ? 1 : 0) }
    let isOverHalf = bits[end] && (kept % 2 == 1 || remainder > 0 || bits[(end + 1)...].contains(true))
    if isOverHalf { kept += 1 }
    let result = Double(sign: .plus, exponent: bits.count - end - Self.lowest, significand: Double(kept))
    return result.isFinite ? (isNegative ? -result : result) : nil
  }

  /// As a whole number of 64 bits; nil beyond them.
  var whole: Int64? {
    let (low, high) = (Self.lowest / 32, digits.count)
    var total: Int64 = 0
    // The digits are in their range, the highest one has the sign.
    for digit in digits[low..<high].reversed() {
      let (shifted, isOver) = total.multipliedReportingOverflow(by: 1 << 32)
      let (sum, isOverToo) = shifted.addingReportingOverflow(digit)
      if isOver || isOverToo { return nil }
      total = sum
    }
    return total
  }
}
