/// Why a record is not one that can be used.
///
/// The reader goes on behind it.
public enum RecordProblem: Sendable, Hashable {
  /// A row has more or fewer cells than there are names.
  case wrongLength(found: Int, expected: Int)
  /// Records are objects, and this is something else.
  case notAnObject(FieldKind)
  /// Rows are arrays, and this is something else.
  case notAnArray(FieldKind)
  /// The field's text has half of a surrogate pair as an escape, which stands for no character; `offset` counts
  /// bytes from the record's first.
  case unpairedSurrogate(field: Int, offset: Int)
  /// In an input whose every record before was a line, this line is no JSON, and another line follows it.
  case brokenLine(JSONError)
}

extension FieldKind {
  /// The kind of the value that begins with `byte`.
  init(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): self = .string
    case UInt8(ascii: "{"): self = .object
    case UInt8(ascii: "["): self = .array
    case UInt8(ascii: "t"): self = .true
    case UInt8(ascii: "f"): self = .false
    case UInt8(ascii: "n"): self = .null
    default: self = .integer
    }
  }
}
