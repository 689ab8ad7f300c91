/// An exact sum of real numbers: four doubles whose sum it is.
///
/// Each step is Knuth's two-sum (*The Art of Computer Programming*, vol. 2, 4.2.2, theorem B), which keeps what rounding
/// loses, so that millions of values can come and go without the loss of a bit. Four parts hold 212 bits or more: values
/// of very different sizes too. What they cannot hold, they say: see `normalized`. The triggers do the same in SQL.
struct ExactSum: Sendable, Hashable {
  /// The largest part; of a normalized sum the correctly rounded sum.
  private(set) var first: Double
  private(set) var second: Double
  private(set) var third: Double
  /// Not a number where the parts do not hold the sum.
  private(set) var fourth: Double

  init(_ first: Double = 0, _ second: Double = 0, _ third: Double = 0, _ fourth: Double = 0) {
    (self.first, self.second, self.third, self.fourth) = (first, second, third, fourth)
  }

  /// A number, exactly.
  init(_ number: Number) {
    switch number {
    case .real(let value): self.init(value)
    case .integer(let value):
      let first = Double(value)
      self.init(first, Double(Int128(value) - Int128(first)))
    }
  }

  var parts: [Double] { [first, second, third, fourth] }

  /// Changes the sign.
  mutating func negate() {
    (first, second, third, fourth) = (-first, -second, -third, -fourth)
  }

  /// Adds a number.
  mutating func add(_ value: Double) {
    var rest = Self.add(value, to: &first)
    if rest == 0 { return }
    rest = Self.add(rest, to: &second)
    if rest == 0 { return }
    rest = Self.add(rest, to: &third)
    if rest == 0 { return }
    rest = Self.add(rest, to: &fourth)
    if rest != 0 { fourth = .nan }
  }

  /// Adds another sum.
  mutating func add(_ other: ExactSum) {
    add(other.first)
    add(other.second)
    add(other.third)
    add(other.fourth)
  }

  /// Takes a number away.
  mutating func subtract(_ value: Double) {
    add(-value)
  }

  /// The same sum with the correctly rounded one as its first part, and each further part the rest's.
  ///
  /// Nil where four parts do not hold it, or where it is beyond the range of a double: only the values can tell then.
  var normalized: ExactSum? {
    var sum = self
    var passes = 0
    while !sum.isNormalized {
      passes += 1
      guard passes <= 6 else { return nil }
      sum.fourth = Self.add(sum.fourth, to: &sum.third)
      sum.third = Self.add(sum.third, to: &sum.second)
      sum.second = Self.add(sum.second, to: &sum.first)
    }
    // Halfway between two doubles, the parts below decide.
    let next = sum.first + 2 * sum.second
    guard next.isFinite, !sum.fourth.isNaN else { return nil }
    if next - sum.first == 2 * sum.second, sum.second != 0, sum.third != 0,
      (sum.second < 0) == (sum.third < 0)
    {
      (sum.first, sum.second) = (next, -sum.second)
    }
    // No negative zero.
    sum.first += 0
    return sum
  }

  /// A normalized sum's quotient, correctly rounded; nil where doubles cannot tell.
  func quotient(by divisor: Int64) -> Double? {
    if first == 0 { return 0 }
    guard divisor <= 1 << 53 else { return nil }
    let divisor = Double(divisor)
    let quotient = first / divisor
    // Exact, but for the further parts.
    let left = first.addingProduct(-quotient, divisor)
    let rest = (left + second) / divisor
    let doubt = (abs(left) + abs(second)) / divisor * 0x1p-48
    let (low, high) = (quotient + (rest - doubt), quotient + (rest + doubt))
    return low == high && abs(low) > 0x1p-900 ? low : nil
  }

  private var isNormalized: Bool {
    first + second == first && second + third == second && third + fourth == third
  }

  /// Two-sum.
  ///
  /// - Returns: what the part has lost.
  private static func add(_ value: Double, to part: inout Double) -> Double {
    let sum = part + value
    let rest = sum - part
    let error = (part - (sum - rest)) + (value - rest)
    part = sum
    return error
  }
}
