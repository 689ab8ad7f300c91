/// The bytes of a compressed input: any number of members, as gzip calls them and zstd its frames, one after the other.
///
/// A good end is only this: the last member is whole, checked, and followed by nothing but padding.
final class CompressedInput {
  private let buffer: RawBuffer
  private let decompressor: any Decompressor
  /// Where the member under way begins, in raw bytes.
  ///
  /// Nil between members.
  private var member: Int64?
  /// Found together with the last good bytes; thrown by the next read.
  private var failure: InputError?
  /// The last output was filled: of the bytes that were used there may be more to come.
  private var mayHaveMore = false

  init(_ buffer: RawBuffer, _ decompressor: any Decompressor) {
    self.buffer = buffer
    self.decompressor = decompressor
  }

  /// What the bytes are compressed with.
  var compression: Compression { decompressor.compression }

  /// Puts at least one unpacked byte into `output`.
  ///
  /// - Throws: The errors of compressed data, and the raw input's own. What was unpacked before a fault is handed out first.
  func read(
    into output: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read {
    if let failure { throw failure }
    while true {
      if buffer.isEmpty, !mayHaveMore {
        switch try buffer.fill(until: deadline) {
        case .bytes: break
        case .idle: return .idle
        case .end where member == nil: return .end
        case .end: throw error(.truncated(compression, byte: buffer.position))
        }
      }
      if self.member == nil { try startMember() }
      guard let member else { continue }
      let step = decompressor.decompress(buffer.bytes, into: output)
      buffer.use(step.used)
      mayHaveMore = step.outcome == .unfinished && step.made == output.count
      if step.outcome == .memberEnd {
        self.member = nil
      } else if let fact = fact(of: step.outcome, member: member) {
        failure = error(fact)
        if step.made == 0, let failure { throw failure }
      }
      if step.made > 0 { return .bytes(step.made) }
    }
  }

  /// Skips padding and begins the member that follows it, unless the buffer is used up before.
  private func startMember() throws(InputError) {
    buffer.use(decompressor.paddingCount(buffer.bytes))
    if buffer.isEmpty { return }
    guard decompressor.mayStartMember(buffer.bytes) else {
      throw error(.trailingData(compression, byte: buffer.position))
    }
    decompressor.startMember()
    member = buffer.position
  }

  private func error(_ fact: Fact) -> InputError { InputError(fact, input: buffer.input.name) }

  private func fact(of outcome: DecompressionStep.Outcome, member: Int64) -> Fact? {
    switch outcome {
    case .unfinished, .memberEnd: nil
    // The first member's first bytes were seen to be right, so this is what comes after a good one.
    case .wrongHeader: .trailingData(compression, byte: member)
    case .wrongChecksum: .wrongChecksum(compression, member: member)
    case .wrongLength: .wrongLength(member: member)
    case .corrupt: .corrupt(byte: buffer.position)
    case .corruptMember: .corruptMember(member: member)
    case .largeWindow: .largeWindow(member: member, isStdin: buffer.input.isStdin)
    case .dictionary: .dictionary(member: member)
    case .outOfMemory: .cannotRead(byte: buffer.position, reason: "out of memory")
    }
  }
}

/// One member after another: bytes in, bytes out. Knows no input.
protocol Decompressor: AnyObject {
  var compression: Compression { get }
  /// How many of the bytes between two members have no meaning.
  func paddingCount(_ bytes: UnsafeRawBufferPointer) -> Int
  /// Whether a member can start with the bytes, as far as they are there.
  func mayStartMember(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Begins the next member.
  func startMember()
  /// Unpacks until the input is used up, the output is full or the member ends.
  func decompress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep
}

/// How far a decompressor came.
struct DecompressionStep {
  enum Outcome: Equatable {
    /// Wants more input, or more room for its output.
    case unfinished
    /// The member ended, and its checksum and length are right.
    case memberEnd
    case wrongHeader, wrongChecksum, wrongLength
    /// Corrupt at the place that was reached, or somewhere in the member.
    case corrupt, corruptMember
    /// Needs more memory than is given to an input, or a file that is not there.
    case largeWindow, dictionary
    case outOfMemory
  }

  /// Bytes of the input that were used.
  let used: Int
  /// Bytes that were put into the output.
  let made: Int
  let outcome: Outcome
}
