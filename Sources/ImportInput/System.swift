#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a system call answered when it failed.
struct Errno: Error, Equatable {
  let code: CInt

  static var current: Errno { Errno(code: errno) }

  /// The system's own words, as in "No space left on device".
  var text: String { String(cString: strerror(code)) }
}

/// The system calls that this module makes: interrupted calls are made again, descriptors close on exec.
enum System {
  /// Opens a file for reading.
  ///
  /// Never waits: a named pipe without a writer opens at once.
  static func open(path: String) throws(Errno) -> CInt {
    try retried { openFile(path) }
  }

  /// Opens a new file that has no name any more, for writing and reading.
  static func openUnlinked(in directory: String) throws(Errno) -> CInt {
    while true {
      let path = "\(directory)/bolide-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
      do throws(Errno) {
        let descriptor = try retried { createFile(path) }
        unlink(path)
        return descriptor
      } catch {
        if error.code != EEXIST { throw error }
      }
    }
  }

  /// A second descriptor for the same open file, so that closing ours leaves the given one alone.
  static func duplicate(_ descriptor: CInt) throws(Errno) -> CInt {
    try retried { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
  }

  /// Reads at most `buffer.count` bytes; 0 is the end of the input.
  static func readBytes(_ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try retried { read(descriptor, buffer.baseAddress, buffer.count) }
  }

  /// Reads at most `buffer.count` bytes from a place on, without moving there; 0 is the end of the input.
  static func readBytes(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(Errno) -> Int {
    try retried { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
  }

  /// Writes all of `bytes`.
  static func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) throws(Errno) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = try retried { write(descriptor, piece.baseAddress, piece.count) }
      rest = rest.dropFirst(count)
    }
  }

  /// How a wait ended.
  ///
  /// After `again` (a signal, or nothing to wake us) the caller looks at everything anew.
  enum Wait { case ready, again, deadlinePassed }

  /// Waits until `descriptor` or `wake` can be read, or until `deadline`.
  ///
  /// Without a `wake` (-1: the process had no descriptor left for one) a wait is cut into pieces of 100 ms.
  static func wait(
    for descriptor: CInt, or wake: CInt, until deadline: ContinuousClock.Instant?
  ) throws(Errno) -> Wait {
    let left = deadline.map(millisecondsLeft)
    let pause: CInt? = wake < 0 ? 100 : nil
    let timeout = [left, pause].compactMap { $0 }.min() ?? -1
    var watched = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&watched, nfds_t(watched.count), timeout)
    if ready > 0 { return .ready }
    if ready == 0 { return timeout == left ? .deadlinePassed : .again }
    let error = Errno.current
    if error.code == EINTR { return .again }
    throw error
  }

  /// Makes the call again as long as a signal interrupts it.
  static func retried<Number: SignedInteger>(_ call: () -> Number) throws(Errno) -> Number {
    while true {
      let result = call()
      if result >= 0 { return result }
      let error = Errno.current
      if error.code != EINTR { throw error }
    }
  }

  /// Rounded up, so that a wait never ends just before its deadline; at most a day.
  private static func millisecondsLeft(until deadline: ContinuousClock.Instant) -> CInt {
    let left = min(ContinuousClock.now.duration(to: deadline), .seconds(86_400))
    return left <= .zero ? 0 : CInt((left / .milliseconds(1)).rounded(.up))
  }
}

// Outside `System`, whose own `open` would hide the call.

private func openFile(_ path: String) -> CInt { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }

private func createFile(_ path: String) -> CInt { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
