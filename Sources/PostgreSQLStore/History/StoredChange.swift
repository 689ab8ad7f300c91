internal import ImportModel
internal import ModelMerging
internal import PostgreSQLAccess
internal import StoreInterface

/// A row of `bolide_change`.
struct StoredChange {
  let entity: Int64
  let id: Int64
  /// The last object of a run; `id` for one object.
  let lastID: Int64
  let kind: HistoryChange.Kind
  private let properties: [Int64]
  private let previous: [String?]

  /// Reads entity, id, last_id, kind, properties and previous; nil where the columns are null.
  init?(_ rows: QueryResult, _ row: Int, from column: Int) {
    guard !rows.isNull(row, column) else { return nil }
    (entity, id) = (rows.integer(row, column), rows.integer(row, column + 1))
    lastID = rows.optionalInteger(row, column + 2) ?? id
    kind = [.insert, .update, .delete][Int(min(max(rows.integer(row, column + 3), 1), 3)) - 1]
    properties = rows.integers(row, column + 4)
    previous = rows.texts(row, column + 5)
  }

  /// The values before, by the properties' present names; those of dropped properties are left out.
  func values(_ entity: Entity, _ stored: StoredModel) -> [HistoryChange.Property] {
    zip(properties, previous).compactMap { number, text in
      stored.column(number, of: entity).map { $0.value(text) }
    }
  }

  /// The change as readers see it, without its key: also with values of properties that were dropped; nil where the store knows
  /// none of what was changed.
  func change(_ number: Int64, _ entity: Entity, _ stored: StoredModel) -> HistoryChange? {
    let columns = properties.map { stored.column($0, of: entity) ?? stored.droppedColumn($0) }
    var values = zip(columns, previous).compactMap { column, text in column?.value(text) }
    if kind == .delete { values.removeAll { $0.value == .null } }
    if kind == .update, values.isEmpty { return nil }
    return HistoryChange(
      transaction: number, kind: kind, entity: entity.name, id: id, key: [],
      previous: kind == .insert ? [] : values,
      isDerived: kind == .update && columns.allSatisfy { $0?.isDerived ?? true })
  }
}

/// A property by whose number history names it.
private struct StoredColumn {
  let name: String
  let type: AttributeType?
  let isDerived: Bool

  /// - Parameter text: as history keeps it.
  func value(_ text: String?) -> HistoryChange.Property {
    HistoryChange.Property(name: name, type: type, value: type.stored.value(ofHistory: text))
  }
}

extension StoredModel {
  fileprivate func column(_ number: Int64, of entity: Entity) -> StoredColumn? {
    guard let name = property(number), let property = entity.properties.first(where: { $0.name == name })
    else { return nil }
    let isDerived = property.type != nil && entity.attribute(named: name)?.derivation != nil
    return StoredColumn(name: name, type: property.type, isDerived: isDerived)
  }

  fileprivate func droppedColumn(_ number: Int64) -> StoredColumn? {
    record.dropped.first { $0.property == number }.map {
      StoredColumn(name: $0.name, type: $0.type, isDerived: $0.isDerived)
    }
  }
}

extension QueryResult {
  /// The elements of an array of whole numbers; none for null.
  func integers(_ row: Int, _ column: Int) -> [Int64] {
    elements(row, column).compactMap { element in
      element.map { Int64(Int32(bigEndian: $0.loadUnaligned(as: Int32.self))) }
    }
  }

  /// The elements of an array of texts.
  func texts(_ row: Int, _ column: Int) -> [String?] {
    elements(row, column).map { element in element.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The bytes of an array's elements, as `ArrayParameter` draws them; nil for null.
  private func elements(_ row: Int, _ column: Int) -> [UnsafeRawBufferPointer?] {
    if isNull(row, column) { return [] }
    let bytes = bytes(row, column)
    func number(_ place: Int) -> Int {
      Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: Int32.self)))
    }
    guard bytes.count >= 20 else { return [] }
    var place = 20
    return (0..<number(12)).map { _ in
      let length = number(place)
      place += 4
      guard length >= 0 else { return nil }
      defer { place += length }
      return UnsafeRawBufferPointer(rebasing: bytes[place..<place + length])
    }
  }
}
