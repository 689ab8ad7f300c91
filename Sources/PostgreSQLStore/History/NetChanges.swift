internal import ImportModel
internal import PostgreSQLAccess
internal import StoreInterface

/// One change an object between two places of history: what undoes everything in between at once.
///
/// - Complexity: O(objects) memory.
struct NetChanges {
  private let connection: PostgreSQLConnection
  private let stored: StoredModel

  init(_ connection: PostgreSQLConnection, _ stored: StoredModel) {
    (self.connection, self.stored) = (connection, stored)
  }

  /// What became of one object.
  private struct Net {
    /// Whether it was there at the older place.
    var wasThere: Bool
    /// Whether it is there at the newer one.
    var isThere: Bool
    /// What it was then, as far as it was changed.
    var before: [String: HistoryChange.Property] = [:]
    /// What of it is not known.
    var erased = ErasedState()
    /// Whether that is all, as it was deleted: it may have come back since.
    var isWhole = false
  }

  /// - Parameter tellsWidened: whether values that got another form in between are told, though they are the same.
  func read(
    _ request: HistoryRequest, after start: Int64, through end: Int64, tellsWidened: Bool = true,
    change: (HistoryChange) throws -> Void,
    commit: (HistoryTransaction) throws -> Void
  ) throws {
    guard var last = try lastTransaction(start, end, request) else { return }
    last.changeCount = 0
    let widenings = try Widenings(connection)
    let between = (start + 1)...last.number
    last.widened = widenings.byTransaction.filter { between.contains($0.key) }
      .sorted { $0.key < $1.key }.flatMap(\.value)
    let converted =
      tellsWidened ? widenings.conversions.filter { between.contains($0.number) }.map(\.widened) : []
    let wanted = stored.model.entities.filter {
      request.entities.isEmpty || request.entities.contains($0.name)
    }
    for entity in wanted {
      let net = try net(entity, start, last.number)
      let then = try PastRows(connection, stored, entity, at: last.number, ids: net.keys.sorted())
      for (id, one) in net.sorted(by: { $0.key < $1.key }) {
        guard let (found, names) = told(one, id, entity, then, last.number, converted),
          request.takes(found, entity, stored, names)
        else { continue }
        var told = found
        if request.includesValues { told.values = then.present[id] }
        last.changeCount += 1
        try change(told)
      }
    }
    try commit(last)
  }

  /// Compares rows with what they were at a place, as the caller's transaction sees them.
  ///
  /// - Parameters:
  ///   - ids: the rows.
  ///   - touched: of them, those whose values count.
  ///   - properties: the values that count.
  /// - Returns: how many were not there, and how many of those touched are others.
  func compare(
    _ entity: Entity, after start: Int64, _ ids: (Int64) -> Bool, touched: (Int64) -> Bool,
    _ properties: Set<String>
  ) throws -> (new: Int, changed: Int) {
    let net = try net(entity, start, .max).filter { ids($0.key) }
    let present = try PresentRows(connection, stored, entity, ids: net.keys.sorted())
    var (new, changed) = (0, 0)
    for (id, one) in net {
      guard let row = present.values(of: id) else { continue }
      if !one.wasThere {
        new += 1
      } else if touched(id) {
        let isOther = one.before.values.contains { old in
          properties.contains(old.name)
            && !(row.first { $0.name == old.name }?.value.isSame(as: old.value) ?? false)
        }
        if isOther { changed += 1 }
      }
    }
    return (new, changed)
  }

  /// - Returns: also the names of what an update has changed.
  private func told(
    _ net: Net, _ id: Int64, _ entity: Entity, _ then: PastRows, _ number: Int64, _ converted: [Widened]
  ) -> (HistoryChange, Set<String>)? {
    let row = then.row(id)
    var erased = net.wasThere ? net.erased : ErasedState()
    if row != nil { erased.formUnion(then.erasure(id)) }
    func change(
      _ kind: HistoryChange.Kind, _ key: [HistoryChange.Property], _ previous: [HistoryChange.Property]
    ) -> (HistoryChange, Set<String>) {
      let names = erased.properties.union(previous.map(\.name))
      let change = HistoryChange(
        transaction: number, kind: kind, entity: entity.name, id: id, key: then.erasure(id).known(key),
        previous: previous,
        isDerived: kind == .update && names.allSatisfy { entity.attribute(named: $0)?.derivation != nil },
        erased: erased.told)
      return (change, names)
    }
    let order = entity.properties.map(\.name)
    let before = order.compactMap { net.before[$0] }
    switch (net.wasThere, row) {
    case (false, nil): return nil
    case (false, let row?): return change(.insert, entity.keyProperties(row), [])
    case (true, nil):
      return change(.delete, entity.keyProperties(before), before.filter { $0.value != .null })
    case (true, let row?):
      let differing = erased.known(before).filter { old in
        !(row.first { $0.name == old.name }?.value.isSame(as: old.value) ?? false)
          // Values that got another form are told, though they are the same.
          || old.value != .null
            && converted.contains { $0.entity == entity.name && $0.attribute == old.name }
      }
      if differing.isEmpty, erased.properties.isEmpty { return nil }
      // What was erased may have changed.
      return change(.update, entity.keyProperties(row), differing)
    }
  }

  private func net(_ entity: Entity, _ start: Int64, _ end: Int64) throws -> [Int64: Net] {
    var net: [Int64: Net] = [:]
    try connection.each(
      """
      SELECT \(StoredChange.columns)
      FROM bolide_change AS c JOIN (
        SELECT id, number FROM bolide_transaction WHERE number > \(start) AND number <= \(end)
        UNION ALL SELECT \(SystemTables.ownTransaction(stored.schema)), NULL WHERE \(end == .max)) AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity))
      ORDER BY t.number NULLS LAST, c.seq
      """
    ) { row in
      guard let change = StoredChange(row, 0, from: 0) else { return }
      for id in change.id...change.lastID {
        var one = net[id] ?? Net(wasThere: change.kind != .insert, isThere: true)
        one.isThere = change.kind != .delete
        if one.wasThere, !one.isWhole {
          let values = change.values(entity, stored)
          for value in one.erased.known(values) where one.before[value.name] == nil {
            one.before[value.name] = value
          }
          var erased = change.erasure(entity, stored)
          erased.properties.subtract(one.before.keys)
          one.erased.formUnion(erased)
          if change.kind == .delete {
            one.isWhole = true
            for property in entity.properties
            where one.before[property.name] == nil && !one.erased.properties.contains(property.name) {
              one.before[property.name] = HistoryChange.Property(
                name: property.name, type: property.type, value: .null)
            }
          }
        }
        net[id] = one
      }
    }
    return net
  }

  private func lastTransaction(
    _ start: Int64, _ end: Int64, _ request: HistoryRequest
  ) throws -> HistoryTransaction? {
    let rows = try connection.run(
      """
      SELECT number, nonce, to_char(at, \(SystemTables.instant)), model FROM (
        SELECT * FROM bolide_transaction WHERE number > \(start) AND number <= \(end)
        ORDER BY number LIMIT \(request.transactionLimit.map(String.init) ?? "ALL")) AS t ORDER BY number DESC LIMIT 1
      """)
    guard rows.count == 1 else { return nil }
    let number = rows.integer(0, 0)
    return HistoryTransaction(
      number: number, token: HistoryToken(store: stored.id, number: number, nonce: rows.text(0, 1)),
      at: rows.text(0, 2), model: rows.integer(0, 3), changeCount: 0, changes: [])
  }
}

extension Value {
  /// Real numbers are compared bit by bit.
  func isSame(as other: Value) -> Bool {
    if case .real(let left) = self, case .real(let right) = other {
      return left.bitPattern == right.bitPattern
    }
    return self == other
  }
}

/// Rows of an entity as they were behind a transaction: the present ones, and what was changed since undone.
struct PastRows {
  /// The present rows.
  private(set) var present: [Int64: [HistoryChange.Property]] = [:]
  private var then: [Int64: [HistoryChange.Property]] = [:]
  /// What of it is not known, where something was erased: null stands for it.
  private var erased: [Int64: ErasedState] = [:]

  /// - Parameter ids: which ones.
  /// - Complexity: O(rows) memory.
  init(
    _ connection: PostgreSQLConnection, _ stored: StoredModel, _ entity: Entity, at number: Int64,
    ids: [Int64]
  ) throws {
    let parameters = [Parameter.integers(ids)]
    let rows = try connection.run(
      "SELECT bolide_id, \(entity.results("t")) FROM \(quoted(entity.name)) AS t WHERE bolide_id = ANY ($1)",
      parameters)
    for row in 0..<rows.count { present[rows.integer(row, 0)] = entity.values(rows, row, from: 1) }
    then = present
    try connection.each(
      """
      SELECT \(StoredChange.columns)
      FROM bolide_change AS c JOIN \(SystemTables.transactions(behind: number)) AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity))
        AND (c.last_id IS NOT NULL OR c.id = ANY ($1))
      ORDER BY t.number DESC NULLS FIRST, c.seq DESC
      """, parameters
    ) { row in
      if let change = StoredChange(row, 0, from: 0) { undo(change, entity, stored) }
    }
  }

  private mutating func undo(_ change: StoredChange, _ entity: Entity, _ stored: StoredModel) {
    for id in change.id...change.lastID where erased[id] != nil || change.isErased {
      erased[id, default: ErasedState()].undo(change, entity, stored)
    }
    switch change.kind {
    case .insert: for id in change.id...change.lastID { then[id] = nil }
    case .delete:
      let values = change.values(entity, stored)
      then[change.id] = entity.properties.map { property in
        values.first { $0.name == property.name }
          ?? HistoryChange.Property(name: property.name, type: property.type, value: .null)
      }
    case .update:
      for value in change.values(entity, stored) {
        if let place = then[change.id]?.firstIndex(where: { $0.name == value.name }) {
          then[change.id]?[place] = value
        }
      }
    }
  }

  /// The row as it was; nil where there was none.
  func row(_ id: Int64) -> [HistoryChange.Property]? { then[id] }

  /// What of that row is not known.
  func erasure(_ id: Int64) -> ErasedState { erased[id] ?? ErasedState() }
}
