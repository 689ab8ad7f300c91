/// Why a reader cannot go on, and where.
///
/// The records before that place were all delivered.
public struct JSONError: Error, Sendable, Hashable {
  /// What went wrong, for programs.
  ///
  /// The set may grow: have a default case.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's name, kebab-case.
    public let rawValue: String

    /// A code by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// What went wrong.
  public let code: Code
  /// Where the bytes are that could not be accepted; for a limit, where the thing begins that is past it.
  public let position: Position
  /// The number, from 1, of the record in which it happened; nil between records.
  public let record: Int?
  /// Records that were delivered.
  public let recordsBefore: Int
  /// The byte found at `position`; nil where the input ended.
  public let byte: UInt8?
  /// The limit that was hit, in the code's own unit.
  public let limit: Int?
  /// The places that would do equally well, for `ambiguousRecords`; the names, for `duplicateName`.
  public let candidates: [String]

  init(
    _ code: Code, at position: Position, record: Int? = nil, recordsBefore: Int = 0, byte: UInt8? = nil,
    limit: Int? = nil, candidates: [String] = []
  ) {
    self.code = code
    self.position = position
    self.record = record
    self.recordsBefore = recordsBefore
    self.byte = byte
    self.limit = limit
    self.candidates = candidates
  }
}

extension JSONError.Code {
  private init(_ name: String) { rawValue = name }

  /// A byte that no JSON text has in this place: anything beyond ASCII outside a string.
  public static let unexpectedByte = Self("unexpected-byte")
  /// A value was due.
  public static let expectedValue = Self("expected-value")
  /// A value or `]` was due.
  public static let expectedValueOrBracket = Self("expected-value-or-bracket")
  /// A key in double quotes was due, or `}` where the object is empty so far.
  public static let expectedKey = Self("expected-key")
  /// `:` was due.
  public static let expectedColon = Self("expected-colon")
  /// `,` or `]` was due.
  public static let expectedCommaOrBracket = Self("expected-comma-or-bracket")
  /// `,` or `}` was due.
  public static let expectedCommaOrBrace = Self("expected-comma-or-brace")
  /// A word other than `true`, `false` and `null`.
  public static let unexpectedWord = Self("unexpected-word")
  /// A number that RFC 8259 does not have.
  public static let malformedNumber = Self("malformed-number")
  /// A backslash with something after it that is no escape.
  public static let malformedEscape = Self("malformed-escape")
  /// A byte below 0x20 within a string.
  public static let controlInString = Self("control-in-string")
  /// Bytes in a string that are not UTF-8.
  public static let notUTF8 = Self("not-utf-8")
  /// More arrays and objects within each other than the limit.
  public static let depthLimit = Self("depth-limit")
  /// A string of more bytes than the limit.
  public static let stringLimit = Self("string-limit")
  /// A number of more bytes than the limit.
  public static let numberLimit = Self("number-limit")
  /// A record of more bytes than the limit.
  public static let recordLimit = Self("record-limit")
  /// Something stands behind the end of the document.
  public static let contentAfterDocument = Self("content-after-document")
  /// The input ends before its last value does.
  public static let inputEnds = Self("input-ends")
  /// In a feed of lines, a line ends before its record does.
  public static let lineEnds = Self("line-ends")
  /// The input has no bytes, or white space alone.
  public static let noInput = Self("no-input")
  /// An HTML or XML page.
  public static let markup = Self("markup")
  /// UTF-16.
  public static let utf16 = Self("utf-16")
  /// UTF-32.
  public static let utf32 = Self("utf-32")
  /// The value where the records should be is neither an array nor an object.
  public static let noRecordsThere = Self("no-records-there")
  /// Several arrays could be the records.
  public static let ambiguousRecords = Self("ambiguous-records")
  /// Rows are arrays and nothing names their columns.
  public static let noNames = Self("no-names")
  /// The names of the columns are not an array of strings.
  public static let malformedNames = Self("malformed-names")
  /// A NUL byte in delimited text.
  public static let nul = Self("nul")
  /// Delimited text has no line.
  public static let noHeader = Self("no-header")
  /// Something stands behind a quote that closes a cell of delimited text.
  public static let textAfterQuote = Self("text-after-quote")
  /// A cell's quote is not closed.
  public static let unclosedQuote = Self("unclosed-quote")
  /// Two columns have one requested name.
  public static let duplicateName = Self("duplicate-name")
}
