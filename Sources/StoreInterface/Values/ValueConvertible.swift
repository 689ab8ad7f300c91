public import ImportModel

/// A Swift type that values of a store can be read as, and that can be bound to a predicate.
///
/// An enumeration with raw values conforms by saying so: `enum Quality: String, ValueConvertible`.
public protocol ValueConvertible: Sendable {
  /// Reads a value. Nil when it is not one of this type, or does not fit into it.
  ///
  /// - Parameter type: the attribute's type, which a decimal's places are known by; nil where there is none.
  init?(stored value: Value, as type: AttributeType?)

  /// The value as a store keeps it, and as predicates compare it.
  var storedValue: Value { get }

  /// The value as an attribute of a type is given it: in its stored form, or in one that an import would read.
  func value(for type: AttributeType) -> Value
}

extension ValueConvertible {
  /// The stored value, whatever the type.
  public func value(for type: AttributeType) -> Value { storedValue }

  /// Reads a value that is of no attribute.
  public init?(stored value: Value) { self.init(stored: value, as: nil) }
}

extension Value {
  /// A value as a store keeps it, and as predicates compare it.
  public init(_ value: some ValueConvertible) { self = value.storedValue }
}

extension Value: ValueConvertible {
  /// The value itself.
  public init?(stored value: Value, as type: AttributeType?) { self = value }

  /// The value itself.
  public var storedValue: Value { self }
}

extension Optional: ValueConvertible where Wrapped: ValueConvertible {
  /// Reads a value; null as nil.
  public init?(stored value: Value, as type: AttributeType?) {
    if value == .null {
      self = .none
    } else if let wrapped = Wrapped(stored: value, as: type) {
      self = .some(wrapped)
    } else {
      return nil
    }
  }

  /// The value; null for nil.
  public var storedValue: Value { self?.storedValue ?? .null }

  /// The value; null for nil.
  public func value(for type: AttributeType) -> Value { self?.value(for: type) ?? .null }
}

extension ValueConvertible where Self: RawRepresentable, RawValue: ValueConvertible {
  /// Reads a raw value.
  public init?(stored value: Value, as type: AttributeType?) {
    guard let raw = RawValue(stored: value, as: type) else { return nil }
    self.init(rawValue: raw)
  }

  /// The raw value.
  public var storedValue: Value { rawValue.storedValue }

  /// The raw value.
  public func value(for type: AttributeType) -> Value { rawValue.value(for: type) }
}

// MARK: Numbers

extension ValueConvertible where Self: FixedWidthInteger {
  /// Reads a whole number that is in the type's range; of decimals, only those without places.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .integer(let number) = value, type.scale == 0 else { return nil }
    self.init(exactly: number)
  }

  /// The number; one beyond 64 bits as a real one.
  public var storedValue: Value { Int64(exactly: self).map(Value.integer) ?? .real(Double(self)) }

  /// The number; as text for a decimal, which keeps units, and beyond 64 bits, where no type takes it.
  public func value(for type: AttributeType) -> Value {
    if case .decimal = type { return .text(String(self)) }
    return Int64(exactly: self).map(Value.integer) ?? .text(String(self))
  }
}

extension Int: ValueConvertible {}
extension Int8: ValueConvertible {}
extension Int16: ValueConvertible {}
extension Int32: ValueConvertible {}
extension Int64: ValueConvertible {}
extension UInt: ValueConvertible {}
extension UInt8: ValueConvertible {}
extension UInt16: ValueConvertible {}
extension UInt32: ValueConvertible {}
extension UInt64: ValueConvertible {}

extension Double: ValueConvertible {
  /// Reads a number: a whole one if it is exact, a decimal as the nearest one.
  public init?(stored value: Value, as type: AttributeType?) {
    switch value {
    case .real(let number):
      self = number
    case .integer(let units) where type.scale > 0:
      // Both are exact up to 2^53 units, and the quotient is rounded once.
      self = (0..<type.scale).reduce(into: 1) { power, _ in power *= 10 }
      self = Double(units) / self
    case .integer(let number):
      self.init(exactly: number)
    default: return nil
    }
  }

  /// The number. SQLite knows no NaN: it is null.
  public var storedValue: Value { isNaN ? .null : .real(self) }

  /// The number, also where no attribute takes it.
  public func value(for type: AttributeType) -> Value { .real(self) }
}

extension Float: ValueConvertible {
  /// Reads a number as the nearest one.
  public init?(stored value: Value, as type: AttributeType?) {
    guard let number = Double(stored: value, as: type) else { return nil }
    self.init(number)
  }

  /// The number, widened.
  public var storedValue: Value { Double(self).storedValue }

  /// The number, widened; a decimal is given its shortest text.
  public func value(for type: AttributeType) -> Value {
    if case .decimal = type { .text(description) } else { .real(Double(self)) }
  }
}

extension Bool: ValueConvertible {
  /// Reads 0 or 1.
  public init?(stored value: Value, as type: AttributeType?) {
    switch value {
    case .integer(0) where type.scale == 0: self = false
    case .integer(1) where type.scale == 0: self = true
    default: return nil
    }
  }

  /// 1 or 0.
  public var storedValue: Value { .integer(self ? 1 : 0) }
}

// MARK: Text and bytes

extension String: ValueConvertible {
  /// Reads text; dates, days and UUIDs in their stored form.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  /// The text.
  public var storedValue: Value { .text(self) }
}

extension Array: ValueConvertible where Element == UInt8 {
  /// Reads bytes.
  public init?(stored value: Value, as type: AttributeType?) {
    guard case .blob(let bytes) = value else { return nil }
    self = bytes
  }

  /// The bytes.
  public var storedValue: Value { .blob(self) }
}

extension AttributeType? {
  /// The places of a decimal; 0 for everything else.
  var scale: Int { if case .decimal(let scale) = self { scale } else { 0 } }
}
