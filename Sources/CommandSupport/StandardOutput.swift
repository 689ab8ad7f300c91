package import Bolide
import Foundation

/// Standard output in large pieces.
package enum StandardOutput {
  /// The reader has closed its end.
  package struct Closed: Error {
    package init() {}
  }

  /// The command was told to end before everything was written.
  package struct Stopped: Error {
    package init() {}
  }

  /// Writes a line, as a terminal may show it. A reader that has closed its end does not miss it.
  package static func write(line: String) throws {
    do {
      try write(Array((line.printable + "\n").utf8))
    } catch is Closed {}
  }

  /// Waits, and tells whether there still is somebody to read.
  ///
  /// - Parameter pause: how long to wait, in whole milliseconds; less when the reader goes.
  package static func isOpen(after pause: Duration) -> Bool {
    var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return unsafe poll(&descriptor, 1, Int32(pause / .milliseconds(1))) <= 0
  }

  /// Writes lines, each as a terminal may show it.
  package static func write(lines text: String) throws {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      try write(line: String(line))
    }
  }

  /// Writes all bytes.
  ///
  /// - Throws: `Closed`, and `Failure` when writing fails.
  package static func write(_ bytes: [UInt8]) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0) }
  }

  /// Writes bytes that somebody else keeps meanwhile.
  package static func write(_ bytes: UnsafeRawBufferPointer) throws {
    try unsafe write(bytes, to: STDOUT_FILENO, "standard output")
  }

  /// Writes all bytes, unless a call is given up before or while nobody reads.
  ///
  /// - Throws: also `Stopped`.
  package static func write(
    _ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO, _ name: String = "standard output",
    until call: StoreCall
  ) throws {
    // Between two calls, where a line ends, even if there is somebody who reads.
    if call.isCancelled { throw Stopped() }
    var rest = bytes[...]
    while !rest.isEmpty {
      // A pipe that has room at all takes so much at once.
      let piece = rest.prefix(Int(PIPE_BUF))
      while !hasRoom(descriptor, within: 50) {
        if call.isCancelled { throw Stopped() }
      }
      try unsafe piece.withUnsafeBytes { try unsafe write($0, to: descriptor, name) }
      rest = rest.dropFirst(piece.count)
    }
  }

  /// - Parameter milliseconds: how long to wait for it; -1 for ever.
  private static func hasRoom(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&descriptor, 1, milliseconds) > 0
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ name: String) throws {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let count = unsafe Foundation.write(
        descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      // Another program that has it open may have made it one that does not wait.
      if count < 0 && errno == EAGAIN {
        _ = hasRoom(descriptor, within: -1)
        continue
      }
      if count < 0 && errno == EPIPE { throw Closed() }
      if count < 0 {
        let reason = unsafe String(cString: strerror(errno))
        throw Failure.cannotWrite(name, reason)
      }
      unsafe rest = rest.dropFirst(count)
    }
  }
}
