internal import ImportInput

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Reads one run from its first entry on.
final class RunReader {
  private let spool: Spool
  /// What is read next of the file, and where the run ends.
  private var offset: Int64
  private let end: Int64
  /// How many bytes are usually held.
  private let usual: Int
  private var buffer: UnsafeMutableBufferPointer<UInt8>
  /// Where the current entry begins in the buffer, and what is read behind it.
  private var start = 0
  private var filled = 0
  private var keyCount = 0
  private var count = 0

  private static let headerSize = 8

  init(_ spool: Spool, from start: Int64, to end: Int64, capacity: Int) {
    (self.spool, offset, self.end) = (spool, start, end)
    usual = capacity
    buffer = .allocate(capacity: capacity)
  }

  deinit { buffer.deallocate() }

  var key: UnsafeBufferPointer<UInt8> { bytes(from: Self.headerSize, count: keyCount) }
  var payload: UnsafeBufferPointer<UInt8> { bytes(from: Self.headerSize + keyCount, count: count - keyCount) }

  private func bytes(from place: Int, count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: buffer[start + place..<start + place + count])
  }

  /// Reads as far as the key of the entry that begins here.
  ///
  /// - Returns: false at the run's end.
  func readKey() throws(InputError) -> Bool {
    if start == filled, offset == end { return false }
    try hold(Self.headerSize)
    let header = UnsafeRawBufferPointer(buffer)
    count = Int(header.loadUnaligned(fromByteOffset: start, as: UInt32.self))
    keyCount = Int(header.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
    try hold(Self.headerSize + keyCount)
    return true
  }

  /// Reads the rest of the entry.
  func readPayload() throws(InputError) {
    try hold(Self.headerSize + count)
  }

  /// Goes behind the entry.
  func skip() {
    start += Self.headerSize + count
    if buffer.count > usual, filled - start <= usual { resize(to: usual) }
  }

  /// Holds so many bytes of the entry at once.
  private func hold(_ needed: Int) throws(InputError) {
    guard filled - start < needed else { return }
    resize(to: max(needed, usual))
    while filled < needed {
      let room = min(buffer.count - filled, Int(end - offset))
      let count = try spool.read(
        into: UnsafeMutableRawBufferPointer(
          UnsafeMutableBufferPointer(rebasing: buffer[filled..<filled + room])), at: offset)
      (filled, offset) = (filled + count, offset + Int64(count))
    }
  }

  /// Moves what is held to the beginning of a buffer of some size.
  private func resize(to size: Int) {
    let held = UnsafeBufferPointer(rebasing: buffer[start..<filled])
    if size == buffer.count {
      if let target = buffer.baseAddress, let start = held.baseAddress { memmove(target, start, held.count) }
    } else {
      let other = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: size)
      _ = other.initialize(from: held)
      buffer.deallocate()
      buffer = other
    }
    (start, filled) = (0, held.count)
  }
}
