internal import Foundation
package import StoreInterface

/// The folder of a store for a while, in memory by default; its owner's alone. It goes with the last reference.
///
/// It is locked meanwhile, so that one a killed process has left behind is known, and goes when the next one is made.
package final class MemoryFolder: Sendable {
  private let path: String
  private let descriptor: Int32
  private static let prefix = "bolide-store-"
  private static let file = "store.sqlite"

  /// Makes the folder within another one.
  ///
  /// - Throws: `StoreError` when it cannot be made.
  package init(in place: String = MemoryFolder.place) throws(StoreError) {
    Self.removeLeftovers(in: place)
    path = "\(place)/\(Self.prefix)\(UUID().uuidString)"
    guard mkdir(path, 0o700) == 0 else { throw .noMemory(path, String(cString: strerror(errno))) }
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    flock(descriptor, LOCK_EX)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Removes what this user's killed processes have left.
  private static func removeLeftovers(in place: String) {
    let files = FileManager.default
    for name in (try? files.contentsOfDirectory(atPath: place)) ?? []
    where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil {
      let path = "\(place)/\(name)"
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      // A new one may not have its lock yet.
      let date = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      guard FileFacts(descriptor)?.user == geteuid(), (date?.timeIntervalSinceNow ?? 0) < -60,
        flock(descriptor, LOCK_EX | LOCK_NB) == 0,
        (try? files.contentsOfDirectory(atPath: path))?.allSatisfy({ name in
          name.hasPrefix(file) || name.hasPrefix(UnfinishedFile.prefix)
        }) == true
      else { continue }
      try? files.removeItem(atPath: path)
    }
  }

  /// The store's path.
  package var store: String { "\(path)/\(Self.file)" }

  /// Where temporary files are. An empty `TMPDIR` names no folder, least of all the root.
  package static var temporary: String {
    let said = ProcessInfo.processInfo.environment["TMPDIR"]
    return said == "" ? "/tmp" : FileManager.default.temporaryDirectory.path(percentEncoded: false)
  }

  /// The file system that every Linux keeps in memory; macOS has none.
  package static var place: String {
    let shared = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: shared) ? shared : temporary
  }
}
