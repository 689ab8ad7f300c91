/// FNV-1a: a digest for finding equal things again, not against anybody who makes them equal.
struct Fingerprint {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  var value: Int64 { Int64(bitPattern: hash) }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  /// Ends a part, so that `ab`, `c` and `a`, `bc` differ.
  mutating func separate() {
    hash = (hash ^ 0xff) &* 0x100_0000_01b3
    hash ^= hash >> 29
  }
}
