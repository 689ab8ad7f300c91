internal import Foundation
package import ImportModel
internal import PipelineFile
internal import RowExpressions
internal import SQLiteMaintenance
internal import SQLiteQueries
internal import PostgreSQLAccess
internal import PostgreSQLStore
internal import SQLiteStore
package import StoreInterface

/// Where a store is. Nothing else knows which engine keeps it.
package struct StoreAddress: Sendable, Hashable, CustomStringConvertible {
  /// The path of an SQLite file, or the address of a schema on a PostgreSQL server.
  package let path: String
  /// Whether all that is written there is taken back: on a server.
  var isTrial = false

  /// - Parameter path: the path of an SQLite file, or the address of a schema on a PostgreSQL server.
  package init(_ path: String) { self.path = path }

  package var description: String { server?.shown ?? path }

  /// Where the store is, if it is on a PostgreSQL server.
  var server: PostgreSQLAddress? { PostgreSQLAddress(path) }

  /// The address of the store that a path names, or of the store of the pipeline that it names, with that pipeline.
  ///
  /// - Throws: `PipelineError` for a pipeline that cannot be read; `StoreError` for one that names no store.
  package static func named(_ path: String) throws -> (address: StoreAddress, by: Pipeline?) {
    guard path.namesPipeline else { return (StoreAddress(path), nil) }
    let pipeline = try Pipeline(path: path)
    guard let store = pipeline.store else { throw StoreError.noStore(in: path) }
    return (StoreAddress(store), pipeline)
  }

  /// Opens the store that a path names, or the store of the pipeline that it names.
  ///
  /// - Parameter trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  package static func open(_ path: String, trustsSchema: Bool = false) throws -> any StoreEngine {
    let (address, pipeline) = try named(path)
    return try address.open(trustsSchema: trustsSchema, stores: pipeline?.namedStores ?? [])
  }

  /// Opens the store that is there. It is opened to be written only when something is.
  ///
  /// - Parameters:
  ///   - trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  ///   - stores: other stores that fetched properties may lead to, as these name them, wherever they are.
  ///   - isReadOnly: whether what writes is refused, as where the file cannot be written.
  ///   - lockWait: how long to wait for another writer, in seconds.
  package func open(
    trustsSchema: Bool = false, stores: Set<String> = [], isReadOnly: Bool = false, lockWait: Double = 10
  ) throws -> any StoreEngine {
    if let server { return try PostgreSQLEngine(reading: server, lockWait: lockWait) }
    return try SQLiteEngine(
      reading: path, trustsSchema: trustsSchema, stores: stores, isReadOnly: isReadOnly, lockWait: lockWait)
  }

  /// Opens the store that a pipeline names, if an import has made it.
  ///
  /// - Returns: nil where there is none, and one may be made.
  package func openIfThere() throws -> (any StoreEngine)? {
    if server != nil {
      do {
        return try open()
      } catch let error as StoreError where error.code == .storeGone {
        return nil
      }
    }
    if FileManager.default.fileExists(atPath: path) { return try open() }
    try checkCreation(.ifNew)
    return nil
  }

  /// Opens the store for a pipeline: makes it when there is none, and adds what the model has more than it.
  ///
  /// - Parameters:
  ///   - lockWait: how long to wait for another writer, in seconds.
  ///   - trustsSchema: as `Store.init(path:for:trustsSchema:)`.
  package func open(
    for pipeline: Pipeline, lockWait: Double, trustsSchema: Bool = false
  ) throws -> any StoreEngine {
    try pipeline.check()
    if let server {
      return try PostgreSQLEngine(server, for: pipeline, lockWait: lockWait, isTrial: isTrial)
    }
    return try SQLiteEngine(blocking: path, for: pipeline, lockWait: lockWait, trustsSchema: trustsSchema)
  }

  /// Sees that the store is a file, as something needs it that other engines do not have yet.
  func checkFile(_ what: String) throws(StoreError) {
    if let server { throw .unsupported(what, by: PostgreSQLEngine.engineName, server.shown) }
  }

  /// A store that lives in memory and goes with the last reference to it.
  package static func inMemory(for pipeline: Pipeline) throws -> any StoreEngine {
    try pipeline.check()
    return try SQLiteEngine(inMemoryFor: pipeline)
  }

  /// Sees that a store that is not there may be made.
  package func checkCreation(_ creation: StoreCreation) throws {
    if let server { return try PostgreSQLEngine.checkCreation(server, creation) }
    try SQLiteEngine.checkCreation(path, creation)
  }

  /// Whether the store has a transaction: asked behind a commit that ended with an error.
  func has(_ token: HistoryToken) throws -> Bool {
    if let server { return try PostgreSQLEngine(reading: server).has(token) }
    return try SQLiteEngine.has(token, at: path)
  }

  /// Marks a store that came through SQL text as a store again.
  ///
  /// - Returns: whether it had to be.
  package func adopt() throws -> Bool { try server == nil && SQLiteEngine.adopt(path) }

  /// Makes the store what it was when a backup of it was made, also for programs that have it open.
  ///
  /// - Parameter lockWait: how long to wait for an import, in seconds.
  /// - Returns: the newest token now, and how many named readers have to start again.
  package func restore(_ file: String, lockWait: Double) throws -> (token: HistoryToken, readers: Int) {
    try checkFile("restoring a backup: pg_restore does it")
    return try SQLiteEngine.restore(file, to: path, lockWait: lockWait)
  }
}

extension String {
  /// Whether a path stands for a pipeline file, and not for a store.
  package var namesPipeline: Bool {
    [".yaml", ".yml"].contains { utf8.reversed().starts(with: $0.utf8.reversed()) }
  }
}
