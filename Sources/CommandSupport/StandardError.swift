import Foundation

/// Standard error, for people. Nobody could be told that writing it failed, so a command ends as it would have.
package enum StandardError {
  package static func write(_ text: String) {
    write(Array(text.utf8))
  }

  /// How long a reader that takes nothing is waited for, in milliseconds, where writing does not wait by itself.
  private static let patience: Int32 = 1000

  private static func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count)
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count == 0 || errno != EINTR && !(errno == EAGAIN && hasRoom()) {
        return
      }
    }
  }

  private static func hasRoom() -> Bool {
    var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&descriptor, 1, patience) > 0
  }
}

/// The three descriptors that every program is started with.
enum StandardDescriptors {
  /// Opens those that are closed, so that no file of the store gets one of their numbers, and what is meant for standard
  /// error stands in it. Nothing can be read there, and nothing written.
  static func fill() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // It gets the lowest free number, which is this one.
      _ = unsafe open("/dev/null", O_RDONLY)
    }
  }
}
