/// A value on its way into a cell: what a record or an expression brought, before the attribute's type decides.
///
/// Bytes point into the reader's or SQLite's memory and are valid for the conversion only.
public enum SourceValue {
  case null
  case boolean(Bool)
  case integer(Int64)
  case real(Double)
  /// A number as JSON writes it, where it is not a whole number of 64 bits.
  case number(UnsafeBufferPointer<UInt8>)
  case text(UnsafeBufferPointer<UInt8>)
  /// An object or an array, as its JSON text.
  case structure(UnsafeBufferPointer<UInt8>)
  case blob(UnsafeBufferPointer<UInt8>)

  /// Whether it is null.
  @inlinable public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
