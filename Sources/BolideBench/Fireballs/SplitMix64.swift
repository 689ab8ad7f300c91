/// A small generator of random numbers, the same on every machine for the same seed.
///
/// For test data, not for secrets. Any seed is as good as any other, so each row can have a generator of its own.
package struct SplitMix64: Sendable {
  private var state: UInt64

  /// Numbers that depend on `seed` alone.
  package init(seed: UInt64) {
    state = seed
  }

  /// Numbers for one row of one feed: rows can be made alone and in any order.
  ///
  /// `purpose` keeps apart what must not depend on each other, such as a row's values and its place.
  init(seed: UInt64, row: Int, purpose: UInt64) {
    state = Self.mix(Self.mix(seed &+ purpose) &+ UInt64(row))
  }

  /// The next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mix(state)
  }

  /// A number from 0 to `bound` - 1.
  package mutating func next(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A number from 0 up to, not including, 1.
  mutating func nextFraction() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Spreads every bit over all others; no two inputs have the same result.
  static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
