/// Walks the elements of one array, whose tokens are all there and were all validated.
final class ChildReader {
  /// What the array is to the others of its record.
  let list: ChildPlan.List
  private var parser: RecordParser
  /// The current child's number, from 1; 0 before the first.
  private(set) var number = 0
  private var cursor = 0
  /// The first escape that is not before the current child.
  private(set) var firstEscape = 0
  private var escape = 0

  init(_ list: ChildPlan.List, limits: ReaderLimits) {
    self.list = list
    parser = RecordParser(fields: list.paths, limits: limits)
  }

  /// The current child's first byte in the buffer.
  var start: Int { parser.recordStart }
  var problem: RecordProblem? { parser.problem }
  /// The requested fields.
  var fields: UnsafeBufferPointer<RecordField> {
    UnsafeBufferPointer(start: parser.fields, count: list.count)
  }

  /// A field by its slot, requested or not.
  func field(_ slot: Int) -> RecordField { parser.fields[slot] }

  /// Another record, or another child around, is current.
  func restart() { number = 0 }

  /// Comes to the next element of the array in `field`, or to the object in it; false behind the last one.
  ///
  /// - Parameter firstEscape: An escape that is not behind the start of what holds the array.
  func advance(_ view: TokenView, in field: RecordField, firstEscape: Int) -> Bool {
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
    return true
  }

  /// Puts a field of what stands around the element at the cursor into a slot of its own.
  ///
  /// - Parameter start: where that begins in the buffer.
  func lend(_ field: RecordField, from start: Int, to slot: Int, _ view: TokenView) {
    var lent = field
    lent.offset = start &+ field.offset &- view.offset(cursor)
    parser.template[slot] = lent
  }

  /// Reads the element at the cursor.
  func read(_ view: TokenView) {
    firstEscape = escape
    // The record's own reading has seen to the depth.
    let outcome = parser.parse(view, at: cursor, escape: escape, depth: 0, isRow: false)
    precondition(outcome == .done, "a child of a record that was read cannot be read")
    cursor = parser.cursor
    escape = parser.escape
    number += 1
  }
}
