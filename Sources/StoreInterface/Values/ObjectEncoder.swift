internal import ImportModel

/// Takes an `Encodable` object apart: each property is one value, or null.
final class ObjectEncoder: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  fileprivate(set) var values: [String: (any ValueConvertible)?] = [:]
  /// Whether the object is one that has properties.
  private(set) var isObject = false

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    isObject = true
    return KeyedEncodingContainer(ObjectContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedList() }
  func singleValueContainer() -> any SingleValueEncodingContainer { ValueEncoder() }
}

private struct ObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ObjectEncoder
  let codingPath: [any CodingKey] = []

  func encodeNil(forKey key: Key) { encoder.values[key.stringValue] = .some(nil) }

  func encode<Property: Encodable>(_ value: Property, forKey key: Key) throws {
    if let value = value as? any ValueConvertible {
      encoder.values[key.stringValue] = value
      return
    }
    // An enumeration, say, encodes itself as one value.
    let single = ValueEncoder()
    try value.encode(to: single)
    guard let value = single.value else { throw StoreError.notOneValue(key.stringValue, Property.self) }
    encoder.values[key.stringValue] = value
  }

  /// Left out by most encoders; here it is null, so that it does not stay as it was.
  func encodeIfPresent<Property: Encodable>(_ value: Property?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    ObjectEncoder().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { RefusedList() }
  func superEncoder() -> any Encoder { encoder }
  func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Takes one value; nothing of a list or an object.
private final class ValueEncoder: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var value: ((any ValueConvertible)?)?

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    ObjectEncoder().container(keyedBy: type)
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusedList() }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { value = .some(nil) }

  func encode<Single: Encodable>(_ single: Single) throws {
    if let convertible = single as? any ValueConvertible {
      value = .some(convertible)
    } else {
      try single.encode(to: self)
    }
  }
}

/// Takes nothing: no attribute is a list.
private struct RefusedList: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey] = []
  let count = 0

  func encodeNil() {}
  func encode<Element: Encodable>(_ value: Element) {}

  func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    ObjectEncoder().container(keyedBy: keyType)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { ObjectEncoder() }
}
