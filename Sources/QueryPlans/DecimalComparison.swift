internal import RowExpressions

/// A decimal that a predicate compares with constants alone: these become units, so that an index serves the comparison.
///
///     price >= 12.5 AND …    price BETWEEN ? AND ?    price IN (1, 2.5)
struct DecimalComparison {
  /// Where the predicate goes on.
  private(set) var end: Int
  /// What stands between the constants, as written.
  private var parts: [String] = []
  private var constants: [String] = []

  typealias Token = PredicateTokens.Token

  /// Nil where the decimal is anything else than a side of one comparison.
  ///
  /// - Parameter decimal: where its name or path stands.
  init?(_ tokens: [Token], _ decimal: Range<Int>) {
    end = decimal.upperBound
    guard decimal.lowerBound == 0 || Self.canPrecede(tokens[decimal.lowerBound - 1]) else { return nil }
    switch end < tokens.count ? tokens[end] : .symbol("") {
    case .symbol(let symbol) where Self.comparisons.contains(symbol):
      end += 1
      guard take(behind: symbol, tokens) else { return nil }
    case let token where token.isWord("between"):
      end += 1
      guard take(behind: "BETWEEN", tokens), end < tokens.count, tokens[end].isWord("and") else { return nil }
      end += 1
      guard take(behind: "AND", tokens) else { return nil }
    case let token where token.isWord("in"):
      end += 1
      guard end < tokens.count, tokens[end] == .symbol("(") else { return nil }
      var before = "IN ("
      repeat {
        end += 1
        guard take(behind: before, tokens), end < tokens.count else { return nil }
        before = ","
      } while tokens[end] == .symbol(",")
      guard tokens[end] == .symbol(")") else { return nil }
      parts.append(")")
      end += 1
    default: return nil
    }
    guard end == tokens.count || Self.canFollow(tokens[end]) else { return nil }
  }

  /// The comparison with a column of units.
  func sql(_ column: String, scale: Int) -> String {
    let operands = parts.enumerated().map { index, part in
      index < constants.count ? "\(part) \(DecimalNumbers.units(constants[index], scale: scale))" : part
    }
    return ([column] + operands).joined(separator: " ")
  }

  /// Takes a constant.
  private mutating func take(behind part: String, _ tokens: [Token]) -> Bool {
    var sign = ""
    if end < tokens.count, tokens[end] == .symbol("-") {
      sign = "-"
      end += 1
    }
    guard end < tokens.count else { return false }
    switch tokens[end] {
    case .literal(let text), .parameter(let text):
      parts.append(part)
      constants.append(sign + text)
      end += 1
      return true
    default: return false
    }
  }

  private static let comparisons = ["=", "==", "<>", "!=", "<", "<=", ">", ">="]

  /// Whether a comparison can begin behind it.
  private static func canPrecede(_ token: Token) -> Bool {
    token == .symbol("(") || token == .symbol(",")
      || ["and", "or", "not", "when", "then", "else"].contains { token.isWord($0) }
  }

  /// Whether a comparison ends before it.
  private static func canFollow(_ token: Token) -> Bool {
    token == .symbol(")") || token == .symbol(",")
      || ["and", "or", "when", "then", "else", "end"].contains { token.isWord($0) }
  }
}
