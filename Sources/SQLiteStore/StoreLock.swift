package import StoreInterface

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The lock that keeps imports into one store apart: `flock` on a file beside it.
///
/// The kernel lets go of it when its process ends, however that happens. The file's second line says who holds it and
/// since when, for people; only the lock itself counts. Its first line is `LastTokenFile`'s. It is a file of its own because
/// closing any other descriptor of the store's file would drop SQLite's locks.
package final class StoreLock {
  private let descriptor: Int32
  private var isHeld = false

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - seconds: how long to wait for another pipeline's import, in seconds. An import of the same pipeline is not
  ///     waited for.
  ///   - isCancelled: asked while waiting.
  /// - Throws: `StoreError.locked` that says who holds the lock; `.inputOutput` where it cannot be taken at all.
  package init(
    store: String, pipeline: String, wait seconds: Double,
    isCancelled: () -> Bool = { StoreCall.isCancelled }
  ) throws(StoreError) {
    let path = Self.path(of: store)
    switch try SideFile.make(path, beside: store) {
    case .file(let file): descriptor = file
    case .denied(let error): throw .noLockFile(path, String(cString: strerror(error)))
    case .absent: throw .noLockFile(path, String(cString: strerror(ENOENT)))
    }
    let pause: Double = 0.02
    var wait: LockWait?
    defer { wait?.end() }
    var waited: Double = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EINTR { continue }
      // Anything else is no holder, and waiting helps nobody: a file system that has no locks, or no room for them.
      guard errno == EWOULDBLOCK else { throw .cannotLock(path, String(cString: strerror(errno))) }
      let holder = LockHolder(read(descriptor))
      if holder?.pipeline == pipeline || waited >= seconds || isCancelled() {
        throw .locked(store, by: holder)
      }
      if wait == nil { wait = LockWait(for: .imports) }
      wait?.goOn()
      usleep(UInt32(pause * 1_000_000))
      waited += pause
    }
    isHeld = true
    write(descriptor, LockHolder(process: getpid(), pipeline: pipeline, since: timestamp()))
  }

  /// The file beside a store, whatever name leads to the store.
  package static func path(of store: String) -> String { Journals.realPath(store) + "-bolide" }

  /// Runs also when `init` throws while it waits: then the file is another's, and so is what it says.
  deinit {
    if isHeld { ftruncate(descriptor, off_t(LastTokenFile.size)) }
    if descriptor >= 0 { close(descriptor) }
  }

  private func write(_ descriptor: Int32, _ holder: LockHolder) {
    // A new file gets its first line, an old one keeps it.
    if lseek(descriptor, 0, SEEK_END) < LastTokenFile.size { LastTokenFile.clear(descriptor) }
    var text = holder.text
    ftruncate(descriptor, off_t(LastTokenFile.size))
    _ = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, off_t(LastTokenFile.size)) }
  }
}

extension LockHolder {
  /// Reads `PROCESS SINCE PIPELINE`; nil when nobody alive stands there.
  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let process = Int32(parts[0]), kill(process, 0) == 0 || errno == EPERM
    else { return nil }
    self.init(process: process, pipeline: String(parts[2]), since: String(parts[1]))
  }

  var text: String { "\(process) \(since) \(pipeline)" }
}

private func read(_ descriptor: Int32) -> String {
  var bytes = [UInt8](repeating: 0, count: 1024)
  let count = pread(descriptor, &bytes, bytes.count, off_t(LastTokenFile.size))
  return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
}

extension SQLiteEngine {
  package func lock(
    forPipeline name: String, waiting seconds: Double
  ) throws -> AnyObject {
    try StoreLock(store: path, pipeline: name, wait: seconds)
  }
}
