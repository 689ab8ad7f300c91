import ImportModel
import RandomHistories

/// Conditions and records by chance, of all types of attributes.
struct RandomConditions {
  /// Things of all types, in boxes that count and sum them.
  static let model = """
    bolide: 1
    name: things
    store: things.sqlite
    entity: Thing
    key: id
    attributes:
      id:     integer64
      small:  integer16
      medium: integer32
      large:  integer64
      real:   double
      price:  { type: decimal, scale: 2 }
      whole:  { type: decimal, scale: 0 }
      name:   string
      other:  string
      flag:   boolean
      at:     date
      until:  { type: date, precision: ms }
      exact:  { type: date, precision: us }
      day:    day
      uid:    uuid
      bytes:  binary
      doc:    json
      box:    { type: string, transient: true }
    link:
      in: { to: { code: box } }
    relationships:
      in: { to-one: Box, inverse: things }
    index: [[real], [at], [name, small], [price]]
    entities:
      Box:
        key: code
        attributes:
          code:   string
          count:  { derived: things.@count }
          total:  { derived: things.price.@sum }
          dear:   { derived: things.@count, where: "price > 5.25 AND (day IS NULL OR at < '2024') OR name LIKE 'A_%'" }
          latest: { derived: things.at.@max }
        relationships: { things: { to-many: Thing, inverse: in } }

    """

  private static let texts = [
    "a", "A", "ab", "aB%", "Ä", "ä", "", "10", "1", " 2", "2024", "it's", "x_y", "\\", "z\nz",
  ]
  private static let dates = [
    "2024-01-01T00:00:00", "2024-01-01T00:00:01", "2023-12-31T23:59:59", "1999-05-05T12:30:00",
    "0001-01-01T00:00:00", "9999-12-31T23:59:59", "2024-02-29T06:07:08",
  ]
  private static let days = ["2024-01-01", "2023-12-31", "0000-03-01", "9999-12-31", "2024-02-29"]
  private static let uids = [
    "00000000-0000-0000-0000-000000000000", "c0ffee00-1234-4abc-8def-0123456789ab",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ]

  private var dice: Dice

  init(_ seed: Int) { dice = Dice(seed) }

  mutating func pick<Element>(_ values: [Element]) -> Element { dice.pick(values) }
  mutating func below(_ end: Int) -> Int { dice.int(0...end - 1) }

  // MARK: Records

  mutating func record(_ id: Int) -> String {
    var parts = ["\"id\": \(id)"]
    func quoted(_ text: String) -> String {
      "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
    }
    let choices: [(String, [String])] = [
      ("small", ["0", "1", "2", "-3", "32767"]), ("medium", ["0", "1", "70000", "-5"]),
      ("large", ["0", "1", "2", "9223372036854775807", "-9223372036854775808", "9007199254740993", "10"]),
      ("real", ["0", "0.5", "1", "2.5", "-2.5", "1e300", "9007199254740992", "9223372036854775808", "10"]),
      ("price", ["0", "5.25", "5.26", "12.5", "-0.01", "10", "90071992547409.93"]),
      ("whole", ["0", "1", "2", "-7", "9007199254740993"]),
      ("name", Self.texts.map(quoted)), ("other", Self.texts.map(quoted)), ("flag", ["true", "false"]),
      ("at", Self.dates.map { quoted($0 + "Z") }),
      ("until", Self.dates.flatMap { [quoted($0 + ".000Z"), quoted($0 + ".250Z")] }),
      ("exact", Self.dates.flatMap { [quoted($0 + ".000000Z"), quoted($0 + ".000001Z")] }),
      ("day", Self.days.map(quoted)), ("uid", Self.uids.map(quoted)),
      ("bytes", ["\"\"", "\"AA==\"", "\"YWI=\"", "\"/w==\""]),
      ("doc", ["{\"a\": 1}", "[1, 2]", "\"x\"", "7"]), ("box", ["\"x\"", "\"y\"", "\"Z\""]),
    ]
    for (name, values) in choices where below(5) > 0 {
      parts.append("\"\(name)\": \(pick(values))")
    }
    return "{\(parts.joined(separator: ", "))}"
  }

  // MARK: Conditions

  private enum Kind: CaseIterable { case number, text, date, bytes }

  /// What a fetched property's conditions can name of its own.
  static let info: [String: Value] = [
    "one": 1, "half": .real(0.5), "price": .real(5.25), "large": .integer(9_007_199_254_740_993),
    "text": "a", "digits": "10", "day": "2024-01-01", "time": "2024-01-01T00:00:00Z", "null": .null,
    "bytes": .blob([0x61, 0x62]),
  ]

  /// Whether conditions are a fetched property's.
  var isOfProperty = false

  private mutating func name(_ kind: Kind) -> String {
    isOfProperty && below(3) > 0 ? "$FETCH_SOURCE.\(ownName(kind))" : ownName(kind)
  }

  private mutating func ownName(_ kind: Kind) -> String {
    switch kind {
    case .number:
      pick([
        "small", "medium", "large", "real", "price", "whole", "flag", "in.count", "in.total", "in.dear", "in",
        "bolide_id",
      ])
    case .text: pick(["name", "other", "uid", "doc", "in.code"])
    case .date: pick(["at", "until", "exact", "day", "in.latest"])
    case .bytes: "bytes"
    }
  }

  private mutating func constant(_ kind: Kind) -> String {
    if isOfProperty, below(3) == 0 {
      let names: [String]
      switch kind {
      case .number: names = ["one", "half", "price", "large", "digits", "null"]
      case .text: names = ["text", "digits", "null"]
      case .date: names = ["day", "time"]
      case .bytes: names = ["bytes"]
      }
      return "$FETCHED_PROPERTY.\(pick(names))"
    }
    switch kind {
    case .number:
      return pick([
        "0", "1", "2", "-3", "2.5", "5.25", "10", "-0.01", "1e300", "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775809", "9007199254740993", "9007199254740992.0", "0x1f", ".5", "12.505", "NULL",
      ])
    case .text: return pick((Self.texts + Self.uids).map { "'\($0.replacing("'", with: "''"))'" })
    case .date:
      let whole = pick(Self.dates)
      return pick([
        "'\(whole)Z'", "'\(whole).000Z'", "'\(whole).250Z'", "'\(whole).000001Z'", "'\(whole)'",
        "'\(pick(Self.days))'",
        "'2024'", "'2024-01'", "''", "'2'", "'zzz'", "'2023-12-31T23:59'", "2024", "'10000'", "'2024-02-30'",
      ])
    case .bytes: return pick(["x''", "x'00'", "X'6162'", "x'ff'"])
    }
  }

  mutating func condition(_ depth: Int = 3) -> String {
    guard depth > 0 else { return comparison() }
    switch below(8) {
    case 0...2: return "(\(condition(depth - 1)) \(pick(["AND", "OR"])) \(condition(depth - 1)))"
    case 3: return "NOT \(condition(depth - 1))"
    case 4: return "CASE WHEN \(comparison()) THEN \(comparison()) ELSE \(comparison()) END"
    case 5: return "(\(condition(depth - 1))) IS \(pick(["TRUE", "NOT TRUE", "FALSE", "NOT NULL"]))"
    default: return comparison()
    }
  }

  private mutating func comparison() -> String {
    let kind = pick(Kind.allCases)
    let symbol = pick(["=", "<", ">", "<=", ">=", "<>", "IS", "IS NOT"])
    // Now and then of another kind: it is what SQLite makes of that, or refused.
    let other = below(12) == 0 ? pick(Kind.allCases) : kind
    let left = name(kind)
    switch below(14) {
    case 0...4: return "\(left) \(symbol) \(constant(other))"
    case 5: return "\(constant(other)) \(symbol) \(left)"
    case 6: return "\(left) \(symbol) \(name(other))"
    case 7:
      return "\(left) \(pick(["IN", "NOT IN"])) (\(constant(kind)), \(constant(other)), \(constant(kind)))"
    case 8: return "\(left) \(pick(["BETWEEN", "NOT BETWEEN"])) \(constant(kind)) AND \(constant(other))"
    case 9:
      let pattern = pick(["%", "a%", "%B\\%", "_", "%!%", "A_", "2024-01%", "%_y", "1", "\\"])
      return "\(left) LIKE '\(pattern)'\(below(3) == 0 ? " ESCAPE '!'" : "")"
    case 10:
      return pick([
        "any(in.things, \(pick(["price > 5.25", "real < 1", "name = 'a'"])))", "count(in.things, flag) > 2",
        "none(in.things, doc IS NULL)",
        "all(in.things, small >= 0)", "count(in.things) \(symbol) in.count",
      ])
    case 11:
      let (a, b) = (name(.number), name(.number))
      let sum = pick([
        "\(a) + \(b)", "\(a) - \(b)", "\(a) * 2", "\(a) / \(b)", "\(a) / 2", "-\(a)", "\(a) % 3", "abs(\(a))",
      ])
      return "\(sum) \(symbol) \(constant(.number))"
    case 12:
      return pick([
        "length(\(name(.text))) > 1", "lower(name) = other", "upper(name) \(symbol) 'A'",
        "substr(name, 1, 1) = 'a'",
        "coalesce(name, other) \(symbol) 'a'", "coalesce(real, 0) > 0", "ifnull(small, -1) < 1",
        "nullif(name, 'a') IS NULL",
        "max(small, medium) >= 1", "min(real, 2.5) = 2.5", "name || other = 'aA'", "small || '' = '1'",
        "instr(name, 'b')",
        "trim(name) = '2'", "replace(name, 'a', 'b') = 'b'", "CAST(real AS INTEGER) = 2",
        "CAST(small AS TEXT) = name", "iif(flag, name, other) = 'a'",
      ])
    default:
      return pick([
        "date(at) = '2024-01-01'", "strftime('%Y', \(pick(["at", "until", "day"]))) = '2024'",
        "time(until) >= '12'", "datetime(day) = '2024-01-01 00:00:00'",
        "flag", "NOT flag", "small", "real AND flag", "name ISNULL", "in IS NOT NULL", "TRUE",
        "small IS NOT DISTINCT FROM medium",
        "strftime('%d.%m.%Y', at) \(symbol) '01.01.2024'",
      ])
    }
  }
}
