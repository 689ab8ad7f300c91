import PlainStore

extension PlainAttribute.Kind {
  var isOrdered: Bool {
    switch self {
    case .date, .instant, .day: true
    default: isNumeric
    }
  }

  var isNumeric: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .decimal: true
    default: false
    }
  }

  /// Whether the expressions of filters compare it as it is stored.
  var isFiltered: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .double, .string, .day, .boolean: true
    default: false
    }
  }

  func isTaken(by function: PlainDerivation.Function) -> Bool {
    function == .min || function == .max ? isOrdered : isNumeric
  }

  func result(of function: PlainDerivation.Function) -> PlainAttribute.Kind {
    switch (function, self) {
    case (.average, _): .double
    case (.sum, .integer16), (.sum, .integer32), (.sum, .integer64): .integer64
    case (.sum, .float), (.sum, .double): .double
    default: self
    }
  }

  /// As a pipeline writes it.
  var text: String {
    switch self {
    case .instant: "type: date, precision: ms"
    case .decimal(let scale): "type: decimal, scale: \(scale)"
    default: "type: \(self)"
    }
  }
}

extension Dice {
  /// A value of a type.
  ///
  /// - Parameter isPlain: of few, so that equal ones meet.
  mutating func value(_ kind: PlainAttribute.Kind, isPlain: Bool = false) -> PlainValue {
    switch kind {
    case .integer16, .integer32, .decimal: return .whole(Int64(int(-3...6)))
    case .integer64:
      let large: [Int64] = [.max, .min, 1 << 62, -1 << 62, 1 << 53 + 1]
      return .whole(!isPlain && once(in: 12) ? pick(large) : Int64(int(-3...6)))
    case .double:
      let odd = [
        0.1, 1e16, -1e16, 1e308, -1e308, 1.7976931348623157e308, .leastNonzeroMagnitude, 1e-300, -1e-300,
        0x1p53, 0x1p-53,
        1.0 / 3,
      ]
      return .real(!isPlain && once(in: 4) ? pick(odd) : Double(int(-20...20)) / 8)
    case .float: return .real(Double(int(-20...20)) / 8)
    case .string: return .text(pick(["", "a", "A", "Ålesund", "béta", "Çeşme", "ñandú Ω", "x y", "a'\"\\"]))
    case .boolean: return .whole(Int64(int(0...1)))
    case .date: return .text("2026-0\(int(1...3))-1\(int(0...2))T03:14:0\(int(0...2))Z")
    case .instant: return .text("2026-0\(int(1...3))-11T03:14:07.\(pick(["000", "250", "999"]))Z")
    case .day: return .text("20\(int(24...26))-02-1\(int(0...2))")
    case .uuid: return .text("00000000-0000-4000-8000-0000000000a\(int(0...5))")
    case .binary: return .bytes(pick([[], [0], [1, 2, 3], [255, 0]]))
    case .json: return .text(pick(["{\"a\":1}", "[1,2]", "\"x\"", "true", "7"]))
    }
  }
}

extension PlainValue {
  /// As a record has it.
  func json(_ kind: PlainAttribute.Kind) -> String {
    switch self {
    case .null, .beyond: return "null"
    case .whole(let number):
      switch kind {
      case .boolean: return number == 1 ? "true" : "false"
      case .decimal(let scale):
        var digits = String(number.magnitude)
        while digits.count <= scale { digits = "0" + digits }
        return "\(number < 0 ? "-" : "")\(digits.dropLast(scale)).\(digits.suffix(scale))"
      default: return String(number)
      }
    case .real(let number): return "\(number)"
    case .text(let text):
      if kind == .json { return text }
      return kind == .uuid ? "\"\(text.uppercased())\"" : Self.quoted(text)
    case .bytes(let bytes):
      let texts: [[UInt8]: String] = [[]: "", [0]: "AA==", [1, 2, 3]: "AQID", [255, 0]: "/wA="]
      return "\"\(texts[bytes] ?? "")\""
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined())\""
  }

  /// As an SQL expression has it.
  var sql: String {
    switch self {
    case .null, .beyond: "NULL"
    case .whole(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text.map { $0 == "'" ? "''" : String($0) }.joined())'"
    case .bytes: "x''"
    }
  }
}
