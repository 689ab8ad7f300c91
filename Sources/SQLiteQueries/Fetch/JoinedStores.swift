internal import Foundation
internal import GRDB
internal import ImportModel
internal import QueryPlans
internal import SQLiteAccess
internal import SQLiteStore
internal import StoreInterface
internal import Synchronization

/// A connection of its own that reads a store together with the stores of its fetched properties.
///
/// GRDB's pool reads in transactions, and in one SQLite attaches nothing.
package final class JoinedStores: Sendable {
  /// One of the other stores.
  struct Other {
    /// What SQL calls the file.
    let schema: String
    /// Goes after the connection: only one that can write empties a write-ahead log when it is the last to close.
    let store: SQLiteEngine
  }

  private let store: SQLiteEngine
  private let connection: DatabaseQueue
  /// By the name that properties have for them.
  private let others: [String: Other]

  /// Attaches the stores that some properties lead to; nil when there are none.
  ///
  /// The others are only read: what other programs have left to be computed in them stays so.
  /// - Parameters:
  ///   - properties: those of the entity that are asked for.
  ///   - request: has paths in place of those that properties name.
  /// - Throws: `StoreError` when one of the stores cannot be read.
  init?(
    _ store: SQLiteEngine, _ entity: Entity, _ properties: [FetchedProperty], for request: ObjectQuery
  ) throws {
    do { try request.checkStores(of: entity) } catch { throw error.about(store.path) }
    let files = request.stores
    let wanted = Set(properties.compactMap(\.store)).sorted()
    if wanted.isEmpty { return nil }
    let connection = try SQLiteEngine.naming(store.path) {
      try DatabaseQueue(path: store.location, configuration: Connection.reading)
    }
    var others: [String: Other] = [:]
    for name in wanted {
      let file = files[name] ?? files.first { name.isCalled($0.key) }?.value
      let path = file ?? StoreLocation.path(name, beside: store.path)
      // A store that came from elsewhere names what it likes.
      guard file != nil || store.trustedStores.contains(name) || StoreLocation.areNeighbours(path, store.path)
      else { throw StoreError.otherFolder(path, name) }
      guard FileManager.default.fileExists(atPath: path) else {
        throw StoreError.noOtherStore(path, name, entity)
      }
      // Attached a second time, it could be in two states.
      guard !StoreLocation.areOne(path, store.path) else {
        others[name] = Other(schema: "main", store: store)
        continue
      }
      let other = Other(schema: "bolide_store_\(others.count)", store: try SQLiteEngine(reading: path))
      try SQLiteEngine.naming(path) {
        try connection.inDatabase { db in
          try Connection.attaching(others.count + 1, to: db) { try Self.attach(other, to: db) }
        }
      }
      others[name] = other
    }
    (self.store, self.connection, self.others) = (store, connection, others)
  }

  private static func attach(_ other: Other, to db: Database) throws {
    try db.run("ATTACH ? AS \(other.schema)", .text(other.store.location))
    // Another file may have come in its place.
    try SQLiteEngine.checkFormat(db, other.store.path, schema: other.schema)
  }

  /// A store by the name that properties have for it.
  subscript(name: String) -> Other? { others[name] }

  /// Tells others, as long as the answer is held, that somebody reads from states of the other stores.
  func pins() throws -> [PinFile] {
    try others.values.filter { $0.schema != "main" }.compactMap {
      PinFile(store: $0.store.path, token: try $0.store.newestToken())
    }
  }

  /// Reads from one state of each store.
  func reading(_ body: (Database) throws -> Void) throws {
    try store.assignedReading(by: connection, readsHistory: false, body)
    try checkUnwritten()
  }

  /// Begins a read transaction, which stays.
  ///
  /// - Returns: the connection.
  func beginReading() throws -> any DatabaseReader {
    try store.retryingUntilAssigned(readsHistory: false) { canAssign in
      try SQLiteEngine.naming(store.path) {
        try connection.unsafeRead { db in
          try db.run("BEGIN")
          if try !canAssign || !SQLiteEngine.hasPendingChanges(db) { return connection }
          try db.run("ROLLBACK")
          return nil
        }
      }
    }
  }

  /// Sees that what was read holds.
  func checkUnwritten() throws {
    for store in [store] + others.values.map(\.store) { try store.checkUnwritten() }
  }
}
