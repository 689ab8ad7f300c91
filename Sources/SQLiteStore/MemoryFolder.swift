internal import Foundation

/// The folder of a store in memory, its owner's alone; it goes with the last reference.
final class MemoryFolder: Sendable {
  private let path: String

  /// Makes the folder within another one.
  ///
  /// - Throws: `StoreError` when it cannot be made.
  init(in place: String = MemoryFolder.place) throws(StoreError) {
    path = "\(place)/bolide-\(UUID().uuidString)"
    guard mkdir(path, 0o700) == 0 else { throw .noMemory(path, String(cString: strerror(errno))) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The store's path.
  var store: String { "\(path)/store.sqlite" }

  /// The file system that every Linux keeps in memory; macOS has none.
  private static var place: String {
    let shared = "/dev/shm"
    return FileManager.default.isWritableFile(atPath: shared)
      ? shared : FileManager.default.temporaryDirectory.path(percentEncoded: false)
  }
}
