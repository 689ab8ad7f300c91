import Foundation
import Synchronization

/// A folder that takes long to make: the first test that asks for it makes it, and each one gets a copy of its own.
final class Fixture: Sendable {
  private let made: Result<Folder, any Error>
  /// The folders that are removed when the tests' program ends.
  private static let folders = Mutex<[URL]>([])

  init(_ make: () throws -> Folder) {
    made = Result { try make() }
    guard case .success(let folder) = made else { return }
    Self.folders.withLock {
      if $0.isEmpty { atexit { Fixture.removeAll() } }
      $0.append(folder.url)
    }
  }

  func copy() throws -> Folder { try Folder(copyOf: made.get()) }

  private static func removeAll() {
    for url in folders.withLock(\.self) { try? FileManager.default.removeItem(at: url) }
  }
}
