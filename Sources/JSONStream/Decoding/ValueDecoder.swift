/// Where a value stands within its record: a key, and what holds it.
final class KeyPathNode {
  let parent: KeyPathNode?
  let key: any CodingKey

  init(_ parent: KeyPathNode?, _ key: any CodingKey) { (self.parent, self.key) = (parent, key) }
}

extension KeyPathNode? {
  /// The keys, the outermost first.
  var keys: [any CodingKey] {
    var keys: [any CodingKey] = []
    var node = self
    while let next = node {
      keys.append(next.key)
      node = next.parent
    }
    return keys.reversed()
  }
}

/// One value of the record under way.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let record: RecordDecoder
  let place: RecordDecoder.Place
  let path: KeyPathNode?

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = record.members(of: place) else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(MemberContainer(record: record, members: members, path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let first = record.firstElement(of: place) else { throw mismatch([Any].self) }
    return ElementContainer(record: record, path: path, next: first)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { record.isNull(place) }
  func decode(_ type: Bool.Type) throws -> Bool { try record.bool(place) ?? fail(type) }
  func decode(_ type: String.Type) throws -> String { try record.string(place) ?? fail(type) }
  func decode(_ type: Double.Type) throws -> Double { try record.double(place) ?? fail(type) }
  func decode(_ type: Float.Type) throws -> Float { try record.double(place).map(Float.init) ?? fail(type) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted { try Wanted(from: self) }

  private func integer<Wanted: FixedWidthInteger>(_ type: Wanted.Type) throws -> Wanted {
    try record.integer(place, as: type) ?? fail(type)
  }

  private func fail<Wanted>(_ type: Wanted.Type) throws -> Wanted { throw mismatch(type) }

  /// Why the value is not of a type.
  func mismatch(_ type: Any.Type) -> DecodingError {
    let kind = record.kind(place)
    let context = DecodingError.Context(codingPath: codingPath, debugDescription: kind.isNot(type))
    switch kind {
    case .null: return .valueNotFound(type, context)
    case .string where type == String.self: return .dataCorrupted(context)
    case .integer where type is any Numeric.Type, .decimal where type is any Numeric.Type:
      return .dataCorrupted(context)
    default: return .typeMismatch(type, context)
    }
  }
}

/// The members of an object, or the cells of a row.
private struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let record: RecordDecoder
  let members: RecordDecoder.Members
  let path: KeyPathNode?

  var codingPath: [any CodingKey] { path.keys }
  var allKeys: [Key] { record.names(of: members).compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { record.value(key.stringValue, in: members) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { record.isNull(try place(key)) }

  func decode<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted {
    try Wanted(from: decoder(key, place(key)))
  }

  func decodeIfPresent<Wanted: Decodable>(_ type: Wanted.Type, forKey key: Key) throws -> Wanted? {
    guard let place = record.value(key.stringValue, in: members), !record.isNull(place) else { return nil }
    return try Wanted(from: decoder(key, place))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key, place(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key, place(key)).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    let key = NameKey("super")
    guard let place = record.value(key.stringValue, in: members) else { throw missing(key) }
    return decoder(key, place)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key, place(key)) }

  private func place(_ key: Key) throws -> RecordDecoder.Place {
    guard let place = record.value(key.stringValue, in: members) else { throw missing(key) }
    return place
  }

  private func decoder(_ key: any CodingKey, _ place: RecordDecoder.Place) -> ValueDecoder {
    ValueDecoder(record: record, place: place, path: KeyPathNode(path, key))
  }

  private func missing(_ key: any CodingKey) -> DecodingError {
    .keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: FieldKind.absentSentence(key.stringValue)))
  }

  // The kinds that most properties are: their names become a path only where they fail.

  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let place = try place(key)
    return try record.string(place) ?? decoder(key, place).decode(type)
  }

  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let place = try place(key)
    return try record.double(place) ?? decoder(key, place).decode(type)
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    let place = try place(key)
    return try record.integer(place, as: type) ?? decoder(key, place).decode(type)
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let place = try place(key)
    return try record.bool(place) ?? decoder(key, place).decode(type)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    guard let place = record.value(key.stringValue, in: members), !record.isNull(place) else { return nil }
    return try record.string(place) ?? decoder(key, place).decode(type)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    guard let place = record.value(key.stringValue, in: members), !record.isNull(place) else { return nil }
    return try record.double(place) ?? decoder(key, place).decode(type)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    guard let place = record.value(key.stringValue, in: members), !record.isNull(place) else { return nil }
    return try record.integer(place, as: type) ?? decoder(key, place).decode(type)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    guard let place = record.value(key.stringValue, in: members), !record.isNull(place) else { return nil }
    return try record.bool(place) ?? decoder(key, place).decode(type)
  }
}

/// The elements of an array.
private struct ElementContainer: UnkeyedDecodingContainer {
  let record: RecordDecoder
  let path: KeyPathNode?
  var next: RecordDecoder.Place
  private(set) var currentIndex = 0

  init(record: RecordDecoder, path: KeyPathNode?, next: RecordDecoder.Place) {
    (self.record, self.path, self.next) = (record, path, next)
  }

  var codingPath: [any CodingKey] { path.keys }
  /// Nobody has counted them.
  var count: Int? { nil }
  var isAtEnd: Bool { !record.isElement(next) }

  mutating func decodeNil() throws -> Bool {
    let isNull = record.isNull(try element(Never?.self).place)
    if isNull { goOn() }
    return isNull
  }

  mutating func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    let value = try Wanted(from: element(type))
    goOn()
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try element([String: Any].self).container(keyedBy: type)
    goOn()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try element([Any].self).unkeyedContainer()
    goOn()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try element((any Decoder).self)
    goOn()
    return decoder
  }

  private func element(_ type: Any.Type) throws -> ValueDecoder {
    let path = KeyPathNode(path, NameKey(currentIndex))
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: Optional(path).keys, debugDescription: FieldKind.arrayEndSentence))
    }
    return ValueDecoder(record: record, place: next, path: path)
  }

  private mutating func goOn() {
    next = record.next(after: next)
    currentIndex += 1
  }
}

/// A key that no type declares.
private struct NameKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) { (stringValue, intValue) = (name, nil) }
  init(_ index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
