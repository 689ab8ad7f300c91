package import GRDB
package import ImportModel
package import ModelMerging
internal import SQLiteAccess
package import StoreInterface

/// One entity, as history reads it: its properties by number, and its present rows.
package final class EntityReader {
  /// One stored property.
  struct Column {
    let name: String
    let type: AttributeType?
    let isDerived: Bool
    /// Whether an update of it is wanted.
    let isWanted: Bool
    /// Where it is in `rows`; nil when only keys are read.
    let index: Int32?
  }

  /// A part of the key, and where it is in `rows`.
  private struct KeyPart {
    let number: Int64
    let column: Column
    let index: Int32
  }

  package let number: Int64
  let name: String
  let isWanted: Bool
  private let columns: [Int64: Column]
  private let key: [KeyPart]
  /// Properties that were dropped: history still has their values before.
  private let dropped: [Int64: Column]
  /// All columns in order, when rows are read whole.
  private let whole: [(number: Int64, column: Column)]
  /// Their names in the table.
  package let columnNames: [String]
  private let rows: RawStatement
  private let deletes: RawStatement
  private let previous: RawStatement
  /// Without a deletion in all of history, nobody need look for one.
  private let hasDeletes: Bool
  private let erased: ErasedValues

  /// - Parameter readsRows: whether more than the key is read of a row.
  package init(
    _ db: Database, _ entity: Entity, _ numbers: PropertyNumbers, _ request: HistoryRequest,
    dropped: [ModelRecord.Dropped] = [], readsRows: Bool
  )
    throws
  {
    let number = numbers.entity(entity.name)
    self.number = number
    name = entity.name
    let stored = numbers.columns(of: entity)
    columnNames = stored.map(\.column)
    let keys = entity.key.compactMap { name in stored.first { $0.name == name } }
    let types = Dictionary(entity.storedAttributes.map { ($0.name, $0.type) }) { first, _ in first }
    func wants(_ name: String) -> Bool {
      request.attributes.isEmpty || request.attributes.contains(name)
        || request.attributes.contains("\(entity.name).\(name)")
    }
    whole = stored.enumerated().map { index, column in
      (
        column.number,
        Column(
          name: column.name, type: types[column.name], isDerived: column.isDerived,
          isWanted: wants(column.name),
          index: readsRows ? Int32(1 + keys.count + index) : nil)
      )
    }
    let columns = Dictionary(whole.map { ($0.number, $0.column) }) { first, _ in first }
    self.columns = columns
    let gone = dropped.filter { $0.entity == number }.map {
      (
        $0.property,
        Column(name: $0.name, type: $0.type, isDerived: $0.isDerived, isWanted: wants($0.name), index: nil)
      )
    }
    self.dropped = Dictionary(gone) { first, _ in first }
    isWanted =
      (request.entities.isEmpty || request.entities.contains(entity.name))
      && (request.attributes.isEmpty || (whole.map(\.column) + gone.map(\.1)).contains(where: \.isWanted))
    key = keys.enumerated().compactMap { index, key in
      columns[key.number].map { KeyPart(number: key.number, column: $0, index: Int32(1 + index)) }
    }
    let names = keys.map(\.column) + (readsRows ? stored.map(\.column) : [])
    rows = try RawStatement(
      db,
      """
      SELECT bolide_id, \(names.map(quoted).joined(separator: ", ")) FROM \(quoted(entity.name))
      WHERE bolide_id BETWEEN ? AND ? ORDER BY bolide_id
      """)
    // A kind as a literal, so that the partial index serves.
    deletes = try RawStatement(
      db,
      """
      SELECT first, change FROM bolide_change
      WHERE kind = 2 AND entity = \(number) AND first BETWEEN ? AND ? AND change > ? ORDER BY first, change
      """)
    previous = try RawStatement(
      db, "SELECT property, value FROM bolide_previous WHERE change = ? ORDER BY property")
    erased = try ErasedValues(db)
    hasDeletes =
      try db.value("SELECT 1 FROM bolide_change WHERE kind = 2 AND entity = \(number) LIMIT 1") != .null
  }

  /// The column with a property's number, also of one that was dropped; nil for one that nobody knows.
  func column(_ number: Int64) -> Column? { columns[number] ?? dropped[number] }

  /// The numbers of all properties.
  var propertyNumbers: [Int64] { whole.map(\.number) }

  /// All properties in the order of `columnNames`.
  package var columnList: [(number: Int64, name: String)] { whole.map { ($0.number, $0.column.name) } }

  // MARK: Values

  /// One object as it was when it was there last: its key, and its row when it still is.
  package struct Present {
    package var key: [HistoryChange.Property] = []
    package var values: [HistoryChange.Property]?
    /// Whether it was erased, its key too.
    package var isErased = false
  }

  /// The object behind a change, from its row or from what its next deletion kept.
  package func object(_ id: Int64, after change: Int64) throws -> Present {
    if hasDeletes, let deletion = try deletion(id, after: change) {
      return try deleted(by: deletion)
    }
    rows.bind(id, at: 1)
    rows.bind(id, at: 2)
    defer { rows.reset() }
    return try rows.step() ? row() : Present()
  }

  /// Hands over the objects with a range of ids, inserted by one change: each from its row or its next deletion.
  ///
  /// - Parameter body: returns whether to go on.
  func objects(
    _ ids: ClosedRange<Int64>, after change: Int64, _ body: (Int64, Present) throws -> Bool
  ) throws {
    rows.bind(ids.lowerBound, at: 1)
    rows.bind(ids.upperBound, at: 2)
    deletes.bind(ids.lowerBound, at: 1)
    deletes.bind(ids.upperBound, at: 2)
    deletes.bind(change, at: 3)
    defer {
      rows.reset()
      deletes.reset()
    }
    var hasRow = try rows.step()
    var hasDelete = hasDeletes ? try deletes.step() : false
    for id in ids {
      let isHere = hasRow && rows.integer(0) == id
      let present: Present
      if hasDelete, deletes.integer(0) == id {
        present = try deleted(by: deletes.integer(1))
        // Another program may have given the id out again, and deleted that object too.
        while hasDelete, deletes.integer(0) == id { hasDelete = try deletes.step() }
      } else {
        present = isHere ? row() : Present()
      }
      guard try body(id, present) else { return }
      if isHere { hasRow = try rows.step() }
    }
  }

  /// The present row by property; nil when there is none.
  package func presentValues(_ id: Int64) throws -> [Int64: Value]? {
    rows.bind(id, at: 1)
    rows.bind(id, at: 2)
    defer { rows.reset() }
    guard try rows.step() else { return nil }
    var values: [Int64: Value] = [:]
    for (number, column) in whole { values[number] = column.index.map(rows.value) ?? .null }
    return values
  }

  /// What a change kept of the values before it, by property.
  package func values(before change: Int64) throws -> [Int64: Value] {
    previous.bind(change, at: 1)
    defer { previous.reset() }
    var values: [Int64: Value] = [:]
    while try previous.step() { values[previous.integer(0)] = previous.value(1) }
    return values
  }

  /// What an erasure has taken of these values: numbers of properties, or `ErasedValues.all`.
  package func erased(before change: Int64) throws -> Set<Int64> { try erased.of(change) }

  private func deleted(by change: Int64) throws -> Present {
    let values = try values(before: change)
    return Present(
      key: key(of: values), isErased: try values.isEmpty && erased.of(change).contains(ErasedValues.all))
  }

  /// The key's part of an object's values.
  func key(of values: [Int64: Value]) -> [HistoryChange.Property] {
    key.compactMap { part in values[part.number].map { property(part.column, $0) } }
  }

  /// Values as properties, in the order of the properties' numbers; those that the model has no more are left out.
  func properties(_ values: [Int64: Value]) -> [HistoryChange.Property] {
    values.sorted { $0.key < $1.key }.compactMap { number, value in
      columns[number].map { property($0, value) }
    }
  }

  private func deletion(_ id: Int64, after change: Int64) throws -> Int64? {
    deletes.bind(id, at: 1)
    deletes.bind(id, at: 2)
    deletes.bind(change, at: 3)
    defer { deletes.reset() }
    return try deletes.step() ? deletes.integer(1) : nil
  }

  /// The current row of `rows`.
  private func row() -> Present {
    // For each object: without a copy of the parts.
    var present = Present()
    if key.count == 1 {
      // The usual key, without the growth of an array.
      present.key = [property(key[0].column, rows.value(key[0].index))]
    } else {
      present.key = key.indices.map { property(key[$0].column, rows.value(key[$0].index)) }
    }
    if whole.first?.column.index != nil {
      present.values = whole.map { property($0.column, $0.column.index.map(rows.value) ?? .null) }
    }
    return present
  }

  private func property(_ column: Column, _ value: Value) -> HistoryChange.Property {
    HistoryChange.Property(name: column.name, type: column.type, value: value)
  }
}
