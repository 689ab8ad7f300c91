internal import ImportModel
internal import PostgreSQLAccess
internal import TypedRows

/// A comparison of two parts that means what SQLite's does.
enum Comparison: String {
  case equal = "="
  case unequal = "<>"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  /// The same with the sides exchanged.
  private var mirrored: Comparison {
    switch self {
    case .equal, .unequal: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// Whether it holds for what is smaller, and for what is larger.
  private var holdsForSmaller: Bool { [.unequal, .less, .lessOrEqual].contains(self) }
  private var holdsForLarger: Bool { [.unequal, .greater, .greaterOrEqual].contains(self) }

  func sql(_ a: Operand, _ b: Operand) throws(Untranslated) -> Operand {
    if a.kind == .null || b.kind == .null { return Operand(sql: "NULL::boolean", kind: .truth) }
    if let found = try stored(a, b) { return found }
    // As in SQLite, a decimal behind the sign of a comparison is a number like any other.
    if !b.isDecimal, let found = try mirrored.stored(b, a) { return found }
    let (left, right) = try Self.alike(a.numeric, b.numeric)
    switch (left.kind, right.kind) {
    case (.text, .text), (.blob, .blob): return plain(left.compared, right.compared)
    // Every number comes before every text, and every text before all bytes.
    case (.text, .blob), (.integer, .text), (.real, .text), (.number, .text), (.integer, .blob),
      (.real, .blob),
      (.number, .blob):
      return always(holdsForSmaller, left, right)
    case (.text, _), (.blob, _): return always(holdsForLarger, left, right)
    default: return numbers(left, right)
    }
  }

  private func plain(_ a: String, _ b: String) -> Operand { .truth("\(a) \(rawValue) \(b)") }

  /// What holds for all values, and is null for null.
  private func always(_ holds: Bool, _ operands: Operand...) -> Operand {
    let conditions = operands.filter { $0.constant == nil }.map { "\($0.column?.sql ?? $0.sql) IS NOT NULL" }
    if conditions.isEmpty { return .truth("\(holds)") }
    return .truth("CASE WHEN \(conditions.joined(separator: " AND ")) THEN \(holds) END")
  }

  /// Makes one side what the other side's column asks for.
  private static func alike(_ a: Operand, _ b: Operand) throws(Untranslated) -> (Operand, Operand) {
    if a.affinity == .numeric, b.affinity != .numeric { return (a, try number(b)) }
    if b.affinity == .numeric, a.affinity != .numeric { return (try number(a), b) }
    if a.affinity == .text, b.affinity == .none, b.kind != .blob { return (a, try b.asText()) }
    if b.affinity == .text, a.affinity == .none, a.kind != .blob { return (try a.asText(), b) }
    return (a, b)
  }

  /// A text that is a number is one beside a number's column.
  private static func number(_ operand: Operand) throws(Untranslated) -> Operand {
    guard operand.kind == .text else { return operand }
    guard case .text(let text)? = operand.constant else { throw .numberWithText }
    return try text.numericValue.map(Operand.constant) ?? operand
  }

  // MARK: Columns that hold another form than Bolide's

  /// A column beside another of its type or beside a constant, compared as the server stores it, so that an index finds it;
  /// nil for anything else.
  private func stored(_ a: Operand, _ b: Operand) throws(Untranslated) -> Operand? {
    guard let column = a.column, let type = column.type else { return nil }
    if let other = b.column, other.type == type, !a.isDecimal { return plain(column.sql, other.sql) }
    guard var constant = b.constant else { return nil }
    switch type {
    case .decimal where b.isOfProperty: return nil
    case .decimal(let scale): return decimal(column, scale, constant)
    case .uuid:
      guard case .text(let text) = constant, text.isCanonicalUUID else { return nil }
      return plain(column.sql, "'\(text)'::uuid")
    case .date, .day:
      if case .integer(let number) = constant { constant = .text("\(number)") }
      guard case .text(let text) = constant else { return nil }
      return try time(a, column, TimeBound(text, type))
    default: return nil
    }
  }

  private func time(_ a: Operand, _ column: Operand.Column, _ bound: TimeBound?) throws(Untranslated)
    -> Operand
  {
    guard let bound else { return always(holdsForSmaller, a) }
    switch self {
    case .equal, .unequal:
      return bound.isExact ? plain(column.sql, bound.sql) : always(self == .unequal, a)
    case .less, .greaterOrEqual: return plain(column.sql, bound.sql)
    case .lessOrEqual: return (bound.isExact ? self : .less).plain(column.sql, bound.sql)
    case .greater: return (bound.isExact ? self : .greaterOrEqual).plain(column.sql, bound.sql)
    }
  }

  /// A decimal beside a constant is compared by its units, exactly.
  private func decimal(_ column: Operand.Column, _ scale: Int, _ constant: Value) -> Operand {
    let operand = Operand(column)
    func compare(_ comparison: Comparison, _ units: Int64) -> Operand {
      comparison.plain(column.sql, "('\(units)'::numeric * '1e-\(scale)'::numeric)")
    }
    switch constant.units(scale: scale) {
    case .integer(let units): return compare(self, units)
    case .real(let units): return whole(beside: units, operand, compare)
    case .null: return Operand(sql: "NULL::boolean", kind: .truth)
    case .text, .blob: return always(holdsForSmaller, operand)
    }
  }

  // MARK: Numbers

  private func numbers(_ a: Operand, _ b: Operand) -> Operand {
    switch (a.kind, b.kind) {
    case (.integer, .integer):
      return plain(a.compared, b.compared)
    case (.integer, _):
      if case .real(let number)? = b.constant {
        return whole(beside: number, a) { $0.plain(a.compared, "'\($1)'::bigint") }
      }
      return a.isExactAsReal ? plain(a.widened, b.sql) : plain(Self.sign(a, b), "0")
    case (_, .integer): return mirrored.numbers(b, a)
    default: return plain(a.sql, b.sql)
    }
  }

  /// A whole number beside a real one that is known, as a comparison of whole numbers.
  private func whole(
    beside number: Double, _ operand: Operand, _ compare: (Comparison, Int64) -> Operand
  ) -> Operand {
    if number >= 0x1p63 { return always(holdsForSmaller, operand) }
    if number < -0x1p63 { return always(holdsForLarger, operand) }
    let floor = Int64(number.rounded(.down))
    if number == number.rounded(.down) { return compare(self, floor) }
    switch self {
    case .equal, .unequal: return always(self == .unequal, operand)
    case .less, .lessOrEqual: return compare(.lessOrEqual, floor)
    case .greater, .greaterOrEqual: return compare(.greater, floor)
    }
  }

  /// Less than, equal to or greater than 0 as the whole number is to the real one: where they are the same as doubles, the
  /// real one is whole, and tells them apart.
  private static func sign(_ whole: Operand, _ real: Operand) -> String {
    """
    (CASE WHEN \(whole.widened) < \(real.sql) THEN -1 WHEN \(whole.widened) > \(real.sql) THEN 1 \
    WHEN \(real.sql) >= 9223372036854775808 THEN -sign(\(whole.sql)) ELSE sign(\(whole.sql) - \(real.sql)::bigint) END)
    """
  }
}
