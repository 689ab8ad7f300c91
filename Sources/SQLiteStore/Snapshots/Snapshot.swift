internal import GRDB
internal import ImportModel
internal import SQLiteAccess
package import StoreInterface

extension SQLiteEngine {
  /// Reads everything from one state, on the calling thread.
  package func readSnapshot(
    of entities: [String], begin: (Snapshot) throws -> Void, row: (Snapshot.Row) throws -> Void
  ) throws {
    try sealedReading { db in
      let (snapshot, wanted, model) = try Snapshot.begin(db, of: entities, path: path)
      let pin = PinFile(store: path, token: snapshot.token)
      defer { withExtendedLifetime(pin) {} }
      try begin(snapshot)
      let numbers = try PropertyNumbers(db, model: model, creating: false)
      for entity in wanted {
        let reader = try EntityReader(db, entity, numbers, HistoryRequest(), readsRows: true)
        try reader.all { id, present in
          try row(
            Snapshot.Row(entity: entity.name, id: id, key: present.key, values: present.values ?? []))
        }
      }
    }
  }

  /// Reads from a state in which every change has a transaction: what a token says and what the rows are is one.
  ///
  /// - Parameters:
  ///   - connection: the one to read by; nil for one of the store's own.
  ///   - readsHistory: as `assignPendingChanges(readsHistory:)`.
  func sealedReading(
    by connection: DatabaseQueue? = nil, readsHistory: Bool = true, _ body: (Database) throws -> Void
  ) throws {
    func read(_ body: (Database) throws -> Void?) throws -> Void? {
      if let connection { try naming { try connection.read(body) } } else { try reading(body) }
    }
    try retryingUntilSealed(readsHistory: readsHistory) { canSeal -> Void? in
      try read { db -> Void? in
        guard try !canSeal || !Self.hasUnsealedChanges(db) else { return nil }
        return try body(db)
      }
    }
  }

  /// A connection that stays in such a state, and the state's place.
  func sealedSnapshot() throws -> (DatabaseSnapshot, HistoryToken) {
    try retryingUntilSealed { canSeal in
      let snapshot = try makeSnapshot()
      return try naming {
        try snapshot.read { db in
          guard try !canSeal || !Self.hasUnsealedChanges(db) else { return nil }
          return (snapshot, try HistoryPlaces(db).newest())
        }
      }
    }
  }

  /// Seals and tries again while other programs write in between. Where nobody can seal, their changes will be told again.
  ///
  /// - Parameter body: gives nil for another try; it is told whether changes can be sealed.
  func retryingUntilSealed<Result>(
    readsHistory: Bool = true, _ body: (Bool) throws -> Result?
  ) throws -> Result {
    for _ in 0..<100 {
      let canSeal = try assignPendingChanges(readsHistory: readsHistory).allSatisfy(\.isComplete)
      if let result = try body(canSeal) { return result }
    }
    throw StoreError.neverQuiet(path)
  }
}

extension Snapshot {
  /// The place and the counts of some entities, in the caller's read transaction.
  static func begin(
    _ db: Database, of names: [String], path: String
  ) throws -> (Snapshot, wanted: [Entity], Model) {
    let model = try SchemaUpdate.storedModel(db) ?? Model()
    var request = HistoryRequest()
    request.entities = Set(names)
    try request.check(model, path: path)
    let wanted = model.entities.filter { names.isEmpty || names.contains($0.name) }
    let counts = try wanted.map { entity in
      let rows = try db.integer("SELECT count(*) FROM \(quoted(entity.name))")
      return Count(entity: entity.name, rows: Int(rows))
    }
    let snapshot = Snapshot(
      token: try HistoryPlaces(db).newest(), at: timestamp(),
      pendingChanges: Int(try ChangeNumbers.unsealed(db)), counts: counts)
    return (snapshot, wanted, model)
  }
}
