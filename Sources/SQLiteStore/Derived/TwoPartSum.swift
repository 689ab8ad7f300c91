/// A sum of real numbers that keeps what rounding would lose.
///
/// `high` is the sum rounded to a double and `low` the rest, so that together they hold about 106 bits: adding and
/// taking away millions of values leaves `high` equal to the correctly rounded exact sum. The step is Knuth's
/// two-sum (*The Art of Computer Programming*, vol. 2, 4.2.2, theorem B). The triggers do the same in SQL.
package struct TwoPartSum: Sendable, Hashable {
  /// The sum as a double.
  package private(set) var high: Double
  /// What is missing from `high`.
  package private(set) var low: Double

  package init(high: Double = 0, low: Double = 0) {
    self.high = high
    self.low = low
  }

  /// A number, exactly.
  init(_ number: Number) {
    switch number {
    case .real(let value): self.init(high: value)
    case .integer(let value):
      let high = Double(value)
      self.init(high: high, low: Double(Int128(value) - Int128(high)))
    }
  }

  /// Changes the sign.
  mutating func negate() {
    (high, low) = (-high, -low)
  }

  /// The sum as a double; infinite when it left the range.
  var value: Double { high.isNaN ? .infinity : high }

  /// Adds a number.
  package mutating func add(_ value: Double) {
    let sum = high + value
    let rest = sum - high
    let error = (high - (sum - rest)) + (value - rest)
    normalize(sum, low + error)
  }

  /// Adds another sum.
  package mutating func add(_ other: TwoPartSum) {
    add(other.high)
    normalize(high, low + other.low)
  }

  /// Takes a number away.
  package mutating func subtract(_ value: Double) {
    add(-value)
  }

  /// Whether the sum stayed in the range of a double.
  package var isFinite: Bool { high.isFinite && low.isFinite }

  private mutating func normalize(_ sum: Double, _ rest: Double) {
    high = sum + rest
    low = rest - (high - sum)
  }
}
