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
  /// Whose values an erasure has taken.
  private let erased: [Int64]

  /// In place of a property's number, what an erasure has taken: all values of the change.
  static let all: Int64 = 0

  /// The columns of a row `c`.
  static let columns = "c.entity, c.id, c.last_id, c.kind, c.properties, c.previous, c.erased"

  /// Reads these columns; nil where they are null.
  init?(_ rows: QueryResult, _ row: Int, from column: Int) {
    guard !rows.isNull(row, column) else { return nil }
    (entity, id) = (rows.integer(row, column), rows.integer(row, column + 1))
    lastID = rows.optionalInteger(row, column + 2) ?? id
    kind = [.insert, .update, .delete][Int(min(max(rows.integer(row, column + 3), 1), 3)) - 1]
    properties = rows.integers(row, column + 4)
    previous = rows.texts(row, column + 5)
    erased = rows.integers(row, column + 6)
  }

  /// Whether an erasure has taken values of it.
  var isErased: Bool { !erased.isEmpty }

  /// Whether an erasure has taken the object.
  var isErasedObject: Bool { erased.contains(Self.all) }

  /// What an erasure has taken of the values before; of attributes that were dropped, nobody asks.
  func erasure(_ entity: Entity, _ stored: StoredModel) -> ErasedState {
    if isErasedObject {
      return ErasedState(properties: Set(entity.properties.map(\.name)), isObject: true)
    }
    let names = erased.compactMap { number in stored.column(number, of: entity).map(\.name) }
    return ErasedState(properties: Set(names), isObject: false)
  }

  /// The values before, by the properties' numbers.
  func numberedValues(_ entity: Entity, _ stored: StoredModel) -> [Int64: Value] {
    let values = zip(properties, previous).compactMap { number, text in
      stored.value(ofHistory: text, number, in: entity).map { (number, $0) }
    }
    return Dictionary(values) { first, _ in first }
  }

  /// The values before, by the properties' present names; those of dropped properties are left out.
  func values(_ entity: Entity, _ stored: StoredModel) -> [HistoryChange.Property] {
    zip(properties, previous).compactMap { number, text in
      stored.column(number, of: entity).map { $0.value(text) }
    }
  }

  /// The names of the properties that an update has changed, as far as they are known.
  func names(_ entity: Entity, _ stored: StoredModel) -> Set<String> {
    Set(
      (properties + erased).compactMap { (stored.column($0, of: entity) ?? stored.droppedColumn($0))?.name })
  }

  /// The change as readers see it, without its key: also with values of properties that were dropped; nil where the store knows
  /// none of what was changed.
  func change(_ number: Int64, _ entity: Entity, _ stored: StoredModel) -> HistoryChange? {
    let columns = properties.map { stored.column($0, of: entity) ?? stored.droppedColumn($0) }
    var values = zip(columns, previous).compactMap { column, text in column?.value(text) }
    if kind == .delete { values.removeAll { $0.value == .null } }
    if kind == .update, values.isEmpty, erased.isEmpty { return nil }
    return HistoryChange(
      transaction: number, kind: kind, entity: entity.name, id: id, key: [],
      previous: kind == .insert ? [] : values,
      isDerived: kind == .update && !isErasedObject && columns.allSatisfy { $0?.isDerived ?? true },
      erased: isErasedObject ? .object : erased.isEmpty ? nil : .values)
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

  /// A value as history keeps it, of a property that may have been dropped since; nil for one that nobody knows.
  ///
  /// - Parameter entity: nil for a dropped property of whatever entity.
  func value(ofHistory text: String?, _ property: Int64, in entity: Entity?) -> Value? {
    (entity.flatMap { column(property, of: $0) } ?? droppedColumn(property))?.value(text).value
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
      element.map { element in
        element.count == 8
          ? Int64(bigEndian: element.loadUnaligned(as: Int64.self))
          : Int64(Int32(bigEndian: element.loadUnaligned(as: Int32.self)))
      }
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
