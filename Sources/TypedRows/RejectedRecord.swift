/// A record that was rejected: why, and where it stood.
public struct RejectedRecord: Sendable, Hashable {
  /// The reason, for programs, such as `not-a-number`.
  public var code: String
  /// The reason, in one sentence.
  public var message: String
  /// The attribute that it concerns, if it is one.
  public var attribute: String?
  /// The input, as the user named it.
  public var input: String
  /// The record's number in its input, from 1.
  public var record: Int
  /// The record's first byte in the input, from 0; in a compressed input, of what it expands to.
  public var byte: Int
  /// The line of the value at fault, or of the record, from 1.
  public var line: Int
  /// The column of the value at fault, or of the record, in bytes, from 1.
  public var column: Int
  /// The record itself, cut after `RejectBounds.text` bytes; nil when it is not kept.
  public var text: String?
  /// Whether the text is only the record's beginning.
  public var isCut = false
  /// Of a rejected child, the entity that it would have become; nil for a record. The text is its whole record's.
  public var entity: String?
  /// Of a rejected child, its number in its array, from 1.
  public var child = 0
  /// What the record stood in and cannot be told from its text: a JSON array of its columns' names, an object of
  /// the keys that wildcards of the records' path matched, or of delimited text one of the names and the delimiter.
  package var around: String?
  /// A digest of the record's key, if it can be read.
  package var key: Int64?
  /// Of a rejected child, its record's row.
  package var parent: Int?
  /// The row of what holds its array, in a chunk of its own; of a record's own array the same.
  package var holder: Int?
  /// How many rows its chunk had before it.
  package var rowsBefore = 0
  /// Whether it was a row of its chunk, the one after those.
  package var isRow = false
  /// Of a rejected child, how many more of its record were rejected after it, of which nothing is kept.
  package var more = 0

  /// Makes a rejected record.
  public init(
    code: String, message: String, attribute: String?, input: String, record: Int, byte: Int, line: Int,
    column: Int, text: String? = nil
  ) {
    self.code = code
    self.message = message
    self.attribute = attribute
    self.input = input
    self.record = record
    self.byte = byte
    self.line = line
    self.column = column
    self.text = text
  }

  /// `record 12`, or `record 12: Approach 3`
  package var subject: String {
    entity.map { "record \(record): \($0) \(child)" } ?? "record \(record)"
  }

  /// The same rejection where another one stood, of the same record's.
  ///
  /// - Parameter place: the one in whose place it is, if that is not the other one.
  package func at(_ other: RejectedRecord, place: RejectedRecord? = nil) -> RejectedRecord {
    var reject = self
    let place = place ?? other
    (reject.input, reject.record) = (other.input, other.record)
    (reject.byte, reject.line, reject.column) = (place.byte, place.line, place.column)
    (reject.text, reject.isCut, reject.around) = (other.text, other.isCut, other.around)
    return reject
  }

  /// Whether it takes the place of another one of its record's. One of the whole record takes the first one's.
  package func replaces(_ other: RejectedRecord) -> Bool {
    entity == nil || entity == other.entity && child == other.child
  }
}
