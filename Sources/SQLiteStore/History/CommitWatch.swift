internal import Foundation
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface
internal import Synchronization

/// A connection of its own, so that commits of this process are seen too. A look costs microseconds.
final class FileCommitWatch: CommitWatch {
  private let store: SQLiteEngine
  private var path: String { store.path }
  private let queue: DatabaseQueue
  private let files: Files
  private let version = Mutex<Value?>(nil)

  /// The files that are open: the store, and its log's index, which SQLite makes anew only where nobody has it open.
  private struct Files: Equatable {
    var store: FileFacts.Identity
    var index: FileFacts.Identity?
    /// Whoever copies another file over the store begins so.
    var isEmpty: Bool

    /// Nil where there is no store.
    init?(_ path: String) {
      guard let store = FileFacts(path) else { return nil }
      self.store = store.identity
      index = FileFacts(path + "-shm")?.identity
      isEmpty = fileSize(path) == 0
    }
  }

  init(_ store: SQLiteEngine) throws {
    self.store = store
    let path = store.path
    // Without the log's index, which only who may write the folder can make, nobody is told of a commit.
    if StoreLocation.isUnwritten(store.location, of: path) { throw StoreError.cannotFollow(path) }
    (queue, files) = try store.naming {
      let queue = try DatabaseQueue(
        path: StoreLocation.following(store.path), configuration: Connection.reading)
      // The first look opens the index.
      _ = try Self.version(queue)
      guard let files = Files(store.path) else { throw StoreError.vanished(store.path) }
      return (queue, files)
    }
  }

  /// Whether there may be a new commit. Ask first and read then: what comes in between is told the next time.
  ///
  /// - Throws: as `check()`.
  func hasCommit() throws -> Bool {
    try check()
    let now: Value?
    do {
      now = try SQLiteEngine.naming(path) { try Self.version(queue) }
    } catch {
      try check()
      throw error
    }
    return version.withLock { version in
      defer { version = now }
      return version != now
    }
  }

  /// - Throws: `StoreError` when the store is closed or gone, or other files have taken its place: nobody writes the old ones any
  ///   more.
  func check() throws(StoreError) {
    try store.checkOpen()
    guard let now = Files(path) else { throw .vanished(path) }
    // Without a log there was no index; it may have come since.
    guard now.store == files.store, files.index == nil || now.index == files.index, !now.isEmpty else {
      throw .replaced(path)
    }
  }

  /// Without a transaction of GRDB's, which would cost more than the look.
  private static func version(_ queue: DatabaseQueue) throws -> Value {
    try queue.inDatabase { try $0.value("PRAGMA data_version") }
  }
}

extension SQLiteEngine {
  package func watchCommits() throws -> any CommitWatch { try FileCommitWatch(self) }
}
