internal import Foundation
internal import GRDB
internal import ImportModel
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Writes a snapshot as a plain SQLite file that nobody need be able to write: the model's tables with their rows, and
  /// `bolide_snapshot` with the token. It takes the place of an older one in one step.
  ///
  /// - Parameter file: the file's path.
  /// - Throws: `StoreError` when the file is there and no snapshot, or cannot be written.
  @discardableResult
  package func writeSnapshot(of entities: [String], to file: String) throws -> Snapshot {
    try Self.checkPlace(file)
    // A file that is replaced keeps its mode; a new one has the store's.
    let replaced = FileFacts(file, followsLinks: false).flatMap { $0.isRegular ? $0 : nil }
    let model = replaced ?? FileFacts(path)
    let part = try UnfinishedFile(for: file, mode: model?.mode ?? 0o600, owner: model)
    let snapshot: Snapshot
    do {
      var configuration = GRDB.Configuration()
      // Some entities' owners may not be wanted.
      configuration.foreignKeysEnabled = false
      configuration.busyMode = .timeout(10)
      configuration.prepareDatabase {
        try Connection.protect($0)
        Connection.endWithCall($0)
        try Connection.ignoreChecks($0)
      }
      let queue = try DatabaseQueue(path: StoreLocation.writing(part.path), configuration: configuration)
      snapshot = try retryingUntilAssigned { canAssign in
        try queue.inDatabase { db in
          try Connection.attaching(1, to: db) { try copy(db, entities, canAssign: canAssign) }
        }
      }
      try queue.close()
    } catch let error as DatabaseError {
      throw StoreError(error).about(file)
    }
    _ = try part.place(at: file, replacing: true)
    return snapshot
  }

  /// Copies tables and rows into an empty file; nil when another program wrote since pending changes were assigned.
  private func copy(_ db: Database, _ entities: [String], canAssign: Bool) throws -> Snapshot? {
    try db.run("ATTACH ? AS bolide_source", .text(location))
    defer { try? db.run("DETACH bolide_source") }
    var snapshot: Snapshot?
    try db.inTransaction(.deferred) {
      // The file has no tables yet, so every name is the store's.
      if try canAssign && Self.hasPendingChanges(db) { return .rollback }
      let (found, wanted, model) = try Snapshot.begin(db, of: entities, path: path)
      for entity in wanted {
        let schema = EntitySchema(entity: entity, model: model)
        try db.run(schema.createTable(hidden: false))
        let columns =
          ["bolide_id"] + entity.storedAttributes.map(\.name) + entity.toOneRelationships.map(\.column)
        let list = columns.map(quoted).joined(separator: ", ")
        let name = quoted(entity.name)
        try db.run(
          "INSERT INTO main.\(name)(\(list)) SELECT \(list) FROM bolide_source.\(name) ORDER BY bolide_id")
        try schema.indexes.forEach { try db.run($0.sql) }
      }
      try db.run(
        "CREATE TABLE bolide_snapshot(token TEXT NOT NULL, at TEXT NOT NULL, pending INTEGER NOT NULL) STRICT"
      )
      try db.run(
        "INSERT INTO bolide_snapshot VALUES (?, ?, ?)", .text("\(found.token)"), .text(found.at),
        .integer(Int64(found.pendingChanges)))
      snapshot = found
      return .commit
    }
    return snapshot
  }

  /// A snapshot takes the place of a snapshot, or of an empty file; what else stands there is somebody's, as a device is the system's.
  private static func checkPlace(_ file: String) throws {
    // A folder the system does not replace by a file.
    guard let facts = FileFacts(file), !facts.isFolder else { return }
    guard facts.isRegular else { throw StoreError.snapshotOverFile(file) }
    if StoreLocation.isEmptyFile(file) { return }
    // What is no database is neither.
    let found = try? DatabaseQueue(path: StoreLocation.reading(file), configuration: Connection.reading).read
    { db in
      (
        isStore: try db.value("PRAGMA application_id") == .integer(StoreSchema.applicationID),
        isSnapshot: try db.value("SELECT 1 FROM sqlite_schema WHERE name = 'bolide_snapshot'") == .integer(1)
      )
    }
    if found?.isStore == true { throw StoreError.snapshotOverStore(file) }
    guard found?.isSnapshot == true else { throw StoreError.snapshotOverFile(file) }
  }
}
