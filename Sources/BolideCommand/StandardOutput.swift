import Bolide
import Foundation

/// Standard output in large pieces.
enum StandardOutput {
  /// The reader has closed its end.
  struct Closed: Error {}

  /// The command was told to end before everything was written.
  struct Stopped: Error {}

  /// Writes a line, as a terminal may show it. A reader that has closed its end does not miss it.
  static func write(line: String) throws {
    do {
      try write(Array((line.printable + "\n").utf8))
    } catch is Closed {}
  }

  /// Waits, and tells whether there still is somebody to read.
  ///
  /// - Parameter milliseconds: how long to wait; less when the reader goes.
  static func isOpen(after milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return unsafe poll(&descriptor, 1, milliseconds) <= 0
  }

  /// Writes lines, each as a terminal may show it.
  static func write(lines text: String) throws {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      try write(line: String(line))
    }
  }

  /// Writes all bytes.
  ///
  /// - Throws: `Closed`, and `Failure` when writing fails.
  static func write(_ bytes: [UInt8]) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0) }
  }

  /// Writes all bytes, unless a cancellation comes first or while nobody reads.
  ///
  /// - Throws: also `Stopped`.
  static func write(_ bytes: [UInt8], until stop: ImportCancellation) throws {
    // Between two calls, where a line ends, even if there is somebody who reads.
    if stop.isCancelled { throw Stopped() }
    var rest = bytes[...]
    while !rest.isEmpty {
      // A pipe that has room at all takes so much at once.
      let piece = rest.prefix(Int(PIPE_BUF))
      while !hasRoom(within: 50) {
        if stop.isCancelled { throw Stopped() }
      }
      try write(Array(piece))
      rest = rest.dropFirst(piece.count)
    }
  }

  /// - Parameter milliseconds: how long to wait for it.
  private static func hasRoom(within milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&descriptor, 1, milliseconds) > 0
  }

  /// Writes bytes that somebody else keeps meanwhile.
  static func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let count = unsafe Foundation.write(
        STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EPIPE { throw Closed() }
      if count < 0 {
        let reason = unsafe String(cString: strerror(errno))
        throw Failure.cannotWrite("standard output", reason)
      }
      unsafe rest = rest.dropFirst(count)
    }
  }
}
