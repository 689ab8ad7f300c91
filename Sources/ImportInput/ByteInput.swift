/// One input of an import as plain bytes, wherever they come from and whether or not they are compressed.
///
/// Belongs to the thread that reads it. Never a short success: an input that is cut, corrupt or empty ends in an
/// error, and after an error every further read throws it again.
package final class ByteInput {
  /// Where the bytes come from.
  package enum Source: Sendable {
    /// A file, a named pipe or a device; "-" is the process's standard input.
    case path(String)
    case bytes([UInt8])
    case pipe(BytePipe)
  }

  /// What a read brought.
  package enum Read: Equatable, Sendable {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing came until the deadline; there may be more.
    case idle
    /// The whole input was read, and it was whole.
    case end
  }

  private enum State {
    case unread
    case plain
    case compressed(CompressedInput)
    case ended
    case failed(InputError)
  }

  private let raw: any RawInput
  private let buffer: RawBuffer
  private let zstdPaths: [String]
  private var state = State.unread
  private var isEmpty = true

  /// Opens the input and reads nothing yet.
  ///
  /// - Parameter label: The name of bytes and pipes in messages; a path needs none.
  /// - Throws: `noSuchFile`, `isDirectory`, `permissionDenied`, `isTerminal`, `cannotRead`.
  package convenience init(
    _ source: Source, label: String? = nil, cancellation: Cancellation
  ) throws(InputError) {
    switch source {
    case .path(let path):
      self.init(try DescriptorInput(path: path, cancellation: cancellation))
    case .bytes(let bytes):
      self.init(ArrayInput(bytes, name: label ?? "bytes", cancellation: cancellation))
    case .pipe(let pipe):
      self.init(PipeInput(pipe, name: label ?? "stream", cancellation: cancellation))
    }
  }

  /// - Parameter zstdPaths: where zstd's library is looked for.
  init(_ raw: any RawInput, zstdPaths: [String] = ZstdLibrary.systemPaths) {
    self.raw = raw
    self.zstdPaths = zstdPaths
    buffer = RawBuffer(raw)
  }

  /// The input's name in messages: the path as given, "stdin", or a label.
  package var name: String { raw.name }

  /// Raw bytes (compressed ones, if they are) taken from the source so far.
  package var bytesRead: Int64 { raw.taken }

  /// Raw bytes in all, of a regular file or of bytes in memory; the measure for `bytesRead`.
  package var totalBytes: Int64? { raw.total }

  /// The SHA-256 of the raw bytes taken so far, of a file that has a name; nil for everything else.
  package var digest: [UInt8]? { raw.digest?.value }

  /// The SHA-256 of a named file's raw bytes, all of them; nothing counts as read by it.
  ///
  /// - Throws: `cannotRead`, `cancelled`.
  package func digestOfAll() throws(InputError) -> [UInt8]? {
    try raw.digestOfAll()
  }

  /// Fills `buffer`, which must have room, with at least one byte, unpacked when the content is gzip or zstd.
  ///
  /// Blocks the thread until bytes come, the input ends, it is cancelled, or `deadline` passes on a pipe that is
  /// silent (files do not wait, and never answer `.idle`).
  ///
  /// - Throws: Any code but `cannotSpool`. Bytes handed out before the error were good as far as can be known:
  ///   a gzip's checksum comes last.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> Read {
    precondition(!buffer.isEmpty, "a read needs room for a byte")
    do throws(InputError) {
      let read = try readContent(into: buffer, until: deadline)
      switch read {
      case .bytes: isEmpty = false
      case .idle: break
      case .end:
        if isEmpty { throw InputError(emptyFact, input: name) }
        state = .ended
      }
      return read
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Reads to the end, or until there are more bytes than a limit.
  ///
  /// - Throws: as `read(into:until:)`.
  package func readAll(upTo limit: Int) throws(InputError) -> [UInt8] {
    var bytes: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: RawBuffer.capacity, alignment: 64)
    defer { piece.deallocate() }
    while bytes.count <= limit, case .bytes(let count) = try read(into: piece, until: nil) {
      bytes += piece[..<count]
    }
    return bytes
  }

  private func readContent(
    into output: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> Read {
    if case .unread = state, try !findContent(until: deadline) { return .idle }
    switch state {
    case .plain where buffer.isEmpty: return try raw.read(into: output, until: deadline)
    case .plain:
      let count = min(output.count, buffer.bytes.count)
      output.copyBytes(from: buffer.bytes.prefix(count))
      buffer.use(count)
      return .bytes(count)
    case .compressed(let input): return try input.read(into: output, until: deadline)
    case .ended: return .end
    case .failed(let error): throw error
    case .unread: preconditionFailure("the content was just found")
    }
  }

  private var emptyFact: Fact {
    if case .compressed(let input) = state { .emptyData(input.compression) } else { raw.emptyFact }
  }

  private func decompressor(of compression: Compression) throws(InputError) -> any Decompressor {
    switch compression {
    case .gzip: return Inflater()
    case .zstd:
      guard let library = ZstdLibrary.at(zstdPaths) else {
        throw InputError(.noZstdLibrary(isStdin: raw.isStdin), input: name)
      }
      return ZstdDecompressor(library)
    case .bzip2, .xz, .zip:
      throw InputError(.otherCompression(compression, isStdin: raw.isStdin), input: name)
    }
  }

  /// Reads as many first bytes as it takes to know the content.
  ///
  /// False: the deadline came first.
  private func findContent(until deadline: ContinuousClock.Instant?) throws(InputError) -> Bool {
    var isAll = false
    while true {
      if let content = Content.of(buffer.bytes, isAll: isAll) {
        switch content {
        case .plain: state = .plain
        case .compressed(let compression):
          state = .compressed(CompressedInput(buffer, try decompressor(of: compression)))
        }
        return true
      }
      switch try buffer.fill(until: deadline) {
      case .bytes: break
      case .idle: return false
      case .end: isAll = true
      }
    }
  }
}
