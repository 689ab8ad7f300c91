internal import Foundation
internal import GRDB
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface

extension SQLiteEngine {
  /// How many pages are copied between two looks whether somebody waits for the copy.
  private static let pagesPerStep: CInt = 100

  /// Copies the whole store, history and all, into a new file, from one state of it. Others read and write meanwhile.
  ///
  /// - Complexity: O(store), in time and in room on the disk.
  package func copy(to file: String) throws {
    try naming {
      let copy = try DatabaseQueue(path: file)
      try DatabaseQueue(path: location, configuration: Connection.reading).read { store in
        // Keeps the state, in which the copy could be made in one step too.
        _ = try store.value("SELECT count(*) FROM sqlite_schema")
        try copy.inDatabase {
          try store.backup(to: $0, pagesPerStep: Self.pagesPerStep) { _ in try StoreCall.check() }
        }
      }
      try copy.close()
      // GRDB hears nothing of the last step.
      try StoreCall.check()
    }
  }
}
