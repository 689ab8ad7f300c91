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
