/// SplitMix64: the same throws for the same seed.
package struct Dice: RandomNumberGenerator {
  private var state: UInt64

  package init(_ seed: Int, _ turn: Int = 0) {
    state =
      UInt64(truncatingIfNeeded: seed) &* 0x9e37_79b9_7f4a_7c15
      &+ UInt64(truncatingIfNeeded: turn) &* 0xd1b5_4a32_d192_ed03
    // Else the throws of a seed would be those of the seed before it, without the first.
    state = next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// True once in so many throws.
  mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// A whole number.
  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of some values.
  package mutating func pick<Element>(_ values: [Element]) -> Element {
    values[Int.random(in: values.indices, using: &self)]
  }

  /// One of some values; nil where there is none.
  mutating func any<Values: Collection>(of values: Values) -> Values.Element? {
    values.randomElement(using: &self)
  }
}
