/// SipHash-2-4: a digest that nobody can foresee who does not know its key, so no feed can make two things equal by it.
///
///     var hash = SipHash(key)
///     hash.add(number)        8 bytes
///     hash.add(bytes)         any number of them, and their count
///     hash.value
///
/// Bytes end as the reference ends a whole message: one call of `add(bytes)` gives the published values. Where several
/// texts of any length follow each other, `add(part:)` says first how long each is: `ab`, `c` and `a`, `bc` differ.
package struct SipHash {
  /// What a store keeps secret from its feeds.
  package struct Key: Sendable, Hashable {
    var low: UInt64
    var high: UInt64

    /// - Parameter bytes: 16 of them, as the store keeps them; those that are missing count as nought.
    package init(_ bytes: some Sequence<UInt8>) {
      (low, high) = (0, 0)
      for (place, byte) in bytes.prefix(16).enumerated() {
        if place < 8 { low |= UInt64(byte) << (8 * place) } else { high |= UInt64(byte) << (8 * (place - 8)) }
      }
    }
  }

  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64

  package init(_ key: Key) {
    v0 = key.low ^ 0x736f_6d65_7073_6575
    v1 = key.high ^ 0x646f_7261_6e64_6f6d
    v2 = key.low ^ 0x6c79_6765_6e65_7261
    v3 = key.high ^ 0x7465_6462_7974_6573
  }

  /// Adds eight bytes, the lowest first.
  @inline(__always)
  package mutating func add(_ number: UInt64) {
    v3 ^= number
    round()
    round()
    v0 ^= number
  }

  /// Adds bytes and their count.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var place = 0
    while place &+ 8 <= bytes.count {
      add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
      place &+= 8
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for byte in place..<bytes.count { last |= UInt64(bytes[byte]) << UInt64(8 * (byte - place)) }
    add(last)
  }

  /// Adds one of several texts.
  package mutating func add(part bytes: UnsafeBufferPointer<UInt8>) {
    add(UInt64(bytes.count))
    add(UnsafeRawBufferPointer(bytes))
  }

  /// Adds one of several texts.
  package mutating func add(part text: String) {
    var text = text
    text.withUTF8 { add(part: $0) }
  }

  /// The digest of what was added so far.
  package var value: Int64 {
    var end = self
    end.v2 ^= 0xff
    for _ in 0..<4 { end.round() }
    return Int64(bitPattern: end.v0 ^ end.v1 ^ end.v2 ^ end.v3)
  }

  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = (v1 << 13 | v1 >> 51) ^ v0
    v0 = v0 << 32 | v0 >> 32
    v2 &+= v3
    v3 = (v3 << 16 | v3 >> 48) ^ v2
    v0 &+= v3
    v3 = (v3 << 21 | v3 >> 43) ^ v0
    v2 &+= v1
    v1 = (v1 << 17 | v1 >> 47) ^ v2
    v2 = v2 << 32 | v2 >> 32
  }
}
