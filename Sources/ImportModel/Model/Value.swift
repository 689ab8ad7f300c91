/// One stored value, as SQLite keeps it.
///
/// Used at the edges (defaults, history, messages). The route of a record does not pass through it: a chunk
/// holds typed columns.
public enum Value: Sendable, Hashable, Codable {
  /// No value.
  case null
  /// A whole number; also a decimal's units, and 0 or 1 for a boolean.
  case integer(Int64)
  /// A real number.
  case real(Double)
  /// Text; also dates, days and UUIDs.
  case text(String)
  /// Bytes.
  case blob([UInt8])
}

extension Value {
  /// Whether both are the same to a store. Texts are their bytes: Swift's own `==` takes é for e with an accent behind it.
  public static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Equal values are hashed alike.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let number): hasher.combine(number)
    case .real(let number): hasher.combine(number)
    // Of texts that differ in their bytes alone Swift makes the same.
    case .text(let text): hasher.combine(text)
    case .blob(let bytes): hasher.combine(bytes)
    }
  }
}

extension Value: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral
{
  /// No value.
  public init(nilLiteral: ()) { self = .null }

  /// True or false, as 1 or 0.
  public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }

  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A real number.
  public init(floatLiteral value: Double) { self = .real(value) }

  /// Text.
  public init(stringLiteral value: String) { self = .text(value) }
}
