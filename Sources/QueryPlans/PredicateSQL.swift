internal import ImportModel
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface

/// A predicate as SQL over the tables of a fetch: each name and path that the model knows is a column in quotes.
///
/// `group` is both a word of SQL and a good name for a relationship. What a word is follows from where it stands: where
/// a value is expected it is a name, where one has just ended it is an operator.
struct PredicateSQL {
  private(set) var sql = ""
  private let text: PredicateTokens
  private var tokens: [PredicateTokens.Token] { text.tokens }
  private let tree: JoinTree
  private let variables: FetchVariables?
  private var place = 0
  private var depth = 0
  /// Whether a value is expected, not an operator.
  private var wantsValue = true

  /// - Parameters:
  ///   - tree: gets the tables that paths lead to.
  ///   - variables: those of a fetched property; nil for a predicate of a request.
  /// - Throws: `StoreError` for a name that the model does not know, and for what is not one expression.
  init(_ predicate: String, _ tree: JoinTree, _ variables: FetchVariables? = nil) throws(StoreError) {
    (self.tree, self.variables) = (tree, variables)
    text = try PredicateTokens(predicate)
    guard !tokens.isEmpty else { throw .emptyPredicate }
    while place < tokens.count { try translate() }
    if depth > 0 { throw .predicateEnds(within: "a parenthesis") }
    if wantsValue { throw .valueMissing }
  }

  private mutating func translate() throws(StoreError) {
    let token = tokens[place]
    place += 1
    switch token {
    case .literal(let text):
      write(text)
      wantsValue = false
    case .parameter(let text):
      if variables != nil { throw .placeInProperty }
      write(text)
      wantsValue = false
    case .variable(let name):
      guard let variables else { throw .namedParameter(name) }
      write(try variables.sql(name, rest()))
      wantsValue = false
    case .symbol(let symbol): try translate(symbol: symbol)
    case .name(let name):
      // Behind a value it is a mistake that SQLite names.
      if wantsValue { try path(from: name) } else { write(quoted(name)) }
    case .word(let word):
      if wantsValue { try translate(valueWord: word) } else { try translate(operatorWord: word) }
    }
  }

  private mutating func translate(symbol: String) throws(StoreError) {
    switch symbol {
    case "(": depth += 1
    case ")":
      depth -= 1
      if depth < 0 { throw .closesTooMuch }
    default: break
    }
    write(symbol)
    wantsValue = symbol != ")"
  }

  // MARK: Words where a value is expected

  private mutating func translate(valueWord word: String) throws(StoreError) {
    let isCalled = isSymbol("(", at: place)
    switch word.uppercased() {
    case "NOT": write(word)
    case "CASE":
      write(word)
      take(word: "WHEN")
    case "DISTINCT" where isWord("FROM", at: place):
      write(word)
      take(word: "FROM")
    case "NULL":
      write(word)
      wantsValue = false
    case "SELECT" where !tree.knows(word), "WITH" where !tree.knows(word): throw .subquery(word)
    case "EXISTS" where isCalled, "SELECT" where isCalled, "VALUES" where isCalled: throw .subquery(word)
    case "TRUE" where !tree.knows(word), "FALSE" where !tree.knows(word),
      "CURRENT_DATE" where !tree.knows(word), "CURRENT_TIME" where !tree.knows(word),
      "CURRENT_TIMESTAMP" where !tree.knows(word):
      write(word)
      wantsValue = false
    default:
      // A function. An empty list of arguments has no value where one is expected.
      guard isCalled else { return try path(from: word) }
      write(word)
      guard isSymbol(")", at: place + 1) else { return }
      write("()")
      place += 2
      wantsValue = false
    }
  }

  /// A name, or a path that begins with it, as a column.
  private mutating func path(from first: String) throws(StoreError) {
    let start = place - 1
    let property = try tree.property(at: [first] + rest())
    wantsValue = false
    if case .decimal(let scale)? = property.type {
      let comparison = DecimalComparison(tokens, start..<place)
      write(comparison?.sql(property.sql, scale: scale) ?? DecimalNumbers.number(property.sql, scale: scale))
      place = comparison?.end ?? place
    } else {
      write(property.sql)
    }
  }

  /// The names behind the dots that come next.
  private mutating func rest() -> [String] {
    let names = text.names(behind: place - 1)
    place += 2 * names.count
    return names
  }

  // MARK: Words behind a value

  private mutating func translate(operatorWord word: String) throws(StoreError) {
    write(word)
    switch word.uppercased() {
    case "AND", "OR", "IS", "LIKE", "GLOB", "REGEXP", "MATCH", "BETWEEN", "ESCAPE", "WHEN", "THEN", "ELSE":
      wantsValue = true
    case "IN":
      // A table or a function that is one could stand here.
      guard isSymbol("(", at: place) else { throw .tableAfterIn }
      try translate(symbol: "(")
      place += 1
      guard isSymbol(")", at: place) else { return }
      try translate(symbol: ")")
      place += 1
    case "COLLATE", "AS":
      // The name of an order, or of a type, which may be several words.
      while place < tokens.count, case .word(let name) = tokens[place] {
        write(name)
        place += 1
        if word.uppercased() == "COLLATE" { break }
      }
    default: break
    }
  }

  // MARK: Parts

  private func isSymbol(_ symbol: String, at place: Int) -> Bool {
    place < tokens.count && tokens[place] == .symbol(symbol)
  }

  private func isWord(_ word: String, at place: Int) -> Bool {
    place < tokens.count && tokens[place].isWord(word.caseFolded)
  }

  private mutating func take(word: String) {
    guard isWord(word, at: place) else { return }
    write(word)
    place += 1
  }

  private mutating func write(_ part: String) {
    if !sql.isEmpty { sql += " " }
    sql += part
  }
}
