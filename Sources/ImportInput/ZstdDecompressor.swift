/// zstd's decompression of one frame after another.
final class ZstdDecompressor: Decompressor {
  let compression = Compression.zstd
  private let library: ZstdLibrary
  /// Nil where there is no memory for it.
  private let stream: UnsafeMutableRawPointer?
  /// How many bytes zstd asks for next: the rest of a header, or of a block. It gets no more at once, since a fault in what
  /// follows would take from us what a block gave.
  private var wanted = headerSize
  /// zstd's two buffers, output and input.
  private let words = UnsafeMutablePointer<Int>.allocate(capacity: 6)

  /// 128 MiB: what a frame may make the stream remember of what it gave, and what zstd itself takes unasked.
  private static let windowLog: CInt = 27
  /// The bytes of a frame's header without which its length is not known.
  private static let headerSize = 5
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
  func startMember() { wanted = Self.headerSize }

  func decompress(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> DecompressionStep {
    guard let stream else { return DecompressionStep(used: 0, made: 0, outcome: .outOfMemory) }
    (words[0], words[1], words[2]) = (Int(bitPattern: output.baseAddress), output.count, 0)
    (words[3], words[4], words[5]) = (Int(bitPattern: input.baseAddress), min(input.count, wanted), 0)
    let result = library.decompress(stream, words, words + 3)
    if result > 0 { wanted = result }
    return DecompressionStep(used: words[5], made: words[2], outcome: outcome(of: result))
  }

  private func outcome(of result: Int) -> DecompressionStep.Outcome {
    guard library.isError(result) != 0 else { return result == 0 ? .memberEnd : .unfinished }
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
}
