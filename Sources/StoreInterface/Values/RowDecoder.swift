internal import ImportModel

/// Reads rows of one fetch as a `Decodable` type.
///
/// A type asks for its properties in the same order for each row, and each row has them in the same places: the places
/// are kept from one row to the next.
package final class RowDecoder: Decoder {
  fileprivate private(set) var row = Snapshot.Row(entity: "", id: 0, key: [], values: [])
  package private(set) var codingPath: [any CodingKey] = []
  package let userInfo: [CodingUserInfoKey: Any] = [:]
  /// Where the properties were found in the row before, in the order in which they were asked for.
  private var places: [Int] = []
  private var next = 0
  private var children: [String: RowDecoder] = [:]

  package init() {}

  /// Reads one row.
  ///
  /// - Throws: `StoreError` when the type has a property that the row has not, or another type of value; and what the
  ///   type's own `init(from:)` throws.
  package func decode<Object: Decodable>(_ type: Object.Type, from row: Snapshot.Row) throws -> Object {
    self.row = row
    next = 0
    return try Object(from: self)
  }

  /// What is said of a name that a type asks a row for and that the row has not; nil where there is none before the reading ends.
  package func misspelling<Object: Decodable>(in type: Object.Type, for row: Snapshot.Row) -> StoreError? {
    do {
      _ = try decode(type, from: row)
      return nil
    } catch {
      guard let error = error as? StoreError, error.code == .badRequest else { return nil }
      return error
    }
  }

  package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
  }

  package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw StoreError.rowIsNo("a list", row.entity)
  }

  package func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw StoreError.rowIsNo("a single value", row.entity)
  }

  /// The property of a name; nil for none.
  fileprivate func property(_ name: String) -> HistoryChange.Property? {
    if next < places.count, places[next] < row.values.count, row.values[places[next]].name == name {
      next += 1
      return row.values[places[next - 1]]
    }
    guard let place = row.values.firstIndex(where: { $0.name == name }) else {
      return name == "bolide_id" ? HistoryChange.Property(name: name, value: .integer(row.id)) : nil
    }
    if next < places.count { places[next] = place } else { places.append(place) }
    next += 1
    return row.values[place]
  }

  /// Reads what rows of a property hold.
  fileprivate func child(_ key: some CodingKey, _ row: Snapshot.Row) -> RowDecoder {
    let child = children[key.stringValue] ?? RowDecoder()
    children[key.stringValue] = child
    (child.row, child.next, child.codingPath) = (row, 0, codingPath + [key])
    return child
  }
}

/// The properties of a row by their names.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }
  private var row: Snapshot.Row { decoder.row }

  init(decoder: RowDecoder) {
    self.decoder = decoder
  }

  var allKeys: [Key] {
    (row.values.map(\.name) + row.fetched.map(\.name)).compactMap(Key.init(stringValue:))
  }

  func contains(_ key: Key) -> Bool {
    let name = key.stringValue
    return decoder.property(name) != nil || row.fetched.contains { $0.name == name }
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    let name = key.stringValue
    if let property = decoder.property(name) { return property.value == .null }
    if row.fetched.contains(where: { $0.name == name }) { return false }
    throw StoreError.noValue(name, in: row)
  }

  func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
    guard let property = decoder.property(key.stringValue) else {
      return try Wanted(from: list(key, type))
    }
    return try read(property, type, key)
  }

  func decodeIfPresent<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted? {
    guard let property = decoder.property(key.stringValue) else { return try Wanted(from: list(key, type)) }
    if case .null = property.value { return nil }
    return try read(property, type, key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    let name = key.stringValue
    guard let related = row.related(name) else {
      throw StoreError.notBrought(name, of: row.entity, Nested.self)
    }
    return decoder.child(key, related).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try list(key, [Snapshot.Row].self)
  }

  func superDecoder() -> any Decoder { decoder }
  func superDecoder(forKey key: Key) -> any Decoder { decoder }

  private func read<Wanted: Decodable>(
    _ property: HistoryChange.Property, _ type: Wanted.Type, _ key: Key
  ) throws -> Wanted {
    if let value = try property.read(type, of: row.entity) { return value }
    if let related = row.related(property.name) { return try Wanted(from: decoder.child(key, related)) }
    return try property.decode(type, of: row.entity, codingPath + [key])
  }

  /// The objects that a fetched property has found.
  private func list(_ key: Key, _ type: Any.Type) throws -> ListDecoder<Key> {
    let name = key.stringValue
    if let fetched = row.fetched.first(where: { $0.name == name }) {
      return ListDecoder(decoder: decoder, key: key, wanted: type, rows: fetched.rows)
    }
    guard let property = decoder.property(name) else { throw StoreError.noValue(name, in: row) }
    throw StoreError.mismatch(property, of: row.entity, type)
  }
}

// The standard library calls these for its own types, and its own implementations of the second kind would take a name that
// the row has not for null.
extension RowContainer {
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try plain(type, key) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try plain(type, key) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try plain(type, key) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try plain(type, key) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try plain(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try plain(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try plain(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try plain(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try plain(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try plain(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try plain(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try plain(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try plain(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try plain(type, key) }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try plainIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try plainIfPresent(type, key)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try plainIfPresent(type, key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
    try plainIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try plainIfPresent(type, key)
  }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
    try plainIfPresent(type, key)
  }

  // Inlined, these and what they call are of one type each, and need no generic code.
  @inline(__always)
  private func plain<Wanted: ValueConvertible & Decodable>(_ type: Wanted.Type, _ key: Key) throws -> Wanted {
    guard let property = decoder.property(key.stringValue) else { return try Wanted(from: list(key, type)) }
    return try property.value(type, of: row.entity)
  }

  @inline(__always)
  private func plainIfPresent<Wanted: ValueConvertible & Decodable>(
    _ type: Wanted.Type, _ key: Key
  ) throws -> Wanted? {
    guard let property = decoder.property(key.stringValue) else { return try Wanted(from: list(key, type)) }
    if case .null = property.value { return nil }
    return try property.value(type, of: row.entity)
  }
}

/// What a fetched property has found.
private struct ListDecoder<Key: CodingKey>: Decoder, UnkeyedDecodingContainer {
  let decoder: RowDecoder
  let key: Key
  let wanted: Any.Type
  let rows: [Snapshot.Row]
  var currentIndex = 0
  let userInfo: [CodingUserInfoKey: Any] = [:]
  var codingPath: [any CodingKey] { decoder.codingPath + [key] }
  var count: Int? { rows.count }
  var isAtEnd: Bool { currentIndex == rows.count }

  init(decoder: RowDecoder, key: Key, wanted: Any.Type, rows: [Snapshot.Row]) {
    (self.decoder, self.key, self.wanted, self.rows) = (decoder, key, wanted, rows)
  }

  func container<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    throw isList
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { self }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw isList }

  func decodeNil() -> Bool { false }

  mutating func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    try Wanted(from: superDecoder())
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try superDecoder().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    guard !isAtEnd else { throw isList }
    currentIndex += 1
    return decoder.child(key, rows[currentIndex - 1])
  }

  private var isList: StoreError {
    .mismatch(key.stringValue, of: decoder.row.entity, wanted, found: "a list of objects")
  }
}
