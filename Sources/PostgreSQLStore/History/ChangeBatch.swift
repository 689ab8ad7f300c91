internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// Changes on their way to a reader, with the ends of their transactions: some hundred get their objects' keys, and present rows where
/// these are wanted, at once.
struct ChangeBatch {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel
  private let includesValues: Bool
  private var changes: [(change: HistoryChange, entity: Entity)] = []
  /// The transactions, each with how many of the changes come before its end.
  private var commits: [(place: Int, transaction: HistoryTransaction)] = []

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, includesValues: Bool) {
    (self.connection, self.stored, self.includesValues) = (connection, stored, includesValues)
  }

  mutating func append(_ change: HistoryChange, _ entity: Entity) { changes.append((change, entity)) }

  /// Ends a transaction.
  mutating func append(_ transaction: HistoryTransaction) { commits.append((changes.count, transaction)) }

  /// Whether what waits is to be handed over.
  var isFull: Bool { changes.count >= 1000 }

  /// Hands over what waits.
  mutating func flush(
    _ tell: (HistoryChange) throws -> Void, _ commit: (HistoryTransaction) throws -> Void
  ) throws {
    defer {
      changes.removeAll(keepingCapacity: true)
      commits.removeAll(keepingCapacity: true)
    }
    var rows: [String: PresentRows] = [:]
    for (name, own) in Dictionary(grouping: changes, by: \.entity.name) {
      let ids = Set(own.map(\.change.id)).sorted()
      rows[name] = try PresentRows(connection, stored, own[0].entity, ids: ids)
    }
    var ends = commits[...]
    for (place, (change, entity)) in changes.enumerated() {
      while let end = ends.first, end.place <= place { try commit(ends.removeFirst().transaction) }
      var change = change
      let rows = rows[entity.name]
      let present = rows?.key(of: change.id, after: change.transaction, change)
      change.key = present?.key ?? []
      if present?.isErased == true { change.erased = .object }
      if includesValues, change.kind != .delete { change.values = rows?.values(of: change.id) }
      try tell(change)
    }
    for end in ends { try commit(end.transaction) }
  }
}

/// Objects as they are now, and what became of their keys.
struct PresentRows {
  private let entity: Entity
  private var rows: [Int64: [HistoryChange.Property]] = [:]
  /// By object the changes that took its key or gave it another one, the newest first.
  private var events: [Int64: [Event]] = [:]

  private struct Event {
    let number: Int64
    let values: [HistoryChange.Property]
    let isDelete: Bool
    let isErased: Bool
  }

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel, _ entity: Entity, ids: [Int64]) throws {
    self.entity = entity
    let found = try connection.run(
      "SELECT bolide_id, \(entity.results("t")) FROM \(quoted(entity.name)) AS t WHERE bolide_id = ANY ($1)",
      [.integers(ids)])
    for row in 0..<found.count { rows[found.integer(row, 0)] = entity.values(found, row, from: 1) }
    let changed = try connection.run(
      """
      SELECT t.number, \(StoredChange.columns)
      FROM bolide_change AS c LEFT JOIN bolide_transaction AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity)) AND c.id = ANY ($1) AND (c.kind = 3 OR c.rekeys)
      ORDER BY t.number DESC NULLS FIRST, c.seq DESC
      """, [.integers(ids)])
    for row in 0..<changed.count {
      guard let change = StoredChange(changed, row, from: 1) else { continue }
      events[change.id, default: []].append(
        Event(
          number: changed.optionalInteger(row, 0) ?? .max, values: change.values(entity, stored),
          isDelete: change.kind == .delete, isErased: change.isErasedObject))
    }
  }

  /// An object's present row; nil where it is gone.
  func values(of id: Int64) -> [HistoryChange.Property]? { rows[id] }

  /// An object's key as it is, or as it was when the object was deleted.
  func lastKey(of id: Int64) -> [HistoryChange.Property] {
    entity.keyProperties(events[id]?.last(where: \.isDelete)?.values ?? rows[id] ?? [])
  }

  /// An object's key behind a transaction, or before it where that has deleted it; and whether it was erased.
  func key(
    of id: Int64, after number: Int64, _ change: HistoryChange
  ) -> (key: [HistoryChange.Property], isErased: Bool) {
    var (key, isErased) = (rows[id].map(entity.keyProperties) ?? [], false)
    for event in events[id] ?? []
    where event.number > number || change.kind == .delete && event.number == number {
      let values = entity.keyProperties(event.values)
      if event.isDelete {
        (key, isErased) = (values, event.isErased)
      } else {
        for value in values {
          if let place = key.firstIndex(where: { $0.name == value.name }) { key[place] = value }
        }
      }
    }
    return (key, isErased)
  }
}

extension Entity {
  /// All properties' columns of a table as results.
  func results(_ alias: String) -> String {
    properties.map { $0.type.stored.result(ofColumn: "\(alias).\(quoted($0.column))") }.joined(
      separator: ", ")
  }

  /// The properties of a result's row.
  func values(_ result: QueryResult, _ row: Int, from column: Int) -> [HistoryChange.Property] {
    properties.enumerated().map { place, property in
      HistoryChange.Property(
        name: property.name, type: property.type,
        value: property.type.stored.value(result, row, column + place))
    }
  }

  /// The key's properties among others, in the key's order.
  func keyProperties(_ values: [HistoryChange.Property]) -> [HistoryChange.Property] {
    key.compactMap { name in values.first { $0.name == name } }
  }
}
