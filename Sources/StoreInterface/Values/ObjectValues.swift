package import ImportModel

/// Values for an object's attributes, by their names, for a call that writes.
///
///     ["date": Date.now, "impactEnergy": 0.3, "note": nil]
///
/// A value may have any type that is `ValueConvertible`; nil is null. What is not named stays as it is; of a new object it is
/// the attribute's default. Values are read by the attributes' types and limits, as an import reads those of a record.
public struct ObjectValues: Sendable, ExpressibleByDictionaryLiteral {
  /// The values. Of a `Value` it is the stored form.
  public var values: [String: (any ValueConvertible)?]

  /// Makes values of a dictionary.
  public init(_ values: [String: (any ValueConvertible)?]) { self.values = values }

  /// Makes values of a literal; of a name that is there twice the last one counts.
  public init(dictionaryLiteral elements: (String, (any ValueConvertible)?)...) {
    values = Dictionary(elements) { _, last in last }
  }

  /// Takes an object's properties as values; a property that is nil is null.
  ///
  /// - Throws: `StoreError` with the code `typeMismatch` for a property that is not one value, and what the type's own
  ///   `encode(to:)` throws.
  public init(encoding object: some Encodable) throws {
    let encoder = ObjectEncoder()
    try object.encode(to: encoder)
    guard encoder.isObject else { throw StoreError.noProperties(type(of: object)) }
    self.init(encoder.values)
  }

  /// The names, in an order that does not depend on the run.
  package var names: [String] { values.keys.sorted() }

  /// A value as an attribute is given it.
  package func value(_ name: String, for type: AttributeType) -> Value {
    values[name].flatMap(\.self)?.value(for: type) ?? .null
  }
}
