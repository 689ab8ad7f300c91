internal import ImportModel

// What each part of an expression is computed by.
extension ExpressionCompiler {
  /// Words that are no attributes, although an attribute may be called so.
  private static let times: Set = ["current_date", "current_time", "current_timestamp"]

  mutating func value(_ tree: ExpressionTree) throws(NotCompiled) -> Operand {
    switch tree {
    case .literal(let text):
      var value = try constant(text)
      if text.utf8.first != UInt8(ascii: "'") { value.literal = text }
      return value
    case .null: return null
    case .parameter, .variable, .isLike: throw NotCompiled()
    case .name(let path, let isQuoted):
      guard path.count == 1, isQuoted || !Self.times.contains(path[0].caseFolded) else { throw NotCompiled() }
      return try attribute(path[0])
    case .call(let function, let arguments): return try call(function, arguments)
    case .negative(let tree):
      let value = try value(tree)
      // The sign of a number is part of it: 0 - 0.0 has none, and 9223372036854775808 is not whole.
      if let literal = value.literal { return try constant("-\(literal)") }
      try require(value, among: Self.numbers)
      return emit(.subtract, try constant("0").slot, value.slot, giving: Self.numbers)
    case .not(let tree): return try negation(value(tree))
    case .binary(let operation, let left, let right): return try binary(operation, value(left), value(right))
    case .isNull(let tree): return isNull(try value(tree))
    case .isSame(let left, let right): return try comparison(.isSame, value(left), value(right))
    case .isBetween(let tree, let first, let last, let isNegated):
      let value = try value(tree)
      let found = try conjunction(
        .and, comparison(.greaterOrEqual, value, self.value(first)),
        comparison(.lessOrEqual, value, self.value(last)))
      return isNegated ? try negation(found) : found
    case .isAmong(let tree, let list, let isNegated):
      guard let first = list.first else { throw NotCompiled() }
      let value = try value(tree)
      var found = try comparison(.equal, value, self.value(first))
      for other in list.dropFirst() {
        found = try conjunction(.or, found, comparison(.equal, value, self.value(other)))
      }
      return isNegated ? try negation(found) : found
    case .cases(let base, let branches, let other): return try cases(base, branches, other)
    case .cast(let tree, let type): return try cast(value(tree), type)
    }
  }

  private mutating func binary(
    _ operation: ExpressionTree.Operator, _ a: Operand, _ b: Operand
  ) throws(NotCompiled) -> Operand {
    func computed(_ step: RowProgram.Operation, _ kinds: Kinds, giving: Kinds) throws(NotCompiled) -> Operand
    {
      try require(a, b, among: kinds)
      return emit(step, a.slot, b.slot, giving: giving)
    }
    return switch operation {
    case .or: try conjunction(.or, a, b)
    case .and: try conjunction(.and, a, b)
    case .equal: try comparison(.equal, a, b)
    case .unequal: try comparison(.unequal, a, b)
    case .less: try comparison(.less, a, b)
    case .lessOrEqual: try comparison(.lessOrEqual, a, b)
    case .greater: try comparison(.greater, a, b)
    case .greaterOrEqual: try comparison(.greaterOrEqual, a, b)
    case .add: try computed(.add, Self.numbers, giving: Self.numbers)
    case .subtract: try computed(.subtract, Self.numbers, giving: Self.numbers)
    case .multiply: try computed(.multiply, Self.numbers, giving: Self.numbers)
    case .divide: try computed(.divide, Self.numbers, giving: Self.numbers)
    case .remainder: try computed(.remainder, [.integer], giving: [.integer])
    case .concatenate: try computed(.concatenate, [.integer, .text], giving: [.text])
    }
  }

  private mutating func isNull(_ value: Operand) -> Operand { emit(.isNull, value.slot, giving: [.integer]) }

  private mutating func cases(
    _ base: ExpressionTree?, _ branches: [ExpressionTree.Branch], _ other: ExpressionTree
  ) throws(NotCompiled) -> Operand {
    var compared: Operand?
    if let base { compared = try value(base) }
    var choices: [(condition: Operand, value: Operand)] = []
    for branch in branches {
      var condition = try value(branch.condition)
      if let compared { condition = try comparison(.equal, compared, condition) }
      choices.append((condition, try value(branch.value)))
    }
    var value = try value(other)
    for one in choices.reversed() { value = try choice(one.condition, one.value, value) }
    return value
  }

  private mutating func cast(_ value: Operand, _ type: String) throws(NotCompiled) -> Operand {
    switch type {
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
