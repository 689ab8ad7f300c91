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
