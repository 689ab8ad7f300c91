internal import ImportModel

/// SQLite's grammar of expressions, as far as it is known here. What binds closer has the greater number.
///
/// It reads what SQLite has taken already, so it looks for no mistakes: whatever it does not know it does not read.
struct ExpressionParser {
  typealias Tree = ExpressionTree
  typealias Token = PredicateTokens.Token
  typealias NotRead = ExpressionTree.NotRead

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

  private static let binary: [String: (binding: Int, operation: Tree.Operator)] = [
    "=": (Binding.equality, .equal), "==": (Binding.equality, .equal), "<>": (Binding.equality, .unequal),
    "!=": (Binding.equality, .unequal), "<": (Binding.order, .less), "<=": (Binding.order, .lessOrEqual),
    ">": (Binding.order, .greater), ">=": (Binding.order, .greaterOrEqual), "+": (Binding.sum, .add),
    "-": (Binding.sum, .subtract), "*": (Binding.product, .multiply), "/": (Binding.product, .divide),
    "%": (Binding.product, .remainder), "||": (Binding.concatenation, .concatenate),
  ]

  private let tokens: [Token]
  private var place = 0
  /// How many operands stand within each other at the place.
  private var depth = 0
  /// How many operators were read: a tree is not deeper.
  private var operators = 0
  /// The largest number of a parameter so far.
  private var parameters = 0

  private static let mostDepth = 100
  private static let mostOperators = 500

  init(_ tokens: [Token]) { self.tokens = tokens }

  /// The expression that all of the tokens are.
  mutating func whole() throws(NotRead) -> Tree {
    let tree = try expression()
    if next != nil { throw refusal }
    return tree
  }

  // MARK: Tokens

  private var next: Token? { place < tokens.count ? tokens[place] : nil }

  /// What stands at the place is not known.
  private var refusal: NotRead { NotRead(what: next?.sql ?? "an expression that is no whole one") }

  private func isNext(_ words: String...) -> Bool {
    words.indices.allSatisfy { place + $0 < tokens.count && tokens[place + $0].isWord(words[$0]) }
  }

  private mutating func skip(word: String) -> Bool {
    guard isNext(word) else { return false }
    place += 1
    return true
  }

  private mutating func skip(_ symbol: String) -> Bool {
    guard next == .symbol(symbol) else { return false }
    place += 1
    return true
  }

  private mutating func expect(word: String) throws(NotRead) {
    guard skip(word: word) else { throw refusal }
  }

  private mutating func expect(_ symbol: String) throws(NotRead) {
    guard skip(symbol) else { throw refusal }
  }

  private mutating func countOperator() throws(NotRead) {
    operators += 1
    if operators > Self.mostOperators { throw NotRead(what: "more than \(Self.mostOperators) operators") }
  }

  // MARK: Expressions

  private mutating func expression() throws(NotRead) -> Tree { try expression(Binding.or) }

  /// - Parameter least: how close the operators bind that belong to it.
  private mutating func expression(_ least: Int) throws(NotRead) -> Tree {
    var left = try operand()
    while true {
      if case .symbol(let symbol) = next, let (binding, operation) = Self.binary[symbol] {
        guard binding >= least else { return left }
        place += 1
        left = .binary(operation, left, try expression(binding + 1))
      } else if Binding.equality >= least, let value = try condition(on: left) {
        left = value
      } else if Binding.and >= least, skip(word: "and") {
        left = .binary(.and, left, try expression(Binding.and + 1))
      } else if Binding.or >= least, skip(word: "or") {
        left = .binary(.or, left, try expression(Binding.or + 1))
      } else {
        return left
      }
      try countOperator()
    }
  }

  /// What IS, IN, BETWEEN and their like say of a value; nil where none of them follows.
  private mutating func condition(on value: Tree) throws(NotRead) -> Tree? {
    if skip(word: "isnull") { return .isNull(value) }
    if skip(word: "notnull") { return .not(.isNull(value)) }
    if isNext("not", "null") {
      place += 2
      return .not(.isNull(value))
    }
    if skip(word: "is") {
      let isNegated = skip(word: "not")
      let isDistinct = isNext("distinct", "from")
      if isDistinct { place += 2 }
      let other = try expression(Binding.equality + 1)
      let found: Tree = if case .null = other { .isNull(value) } else { .isSame(value, other) }
      return isNegated != isDistinct ? .not(found) : found
    }
    let isNegated = isNext("not", "in") || isNext("not", "between") || isNext("not", "like")
    if isNegated { place += 1 }
    if skip(word: "between") {
      let first = try expression(Binding.equality + 1)
      try expect(word: "and")
      return .isBetween(value, first, try expression(Binding.equality + 1), isNegated: isNegated)
    }
    if skip(word: "in") {
      try expect("(")
      return .isAmong(value, try list(), isNegated: isNegated)
    }
    guard skip(word: "like") else { return nil }
    let pattern = try expression(Binding.equality + 1)
    let escape = skip(word: "escape") ? try expression(Binding.equality + 1) : nil
    let found = Tree.isLike(value, pattern, escape: escape)
    return isNegated ? .not(found) : found
  }

  /// What stands behind a `(` and before its `)`.
  private mutating func list() throws(NotRead) -> [Tree] {
    if skip(")") { return [] }
    var parts = [try expression()]
    while skip(",") { parts.append(try expression()) }
    try expect(")")
    return parts
  }

  private mutating func operand() throws(NotRead) -> Tree {
    guard let token = next else { throw refusal }
    guard depth < Self.mostDepth else {
      throw NotRead(what: "parts that are more than \(Self.mostDepth) deep")
    }
    place += 1
    depth += 1
    defer { depth -= 1 }
    switch token {
    case .literal(let text): return .literal(text)
    case .parameter(let text):
      let number = Int(text.dropFirst()) ?? parameters + 1
      parameters = max(parameters, number)
      return .parameter(number)
    case .variable(let name): return .variable(name, names())
    case .symbol("("):
      let value = try expression()
      if next == .symbol(",") { throw NotRead(what: "a list in parentheses as a value") }
      try expect(")")
      return value
    case .symbol("-"): return .negative(try expression(Binding.sign))
    case .word(let word): return try self.word(word)
    case .name(let name):
      if skip("(") { return .call(name.caseFolded, try list()) }
      return path(from: name, isQuoted: true)
    default:
      place -= 1
      throw refusal
    }
  }

  private mutating func word(_ word: String) throws(NotRead) -> Tree {
    let folded = word.caseFolded
    switch folded {
    case "not": return .not(try expression(Binding.not))
    case "null": return .null
    case "case": return try cases()
    case "cast" where next == .symbol("("): return try cast()
    default:
      if skip("(") { return .call(folded, try list()) }
      return path(from: word, isQuoted: false)
    }
  }

  /// A name, or a path that begins with it.
  private mutating func path(from first: String, isQuoted: Bool) -> Tree {
    .name([first] + names(), isQuoted: isQuoted)
  }

  /// The names behind the dots that come next.
  private mutating func names() -> [String] {
    var names: [String] = []
    while next == .symbol("."), place + 1 < tokens.count, let name = tokens[place + 1].name {
      names.append(name)
      place += 2
    }
    return names
  }

  private mutating func cases() throws(NotRead) -> Tree {
    let base = isNext("when") ? nil : try expression()
    var branches: [Tree.Branch] = []
    while skip(word: "when") {
      let condition = try expression()
      try expect(word: "then")
      branches.append(Tree.Branch(condition: condition, value: try expression()))
      try countOperator()
    }
    let other = skip(word: "else") ? try expression() : .null
    try expect(word: "end")
    return .cases(base: base, branches, other: other)
  }

  private mutating func cast() throws(NotRead) -> Tree {
    try expect("(")
    let value = try expression()
    try expect(word: "as")
    guard case .word(let type) = next else { throw refusal }
    place += 1
    try expect(")")
    return .cast(value, type.caseFolded)
  }
}
