internal import ImportModel
internal import PostgreSQLAccess
internal import QueryPlans
internal import RowExpressions
internal import StoreInterface

/// A condition of SQLite's grammar as PostgreSQL's SQL of the same meaning. Nothing of its text gets through but what was read:
/// names in quotes, constants as literals.
///
/// To SQLite each value has a class of its own, row by row. Here each part has one kind that is known beforehand; what would
/// be decided row by row is refused by name.
struct ConditionSQL {
  /// Where names are looked for.
  enum Scope {
    /// The objects of a node of a fetch; `source` is what stands for an entity's table.
    case tree(JoinTree, node: Int, source: (Entity) -> String)
    /// One row of an entity's table, by the name that the table has.
    case row(Entity, String)
  }

  let scope: Scope
  /// The values of its places.
  let values: [Value]
  /// Those of a fetched property, whose condition it is.
  var variables: FetchVariables?

  /// - Parameters:
  ///   - values: of the places in it.
  ///   - variables: of a fetched property, whose condition it is.
  /// - Throws: `Untranslated` for what has no translation; `StoreError` for names that there are not.
  static func sql(
    _ text: String, _ values: [Value] = [], in scope: Scope, _ variables: FetchVariables? = nil
  ) throws -> String {
    do {
      let condition = ConditionSQL(scope: scope, values: values, variables: variables)
      return try condition.operand(ExpressionTree(text)).asTruth()
    } catch let error as ExpressionTree.NotRead {
      throw Untranslated(what: error.what)
    }
  }

  func operand(_ tree: ExpressionTree) throws -> Operand {
    switch tree {
    case .literal(let text):
      guard let value = Value(literal: text) else { throw Untranslated(what: text) }
      return try .constant(value)
    case .null: return .null
    case .parameter(let number): return try .constant(values[number - 1])
    case .variable(let name, let path): return try variable(name, path)
    case .name(let path, let isQuoted): return try name(path, isQuoted)
    case .call(let function, let arguments): return try call(function, arguments)
    case .negative(let tree): return try negative(tree)
    case .not(let tree): return .truth("NOT \(try operand(tree).asTruth())")
    case .binary(let operation, let left, let right):
      return try binary(operation, operand(left), operand(right))
    case .isNull(let tree):
      let value = try operand(tree)
      return .truth("\(value.column?.sql ?? value.sql) IS NULL")
    case .isSame(let left, let right): return try isSame(left, right)
    case .isBetween(let tree, let first, let last, let isNegated):
      let (first, last) = (try operand(first), try operand(last))
      let value = try compared(tree, with: [first, last], isNegated)
      let found =
        "\(try Comparison.greaterOrEqual.sql(value, first).sql) AND "
        + "\(try Comparison.lessOrEqual.sql(value, last).sql)"
      return .truth(isNegated ? "NOT (\(found))" : found)
    case .isAmong(let tree, let list, let isNegated):
      var others = try list.map(operand)
      let value = try compared(tree, with: others, isNegated)
      // In a list, a column is a value like any other.
      for place in others.indices { others[place].affinity = .none }
      let found = Self.anyOf(try others.map { try Comparison.equal.sql(value, $0).sql }, value)
      return .truth("\(isNegated ? "NOT " : "")(\(found))")
    case .isLike(let value, let pattern, let escape): return try isLike(value, pattern, escape)
    case .cases(let base, let branches, let other): return try cases(base, branches, other)
    case .cast(let tree, let type): return try cast(operand(tree), type)
    }
  }

  /// A decimal is compared by its units with constants alone, and otherwise as a number.
  private func compared(_ tree: ExpressionTree, with others: [Operand], _ isNegated: Bool) throws -> Operand {
    var value = try operand(tree)
    if value.isDecimal, isNegated || others.contains(where: { $0.constant == nil || $0.isOfProperty }) {
      value.column = nil
    }
    return value
  }

  /// What a fetched property asks of its owner or of itself.
  private func variable(_ name: String, _ path: [String]) throws -> Operand {
    guard let variables else { throw Untranslated(what: name) }
    switch try variables.meaning(name, path) {
    case .column(let sql, let type):
      var operand = Operand(Operand.Column(sql: sql, type: type))
      // It is a number alone, as in a filter.
      if operand.isDecimal { operand.column = nil }
      return operand
    case .value(let value):
      var operand = try Operand.constant(value)
      operand.isOfProperty = true
      return operand
    }
  }

  // MARK: Names

  private func name(_ path: [String], _ isQuoted: Bool) throws -> Operand {
    let isKnown =
      switch scope {
      case .tree(let tree, let node, _): tree.knows(path[0], of: node)
      case .row(let entity, _): entity.attribute(named: path[0]) != nil
      }
    if path.count == 1, !isQuoted, !isKnown {
      switch path[0].lowercased() {
      case "true": return try .constant(.integer(1))
      case "false": return try .constant(.integer(0))
      case "current_date", "current_time", "current_timestamp": throw Untranslated(what: path[0])
      default: break
      }
    }
    switch scope {
    case .tree(let tree, let node, _):
      let property = try tree.property(at: path, from: node)
      return Operand(Operand.Column(sql: property.sql, type: property.type))
    case .row(let entity, let alias):
      let name = path[0].caseFolded
      guard path.count == 1,
        let attribute = entity.storedAttributes.first(where: { $0.name.caseFolded == name })
      else { throw Untranslated(what: path.joined(separator: ".")) }
      let column = SQLDialect.comparable("\(alias).\(quoted(attribute.name))", attribute.type)
      var operand = Operand(Operand.Column(sql: column, type: attribute.type))
      // A filter sees a decimal as a number alone.
      if operand.isDecimal { operand.column = nil }
      return operand
    }
  }

  // MARK: Conditions

  private func binary(_ operation: ExpressionTree.Operator, _ a: Operand, _ b: Operand) throws -> Operand {
    switch operation {
    case .or: .truth("\(try a.asTruth()) OR \(try b.asTruth())")
    case .and: .truth("\(try a.asTruth()) AND \(try b.asTruth())")
    case .equal: try Comparison.equal.sql(a, b)
    case .unequal: try Comparison.unequal.sql(a, b)
    case .less: try Comparison.less.sql(a, b)
    case .lessOrEqual: try Comparison.lessOrEqual.sql(a, b)
    case .greater: try Comparison.greater.sql(a, b)
    case .greaterOrEqual: try Comparison.greaterOrEqual.sql(a, b)
    case .add, .subtract, .multiply, .divide, .remainder: try arithmetic(operation, a, b)
    case .concatenate:
      Operand(sql: "(\(try a.asText().sql) || \(try b.asText().sql))", kind: .text)
    }
  }

  private func isSame(_ left: ExpressionTree, _ right: ExpressionTree) throws -> Operand {
    let value = try operand(left)
    if case .name(let path, isQuoted: false) = right, path.count == 1,
      ["true", "false"].contains(path[0].lowercased()), try operand(right).column == nil
    {
      return .truth("\(try value.asTruth()) IS \(path[0])")
    }
    let other = try operand(right)
    if other.kind == .null { return .truth("\(value.column?.sql ?? value.sql) IS NULL") }
    let equal = try Comparison.equal.sql(value, other).sql
    if other.constant != nil { return .truth("\(value.column?.sql ?? value.sql) IS NOT NULL AND \(equal)") }
    return .truth(
      "coalesce(\(equal), \(value.column?.sql ?? value.sql) IS NULL AND \(other.column?.sql ?? other.sql) IS NULL)"
    )
  }

  /// Some comparisons of a value, those with the column itself as one list, which an index serves at once.
  private static func anyOf(_ comparisons: [String], _ value: Operand) -> String {
    let head = "(\(value.column?.sql ?? value.sql) = "
    let listed = comparisons.filter { $0.hasPrefix(head) }.map { $0.dropFirst(head.count).dropLast() }
    var parts = comparisons.filter { !$0.hasPrefix(head) }
    if !listed.isEmpty {
      parts.append("\(head.dropFirst().dropLast(2))IN (\(listed.joined(separator: ", ")))")
    }
    return parts.isEmpty ? "false" : parts.joined(separator: " OR ")
  }

  private func cases(
    _ base: ExpressionTree?, _ branches: [ExpressionTree.Branch], _ other: ExpressionTree
  ) throws -> Operand {
    let compared = try base.map(operand)
    let conditions = try branches.map { branch in
      let condition = try operand(branch.condition)
      return try compared.map { try Comparison.equal.sql($0, condition).sql } ?? condition.asTruth()
    }
    let (values, kind) = try Self.unified(branches.map { try operand($0.value) } + [operand(other)])
    let whens = zip(conditions, values).map { "WHEN \($0) THEN \($1) " }.joined()
    return Operand(sql: "(CASE \(whens)ELSE \(values[branches.count]) END)", kind: kind)
  }

  /// Values of which a row has one, as one kind.
  static func unified(_ operands: [Operand]) throws(Untranslated) -> (sql: [String], Operand.Kind) {
    let kinds = Set(operands.map(\.kind)).subtracting([.null])
    func all(_ own: Set<Operand.Kind>) -> Bool { kinds.isSubset(of: own) }
    if kinds.isEmpty { return (operands.map { _ in "NULL::text" }, .null) }
    for kind in [Operand.Kind.truth, .real, .text, .blob] where kinds == [kind] {
      return (operands.map(\.sql), kind)
    }
    if all([.truth, .integer]) { return (operands.map(\.numeric.sql), .integer) }
    guard all([.truth, .integer, .real, .number]),
      operands.allSatisfy({ $0.kind == .truth || $0.isExactAsReal })
    else { throw .severalKinds }
    return (operands.map(\.numeric.widened), .number)
  }

  private func isLike(
    _ value: ExpressionTree, _ pattern: ExpressionTree, _ escape: ExpressionTree?
  ) throws -> Operand {
    let (value, pattern) = (try operand(value), try operand(pattern).asText())
    if value.kind == .blob { throw Untranslated.bytesAsText }
    let text = try value.asText()
    if text.kind == .null || pattern.kind == .null { return Operand(sql: "NULL::boolean", kind: .truth) }
    guard case .text(let written)? = pattern.constant else {
      if escape != nil || pattern.constant != nil { throw Untranslated.pattern }
      return .truth("\(text.compared) ILIKE \(pattern.sql) ESCAPE ''")
    }
    var mark: Unicode.Scalar?
    if let escape {
      guard case .text(let one)? = try operand(escape).constant, one.unicodeScalars.count == 1 else {
        throw Untranslated.pattern
      }
      mark = one.unicodeScalars.first
    }
    guard let likewise = Self.pattern(written, mark) else {
      return .truth("CASE WHEN \(text.compared) IS NOT NULL THEN false END")
    }
    return .truth("\(text.compared) ILIKE \(literal(likewise))")
  }

  /// SQLite's pattern as the server's, whose escape character is a backslash; nil where it ends with its escape character: nothing
  /// is like that.
  private static func pattern(_ pattern: String, _ escape: Unicode.Scalar?) -> String? {
    var text = ""
    var isEscaped = false
    for character in pattern.unicodeScalars {
      if !isEscaped, character == escape {
        isEscaped = true
        continue
      }
      if character == "\\" || isEscaped && (character == "%" || character == "_") { text += "\\" }
      text.unicodeScalars.append(character)
      isEscaped = false
    }
    return isEscaped ? nil : text
  }
}
