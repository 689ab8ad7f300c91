/// Where raw bytes come from: a descriptor, an array or a pipe.
///
/// Used by one thread.
protocol RawInput: AnyObject {
  /// The input's name in messages.
  var name: String { get }
  /// Raw bytes handed out so far.
  var taken: Int64 { get }
  /// All raw bytes there are, where that is known beforehand.
  var total: Int64? { get }
  /// Whether this is the process's standard input.
  var isStdin: Bool { get }
  /// What it means for this input to end before its first byte.
  var emptyFact: Fact { get }
  /// Of the bytes handed out so far, where a whole input may be known again; nil elsewhere.
  var digest: SHA256? { get }

  /// The digest of the whole input, whatever was handed out; nil where it cannot be read twice.
  func digestOfAll() throws(InputError) -> [UInt8]?

  /// Puts at least one byte into `buffer`, which must have room. `.idle`: nothing came until `deadline`.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read
}

extension RawInput {
  var digest: SHA256? { nil }

  func digestOfAll() throws(InputError) -> [UInt8]? { nil }
}

/// Bytes that are in memory already.
final class ArrayInput: RawInput {
  let name: String
  let isStdin = false
  let emptyFact = Fact.silentStream
  private let bytes: [UInt8]
  private let cancellation: Cancellation
  private var position = 0

  init(_ bytes: [UInt8], name: String, cancellation: Cancellation) {
    self.bytes = bytes
    self.name = name
    self.cancellation = cancellation
  }

  var taken: Int64 { Int64(position) }
  var total: Int64? { Int64(bytes.count) }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read {
    if cancellation.isCancelled { throw InputError(.cancelled(byte: taken), input: name) }
    let count = min(buffer.count, bytes.count - position)
    if count == 0 { return .end }
    buffer.copyBytes(from: bytes[position..<position + count])
    position += count
    return .bytes(count)
  }
}
