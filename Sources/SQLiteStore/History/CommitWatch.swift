internal import Foundation
internal import GRDB
internal import ImportModel
internal import Synchronization

/// Tells whether anybody has committed to a store since it was asked last.
///
/// A connection of its own, so that commits of this process are seen too. A look costs microseconds.
package final class CommitWatch: Sendable {
  private let path: String
  private let queue: DatabaseQueue
  private let file: FileID
  private let version = Mutex<Value?>(nil)

  /// A file, whatever its name.
  private struct FileID: Equatable {
    var device: UInt64
    var number: UInt64

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  package init(_ store: Store) throws {
    path = store.path
    queue = try store.naming {
      try DatabaseQueue(path: StoreLocation.following(store.path), configuration: Connection.reading)
    }
    guard let file = FileID(path) else { throw StoreError.replaced(path) }
    self.file = file
  }

  /// Whether there may be a new commit. Ask first and read then: what comes in between is told the next time.
  ///
  /// - Throws: `StoreError` when another file has taken the store's place: nobody writes the old one any more.
  package func hasCommit() throws -> Bool {
    guard FileID(path) == file else { throw StoreError.replaced(path) }
    // Without a transaction, which would cost more than the look.
    let now = try Store.naming(path) { try queue.inDatabase { try $0.value("PRAGMA data_version") } }
    return version.withLock { version in
      defer { version = now }
      return version != now
    }
  }
}
