import Foundation

/// Standard output in large pieces.
enum StandardOutput {
  /// The reader has closed its end.
  struct Closed: Error {}

  /// Writes a line. A reader that has closed its end does not miss it.
  static func write(line: String) throws {
    do {
      try Array((line + "\n").utf8).withUnsafeBytes { try write($0) }
    } catch is Closed {}
  }

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
