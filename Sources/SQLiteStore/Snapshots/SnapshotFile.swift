internal import Foundation
internal import GRDB
internal import ImportModel

extension Store {
  /// Writes a snapshot as a plain SQLite file that nobody need be able to write: the model's tables with their rows, and
  /// `bolide_snapshot` with the token. It takes the place of an older one in one step.
  ///
  /// - Parameter file: the file's path.
  /// - Throws: `StoreError` when the file is a store, or cannot be written.
  @discardableResult
  package func writeSnapshot(of entities: [String], to file: String) throws -> Snapshot {
    try Self.refuseStore(file)
    let part = "\(file).bolide-\(getpid())"
    func removePart() {
      for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: part + ending) }
    }
    removePart()
    let snapshot: Snapshot
    do {
      var configuration = GRDB.Configuration()
      // Some entities' owners may not be wanted.
      configuration.foreignKeysEnabled = false
      configuration.busyMode = .timeout(10)
      let queue = try DatabaseQueue(path: part, configuration: configuration)
      snapshot = try retryingUntilSealed { canSeal in
        try queue.inDatabase { try copy($0, entities, canSeal: canSeal) }
      }
      try queue.close()
    } catch let error as DatabaseError {
      removePart()
      throw StoreError(error).about(file)
    } catch {
      removePart()
      throw error
    }
    guard rename(part, file) == 0 else {
      let reason = String(cString: strerror(errno))
      removePart()
      throw StoreError.cannotPlace(file, reason)
    }
    return snapshot
  }

  /// Copies tables and rows into an empty file; nil when another program wrote since the last seal.
  private func copy(_ db: Database, _ entities: [String], canSeal: Bool) throws -> Snapshot? {
    try db.run("ATTACH \(literal(path)) AS bolide_source")
    defer { try? db.run("DETACH bolide_source") }
    var snapshot: Snapshot?
    try db.inTransaction(.deferred) {
      // The file has no tables yet, so every name is the store's.
      if try canSeal && Self.hasUnsealedChanges(db) { return .rollback }
      let (found, wanted, model) = try Snapshot.begin(db, of: entities, path: path)
      for entity in wanted {
        let schema = EntitySchema(entity: entity, model: model)
        try db.run(schema.createTable)
        let columns =
          ["bolide_id"] + entity.storedAttributes.map(\.name) + entity.toOneRelationships.map(\.column)
        let list = columns.map(quoted).joined(separator: ", ")
        let name = quoted(entity.name)
        try db.run(
          "INSERT INTO main.\(name)(\(list)) SELECT \(list) FROM bolide_source.\(name) ORDER BY bolide_id")
        try schema.indexes.forEach { try db.run($0.sql) }
      }
      try db.run(
        """
        CREATE TABLE bolide_snapshot(token TEXT NOT NULL, at TEXT NOT NULL) STRICT;
        INSERT INTO bolide_snapshot VALUES (\(literal("\(found.token)")), \(literal(found.at)));
        """)
      snapshot = found
      return .commit
    }
    return snapshot
  }

  /// A store is never overwritten by a snapshot, this one least of all.
  private static func refuseStore(_ file: String) throws {
    guard FileManager.default.fileExists(atPath: file) else { return }
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    let id: Value
    do {
      id = try DatabaseQueue(path: file, configuration: configuration).read {
        try $0.value("PRAGMA application_id")
      }
    } catch {
      // Not a database: as good as any other file that is asked to be replaced.
      return
    }
    guard id == .integer(StoreSchema.applicationID) else { return }
    throw StoreError.snapshotOverStore(file)
  }
}
