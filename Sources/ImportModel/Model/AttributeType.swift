/// The type of an attribute's values.
public enum AttributeType: Sendable, Hashable, Codable {
  /// A whole number of 16 bits.
  case integer16
  /// A whole number of 32 bits.
  case integer32
  /// A whole number of 64 bits.
  case integer64
  /// An IEEE 754 number of 64 bits.
  case double
  /// An IEEE 754 number of 32 bits, stored widened.
  case float
  /// A decimal number, stored as a whole number of units of `10^-scale`.
  case decimal(scale: Int)
  /// Text.
  case string
  /// True or false, stored as 1 or 0.
  case boolean
  /// An instant, stored `YYYY-MM-DDTHH:MM:SSZ`, with as many decimals of a second as the precision has.
  case date(precision: DatePrecision)
  /// A calendar day, stored `YYYY-MM-DD`.
  case day
  /// A UUID, stored as lower-case text.
  case uuid
  /// Bytes; a record brings them as base64.
  case binary
  /// A nested JSON value, kept as its text.
  case json

  /// How a value of this type lies in a cell and in a column of the store.
  package var storage: StorageClass {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .boolean: .integer
    case .double, .float: .real
    case .string, .date, .day, .uuid, .json: .text
    case .binary: .blob
    }
  }

  /// Whether sums and ranges have a meaning.
  package var isNumeric: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .double, .float: true
    default: false
    }
  }

  /// The name as a pipeline file writes it.
  package var name: String {
    switch self {
    case .integer16: "integer16"
    case .integer32: "integer32"
    case .integer64: "integer64"
    case .double: "double"
    case .float: "float"
    case .decimal: "decimal"
    case .string: "string"
    case .boolean: "boolean"
    case .date: "date"
    case .day: "day"
    case .uuid: "uuid"
    case .binary: "binary"
    case .json: "json"
    }
  }

  /// One of each, with its plain settings, in the order in which messages list them.
  private static let all: [AttributeType] = [
    .integer16, .integer32, .integer64, .double, .float, .decimal(scale: 0), .string, .boolean,
    .date(precision: .seconds), .day, .uuid, .binary, .json,
  ]

  /// All type names, for messages.
  package static let names = all.map(\.name)

  /// The type that a pipeline file names, with its plain settings; nil for an unknown name.
  package init?(name: String) {
    guard let type = Self.all.first(where: { $0.name == name }) else { return nil }
    self = type
  }

  /// The type with its settings, for messages.
  package var description: String {
    switch self {
    case .decimal(let scale): "decimal with scale \(scale)"
    case .date(let precision) where precision != .seconds: "date with precision \(precision.rawValue)"
    default: name
    }
  }
}

/// How much of a second an instant keeps.
public enum DatePrecision: String, Sendable, Hashable, Codable, CaseIterable {
  /// None of it: `2026-05-12T03:14:07Z`.
  case seconds
  /// Thousandths: `2026-05-12T03:14:07.250Z`.
  case milliseconds = "ms"
  /// Millionths: `2026-05-12T03:14:07.250125Z`.
  case microseconds = "us"

  /// The decimals of a second that the stored form has.
  package var decimals: Int {
    switch self {
    case .seconds: 0
    case .milliseconds: 3
    case .microseconds: 6
    }
  }

  /// The stored form of an instant that is known to the millisecond.
  ///
  /// - Parameter milliseconds: `YYYY-MM-DDTHH:MM:SS.mmmZ`.
  package func instant(_ milliseconds: String) -> String {
    switch self {
    case .seconds: "\(milliseconds.prefix(19))Z"
    case .milliseconds: milliseconds
    case .microseconds: "\(milliseconds.prefix(23))000Z"
    }
  }
}

/// The four ways in which SQLite keeps a value that is not null.
package enum StorageClass: UInt8, Sendable, Hashable {
  /// 64-bit signed whole numbers.
  case integer
  /// 64-bit IEEE 754 numbers.
  case real
  /// UTF-8 text.
  case text
  /// Bytes.
  case blob

  /// The column type in a `STRICT` table.
  package var sql: String {
    switch self {
    case .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    case .blob: "BLOB"
    }
  }
}
