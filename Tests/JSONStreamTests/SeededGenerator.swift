/// Random numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    // Xorshift, with a multiplication to mix the low bits.
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_f491_4f6c_dd1d
  }
}
