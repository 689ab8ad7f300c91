internal import GRDB
internal import ImportModel

/// A store's content at one place of its history: what is not in it is not in the store.
public struct Snapshot: Sendable, Hashable {
  /// The place: the changes after it lead on from the snapshot.
  public var token: HistoryToken
  /// When the snapshot was taken: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  public var at: String
  /// Changes of other programs that no transaction has yet: where there are any, rows may be newer than the token, and these
  /// changes will be told again after it.
  public var pendingChanges: Int
  /// How many rows each entity has, in the model's order.
  public var counts: [Count]

  /// How many rows an entity has.
  public struct Count: Sendable, Hashable {
    /// The entity's name.
    public var entity: String
    /// The number of its rows.
    public var rows: Int
  }

  /// One object.
  public struct Row: Sendable, Hashable {
    /// The object's entity.
    public var entity: String
    /// The object's id, its table's `bolide_id`.
    public var id: Int64
    /// The object's key.
    public var key: [HistoryChange.Property]
    /// All stored properties, nulls too; of a fetch those that it asked for.
    public var values: [HistoryChange.Property]
    /// The objects that a fetch was asked to bring along; none in a snapshot.
    public var related: [Related] = []
    /// What the fetched properties found that a fetch was asked for, in its order; none in a snapshot.
    public var fetched: [Fetched] = []

    /// An object that a to-one relationship leads to.
    public struct Related: Sendable, Hashable {
      /// The relationship's name.
      public var name: String
      /// The object; nil when the relationship leads nowhere.
      public var row: Row?
    }

    /// What a fetched property found.
    public struct Fetched: Sendable, Hashable {
      /// The property's name.
      public var name: String
      /// The objects in its order. Their `entity` is that of their own store.
      public var rows: [Row]
    }
  }
}

extension Store {
  /// Reads everything, with the token from which changes lead on, from one state of the store. Imports go on meanwhile.
  ///
  /// - Parameters:
  ///   - entities: which entities; empty for all.
  ///   - row: called for each row, by entity and id.
  /// - Returns: the snapshot's place and counts, when all rows were read.
  /// - Throws: `StoreError`, and what the closure throws.
  public func snapshot(
    of entities: [String] = [], _ row: @escaping @Sendable (Snapshot.Row) throws -> Void
  ) async throws -> Snapshot {
    try await answering { store in
      var found: Snapshot?
      try store.readSnapshot(of: entities, begin: { found = $0 }, row: row)
      guard let found else { preconditionFailure("a snapshot begins before it ends") }
      return found
    }
  }

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
  ///   - readsHistory: as `sealWherePossible(readsHistory:)`.
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
      let canSeal = try sealWherePossible(readsHistory: readsHistory).allSatisfy(\.isComplete)
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
