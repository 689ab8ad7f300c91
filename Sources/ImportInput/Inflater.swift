import CZlib

/// zlib's inflate for one gzip member after another: bytes in, bytes out.
///
/// Knows no input.
final class Inflater {
  enum Outcome: Equatable {
    /// Wants more input, or more room for its output.
    case unfinished
    /// The member ended, and its checksum and length are right.
    case memberEnd
    case wrongHeader, wrongChecksum, wrongLength, corrupt
    case outOfMemory
  }

  struct Step {
    /// Bytes of the input that were used.
    let used: Int
    /// Bytes that were put into the output.
    let made: Int
    let outcome: Outcome
  }

  /// On the heap, since zlib remembers the address.
  private let stream: UnsafeMutablePointer<z_stream>
  private let isReady: Bool

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 16 more than the window's size: gzip alone, with its header and its checksum.
    let size = CInt(MemoryLayout<z_stream>.size)
    isReady = inflateInit2_(stream, MAX_WBITS + 16, ZLIB_VERSION, size) == Z_OK
  }

  deinit {
    if isReady { inflateEnd(stream) }
    stream.deinitialize(count: 1)
    stream.deallocate()
  }

  /// Begins the next member.
  func startMember() {
    if isReady { inflateReset(stream) }
  }

  /// Inflates until the input is used up, the output is full or the member ends.
  func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Step {
    guard isReady else { return Step(used: 0, made: 0, outcome: .outOfMemory) }
    let inputCount = uInt(clamping: input.count)
    let outputCount = uInt(clamping: output.count)
    // zlib does not write to its input; its C type merely lacks the const.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = inputCount
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = outputCount
    let result = CZlib.inflate(stream, Z_NO_FLUSH)
    return Step(
      used: Int(inputCount - stream.pointee.avail_in),
      made: Int(outputCount - stream.pointee.avail_out),
      outcome: outcome(of: result))
  }

  /// zlib says by its message alone which part of the data is wrong.
  private func outcome(of result: CInt) -> Outcome {
    switch result {
    case Z_OK, Z_BUF_ERROR: return .unfinished
    case Z_STREAM_END: return .memberEnd
    case Z_MEM_ERROR: return .outOfMemory
    default: break
    }
    return switch stream.pointee.msg.map({ String(cString: $0) }) {
    case "incorrect header check": .wrongHeader
    case "incorrect data check": .wrongChecksum
    case "incorrect length check": .wrongLength
    default: .corrupt
    }
  }
}

/// The system's zlib.
package enum Zlib {
  /// Its version, as in `1.2.13`.
  package static var version: String { String(cString: zlibVersion()) }
}
