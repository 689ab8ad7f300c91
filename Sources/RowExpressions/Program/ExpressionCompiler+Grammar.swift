internal import ImportModel

// SQLite's grammar of expressions, as far as it is known here. What binds closer has the greater number.
extension ExpressionCompiler {
  private enum Binding {
    static let or = 1
    static let and = 2
    static let not = 3
    static let equality = 4
    static let order = 5
    static let sum = 6
    static let product = 7
    static let concatenation = 8
    static let sign = 9
  }

  /// Words that are no attributes where an operand is expected, although an attribute may be called so.
  private static let reserved: Set = [
    "case", "cast", "not", "null", "exists", "select", "with", "raise", "distinct", "all", "values",
    "current_date",
    "current_time", "current_timestamp",
  ]

  private static let binary: [String: (binding: Int, operation: RowProgram.Operation)] = [
    "=": (Binding.equality, .equal), "==": (Binding.equality, .equal), "<>": (Binding.equality, .unequal),
    "!=": (Binding.equality, .unequal), "<": (Binding.order, .less), "<=": (Binding.order, .lessOrEqual),
    ">": (Binding.order, .greater), ">=": (Binding.order, .greaterOrEqual), "+": (Binding.sum, .add),
    "-": (Binding.sum, .subtract), "*": (Binding.product, .multiply), "/": (Binding.product, .divide),
    "%": (Binding.product, .remainder), "||": (Binding.concatenation, .concatenate),
  ]

  // MARK: Tokens

  private var next: Token? { place < tokens.count ? tokens[place] : nil }

  private func isNext(_ words: String...) -> Bool {
    words.indices.allSatisfy { place + $0 < tokens.count && tokens[place + $0].isWord(words[$0]) }
  }

  private mutating func skip(word: String) -> Bool {
    guard isNext(word) else { return false }
    place += 1
    return true
  }

  mutating func skip(_ symbol: String) -> Bool {
    guard next == .symbol(symbol) else { return false }
    place += 1
    return true
  }

  private mutating func expect(word: String) throws(NotCompiled) {
    guard skip(word: word) else { throw NotCompiled() }
  }

  mutating func expect(_ symbol: String) throws(NotCompiled) {
    guard skip(symbol) else { throw NotCompiled() }
  }

  // MARK: Expressions

  mutating func expression() throws(NotCompiled) -> Operand { try expression(Binding.or) }

  /// - Parameter least: how close the operators bind that belong to it.
  private mutating func expression(_ least: Int) throws(NotCompiled) -> Operand {
    var left = try operand()
    while true {
      if case .symbol(let symbol) = next, let (binding, operation) = Self.binary[symbol] {
        guard binding >= least else { return left }
        place += 1
        left = try binary(operation, left, expression(binding + 1))
      } else if Binding.equality >= least, let value = try condition(on: left) {
        left = value
      } else if Binding.and >= least, skip(word: "and") {
        left = try conjunction(.and, left, expression(Binding.and + 1))
      } else if Binding.or >= least, skip(word: "or") {
        left = try conjunction(.or, left, expression(Binding.or + 1))
      } else {
        return left
      }
    }
  }

  private mutating func binary(
    _ operation: RowProgram.Operation, _ a: Operand, _ b: Operand
  ) throws(NotCompiled) -> Operand {
    switch operation {
    case .add, .subtract, .multiply, .divide:
      try require(a, b, among: Self.numbers)
      return emit(operation, a.slot, b.slot, giving: Self.numbers)
    case .remainder:
      try require(a, b, among: [.integer])
      return emit(operation, a.slot, b.slot, giving: [.integer])
    case .concatenate:
      try require(a, b, among: [.integer, .text])
      return emit(operation, a.slot, b.slot, giving: [.text])
    default:
      return try comparison(operation, a, b)
    }
  }

  /// What IS, IN, BETWEEN and their like say of a value; nil where none of them follows.
  private mutating func condition(on value: Operand) throws(NotCompiled) -> Operand? {
    if skip(word: "isnull") { return isNull(value) }
    if skip(word: "notnull") { return try negation(isNull(value)) }
    if isNext("not", "null") {
      place += 2
      return try negation(isNull(value))
    }
    if skip(word: "is") {
      let isNegated = skip(word: "not")
      let other = try expression(Binding.equality + 1)
      let found = other.slot == null.slot ? isNull(value) : try comparison(.isSame, value, other)
      return isNegated ? try negation(found) : found
    }
    let isNegated = isNext("not", "in") || isNext("not", "between")
    if isNegated { place += 1 }
    var found: Operand
    if skip(word: "between") {
      let first = try comparison(.greaterOrEqual, value, expression(Binding.equality + 1))
      try expect(word: "and")
      let last = try comparison(.lessOrEqual, value, expression(Binding.equality + 1))
      found = try conjunction(.and, first, last)
    } else if skip(word: "in") {
      try expect("(")
      found = try comparison(.equal, value, expression())
      while skip(",") { found = try conjunction(.or, found, comparison(.equal, value, expression())) }
      try expect(")")
    } else {
      return nil
    }
    return isNegated ? try negation(found) : found
  }

  private mutating func isNull(_ value: Operand) -> Operand { emit(.isNull, value.slot, giving: [.integer]) }

  private mutating func operand() throws(NotCompiled) -> Operand {
    guard let token = next, depth < Self.mostDepth else { throw NotCompiled() }
    place += 1
    depth += 1
    defer { depth -= 1 }
    switch token {
    case .literal(let text):
      var value = try constant(text)
      if text.utf8.first != UInt8(ascii: "'") { value.literal = text }
      return value
    case .symbol("("):
      let value = try expression()
      try expect(")")
      return value
    case .symbol("-"):
      let value = try expression(Binding.sign)
      // The sign of a number is part of it: 0 - 0.0 has none, and 9223372036854775808 is not whole.
      if let literal = value.literal { return try constant("-\(literal)") }
      try require(value, among: Self.numbers)
      return emit(.subtract, try constant("0").slot, value.slot, giving: Self.numbers)
    case .word(let word): return try self.word(word)
    case .name(let name):
      if skip("(") { return try call(name.caseFolded) }
      return try attribute(name)
    default: throw NotCompiled()
    }
  }

  private mutating func word(_ word: String) throws(NotCompiled) -> Operand {
    let folded = word.caseFolded
    switch folded {
    case "not": return try negation(expression(Binding.not))
    case "null": return null
    case "case": return try cases()
    case "cast": return try cast()
    default:
      guard !Self.reserved.contains(folded) else { throw NotCompiled() }
      if skip("(") { return try call(folded) }
      return try attribute(word)
    }
  }

  private mutating func cases() throws(NotCompiled) -> Operand {
    let base = isNext("when") ? nil : try expression()
    var branches: [(condition: Operand, value: Operand)] = []
    while skip(word: "when") {
      var condition = try expression()
      if let base { condition = try comparison(.equal, base, condition) }
      try expect(word: "then")
      branches.append((condition, try expression()))
    }
    var value = skip(word: "else") ? try expression() : null
    try expect(word: "end")
    for branch in branches.reversed() { value = try choice(branch.condition, branch.value, value) }
    return value
  }

  private mutating func cast() throws(NotCompiled) -> Operand {
    try expect("(")
    let value = try expression()
    try expect(word: "as")
    guard case .word(let type) = next else { throw NotCompiled() }
    place += 1
    try expect(")")
    switch type.caseFolded {
    case "integer", "int":
      try require(value, among: [.integer, .real, .text])
      return emit(.castInteger, value.slot, giving: [.integer])
    case "real":
      try require(value, among: Self.numbers)
      return emit(.castReal, value.slot, giving: [.real])
    case "text":
      try require(value, among: [.integer, .text])
      return emit(.castText, value.slot, giving: [.text])
    default: throw NotCompiled()
    }
  }
}
