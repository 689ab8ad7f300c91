internal import ImportModel
internal import PostgreSQLAccess

/// A part of a condition as PostgreSQL's SQL, with what SQLite knows of its value.
struct Operand {
  /// The class of its values, besides null.
  enum Kind {
    case null
    /// A `boolean` here, and 1 or 0 to SQLite.
    case truth
    case integer, real
    /// A real number that may be a whole one to SQLite: comparing does not tell them apart, dividing does.
    case number
    case text, blob
  }

  /// What SQLite makes of a value that is compared with it.
  enum Affinity { case none, numeric, text }

  /// A column, as it is compared, sorted and grouped by; the type is nil for an object id.
  struct Column {
    let sql: String
    let type: AttributeType?
  }

  let sql: String
  let kind: Kind
  var affinity = Affinity.none
  /// The value, where it is known beforehand.
  var constant: Value?
  /// Whether it is a value of a fetched property's own, beside which SQLite takes a decimal as a number.
  var isOfProperty = false
  /// The column that it is.
  var column: Column?

  static let null = Operand(sql: "NULL", kind: .null, constant: .null)

  static func truth(_ sql: String) -> Operand { Operand(sql: "(\(sql))", kind: .truth) }

  /// - Throws: `Untranslated` for a text that the server cannot hold.
  static func constant(_ value: Value) throws(Untranslated) -> Operand {
    switch value {
    case .null: return null
    case .integer(let number):
      return Operand(sql: "'\(number)'::bigint", kind: .integer, constant: value)
    case .real(let number) where number.isNaN: return null
    case .real(let number):
      let text = number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
      return Operand(sql: "'\(text)'::double precision", kind: .real, constant: value)
    case .text(let text):
      if text.utf8.contains(0) { throw .nulCharacter }
      return Operand(sql: "(\(literal(text)) COLLATE \"C\")", kind: .text, constant: value)
    case .blob: return Operand(sql: AttributeType.binary.constant(value), kind: .blob, constant: value)
    }
  }

  init(sql: String, kind: Kind, affinity: Affinity = .none, constant: Value? = nil, column: Column? = nil) {
    (self.sql, self.kind, self.affinity, self.constant, self.column) = (sql, kind, affinity, constant, column)
  }

  /// A column's values in Bolide's stored forms.
  init(_ column: Column) {
    self.column = column
    switch column.type {
    case nil, .integer16, .integer32, .integer64:
      (sql, kind, affinity) = ("\(column.sql)::bigint", .integer, .numeric)
    case .boolean: (sql, kind, affinity) = ("\(column.sql)::integer::bigint", .integer, .numeric)
    case .double, .float: (sql, kind, affinity) = (column.sql, .real, .numeric)
    case .decimal(0): (sql, kind, affinity) = ("\(column.sql)::bigint", .integer, .numeric)
    case .decimal(let scale):
      sql =
        "((\(column.sql) * '1e\(scale)'::numeric)::bigint::double precision / '1e\(scale)'::double precision)"
      kind = .real
    case .binary: (sql, kind) = (column.sql, .blob)
    case .string, .json: (sql, kind, affinity) = (column.sql, .text, .text)
    case .uuid: (sql, kind, affinity) = ("(\(column.sql)::text COLLATE \"C\")", .text, .text)
    case .day: (sql, kind, affinity) = (Self.date("YYYY-MM-DD", of: column.sql, "DATE"), .text, .text)
    case .date(let precision):
      let form = "YYYY-MM-DD\"T\"HH24:MI:SS\(["", ".MS", ".US"][precision.decimals / 3])\"Z\""
      (sql, kind, affinity) = (Self.date(form, of: column.sql, "TIMESTAMPTZ"), .text, .text)
    }
  }

  /// A date as text, in a form of `to_char`. The server calls the year 0 the first before Christ.
  static func date(_ form: String, of column: String, _ type: String) -> String {
    let isDay = type == "DATE"
    let time = isDay ? column : "\(column) AT TIME ZONE 'UTC'"
    return """
      (CASE WHEN \(column) >= \(type) '0001-01-01\(isDay ? "" : "T00:00:00Z")' THEN to_char(\(time), \(literal(form))) \
      ELSE to_char(\(time), \(literal(form.replacing("YYYY", with: "\"0000\"")))) END COLLATE "C")
      """
  }

  /// What is compared: a column itself where it holds what Bolide does, so that an index finds it.
  var compared: String {
    guard let column else { return sql }
    switch column.type {
    case .boolean, .decimal, .uuid, .day, .date: return sql
    default: return column.sql
    }
  }

  /// Whether it is a decimal column that has places behind the point.
  var isDecimal: Bool { if case .decimal(1...)? = column?.type { true } else { false } }

  // MARK: As another kind

  /// What a condition is: a number that is not nought holds.
  func asTruth() throws(Untranslated) -> String {
    switch kind {
    case .null: return "NULL::boolean"
    case .truth: return sql
    case .integer, .real, .number:
      if case .boolean? = column?.type, let column { return column.sql }
      return "(\(sql) <> 0)"
    case .text, .blob: throw .textAsCondition
    }
  }

  /// A truth as the number that it is to SQLite.
  var numeric: Operand { kind == .truth ? Operand(sql: "\(sql)::integer::bigint", kind: .integer) : self }

  /// - Throws: `Untranslated` for a real number, whose text is SQLite's own.
  func asText() throws(Untranslated) -> Operand {
    let own = numeric
    switch own.kind {
    case .null: return Operand(sql: "NULL::text", kind: .null)
    case .text: return own
    case .integer: return Operand(sql: "(\(own.sql)::text COLLATE \"C\")", kind: .text)
    case .real, .number, .truth: throw .realAsText
    case .blob: throw .bytesAsText
    }
  }

  /// A whole number as a real one; the nearest, where it has more than 53 bits.
  var widened: String { kind == .integer ? "\(sql)::double precision" : sql }

  /// Whether it is the same number as a real one.
  var isExactAsReal: Bool {
    switch (kind, constant, column?.type) {
    case (.real, _, _), (.number, _, _), (.null, _, _): true
    case (.integer, .integer(let number)?, _): number.magnitude <= 1 << 53
    case (.integer, _, .integer16), (.integer, _, .integer32), (.integer, _, .boolean): true
    default: false
    }
  }
}
