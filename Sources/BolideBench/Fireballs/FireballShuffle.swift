/// A shuffled order of so many rows that needs no list of them: each place gives its row by arithmetic.
struct FireballShuffle {
  private let rows: UInt64
  /// One less than the smallest power of two that holds all rows.
  private let mask: UInt64
  private let shift: UInt64
  private let keys: (UInt64, UInt64, UInt64)

  init(rows: Int, seed: UInt64) {
    self.rows = UInt64(rows)
    let bits = max(2, UInt64.bitWidth - UInt64(max(rows - 1, 1)).leadingZeroBitCount)
    mask = (1 << UInt64(bits)) - 1
    shift = UInt64(bits + 1) / 2
    var random = SplitMix64(seed: SplitMix64.mix(seed &+ 4))
    keys = (random.next(), random.next(), random.next())
  }

  /// The row that stands at `place`; every row stands at one place.
  func row(at place: Int) -> Int {
    // Each step can be undone within the power of two, so no two places meet; what lands outside goes round again.
    var row = UInt64(place)
    repeat {
      for key in [keys.0, keys.1, keys.2] {
        row = ((row ^ (row >> shift)) &* (key | 1) &+ (key >> 1)) & mask
      }
    } while row >= rows
    return Int(row)
  }
}
