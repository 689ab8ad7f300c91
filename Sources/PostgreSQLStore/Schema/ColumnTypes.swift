package import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// What an attribute's type is as a column, and how its values pass between the server and Bolide's stored forms.
///
///     type                        column               parameter          result
///     integer16, 32, 64           smallint … bigint    2, 4 or 8 bytes    2, 4 or 8 bytes
///     decimal                     numeric(38, scale)   numeric            bigint: units
///     double, float               double precision     8 bytes            8 bytes
///     string, json                text, json           UTF-8              UTF-8
///     boolean                     boolean              1 byte             1 byte
///     date                        timestamptz          µs from 2000       µs from 2000
///     day                         date                 days from 2000     days from 2000
///     uuid                        uuid                 16 bytes           16 bytes
///     binary                      bytea                bytes              bytes
extension AttributeType {
  /// The column's type.
  package var column: String {
    switch self {
    case .integer16: "smallint"
    case .integer32: "integer"
    case .integer64: "bigint"
    case .double, .float: "double precision"
    case .decimal(let scale): "numeric(38, \(scale))"
    case .string: "text COLLATE \"C\""
    case .boolean: "boolean"
    case .date(let precision): "timestamptz(\(precision.decimals))"
    case .day: "date"
    case .uuid: "uuid"
    case .binary: "bytea"
    case .json: "json"
    }
  }

  /// The type of a parameter's elements.
  var element: Parameter.ElementType {
    switch self {
    case .integer16: .integer16
    case .integer32: .integer32
    case .integer64: .integer64
    case .decimal: .decimal
    case .double, .float: .double
    case .string: .text
    case .boolean: .boolean
    case .date: .date
    case .day: .day
    case .uuid: .uuid
    case .binary: .binary
    case .json: .json
    }
  }

  /// An element of a parameter as a value of the column's type.
  func value(ofParameter sql: String) -> String { self == .string ? "\(sql) COLLATE \"C\"" : sql }

  /// One value of the column's type, from a parameter that is an array of it.
  func single(_ place: Int) -> String { value(ofParameter: "($\(place))[1]") }

  /// A column's value as a result. Another program may have given the column another type; where it has not, the cast is none.
  func result(ofColumn sql: String) -> String {
    switch self {
    case .decimal(let scale): "(\(sql) * '1e\(scale)'::numeric)::bigint"
    case .integer16, .integer32: "(\(sql))::bigint"
    case .date: "(\(sql))::timestamptz"
    // JSON that is grouped by is text already, and a cast would go below its COLLATE.
    case .string, .json: "(\(sql))::text"
    default: "(\(sql))::\(column)"
    }
  }

  /// A column's value as history keeps it: as text, exactly. Times are as `::text` has them in UTC and ISO 8601, whatever the session
  /// of another program has: as JSON they always are, and a setting of the triggers' functions would take longer with each call.
  func historyText(ofColumn sql: String) -> String {
    switch self {
    case .date:
      let time = "translate(to_json(\(sql) AT TIME ZONE 'UTC')::text, 'T\"', ' ')"
      return "replace(replace(\(time) || '+00', ' BC+00', '+00 BC'), 'infinity+00', 'infinity')"
    case .day: return "btrim(to_json(\(sql))::text, '\"')"
    default: return "\(sql)::text"
    }
  }

  /// A stored value as SQL has it.
  func constant(_ value: Value) -> String {
    switch value {
    case .null: return "NULL"
    case .integer(let number):
      switch self {
      case .boolean: return number == 0 ? "false" : "true"
      case .decimal(let scale): return "\(number) * '1e-\(scale)'::numeric"
      default: return "\(number)"
      }
    case .real(let number): return "'\(number)'::double precision"
    case .text(let text):
      switch self {
      case .date, .day: return literal(Self.serverText(ofTime: text))
      default: return literal(text)
      }
    case .blob(let bytes):
      return
        "\(literal("\\x\(bytes.map { String(UInt16($0) | 256, radix: 16).dropFirst() }.joined())"))::bytea"
    }
  }

  /// A day or an instant as the server reads it, which calls the year 0 the first before Christ.
  static func serverText(ofTime text: String) -> String {
    text.hasPrefix("0000") ? "0001\(text.dropFirst(4)) BC" : text
  }

  /// Whether two values differ; null is a value.
  func differs(_ left: String, _ right: String) -> String {
    self == .json ? "\(left)::text IS DISTINCT FROM \(right)::text" : "\(left) IS DISTINCT FROM \(right)"
  }

  /// A value of a result in its stored form.
  func value(_ result: some ResultRows, _ row: Int, _ column: Int) -> Value {
    if result.isNull(row, column) { return .null }
    switch self {
    case .integer16, .integer32, .integer64, .decimal, .boolean: return .integer(result.integer(row, column))
    case .double, .float: return .real(result.real(row, column))
    case .string, .json: return .text(result.text(row, column))
    case .binary: return .blob(Array(result.bytes(row, column)))
    case .date, .day, .uuid:
      return .text(withStoredText(result, row, column) { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The stored text of a value of a result that is one to Bolide; the bytes are valid during the call.
  func withStoredText<Result>(
    _ result: some ResultRows, _ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    switch self {
    case .date(let precision):
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
        guard let start = text.baseAddress else { return body(UnsafeBufferPointer(text)) }
        let time = Self.time(result.integer(row, column))
        time.write(decimals: precision.decimals, to: start)
        let length = precision == .seconds ? 20 : 21 + precision.decimals
        return body(UnsafeBufferPointer(start: start, count: length))
      }
    case .day:
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 10) { text in
        guard let start = text.baseAddress else { return body(UnsafeBufferPointer(text)) }
        let days = result.integer(row, column)
        let (microseconds, isTooLarge) = days.multipliedReportingOverflow(by: 86_400_000_000)
        Self.time(isTooLarge ? (days < 0 ? .min : .max) : microseconds).writeDay(to: start)
        return body(UnsafeBufferPointer(text))
      }
    case .uuid:
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: UUIDText.length) { text in
        Self.write(uuid: result.bytes(row, column), to: text)
        return body(UnsafeBufferPointer(text))
      }
    default:
      return body(result.bytes(row, column).assumingMemoryBound(to: UInt8.self))
    }
  }

  /// The instant that a server's number stands for; the ends of Bolide's calendar for what is beyond it, infinity too.
  private static func time(_ microseconds: Int64) -> CivilTime {
    let (since1970, isTooLarge) = microseconds.addingReportingOverflow(microsecondsTo2000)
    let bounded = isTooLarge ? Int64.max : since1970
    let range = CivilTime.range
    let within = min(max(bounded, range.lowerBound), range.upperBound)
    return (try? CivilTime(microseconds: within)) ?? CivilTime()
  }

  /// From 1970 to 2000-01-01T00:00:00Z, from where the server counts.
  static let microsecondsTo2000: Int64 = 946_684_800_000_000

  private static let digits = Array("0123456789abcdef".utf8)

  private static func write(uuid bytes: UnsafeRawBufferPointer, to text: UnsafeMutableBufferPointer<UInt8>) {
    var place = 0
    for byte in bytes.prefix(16) {
      if [8, 13, 18, 23].contains(place) {
        text[place] = UInt8(ascii: "-")
        place += 1
      }
      text[place] = digits[Int(byte >> 4)]
      text[place + 1] = digits[Int(byte & 15)]
      place += 2
    }
  }
}

extension Parameter {
  /// A value in its stored form, as an array that holds it alone: so it has its column's type.
  init(single value: Value, _ type: AttributeType) {
    var array = ArrayParameter(type.element)
    array.fields.append(stored: value, type)
    self = array.parameter
  }
}

extension BinaryFields {
  /// Appends a value in its stored form.
  mutating func append(stored value: Value, _ type: AttributeType) {
    switch value {
    case .null: appendNull()
    case .integer(let number): append(integer: number, type)
    case .real(let number): append(number)
    case .text(let text):
      var text = text
      text.withUTF8 { append(storedText: $0, type) }
    case .blob(let bytes): bytes.withUnsafeBufferPointer { append($0) }
    }
  }

  /// Appends a cell of a chunk; null for an absent one.
  mutating func append(_ chunk: Chunk, _ column: Int, _ row: Int) {
    guard chunk.state(column, row) == .value else { return appendNull() }
    let type = chunk.layout.columns[column].attribute.type
    switch chunk.layout.storages[column] {
    case .integer: append(integer: chunk.integer(column, row), type)
    case .real: append(chunk.real(column, row))
    case .text: append(storedText: chunk.bytes(column, row), type)
    case .blob: append(chunk.bytes(column, row))
    }
  }

  private mutating func append(integer number: Int64, _ type: AttributeType) {
    switch type {
    case .boolean: append(number != 0)
    case .decimal(let scale): append(units: number, decimals: scale)
    default: append(number, type.element)
    }
  }

  private mutating func append(storedText text: UnsafeBufferPointer<UInt8>, _ type: AttributeType) {
    switch type {
    case .date:
      append((CivilTime(stored: text)?.microseconds ?? 0) - AttributeType.microsecondsTo2000)
    case .day:
      let since2000 = (CivilTime(stored: text)?.microseconds ?? 0) - AttributeType.microsecondsTo2000
      append(since2000 / 86_400_000_000, .day)
    case .uuid:
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
        var place = 0
        for letter in text where letter != UInt8(ascii: "-") && place < 32 {
          let digit = letter < UInt8(ascii: "a") ? letter & 15 : letter - UInt8(ascii: "a") + 10
          if place & 1 == 0 { bytes[place / 2] = digit << 4 } else { bytes[place / 2] |= digit }
          place += 1
        }
        append(UnsafeBufferPointer(bytes))
      }
    default: append(text)
    }
  }
}
