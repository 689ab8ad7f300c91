internal import GRDB
internal import ImportModel
internal import ModelMerging
internal import SQLiteAccess
internal import SQLiteStore
package import StoreInterface

extension SQLiteEngine {
  /// Reads everything from one state, on the calling thread.
  package func readSnapshot(
    of entities: [String], begin: (Snapshot) throws -> Void, row: (Snapshot.Row) throws -> Void
  ) throws {
    try assignedReading { db in
      let (snapshot, wanted, _) = try Snapshot.begin(db, of: entities, path: path)
      let pin = PinFile(store: path, token: snapshot.token)
      defer { withExtendedLifetime(pin) {} }
      try begin(snapshot)
      let reading = try FetchReading(db, path: path)
      for entity in wanted { try reading.rows(ObjectQuery(entity.name), at: nil, row) }
    }
  }
}

extension Snapshot {
  /// The place and the counts of some entities, in the caller's read transaction.
  static func begin(
    _ db: Database, of names: [String], path: String
  ) throws -> (Snapshot, wanted: [Entity], Model) {
    let model = try ModelRecord(db).model
    var request = HistoryRequest()
    request.entities = Set(names)
    try request.check(model, path: path)
    let wanted = model.entities.filter { names.isEmpty || names.contains($0.name) }
    let counts = try wanted.map { entity in
      let rows = try db.integer("SELECT count(*) FROM \(quoted(entity.name))")
      return Count(entity: entity.name, rows: Int(rows))
    }
    let snapshot = Snapshot(
      token: try HistoryPositions(db).newest(), at: timestamp(),
      pendingChanges: Int(try ChangeNumbers.pending(db)), counts: counts)
    return (snapshot, wanted, model)
  }
}
