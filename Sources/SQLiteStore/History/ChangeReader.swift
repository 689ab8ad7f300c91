internal import GRDB
internal import ImportModel

/// Reads the changes of a transaction, each with its object's key.
///
/// The key comes from the object's row; of an object that is gone since, from what its deletion kept.
final class ChangeReader {
  private let changes: RawStatement
  private let previous: RawStatement
  private let deletes: RawStatement
  private var entities: [Int64: EntityReader] = [:]

  /// One entity, as changes name it.
  private struct EntityReader {
    let name: String
    let columns: [Int64: PropertyNumbers.Column]
    let types: [String: AttributeType]
    let key: [PropertyNumbers.Column]
    /// The ids and keys of the rows in a range of ids, in order.
    let rows: RawStatement
  }

  init(_ db: Database) throws {
    changes = try RawStatement(
      db,
      "SELECT change, entity, kind, first, last FROM bolide_change WHERE change BETWEEN ? AND ? ORDER BY change"
    )
    previous = try RawStatement(
      db, "SELECT property, value FROM bolide_previous WHERE change = ? ORDER BY property")
    // A kind as a literal, so that the partial index serves.
    deletes = try RawStatement(
      db,
      """
      SELECT first, change FROM bolide_change WHERE kind = 2 AND entity = ? AND first BETWEEN ? AND ? AND change > ?
      ORDER BY first, change
      """)
    let model = try SchemaUpdate.storedModel(db) ?? Model()
    let numbers = try PropertyNumbers(db, model: model, creating: false)
    for entity in model.entities {
      let columns = numbers.columns(of: entity)
      let key = entity.key.compactMap { name in columns.first { $0.name == name } }
      let list = key.map { quoted($0.column) }.joined(separator: ", ")
      entities[numbers.entity(entity.name)] = EntityReader(
        name: entity.name, columns: Dictionary(uniqueKeysWithValues: columns.map { ($0.number, $0) }),
        types: Dictionary(uniqueKeysWithValues: entity.storedAttributes.map { ($0.name, $0.type) }), key: key,
        rows: try RawStatement(
          db,
          "SELECT bolide_id, \(list) FROM \(quoted(entity.name)) WHERE bolide_id BETWEEN ? AND ? ORDER BY bolide_id"
        ))
    }
  }

  /// Hands over the changes with numbers in a range, in order.
  func read(
    from first: Int64, through last: Int64, transaction: Int64, _ body: (HistoryChange) throws -> Void
  ) throws {
    changes.bind(first, at: 1)
    changes.bind(last, at: 2)
    defer { changes.reset() }
    while try changes.step() {
      guard let entity = entities[changes.integer(1)] else { continue }
      let ids = changes.integer(3)...changes.integer(4)
      if changes.integer(2) == 0 {
        try readInserts(entity, changes.integer(1), ids, changes.integer(0), transaction, body)
      } else {
        let isDelete = changes.integer(2) == 2
        let previous = try properties(entity, of: changes.integer(0))
        let key =
          isDelete
          ? keyProperties(entity, previous)
          : try currentKey(entity, changes.integer(1), ids.lowerBound, after: changes.integer(0))
        try body(
          HistoryChange(
            transaction: transaction, kind: isDelete ? .delete : .update, entity: entity.name,
            id: ids.lowerBound,
            key: key, previous: previous,
            isDerived: !isDelete && previous.allSatisfy { isDerived(entity, $0.name) }))
      }
    }
  }

  /// A run of inserts: the rows that are still there, and between them those that were deleted since.
  private func readInserts(
    _ entity: EntityReader, _ number: Int64, _ ids: ClosedRange<Int64>, _ change: Int64,
    _ transaction: Int64, _ body: (HistoryChange) throws -> Void
  ) throws {
    func hand(_ id: Int64, _ key: [HistoryChange.Property]) throws {
      try body(
        HistoryChange(
          transaction: transaction, kind: .insert, entity: entity.name, id: id, key: key, previous: [],
          isDerived: false))
    }
    entity.rows.bind(ids.lowerBound, at: 1)
    entity.rows.bind(ids.upperBound, at: 2)
    deletes.bind(number, at: 1)
    deletes.bind(ids.lowerBound, at: 2)
    deletes.bind(ids.upperBound, at: 3)
    deletes.bind(change, at: 4)
    defer {
      entity.rows.reset()
      deletes.reset()
    }
    var hasRow = try entity.rows.step()
    var hasDelete = try deletes.step()
    for id in ids {
      if hasDelete, deletes.integer(0) == id {
        let key = keyProperties(entity, try properties(entity, of: deletes.integer(1)))
        try hand(id, key)
        // Another program may have given the id out again, and deleted that object too.
        while hasDelete, deletes.integer(0) == id { hasDelete = try deletes.step() }
      } else if hasRow, entity.rows.integer(0) == id {
        try hand(id, key(entity, entity.rows))
      } else {
        try hand(id, [])
      }
      if hasRow, entity.rows.integer(0) == id { hasRow = try entity.rows.step() }
    }
  }

  private func currentKey(
    _ entity: EntityReader, _ number: Int64, _ id: Int64, after change: Int64
  ) throws -> [HistoryChange.Property] {
    entity.rows.bind(id, at: 1)
    entity.rows.bind(id, at: 2)
    defer { entity.rows.reset() }
    if try entity.rows.step() { return key(entity, entity.rows) }
    deletes.bind(number, at: 1)
    deletes.bind(id, at: 2)
    deletes.bind(id, at: 3)
    deletes.bind(change, at: 4)
    defer { deletes.reset() }
    guard try deletes.step() else { return [] }
    return keyProperties(entity, try properties(entity, of: deletes.integer(1)))
  }

  private func key(_ entity: EntityReader, _ rows: RawStatement) -> [HistoryChange.Property] {
    entity.key.enumerated().map { index, column in
      HistoryChange.Property(
        name: column.name, type: entity.types[column.name], value: rows.value(Int32(index + 1)))
    }
  }

  private func keyProperties(
    _ entity: EntityReader, _ properties: [HistoryChange.Property]
  ) -> [HistoryChange.Property] {
    entity.key.compactMap { column in properties.first { $0.name == column.name } }
  }

  private func isDerived(_ entity: EntityReader, _ name: String) -> Bool {
    entity.columns.values.first { $0.name == name }?.isDerived ?? false
  }

  private func properties(_ entity: EntityReader, of change: Int64) throws -> [HistoryChange.Property] {
    previous.bind(change, at: 1)
    defer { previous.reset() }
    var properties: [HistoryChange.Property] = []
    while try previous.step() {
      guard let column = entity.columns[previous.integer(0)] else { continue }
      properties.append(
        HistoryChange.Property(name: column.name, type: entity.types[column.name], value: previous.value(1)))
    }
    return properties
  }
}
