internal import SQLiteAccess
internal import StoreInterface

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Sees, while an error can still be told, that a process can open the files that a command needs.
///
/// GRDB reads on Dispatch's threads, and on Linux these end the process where they get no descriptors: for epoll when the
/// first one starts, and for the state of the threads every second.
enum SpareDescriptors {
  /// As many as any command has open at a time, its inputs aside.
  private static let count = 16

  /// - Throws: `StoreError.notOpened` where there are fewer.
  static func check(for path: String) throws(StoreError) {
    var taken: [Int32] = []
    defer { for descriptor in taken { close(descriptor) } }
    for _ in 1...count {
      let descriptor = dup(STDERR_FILENO)
      guard descriptor >= 0 else { throw .notOpened(path) }
      taken.append(descriptor)
    }
  }
}
