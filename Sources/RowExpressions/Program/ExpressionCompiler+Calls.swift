internal import ImportModel
internal import TypedRows

// The functions that are known here.
extension ExpressionCompiler {
  mutating func call(_ function: String, _ trees: [ExpressionTree]) throws(NotCompiled) -> Operand {
    if function == "strftime" { return try formattedDate(trees) }
    var arguments: [Operand] = []
    for tree in trees { arguments.append(try value(tree)) }
    switch (function, arguments.count) {
    case ("coalesce", 2...), ("ifnull", 2):
      var value = arguments.removeLast()
      for earlier in arguments.reversed() {
        value = emit(.ifNull, earlier.slot, value.slot, giving: earlier.kinds.union(value.kinds))
      }
      return value
    case ("nullif", 2):
      return try choice(comparison(.equal, arguments[0], arguments[1]), null, arguments[0])
    case ("iif", 3): return try choice(arguments[0], arguments[1], arguments[2])
    case ("min", 2...), ("max", 2...):
      var value = arguments[0]
      for other in arguments.dropFirst() {
        try requireAlike(value, other)
        value = emit(
          function == "min" ? .smaller : .larger, value.slot, other.slot,
          giving: value.kinds.union(other.kinds))
      }
      return value
    case ("abs", 1):
      try require(arguments[0], among: Self.numbers)
      return emit(.magnitude, arguments[0].slot, giving: Self.numbers)
    case ("length", 1): return try ofText(.length, arguments[0], [.integer])
    case ("lower", 1) where mapsASCII: return try ofText(.lower, arguments[0], [.text])
    case ("upper", 1) where mapsASCII: return try ofText(.upper, arguments[0], [.text])
    case ("substr", 3), ("substring", 3):
      // Counts from the end, or of less than nothing, are SQLite's.
      guard let from = arguments[1].literal.flatMap({ Int32($0) }), from >= 1,
        let count = arguments[2].literal.flatMap({ Int32($0) }), count >= 0
      else { throw NotCompiled() }
      try require(arguments[0], among: [.text])
      return emit(.part, arguments[0].slot, Int(from), number: UInt64(count), giving: [.text])
    case ("date", 1): return try date(arguments[0], "%Y-%m-%d")
    case ("time", 1): return try date(arguments[0], "%H:%M:%S")
    case ("datetime", 1): return try date(arguments[0], "%Y-%m-%d %H:%M:%S")
    default: throw NotCompiled()
    }
  }

  private mutating func ofText(
    _ operation: RowProgram.Operation, _ text: Operand, _ kinds: Kinds
  ) throws(NotCompiled) -> Operand {
    try require(text, among: [.text])
    return emit(operation, text.slot, giving: kinds)
  }

  // MARK: Dates

  private mutating func formattedDate(_ trees: [ExpressionTree]) throws(NotCompiled) -> Operand {
    guard trees.count == 2, case .literal(let literal) = trees[0] else { throw NotCompiled() }
    let value = try value(trees[1])
    // A text in quotes; one with a quote in it is SQLite's.
    let format = literal.dropFirst().dropLast()
    guard literal.hasPrefix("'"), !format.isEmpty, !format.contains("'") else { throw NotCompiled() }
    return try date(value, String(format))
  }

  /// A date as stored, `YYYY-MM-DDTHH:MM:SSZ` or `YYYY-MM-DD`, in another form: each part is some of its bytes.
  private mutating func date(_ value: Operand, _ format: String) throws(NotCompiled) -> Operand {
    // Only a record's own dates are known to be some, in this form.
    guard let column = value.column, layout.columns[column].attribute.defaultValue == nil else {
      throw NotCompiled()
    }
    let length: Int
    switch layout.columns[column].attribute.type {
    case .date(.seconds): length = 20
    case .date(.milliseconds): length = 24
    case .day: length = 10
    // Millionths, a version may round into the next day.
    default: throw NotCompiled()
    }
    var template: [Int] = []
    var rest = format.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        template.append(256 + Int(byte))
        continue
      }
      let part: Range<Int>
      switch rest.popFirst() {
      case UInt8(ascii: "Y"): part = 0..<4
      case UInt8(ascii: "m"): part = 5..<7
      case UInt8(ascii: "d"): part = 8..<10
      case UInt8(ascii: "H"): part = 11..<13
      case UInt8(ascii: "M"): part = 14..<16
      case UInt8(ascii: "S"): part = 17..<19
      default: throw NotCompiled()
      }
      // A day begins at midnight.
      template += part.map { $0 < length ? $0 : 256 + Int(UInt8(ascii: "0")) }
    }
    if let first = template.first, first < length, template == Array(first..<first + template.count) {
      return emit(.slice, value.slot, first, length, number: UInt64(template.count), giving: [.text])
    }
    templates.append(template)
    return emit(.template, value.slot, 0, length, number: UInt64(templates.count - 1), giving: [.text])
  }
}
