import CZlib

/// zlib's inflate for one gzip member after another: bytes in, bytes out.
///
/// Knows no input.
final class Inflater: Decompressor {
  let compression = Compression.gzip

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

  /// Zeros, with which tapes were filled up.
  func paddingCount(_ bytes: UnsafeRawBufferPointer) -> Int { bytes.prefix { $0 == 0 }.count }

  func mayStartMember(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.first == 0x1f }

  func startMember() {
    if isReady { inflateReset(stream) }
  }

  func decompress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    guard isReady else { return DecompressionStep(used: 0, made: 0, outcome: .outOfMemory) }
    let inputCount = uInt(clamping: input.count)
    let outputCount = uInt(clamping: output.count)
    // zlib does not write to its input; its C type merely lacks the const.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = inputCount
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = outputCount
    let result = CZlib.inflate(stream, Z_NO_FLUSH)
    return DecompressionStep(
      used: Int(inputCount - stream.pointee.avail_in),
      made: Int(outputCount - stream.pointee.avail_out),
      outcome: outcome(of: result))
  }

  /// zlib says by its message alone which part of the data is wrong.
  private func outcome(of result: CInt) -> DecompressionStep.Outcome {
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
