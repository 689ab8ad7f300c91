/// The bytes of a gzip input: any number of members, of any size, with zeros after them if need be.
///
/// A good end is only this: the last member is whole, checked, and followed by nothing but zeros.
final class Gunzip {
  private let buffer: RawBuffer
  private let inflater = Inflater()
  /// Where the member under way begins, in raw bytes.
  ///
  /// Nil between members.
  private var member: Int64?
  /// Found together with the last good bytes; thrown by the next read.
  private var failure: InputError?
  /// The last output was filled: of the bytes that were used there may be more to come.
  private var mayHaveMore = false

  init(_ buffer: RawBuffer) {
    self.buffer = buffer
  }

  /// Puts at least one inflated byte into `output`.
  ///
  /// - Throws: The gzip errors, and the raw input's own. What was inflated before a fault is handed out first.
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
        case .end: throw InputError(.gzipTruncated(byte: buffer.position), input: buffer.input.name)
        }
      }
      if self.member == nil { try startMember() }
      guard let member else { continue }
      let step = inflater.inflate(buffer.bytes, into: output)
      buffer.use(step.used)
      mayHaveMore = step.outcome == .unfinished && step.made == output.count
      if step.outcome == .memberEnd {
        self.member = nil
      } else if let fact = fact(of: step.outcome, member: member) {
        failure = InputError(fact, input: buffer.input.name)
        if step.made == 0, let failure { throw failure }
      }
      if step.made > 0 { return .bytes(step.made) }
    }
  }

  /// Skips zeros and begins the member that follows them, unless the buffer is used up before.
  private func startMember() throws(InputError) {
    let padding = buffer.bytes.prefix { $0 == 0 }.count
    buffer.use(padding)
    if buffer.isEmpty { return }
    if buffer.bytes.first != 0x1f {
      throw InputError(.gzipTrailingData(byte: buffer.position), input: buffer.input.name)
    }
    inflater.startMember()
    member = buffer.position
  }

  private func fact(of outcome: Inflater.Outcome, member: Int64) -> Fact? {
    switch outcome {
    case .unfinished, .memberEnd: nil
    // The first member's first bytes were seen to be right, so this is what comes after a good one.
    case .wrongHeader: .gzipTrailingData(byte: member)
    case .wrongChecksum: .gzipChecksum(member: member)
    case .wrongLength: .gzipLength(member: member)
    case .corrupt: .gzipCorrupt(byte: buffer.position)
    case .outOfMemory: .cannotRead(byte: buffer.position, reason: "out of memory")
    }
  }
}
