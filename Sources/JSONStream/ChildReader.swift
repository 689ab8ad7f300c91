/// Walks the elements of one array of a record, whose tokens are all there and were all validated.
final class ChildReader {
  private var parser: RecordParser
  /// The current child's number, from 1; 0 before the first.
  private(set) var number = 0
  private var cursor = 0
  private var escape = 0

  init(fields: [FieldPath], limits: ReaderLimits) {
    parser = RecordParser(
      fields: fields.map { $0.components == ["."] ? [] : $0.components }, limits: limits)
  }

  /// The current child's first byte in the buffer.
  var start: Int { parser.recordStart }
  var problem: RecordProblem? { parser.problem }
  var fields: UnsafeBufferPointer<RecordField> {
    UnsafeBufferPointer(start: parser.fields, count: parser.fieldCount)
  }

  /// Another record is current.
  func restart() { number = 0 }

  /// Goes to the next element of the array in `field`, or to the object in it; false behind the last one.
  ///
  /// - Parameter firstEscape: An escape that is not behind the record's start.
  func next(_ view: TokenView, in field: RecordField, firstEscape: Int) -> Bool {
    if number == 0 {
      guard field.kind == .array || field.kind == .object else { return false }
      cursor = Int(field.token)
      escape = firstEscape
      while view.escapes[escape] < view.tokens[cursor] { escape += 1 }
      if field.kind == .array {
        cursor += 1
        guard view.byte(cursor) != UInt8(ascii: "]") else { return false }
      }
    } else {
      guard field.kind == .array, view.byte(cursor) == UInt8(ascii: ",") else {
        number = 0
        return false
      }
      cursor += 1
    }
    // The record's own reading has seen to the depth.
    let outcome = parser.parse(view, at: cursor, escape: escape, depth: 0, isRow: false)
    precondition(outcome == .done, "a child of a record that was read cannot be read")
    cursor = parser.cursor
    escape = parser.escape
    number += 1
    return true
  }
}
