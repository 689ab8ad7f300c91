internal import CSHA256

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
package struct SHA256 {
  private static let blockSize = 64

  /// H(0): the first 32 bits of the fractional parts of the square roots of the first 8 primes.
  private var words: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes that do not fill a block yet.
  private var rest: [UInt8] = []
  private var count: UInt64 = 0

  package init() {
    rest.reserveCapacity(Self.blockSize)
  }

  /// The 32 bytes of the digest of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.value
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let missing = bytes.prefix(Self.blockSize - rest.count)
      rest += missing
      bytes = bytes.dropFirst(missing.count)
      guard rest.count == Self.blockSize else { return }
      rest.withUnsafeBytes { Self.take($0, into: &words) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count / Self.blockSize * Self.blockSize
    Self.take(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)), into: &words)
    rest += bytes.dropFirst(whole)
  }

  /// The 32 bytes of the digest of all that was taken so far; more may follow.
  package var value: [UInt8] {
    // A one bit, zeros to the end of a block less eight bytes, and how many bits the message had.
    var end = rest + [0x80]
    end += [UInt8](repeating: 0, count: (2 * Self.blockSize - 8 - end.count) % Self.blockSize)
    end += (count * 8).bigEndianBytes
    var words = words
    end.withUnsafeBytes { Self.take($0, into: &words) }
    return words.flatMap(\.bigEndianBytes)
  }

  private static func take(_ blocks: UnsafeRawBufferPointer, into words: inout [UInt32]) {
    let bytes = blocks.assumingMemoryBound(to: UInt8.self).baseAddress
    csha256_blocks(&words, bytes, blocks.count / blockSize)
  }
}

extension FixedWidthInteger {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
