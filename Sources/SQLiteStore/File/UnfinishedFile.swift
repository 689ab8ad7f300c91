internal import CSQLiteShims
internal import Foundation
package import StoreInterface

/// A file that is built under a name that nobody can guess, with its final mode, and then put in place in one step.
///
/// A file beside it is locked from before it is there until it has its place, so that one a killed process has left
/// behind is known, and goes. The lock is not on the file itself: to close a descriptor ends all locks that the process
/// has on the file.
package final class UnfinishedFile {
  package let path: String
  private let lock: Int32
  static let prefix = ".bolide-new-"
  private static let lockEnding = "-lock"
  private static let endings = ["", "-journal", "-wal", "-shm"]

  /// Makes an empty file.
  ///
  /// - Parameters:
  ///   - target: the path that it is to have; the file is made in the same folder.
  ///   - owner: whose it is to be, where this process may say so; nil for the process's own.
  /// - Throws: `StoreError` when the folder cannot be written, or is not there.
  package init(for target: String, mode: UInt32, owner: FileFacts? = nil) throws(StoreError) {
    let folder = StoreLocation.folder(of: target)
    Self.removeLeftovers(in: folder)
    (path, lock) = try Self.lockedName(in: folder, for: target)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    // What there is goes with this object, which is complete already.
    guard descriptor >= 0 else { throw .cannotMake(target, errno) }
    defer { close(descriptor) }
    if let owner, geteuid() == 0 { fchown(descriptor, owner.user, owner.group) }
    fchmod(descriptor, mode_t(mode))
  }

  /// A name, and the descriptor that holds its lock.
  private static func lockedName(in folder: String, for target: String) throws(StoreError) -> (String, Int32)
  {
    while true {
      let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
      let path = "\(folder)/\(prefix)\(random)"
      let lock = open(path + lockEnding, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard lock >= 0 else { throw .cannotMake(target, errno) }
      flock(lock, LOCK_EX)
      // Another process may have taken it for a leftover before it was locked.
      if FileFacts(lock)?.links != 0 { return (path, lock) }
      close(lock)
    }
  }

  /// Gives the file its name. Every connection to it is closed by now.
  ///
  /// - Parameter replacing: whether a file that has the name gives way.
  /// - Returns: false when there is one and it stays.
  package func place(at target: String, replacing: Bool) throws(StoreError) -> Bool {
    if replacing {
      guard rename(path, target) == 0 else { throw .cannotPlace(target, String(cString: strerror(errno))) }
    } else if bolide_rename_new(path, target) != 0 {
      if errno == EEXIST { return false }
      // Where the file system cannot rename so, it has links.
      guard link(path, target) == 0 else {
        if errno == EEXIST { return false }
        throw .cannotPlace(target, String(cString: strerror(errno)))
      }
      unlink(path)
    }
    Self.sync(folder: StoreLocation.folder(of: target))
    return true
  }

  deinit { Self.remove(path, lock) }

  /// Removes what there is under a name, its lock last.
  private static func remove(_ path: String, _ lock: Int32) {
    for ending in endings + [lockEnding] { unlink(path + ending) }
    close(lock)
  }

  /// A new name outlives a power cut only when its folder was written.
  private static func sync(folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes what processes that were killed have left in a folder, if it is this user's.
  private static func removeLeftovers(in folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.utf8.starts(with: prefix.utf8) && name.hasSuffix(lockEnding) {
      let path = "\(folder)/\(name)"
      let lock = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard lock >= 0 else { continue }
      if FileFacts(lock)?.user == geteuid(), flock(lock, LOCK_EX | LOCK_NB) == 0 {
        remove(String(path.dropLast(lockEnding.count)), lock)
      } else {
        close(lock)
      }
    }
  }
}
