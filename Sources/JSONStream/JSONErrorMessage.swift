extension JSONError: CustomStringConvertible {
  /// What was found and what is expected, in one plain sentence without the position.
  public var description: String {
    switch code {
    case .unexpectedByte: "found \(found) outside a string; expected JSON"
    case .expectedValue: "found \(found); expected a value"
    case .expectedValueOrBracket: "found \(found); expected a value or ']'"
    case .expectedKey: "found \(found); expected a key in double quotes"
    case .expectedColon: "found \(found); expected ':'"
    case .expectedCommaOrBracket: "found \(found); expected ',' or ']'"
    case .expectedCommaOrBrace: "found \(found); expected ',' or '}'"
    case .unexpectedWord: "found a word that is not true, false or null; expected a value"
    case .malformedNumber: "found \(found) in a number; expected a number as JSON writes it"
    case .malformedEscape:
      "found an invalid escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
    case .controlInString: "found \(found) in a string; control characters must be escaped"
    case .notUTF8: "found \(found) in a string, which is not UTF-8; expected UTF-8"
    case .depthLimit: "found arrays or objects nested deeper than the limit of \(limit ?? 0); expected fewer"
    case .stringLimit: "found a string over the limit of \(size); expected a shorter one"
    case .numberLimit: "found a number over the limit of \(size); expected a shorter one"
    case .recordLimit: "found a record over the limit of \(size); expected a smaller one"
    case .contentAfterDocument: "found \(found) after the end of the document; expected nothing more"
    case .inputEnds: inputEnds
    case .lineEnds: "the line ends inside its record"
    case .noInput: "found no JSON, the input is empty; expected an array or an object"
    case .markup: "found an HTML or XML page; expected records"
    case .utf16: "found UTF-16; expected UTF-8"
    case .utf32: "found UTF-32; expected UTF-8"
    case .noRecordsThere: "found \(beginning) where the records should be; expected an array or an object"
    case .ambiguousRecords:
      "found several arrays that could be the records: \(list); expected one array, or a path"
    case .noNames: "found rows without column names; expected names"
    case .malformedNames: "found \(kind) among the columns' names; expected strings"
    case .nul: "found a NUL byte; expected text"
    case .noHeader: "found no line; expected one with the columns' names"
    case .textAfterQuote:
      "found \(found) after a closing quote; expected the next cell or the end of the line"
    case .unclosedQuote: "found a quote that never closes; expected a closing quote"
    case .duplicateName: "found two columns with the name \(list); expected one"
    default: code.rawValue
    }
  }

  private var inputEnds: String {
    if let record { return "the input ends inside record \(record) (byte \(position.byte))" }
    if recordsBefore == 0 { return "the input ends before the first record (byte \(position.byte))" }
    return "the input ends after record \(recordsBefore), before its last bracket (byte \(position.byte))"
  }

  private var found: String {
    switch byte {
    // An input that ends has sentences of its own.
    case nil: "nothing"
    case .some(0x20): "a space"
    case .some(0x09): "a tab"
    case .some(0x0a), .some(0x0d): "a line break"
    case .some(UInt8(ascii: "\"")): "a string"
    case .some(let byte) where byte > 0x20 && byte < 0x7f: "'\(Character(UnicodeScalar(byte)))'"
    case .some(let byte): "the byte 0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
    }
  }

  /// What begins with the byte found: no more of it was looked at, and it may be no JSON at all.
  private var beginning: String {
    switch byte {
    case .some(UInt8(ascii: "\"")), .some(UInt8(ascii: "{")), .some(UInt8(ascii: "[")): kind
    default: "text that begins with \(found)"
    }
  }

  /// The kind of value that begins with the byte found.
  private var kind: String {
    switch byte {
    case .some(UInt8(ascii: "\"")): "a string"
    case .some(UInt8(ascii: "{")): "an object"
    case .some(UInt8(ascii: "[")): "an array"
    case .some(UInt8(ascii: "t")), .some(UInt8(ascii: "f")): "a boolean"
    case .some(UInt8(ascii: "n")): "null"
    default: "a number"
    }
  }

  private var list: String { candidates.map { "'\($0)'" }.joined(separator: ", ") }

  private var size: String {
    let limit = limit ?? 0
    return limit >= 1 << 20 && limit % (1 << 20) == 0 ? "\(limit >> 20) MiB" : "\(limit) bytes"
  }
}
