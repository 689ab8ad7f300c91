#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A temporary file without a name: bytes go in, and after `rewind` they come out again from the first one.
///
/// For a columnar feed that sends its rows before their names, and for sorted runs. The file lies in `TMPDIR` (or `/tmp`),
/// is unlinked at once, and so is gone with the process however that ends.
package final class Spool {
  private static let capacity = 128 * 1024

  /// Bytes appended so far.
  package private(set) var count: Int64 = 0

  private let input: String
  private let directory: String
  private let descriptor: CInt
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
  private var buffered = 0
  private var isRewound = false

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - input: Whose bytes are spooled, for messages.
  ///   - directory: Where; nil for `TMPDIR`.
  /// - Throws: `cannotSpool`.
  package init(for input: String, directory: String? = nil) throws(InputError) {
    // An empty `TMPDIR` names no folder, least of all the root.
    let said = getenv("TMPDIR").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    let directory = directory ?? said ?? "/tmp"
    self.input = input
    self.directory = directory
    do throws(Errno) {
      descriptor = try System.openUnlinked(in: directory)
    } catch {
      throw InputError(.cannotSpool(directory: directory, reason: error.text), input: input)
    }
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// Adds bytes at the end.
  ///
  /// Not after `rewind`.
  ///
  /// - Throws: `cannotSpool`.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(InputError) {
    precondition(!isRewound, "a spool that is being read takes no more bytes")
    if buffered + bytes.count > buffer.count { try flush() }
    if bytes.count > buffer.count {
      try write(bytes)
    } else {
      UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...]).copyBytes(from: bytes)
      buffered += bytes.count
    }
    count += Int64(bytes.count)
  }

  /// Back to the first byte, to read; as often as wanted.
  ///
  /// - Throws: `cannotSpool`.
  package func rewind() throws(InputError) {
    try flush()
    isRewound = true
    if lseek(descriptor, 0, SEEK_SET) < 0 {
      throw InputError(.cannotReadSpool(reason: Errno.current.text), input: input)
    }
  }

  /// Fills `buffer` with at least one byte and says with how many; 0 is the end.
  ///
  /// Only after `rewind`.
  ///
  /// - Throws: `cannotSpool`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
    precondition(isRewound, "a spool is read after rewind")
    do throws(Errno) {
      return try System.readBytes(descriptor, into: buffer)
    } catch {
      throw InputError(.cannotReadSpool(reason: error.text), input: input)
    }
  }

  /// Fills `buffer` with at least one of the bytes that were appended from a place on, and says with how many.
  ///
  /// Only after `rewind`; what `read(into:)` reads next stays the same.
  ///
  /// - Throws: `cannotSpool`.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(InputError) -> Int {
    precondition(isRewound, "a spool is read after rewind")
    do throws(Errno) {
      let count = try System.readBytes(descriptor, into: buffer, at: offset)
      if count == 0 { throw Errno(code: EIO) }
      return count
    } catch {
      throw InputError(.cannotReadSpool(reason: error.text), input: input)
    }
  }

  private func flush() throws(InputError) {
    try write(UnsafeRawBufferPointer(rebasing: buffer[..<buffered]))
    buffered = 0
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(InputError) {
    do throws(Errno) {
      try System.writeBytes(descriptor, bytes)
    } catch {
      throw InputError(.cannotSpool(directory: directory, reason: error.text), input: input)
    }
  }
}
