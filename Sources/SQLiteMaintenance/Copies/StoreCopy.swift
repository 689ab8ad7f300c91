internal import Foundation
internal import GRDB
internal import SQLiteStore

extension SQLiteEngine {
  /// Copies the whole store, history and all, into a new file, from one state of it. Others read and write meanwhile.
  ///
  /// - Complexity: O(store), in time and in room on the disk.
  package func copy(to file: String) throws {
    try naming {
      let copy = try DatabaseQueue(path: file)
      try DatabaseQueue(path: location, configuration: Connection.reading).backup(to: copy)
      try copy.close()
    }
  }
}
