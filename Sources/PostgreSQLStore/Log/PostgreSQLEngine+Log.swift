internal import ImportModel
internal import PostgreSQLAccess
package import StoreInterface

extension PostgreSQLEngine {
  /// What happened to an object, as far as history is kept, the oldest change first. Several objects may have had a key, one
  /// after the other.
  ///
  /// - Throws: `StoreError` where there is no such entity, or the key is not its.
  /// - Complexity: O(changes).
  package func log(of entity: String, _ object: LoggedObject) throws -> [ObjectChange] {
    try assignPendingChanges()
    return try reading { connection, stored in
      do {
        guard let entity = stored.model.entity(named: entity) else {
          throw StoreError.noEntity(entity, in: stored.model)
        }
        let log = ObjectLog(connection: connection, stored: stored, entity: entity)
        let ids = try log.ids(of: object)
        let changes = try ids.flatMap { try log.changes(of: $0) }
        guard try !changes.isEmpty || ids.contains(where: { try log.present($0) != nil }) else {
          throw StoreError.neverSuchObject(entity)
        }
        return changes.sorted { $0.transaction < $1.transaction }
      } catch let error as StoreError {
        throw error.about(path)
      }
    }
  }
}

/// The changes of one entity's objects, one after the other.
struct ObjectLog {
  let connection: PostgreSQLConnection
  let stored: StoredModel
  let entity: Entity

  /// The objects that a log is wanted of.
  func ids(of object: LoggedObject) throws -> [Int64] {
    switch object {
    case .id(let id): [id]
    case .key(let words): try ids(with: entity.keyValues(words))
    }
  }

  /// An object's present row; nil where it is gone.
  func present(_ id: Int64) throws -> [String: Value]? {
    let rows = try connection.run(
      "SELECT \(entity.results("t")) FROM \(quoted(entity.name)) AS t WHERE bolide_id = $1", [.integer(id)])
    return rows.count == 0 ? nil : Self.named(entity.values(rows, 0, from: 0))
  }

  private static func named(_ values: [HistoryChange.Property]) -> [String: Value] {
    Dictionary(values.map { ($0.name, $0.value) }) { first, _ in first }
  }

  /// Those of them that are there, or of which history has values.
  func erasable(_ object: LoggedObject) throws -> [Int64] {
    try ids(of: object).filter { id in
      if try present(id) != nil { return true }
      var isKept: Bool?
      try walk(id) { _, _, change, _, _ in
        if isKept == nil { isKept = !change.isErasedObject }
      }
      return isKept ?? false
    }
  }

  /// The objects that have a key, or had it when they were deleted or before it was changed.
  private func ids(with key: [(name: String, value: Value)]) throws -> [Int64] {
    let parts = key.compactMap { part -> (column: String, constant: String, text: String)? in
      guard let property = entity.properties.first(where: { $0.name == part.name }) else { return nil }
      let type = property.type.stored
      let constant = type.constant(part.value)
      let text = type == .string ? constant : "CAST(\(constant) AS \(type.column))"
      return (quoted(property.column), constant, type.historyText(ofColumn: text))
    }
    let present = try connection.run(
      "SELECT bolide_id FROM \(quoted(entity.name)) WHERE "
        + parts.map { "\($0.column) IS NOT DISTINCT FROM \($0.constant)" }.joined(separator: " AND "))
    var ids = Set((0..<present.count).map { present.integer($0, 0) })
    // One part of it that was is enough to look at the object's whole past.
    let past = try connection.run(
      """
      SELECT DISTINCT id FROM bolide_change WHERE entity = \(stored.number(of: entity)) AND (kind = 3 OR rekeys)
        AND previous && ARRAY[\(parts.map(\.text).joined(separator: ", "))]
      """)
    for row in 0..<past.count where !ids.contains(past.integer(row, 0)) {
      var had = false
      try walk(past.integer(row, 0)) { _, _, _, before, after in
        had =
          had
          || [before, after].contains { state in
            key.allSatisfy { state.values?[$0.name] ?? .null == $0.value }
          }
      }
      if had { ids.insert(past.integer(row, 0)) }
    }
    return ids.sorted()
  }

  /// An object's changes, the oldest first.
  func changes(of id: Int64) throws -> [ObjectChange] {
    var log: [ObjectChange] = []
    try walk(id) { rows, row, _, before, after in
      // What nobody could number yet is in no transaction.
      guard !rows.isNull(row, 0) else { return }
      var erased = before.erased
      erased.formUnion(after.erased)
      var change = ObjectChange(
        transaction: rows.integer(row, 0), at: rows.text(row, 1), author: rows.optionalText(row, 2),
        run: rows.optionalInteger(row, 3), of: entity, id,
        entity.properties.map(\.name).filter { !erased.properties.contains($0) }, from: before.values,
        to: after.values)
      change.isErased = erased.told != nil
      if erased.isObject { change.isDerived = false }
      log.append(change)
    }
    return log.reversed()
  }

  /// An object at a place of its history.
  private struct State {
    /// Nil where it is not there.
    var values: [String: Value]?
    /// What of them is not known.
    var erased = ErasedState()
  }

  /// Goes back over an object's changes from its present row, the newest first.
  private func walk(
    _ id: Int64,
    _ body: (QueryResult, Int, StoredChange, _ before: State, _ after: State) throws -> Void
  ) throws {
    var state = State(values: try present(id))
    let rows = try connection.run(
      """
      SELECT t.number, to_char(t.at, \(SystemTables.instant)), t.author, t.run,
        \(StoredChange.columns)
      FROM bolide_change AS c LEFT JOIN bolide_transaction AS t ON t.id = c.transaction
      WHERE c.entity = \(stored.number(of: entity)) AND (c.id = $1 OR c.last_id IS NOT NULL AND $1 BETWEEN c.id AND c.last_id)
      ORDER BY t.number DESC NULLS FIRST, c.seq DESC
      """, [.integer(id)])
    for row in 0..<rows.count {
      guard let change = StoredChange(rows, row, from: 4) else { continue }
      let after = state
      let values = Self.named(change.values(entity, stored))
      switch change.kind {
      case .insert: state.values = nil
      case .update: state.values = (state.values ?? [:]).merging(values) { $1 }
      case .delete: state.values = values
      }
      state.erased.undo(change, entity, stored)
      try body(rows, row, change, state, after)
    }
  }
}
