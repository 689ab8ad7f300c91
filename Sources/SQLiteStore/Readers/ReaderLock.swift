internal import CSQLiteShims
internal import ImportModel
package import StoreInterface
internal import TypedRows

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The lock that keeps two consumers of one reader apart: one byte of a file beside the store, `STORE-bolide-readers`, at a
/// place that the reader's name says. The byte need not be there. The kernel lets go when the descriptor is closed.
final class ReaderLock: ConsumerLock {
  private let descriptor: Int32

  /// Takes the lock. Who may not write the file goes without it.
  ///
  /// - Throws: `StoreError.locked` where another consumer holds it.
  init(store: SQLiteEngine, reader: String) throws(StoreError) {
    guard
      case .file(let file) = try SideFile.make(
        StoreLock.path(of: store.path) + "-readers", beside: store.path)
    else {
      descriptor = -1
      return
    }
    descriptor = file
    var hash = SipHash(SipHash.Key([]))
    hash.add(part: reader)
    let place = hash.value >> 2
    if bolide_lock_byte(descriptor, Int64(place)) != 0, errno == EAGAIN || errno == EACCES {
      throw .readerAtWork(reader, store.path)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

extension SQLiteEngine {
  package func lock(reader name: String) throws -> any ConsumerLock {
    try ReaderLock(store: self, reader: name)
  }
}
