internal import ImportModel
internal import RowExpressions
internal import SQLiteAccess
internal import StoreInterface

/// A predicate as SQL over the tables of a fetch: each name and path that the model knows is a column in quotes.
///
/// `group` is both a word of SQL and a good name for a relationship. What a word is follows from where it stands: where
/// a value is expected it is a name, where one has just ended it is an operator.
package struct PredicateSQL {
  private enum Part {
    case text(String)
    /// What a fetched property asks of its owner.
    case owner(String)
    case related(RelatedObjects)
  }

  private var parts: [Part] = []
  private let text: PredicateTokens
  private var tokens: [PredicateTokens.Token] { text.tokens }
  private let tree: JoinTree
  private let variables: FetchVariables?
  /// The node of the objects that the expression is about.
  private let node: Int
  /// Within how many questions about related objects it stands.
  private let level: Int
  private var place = 0
  private var depth = 0
  /// Whether a value is expected, not an operator.
  private var wantsValue = true

  /// - Parameters:
  ///   - tree: gets the tables that paths lead to.
  ///   - variables: those of a fetched property; nil for a predicate of a request.
  /// - Throws: `StoreError` for a name that the model does not know, and for what is not one expression.
  init(_ predicate: String, _ tree: JoinTree, _ variables: FetchVariables? = nil) throws(StoreError) {
    (self.tree, self.variables, node, level) = (tree, variables, 0, 0)
    text = try PredicateTokens(predicate)
    guard !tokens.isEmpty else { throw .emptyPredicate }
    while place < tokens.count { try translate() }
    if depth > 0 { throw .predicateEnds(within: "a parenthesis") }
    if wantsValue { throw .valueMissing }
  }

  /// The expression about related objects that begins behind a comma and ends before a `)`.
  private init(in outer: PredicateSQL, about node: Int) throws(StoreError) {
    (text, tree, variables) = (outer.text, outer.tree, outer.variables)
    (self.node, level, place) = (node, outer.level + 1, outer.place)
    if level > Self.mostLevels { throw .tooDeep(Self.mostLevels) }
    while place < tokens.count, depth > 0 || !isSymbol(")", at: place) { try translate() }
    if place == tokens.count { throw .predicateEnds(within: "a parenthesis") }
    if wantsValue { throw .valueMissing }
  }

  /// So many questions can stand within each other: SQLite's parser has a stack of 100 entries.
  private static let mostLevels = 4

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
      let sql = try variables.sql(name, rest())
      parts.append(name == FetchVariables.source ? .owner(sql) : .text(sql))
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
    case "SELECT" where !tree.knows(word, of: node), "WITH" where !tree.knows(word, of: node):
      throw .subquery(word)
    case "EXISTS" where isCalled, "SELECT" where isCalled, "VALUES" where isCalled: throw .subquery(word)
    case "TRUE" where !tree.knows(word, of: node), "FALSE" where !tree.knows(word, of: node),
      "CURRENT_DATE" where !tree.knows(word, of: node), "CURRENT_TIME" where !tree.knows(word, of: node),
      "CURRENT_TIMESTAMP" where !tree.knows(word, of: node):
      write(word)
      wantsValue = false
    default:
      // A function. An empty list of arguments has no value where one is expected.
      guard isCalled else { return try path(from: word) }
      if let form = RelatedObjects.Form(rawValue: word.caseFolded), try translate(form) { return }
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
    let property = try tree.property(at: [first] + rest(), from: node)
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

  private mutating func write(_ part: String) { parts.append(.text(part)) }
}

// MARK: Related objects

extension PredicateSQL {
  /// A question about the objects of a to-many relationship: `any(quakes, magnitude > 5)`, `count(region.quakes)`.
  ///
  /// - Returns: whether it is one; `count` can be a function of SQL's.
  private mutating func translate(_ form: RelatedObjects.Form) throws(StoreError) -> Bool {
    let start = place + 1
    let first = start < tokens.count ? tokens[start].name : nil
    let path = [first].compactMap(\.self) + (first == nil ? [] : text.names(behind: start))
    let end = start + max(0, 2 * path.count - 1)
    guard !path.isEmpty, isSymbol(",", at: end) || isSymbol(")", at: end) else {
      if form == .count { return false }
      throw .relationshipMissing(form.rawValue)
    }
    let (root, objects, link) = try tree.begin(at: path, from: node, for: form.rawValue)
    place = end + 1
    var condition: PredicateSQL?
    if isSymbol(",", at: end) {
      let inner = try PredicateSQL(in: self, about: objects)
      (condition, place) = (inner, inner.place + 1)
    } else if form == .all {
      throw .conditionMissing(path.joined(separator: "."))
    }
    parts.append(.related(RelatedObjects(form: form, root: root, link: link, condition: condition)))
    wantsValue = false
    return true
  }

  // MARK: As SQL

  /// The expression as SQL.
  ///
  /// - Parameter source: what stands for an entity's table.
  func sql(_ source: (Entity) -> String) -> String {
    parts.map { part in
      switch part {
      case .text(let text), .owner(let text): text
      case .related(let objects): objects.sql(tree, source)
      }
    }.joined(separator: " ")
  }

  /// The queries that the expression consists of, each by itself: in them a question about related objects is a number, and
  /// what a fetched property asks of its owner a parameter.
  func parts(_ source: (Entity) -> String, root: Int = 0) -> [(entity: String, sql: String)] {
    let alone = parts.map { part in
      switch part {
      case .text(let text): text
      // To SQLite such a name is a parameter.
      case .owner: FetchVariables.source
      case .related: "1"
      }
    }.joined(separator: " ")
    let query = "SELECT 1 FROM \(tree.from(source, root: root))\nWHERE (\(alone))"
    return parts.reduce(into: [(tree.nodes[node].entity.name, query)]) { all, part in
      guard case .related(let objects) = part else { return }
      all += objects.condition?.parts(source, root: objects.root) ?? []
    }
  }
}
