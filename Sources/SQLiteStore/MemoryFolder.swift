internal import Foundation

/// The folder of a store for a while, in memory unless said; its owner's alone. It goes with the last reference.
package final class MemoryFolder: Sendable {
  private let path: String

  /// Makes the folder within another one.
  ///
  /// - Throws: `StoreError` when it cannot be made.
  package init(in place: String = MemoryFolder.place) throws(StoreError) {
    path = "\(place)/bolide-\(UUID().uuidString)"
    guard mkdir(path, 0o700) == 0 else { throw .noMemory(path, String(cString: strerror(errno))) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The store's path.
  package var store: String { "\(path)/store.sqlite" }

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
