#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A pipe to itself, by which one thread ends another one's `poll`.
///
/// Both ends never block: a full pipe is already a wake-up. When the process has no descriptor left, `descriptor`
/// is -1, and whoever waits looks again every 100 ms.
final class Wake: Sendable {
  /// The end to poll.
  let descriptor: CInt
  private let writeEnd: CInt

  init() {
    var ends: (CInt, CInt) = (-1, -1)
    let made = withUnsafeMutableBytes(of: &ends) { pipe($0.bindMemory(to: CInt.self).baseAddress) == 0 }
    (descriptor, writeEnd) = made ? ends : (-1, -1)
    guard made else { return }
    for end in [descriptor, writeEnd] {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    close(writeEnd)
  }

  /// Makes `descriptor` readable.
  ///
  /// May be called by a signal handler.
  func signal() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Makes `descriptor` silent again.
  func clear() {
    var bytes: UInt64 = 0
    while withUnsafeMutableBytes(of: &bytes, { read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
  }
}
