/// What a field of a record holds.
public enum FieldKind: UInt8, Sendable, Hashable {
  /// The record has no such field.
  case absent
  /// JSON's `null`, at the field's place or at an object or array on the way to it.
  case null
  /// `false`.
  case `false`
  /// `true`.
  case `true`
  /// A number without fraction and exponent; the bytes are its text.
  case integer
  /// A number with a fraction or an exponent; the bytes are its text.
  case decimal
  /// The bytes are the string's content, escapes resolved.
  case string
  /// The bytes are the object's JSON text.
  case object
  /// The bytes are the array's JSON text.
  case array
}

/// One field of the current record, as the parser leaves it: 32 bytes, one after the other for all fields.
///
///     0        8        16       24      28     29..31
///     | start  | count  | offset | token | kind | padding
///
/// `start` points into the reader's buffer, or for a string with escapes into its scratch memory; both stay as
/// they are until the reader's next `next()` or `fill`. Stored properties only: a sibling module reads them without
/// a call.
package struct RecordField {
  /// The field's bytes, see `FieldKind`. What stands behind `count` means nothing; `padding` bytes of it can be read.
  package var start: UnsafePointer<UInt8>
  /// Bytes at `start`.
  package var count: Int
  /// The value's first byte, counted from the record's first byte.
  package var offset: Int
  /// The array's or object's first token, for whoever walks into it.
  var token: UInt32
  /// What the bytes are.
  package var kind: FieldKind

  /// How many bytes behind a field's can be read, so that a short one is looked at as a whole.
  static let padding = 8

  /// The bytes at `start`.
  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
}
