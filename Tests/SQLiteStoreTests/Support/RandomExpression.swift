import ImportModel

@testable import TypedRows

/// Random expressions over rows of every type, with the values at which SQLite's rules change.
struct RandomExpression {
  static let entity = Entity(
    name: "Thing", key: ["id"],
    attributes: [
      Attribute(name: "id", type: .integer64, isRequired: true), Attribute(name: "i", type: .integer64),
      Attribute(name: "small", type: .integer16, defaultValue: 7),
      Attribute(name: "flag", type: .boolean), Attribute(name: "r", type: .double),
      Attribute(name: "r2", type: .double, defaultValue: 2.5), Attribute(name: "f", type: .float),
      Attribute(name: "price", type: .decimal(scale: 2)),
      Attribute(name: "whole", type: .decimal(scale: 0), defaultValue: 3),
      Attribute(name: "cents", type: .decimal(scale: 3), defaultValue: 1250),
      Attribute(name: "t", type: .string, isTransient: true),
      Attribute(name: "t2", type: .string, defaultValue: "n/a"),
      Attribute(name: "end", type: .string), Attribute(name: "at", type: .date(precision: .seconds)),
      Attribute(name: "ms", type: .date(precision: .milliseconds)),
      Attribute(name: "us", type: .date(precision: .microseconds)), Attribute(name: "day", type: .day),
      Attribute(name: "uuid", type: .uuid), Attribute(name: "raw", type: .binary),
      Attribute(name: "json", type: .json), Attribute(name: "int", type: .integer64),
      Attribute(name: "real", type: .double), Attribute(name: "text", type: .string),
      Attribute(name: "bytes", type: .binary),
    ])

  static let pipeline = Pipeline(
    name: "things", entity: "Thing", model: Model(entities: [entity]), fields: [])

  private static let integers: [Int64] = [
    0, 1, -1, 2, 3, 7, 10, -10, 127, 1 << 31, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .min, .max - 1,
    .min + 1, 3_037_000_500, 1_000_000_007,
  ]
  private static let reals: [Double] = [
    0, -0.0, 1, -1, 0.5, 1.5, -1.5, 2.5, 0.1, 3, 7, 1e15, 1e16, 0x1p53, 0x1p63, -0x1p63, 0x1p62, 1e300,
    -1e308,
    1.7976931348623157e308, .leastNonzeroMagnitude, .leastNormalMagnitude, -0x1p-1060, 9.223372036854775e18,
    .infinity,
    -.infinity, 127, 3.0000000000000004,
  ]
  private static let texts = [
    "", "a", "A", "ab", "Ab", "äÖ", "a\u{0}b", "\u{0}", "it's", "1", "10", "-7", "007", " 1", "1.5", "1e3",
    "-", "+5",
    "123456789012345678", "9223372036854775808", "z\n", "日本語テキスト", "🙂é", "N", "S", "[1,2]", "2026-01-02",
    String(repeating: "long", count: 30),
  ]
  private static let days = [
    "2026-11-24", "0000-01-01", "0001-01-01", "1969-12-31", "2000-02-29", "2023-01-31", "9999-12-31",
  ]
  private static let times = ["00:00:00", "23:59:59", "12:34:56", "07:08:09"]

  var dice: Dice

  // MARK: Rows

  mutating func record(_ id: Int) -> Record {
    var record: Record = ["id": .integer(Int64(id))]
    for attribute in Self.entity.attributes.dropFirst() {
      switch dice.int(0...9) {
      case 0: record[attribute.name] = .null
      case 1: break
      default: record[attribute.name] = value(of: attribute.type)
      }
    }
    return record
  }

  private mutating func value(of type: AttributeType) -> Value {
    switch type {
    case .integer16: .integer(Int64(dice.int(-32768...32767)))
    case .boolean: .integer(Int64(dice.int(0...1)))
    case .integer32, .integer64, .decimal:
      .integer(dice.once(in: 3) ? Int64(dice.int(-300...300)) : dice.pick(Self.integers))
    case .double, .float:
      .real(dice.once(in: 4) ? Double(bitPattern: dice.next()).orNought : dice.pick(Self.reals))
    case .string, .json: .text(dice.pick(Self.texts))
    case .date(let precision):
      .text("\(dice.pick(Self.days))T\(dice.pick(Self.times))\(fraction(precision.decimals))Z")
    case .day: .text(dice.pick(Self.days))
    case .uuid: .text("01234567-89ab-cdef-0123-456789abcdef")
    case .binary: .blob(dice.once(in: 3) ? [] : [0x61, 0, 0xff])
    }
  }

  private mutating func fraction(_ decimals: Int) -> String {
    decimals == 0 ? "" : "." + (0..<decimals).map { _ in "\(dice.pick([0, 4, 5, 9, 9]))" }.joined()
  }

  // MARK: Expressions

  /// A number's, or a text's, or of any kind; now and then of another kind than it should be.
  enum Kind: CaseIterable { case number, text, any }

  mutating func expression(_ kind: Kind = .any, depth: Int = 5) -> String {
    if dice.once(in: 40) { return leaf(dice.pick(Kind.allCases)) }
    guard depth > 0, !dice.once(in: 6) else { return leaf(kind) }
    switch kind {
    case .number: return number(depth - 1)
    case .text: return text(depth - 1)
    case .any: return dice.once(in: 3) ? text(depth - 1) : number(depth - 1)
    }
  }

  private mutating func leaf(_ kind: Kind) -> String {
    switch kind {
    case .number:
      dice.pick([
        "i", "I", "small", "flag", "r", "\"r2\"", "[f]", "price", "whole", "cents", "0", "1", "-1", "2",
        "2.5", "-0.0",
        "1e300", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0x10", ".5", "7",
        "NULL",
        "127", "r", "i", "1.", "0.1",
      ])
    case .text:
      dice.pick([
        "t", "t2", "\"end\"", "at", "ms", "us", "day", "uuid", "json", "'a'", "''", "'it''s'", "'N'", "'10'",
        "'äÖ'",
        "t", "`t`", "NULL", "'1.5'",
      ])
    case .any: dice.pick(["raw", "NULL", "x'61'", "t", "r", "i", "id", "true", "end"])
    }
  }

  /// In parentheses, or as its operators bind.
  private mutating func part(_ kind: Kind, _ depth: Int) -> String {
    let part = expression(kind, depth: depth)
    return dice.once(in: 3) ? part : "(\(part))"
  }

  private mutating func condition(_ depth: Int) -> String {
    let kind: Kind = dice.once(in: 2) ? .number : .text
    let (a, b) = (part(kind, depth), part(kind, depth))
    let negation = dice.pick(["", "", " not"])
    switch dice.int(0...9) {
    case 0: return a + dice.pick([" IS NULL", " ISNULL", " NOTNULL", " IS NOT NULL", " NOT NULL"])
    case 1: return "\(a)\(negation) BETWEEN \(b) AND \(part(kind, depth))"
    case 2: return "\(a)\(negation) IN (\(b), \(part(kind, depth)), \(leaf(kind)))"
    case 3: return "\(a) IN (\(leaf(kind)))"
    case 4: return "\(a)\(dice.pick([" IS ", " IS NOT "]))\(b)"
    case 5 where kind == .number:
      return "\(a)\(negation) IN (9007199254740993, 9007199254740992.0, 2.5, -1, 0, 7)"
    case 5: return "\(a)\(negation) IN ('a', 'N', '', '10', 'n/a')"
    default: return a + dice.pick(["=", "==", "<>", "!=", "<", "<=", ">", ">="]) + b
    }
  }

  private mutating func number(_ depth: Int) -> String {
    switch dice.int(0...13) {
    case 0...2: "\(part(.number, depth)) \(dice.pick(["+", "-", "*", "/", "%"])) \(part(.number, depth))"
    case 3...5: condition(depth)
    case 6: "\(part(.number, depth)) \(dice.pick(["AND", "OR", "and"])) \(part(.number, depth))"
    case 7: dice.pick(["NOT ", "-", "- ", "+"]) + part(.number, depth)
    case 8: choice(.number, depth)
    case 9: "abs(\(expression(.number, depth: depth)))"
    case 10: "length(\(expression(.text, depth: depth)))"
    case 11: "CAST(\(expression(.text, depth: depth)) AS INTEGER)"
    case 12:
      "CAST(\(expression(.number, depth: depth)) AS \(dice.pick(["INTEGER", "int", "REAL", "NUMERIC"])))"
    default:
      dice.pick(["round(\(part(.number, depth)))", "typeof(r) = 'real'", "instr(t, 'a')", "unicode(t)"])
    }
  }

  private mutating func text(_ depth: Int) -> String {
    switch dice.int(0...9) {
    case 0, 1: "\(part(.text, depth)) || \(part(dice.once(in: 3) ? .number : .text, depth))"
    case 2, 3: choice(.text, depth)
    case 4: "\(dice.pick(["lower", "UPPER"]))(\(expression(.text, depth: depth)))"
    case 5:
      "substr(\(expression(.text, depth: depth)), \(dice.pick(["1", "2", "6", "0", "-2"])), \(dice.pick(["0", "1", "4", "99", "-1"])))"
    case 6, 7:
      "strftime('\(dice.pick(["%Y", "%Y-%m", "%m/%d", "%H:%M:%S", "%Y%m%d%H", "%d.%m.", "é%M", "-", "ab", "%%", "%j", "%s"]))', \(dice.pick(["at", "ms", "us", "day"])))"
    case 8: "\(dice.pick(["date", "time", "datetime"]))(\(dice.pick(["at", "ms", "us", "day"])))"
    default: "CAST(\(part(dice.once(in: 2) ? .number : .text, depth)) AS TEXT)"
    }
  }

  private mutating func choice(_ kind: Kind, _ depth: Int) -> String {
    let (a, b, c) = (
      expression(kind, depth: depth), expression(kind, depth: depth), expression(kind, depth: depth)
    )
    switch dice.int(0...6) {
    case 0: return "coalesce(\(a), \(b), \(c))"
    case 1: return "ifnull(\(a), \(b))"
    case 2: return "nullif(\(a), \(b))"
    case 3: return "iif(\(condition(depth)), \(a), \(b))"
    case 4: return "\(dice.pick(["min", "max"]))(\(a), \(b), \(c))"
    case 5:
      let base: Kind = dice.once(in: 2) ? .number : .text
      let (first, second) = (leaf(base), expression(base, depth: depth))
      return
        "CASE \(expression(base, depth: depth)) WHEN \(first) THEN \(a) WHEN \(second) THEN \(b) ELSE \(c) END"
    default: return "case when \(condition(depth)) then \(a) \(dice.pick(["", "else \(b)"])) end"
    }
  }
}

extension Double {
  /// Itself; nought where it is not a number.
  fileprivate var orNought: Double { isNaN ? 0 : self }
}
