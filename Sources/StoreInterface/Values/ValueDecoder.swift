internal import ImportModel

extension HistoryChange.Property {
  /// The value as a Swift type.
  ///
  /// - Throws: `StoreError` when it is none of the type.
  @inline(__always)
  func value<Wanted: ValueConvertible>(_ type: Wanted.Type, of entity: String) throws(StoreError) -> Wanted {
    guard let value = Wanted(stored: value, as: self.type) else { throw .mismatch(self, of: entity, type) }
    return value
  }

  /// The value as a type that is `ValueConvertible`; nil for any other type.
  ///
  /// - Throws: `StoreError` when it is none of the type.
  func read<Wanted>(_ type: Wanted.Type, of entity: String) throws(StoreError) -> Wanted? {
    guard let convertible = type as? any ValueConvertible.Type else { return nil }
    return try value(convertible, of: entity) as? Wanted
  }

  /// The value as a type that decodes a single value, such as an enumeration.
  ///
  /// - Throws: `StoreError` when it does not.
  func decode<Wanted: Decodable>(
    _ type: Wanted.Type, of entity: String, _ path: [any CodingKey]
  ) throws -> Wanted {
    do {
      return try Wanted(from: ValueDecoder(property: self, entity: entity, wanted: type, codingPath: path))
    } catch is DecodingError {
      // Its own words would hold the value.
      throw StoreError.mismatch(self, of: entity, type)
    }
  }
}

/// Reads one property.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let property: HistoryChange.Property
  let entity: String
  let wanted: Any.Type
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw isSingle
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw isSingle }
  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { property.value == .null }

  func decode<Wanted: Decodable>(_ type: Wanted.Type) throws -> Wanted {
    try property.read(type, of: entity) ?? Wanted(from: self)
  }

  /// Only a relationship has no type.
  private var isSingle: StoreError {
    property.type == nil && property.value != .null
      ? .notBrought(property.name, of: entity, wanted) : .mismatch(property, of: entity, wanted)
  }
}
