public import ImportModel

extension [HistoryChange.Property] {
  /// A property's value; nil when there is no property of that name.
  ///
  /// - Complexity: O(properties).
  public subscript(name: String) -> Value? { first { $0.name == name }?.value }

  /// A property's value as a Swift type; nil when it is null or none of that type, or when there is no such property.
  ///
  /// - Complexity: O(properties).
  public subscript<Wanted: ValueConvertible>(name: String, as type: Wanted.Type) -> Wanted? {
    first { $0.name == name }.flatMap { Wanted(stored: $0.value, as: $0.type) }
  }
}

extension Snapshot.Row {
  /// A property's value; nil when the row has no property of that name.
  ///
  /// - Complexity: O(properties).
  public subscript(name: String) -> Value? { values[name] }

  /// A property's value as a Swift type; nil when it is null or none of that type, or when there is no such property.
  ///
  /// - Complexity: O(properties).
  public subscript<Wanted: ValueConvertible>(name: String, as type: Wanted.Type) -> Wanted? {
    values[name, as: type]
  }

  /// A property's value as a Swift type, an optional one where it may be null.
  ///
  /// - Throws: `StoreError` when the row has no such property, or its value is none of that type.
  /// - Complexity: O(properties).
  public func value<Wanted: ValueConvertible>(
    _ name: String, as type: Wanted.Type = Wanted.self
  ) throws(StoreError) -> Wanted {
    guard let property = values.first(where: { $0.name == name }) else { throw .noValue(name, in: self) }
    return try property.value(type, of: entity)
  }

  /// The object that a to-one relationship leads to; nil when it leads nowhere, or the object was not brought along.
  public func related(_ name: String) -> Snapshot.Row? { related.first { $0.name == name }?.row }

  /// Reads the row as a type of one's own.
  ///
  /// Each property of the type is one of the row's with the same name, of a type that is `ValueConvertible`, or one that
  /// decodes a single such value. A related object that was brought along is a `Decodable` type of its own, and what a
  /// fetched property found an array of such. `bolide_id` is the object's id.
  /// - Throws: `StoreError` when the type has a property that the row has not, or another type of value; and what the
  ///   type's own `init(from:)` throws.
  public func decode<Object: Decodable>(as type: Object.Type = Object.self) throws -> Object {
    try RowDecoder().decode(type, from: self)
  }
}
