internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  package func readSnapshot(
    of entities: [String], begin: (Snapshot) throws -> Void, row: (Snapshot.Row) throws -> Void
  ) throws {
    try session { connection in
      defer { connection.rollBack() }
      try namingDrift(connection) {
        let (snapshot, wanted, stored) = try beginSnapshot(connection, of: entities)
        try begin(snapshot)
        let reading = FetchReading(connection, stored, path)
        for entity in wanted { try reading.rows(ObjectQuery(entity.name), at: nil, row) }
      }
    }
  }

  /// Begins a read transaction, with the place and the counts of some entities.
  func beginSnapshot(
    _ connection: PostgreSQLConnection, of names: [String]
  ) throws -> (Snapshot, wanted: [Entity], StoredModel) {
    let stored = try beginReading(connection, of: names)
    for name in names where stored.model.entity(named: name) == nil {
      throw StoreError.noEntity(name, in: stored.model).about(path)
    }
    let wanted = stored.model.entities.filter { names.isEmpty || names.contains($0.name) }
    let pending = try connection.run("SELECT \(PendingChanges.changes)")
    let counts = try wanted.map { entity in
      let rows = try connection.run("SELECT count(*) FROM \(quoted(entity.name))").integer(0, 0)
      return Snapshot.Count(entity: entity.name, rows: Int(rows))
    }
    let snapshot = Snapshot(
      token: try Positions(connection, stored, path).newest, at: timestamp(),
      pendingChanges: Int(pending.integer(0, 0)), counts: counts)
    return (snapshot, wanted, stored)
  }

  /// Begins a read transaction that may stay open. The tables are locked before its state is taken: one that is emptied later would
  /// be empty in an older state too.
  func beginReading(_ connection: PostgreSQLConnection, of names: [String] = []) throws -> StoredModel {
    let tables = try StoredModel(connection, address).model.entities.map(\.name)
      .filter { names.isEmpty || names.contains($0) }
    try connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let list = (tables.map(quoted) + ["bolide_transaction"]).joined(separator: ", ")
    try connection.run("LOCK TABLE \(list) IN ACCESS SHARE MODE")
    return try StoredModel(connection, address)
  }
}
