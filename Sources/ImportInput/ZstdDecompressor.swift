/// zstd's decompression of one frame after another.
final class ZstdDecompressor: Decompressor {
  let compression = Compression.zstd
  private let library: ZstdLibrary
  /// Nil where there is no memory for it.
  private let stream: UnsafeMutableRawPointer?
  /// How many bytes zstd asks for next: the rest of a header, or of a block.
  private var wanted = headerSize
  /// The last output was filled: there may be more to come before zstd takes input.
  private var mayHaveMore = false
  /// The frame's first bytes, its header among them.
  private var header: [UInt8] = []
  /// How many bytes the frame has given.
  private var size: UInt64 = 0
  /// zstd's two buffers, output and input.
  private let words = UnsafeMutablePointer<Int>.allocate(capacity: 6)

  /// 128 MiB: what a frame may make the stream remember of what it gave, and what zstd itself takes unasked.
  private static let windowLog: CInt = 27
  /// The bytes of a frame's header without which its length is not known.
  private static let headerSize = 5
  /// `ZSTD_FRAMEHEADERSIZE_MAX`
  private static let longestHeader = 18
  /// `ZSTD_CONTENTSIZE_UNKNOWN`
  private static let unknownSize = UInt64.max
  /// `ZSTD_d_windowLogMax`
  private static let windowParameter: CInt = 100

  init(_ library: ZstdLibrary) {
    self.library = library
    guard let stream = library.createStream() else {
      stream = nil
      return
    }
    let results = [
      library.initStream(stream), library.setParameter(stream, Self.windowParameter, Self.windowLog),
    ]
    if results.contains(where: { library.isError($0) != 0 }) {
      _ = library.freeStream(stream)
      self.stream = nil
    } else {
      self.stream = stream
    }
  }

  deinit {
    if let stream { _ = library.freeStream(stream) }
    words.deallocate()
  }

  func paddingCount(_ bytes: UnsafeRawBufferPointer) -> Int { 0 }

  func mayStartMember(_ bytes: UnsafeRawBufferPointer) -> Bool {
    Content.zstdMagics.contains { bytes.prefix($0.count).elementsEqual($0.prefix(bytes.count)) }
  }

  /// The stream begins the next frame by itself.
  func startMember() { (wanted, mayHaveMore, header, size) = (Self.headerSize, false, [], 0) }

  func decompress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    guard let stream else { return DecompressionStep(used: 0, made: 0, outcome: .outOfMemory) }
    // Input without room, and then room without input: a call that ends with an error does not say what it gave.
    var used = 0
    if !mayHaveMore {
      let result = call(stream, input.prefix(wanted), output.prefix(0))
      used = words[5]
      header += input.prefix(min(used, Self.longestHeader - header.count))
      if result <= 0 { return DecompressionStep(used: used, made: 0, outcome: outcome(of: result)) }
    }
    let result = call(stream, input.prefix(0), output[...])
    mayHaveMore = words[2] == output.count
    size += UInt64(words[2])
    return DecompressionStep(used: used, made: words[2], outcome: outcome(of: result))
  }

  /// What it used is then at the sixth word, and what it gave at the third.
  private func call(
    _ stream: UnsafeMutableRawPointer, _ input: Slice<UnsafeRawBufferPointer>,
    _ output: Slice<UnsafeMutableRawBufferPointer>
  ) -> Int {
    let input = UnsafeRawBufferPointer(rebasing: input)
    let output = UnsafeMutableRawBufferPointer(rebasing: output)
    (words[0], words[1], words[2]) = (Int(bitPattern: output.baseAddress), output.count, 0)
    (words[3], words[4], words[5]) = (Int(bitPattern: input.baseAddress), input.count, 0)
    let result = library.decompress(stream, words, words + 3)
    if result > 0 { wanted = result }
    return result
  }

  private func outcome(of result: Int) -> DecompressionStep.Outcome {
    if result == 0 { return hasSize ? .memberEnd : .corruptMember }
    guard library.isError(result) != 0 else { return .unfinished }
    // The numbers of zstd_errors.h, which are promised not to change.
    return switch library.errorCode(result) {
    case 10: .wrongHeader
    case 16: .largeWindow
    case 22: .wrongChecksum
    case 32: .dictionary
    case 64: .outOfMemory
    default: .corruptMember
    }
  }

  /// Whether the frame gave what its header says. Where its last block is empty, zstd's stream does not look.
  private var hasSize: Bool {
    let told = header.withUnsafeBytes { library.contentSize($0.baseAddress, $0.count) }
    return told == Self.unknownSize || told == size
  }
}
