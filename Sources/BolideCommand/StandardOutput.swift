import Foundation

/// Standard output in large pieces.
enum StandardOutput {
  /// The reader has closed its end.
  struct Closed: Error {}

  /// Writes all bytes.
  ///
  /// - Throws: `Closed`, and `Failure` when writing fails.
  static func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Foundation.write(
        STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EPIPE { throw Closed() }
      if count < 0 {
        throw Failure(.inputOutput, "standard output cannot be written (\(String(cString: strerror(errno))))")
      }
      rest = rest.dropFirst(count)
    }
  }
}
