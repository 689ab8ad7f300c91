#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file, a pipe, a socket or a device, by its descriptor.
///
/// Closes the descriptor when it goes.
final class DescriptorInput: RawInput {
  /// One `read` asks for no more than this, so that a cancelled import ends soon.
  static let largestRead = 256 * 1024

  let name: String
  let isStdin: Bool
  private(set) var taken: Int64 = 0
  /// Of all bytes taken from a file; standard input is not known again.
  private(set) var digest: SHA256?
  let total: Int64?
  private let descriptor: CInt
  private let cancellation: Cancellation

  /// Opens `path`; "-" is the process's standard input.
  ///
  /// - Throws: `noSuchFile`, `permissionDenied`, `cannotRead`, and what `init(descriptor:…)` throws.
  convenience init(path: String, cancellation: Cancellation) throws(InputError) {
    let isStdin = path == "-"
    let name = isStdin ? "stdin" : path
    let descriptor: CInt
    do throws(Errno) {
      descriptor = isStdin ? try System.duplicate(STDIN_FILENO) : try System.open(path: path)
    } catch {
      throw InputError(Self.openingFact(error), input: name)
    }
    try self.init(descriptor: descriptor, name: name, isStdin: isStdin, cancellation: cancellation)
  }

  /// Takes over an open descriptor, also when it throws.
  ///
  /// - Throws: `isDirectory`, `isTerminal`, `cannotRead`.
  init(descriptor: CInt, name: String, isStdin: Bool, cancellation: Cancellation) throws(InputError) {
    self.name = name
    self.isStdin = isStdin
    self.descriptor = descriptor
    self.cancellation = cancellation
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      total = nil
      throw InputError(.cannotOpen(reason: Errno.current.text), input: name)
    }
    let kind = status.st_mode & S_IFMT
    // A shell may hand over a file that was already read in part.
    total = kind == S_IFREG ? max(0, Int64(status.st_size) - Int64(lseek(descriptor, 0, SEEK_CUR))) : nil
    if total != nil && !isStdin { digest = SHA256() }
    if kind == S_IFDIR { throw InputError(.isDirectory, input: name) }
    if isatty(descriptor) == 1 { throw InputError(.isTerminal, input: name) }
  }

  deinit { close(descriptor) }

  var emptyFact: Fact { isStdin ? .silentStdin : total == nil ? .silentStream : .emptyFile }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?
  ) throws(InputError) -> ByteInput.Read {
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Self.largestRead))
    while true {
      if cancellation.isCancelled { throw InputError(.cancelled(byte: taken), input: name) }
      do throws(Errno) {
        // A regular file never makes anyone wait; all else is waited for beside the cancellation.
        if total == nil {
          switch try System.wait(for: descriptor, or: cancellation.descriptor, until: deadline) {
          case .deadlinePassed: return .idle
          case .again: continue
          case .ready: if cancellation.isCancelled { continue }
          }
        }
        let count = try System.readBytes(descriptor, into: piece)
        taken += Int64(count)
        digest?.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
        return count == 0 ? .end : .bytes(count)
      } catch {
        // Another process that reads the same pipe was faster.
        if error.code == EAGAIN { continue }
        throw InputError(.cannotRead(byte: taken, reason: error.text), input: name)
      }
    }
  }

  func digestOfAll() throws(InputError) -> [UInt8]? {
    if digest == nil { return nil }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.largestRead, alignment: 64)
    defer { buffer.deallocate() }
    var digest = SHA256()
    var offset: Int64 = 0
    while true {
      if cancellation.isCancelled { throw InputError(.cancelled(byte: taken), input: name) }
      do throws(Errno) {
        let count = try System.readBytes(descriptor, into: buffer, at: offset)
        if count == 0 { return digest.value }
        digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        offset += Int64(count)
      } catch {
        throw InputError(.cannotRead(byte: offset, reason: error.text), input: name)
      }
    }
  }

  private static func openingFact(_ error: Errno) -> Fact {
    switch error.code {
    case ENOENT, ENOTDIR: .noSuchFile
    case EACCES, EPERM: .permissionDenied
    default: .cannotOpen(reason: error.text)
    }
  }
}
