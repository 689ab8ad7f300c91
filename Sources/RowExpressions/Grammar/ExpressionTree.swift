/// An expression of SQLite's grammar, as far as it is read here.
package indirect enum ExpressionTree: Sendable {
  /// A number, a text in quotes or bytes, as written.
  case literal(String)
  case null
  /// The place of a value, counted from 1.
  case parameter(Int)
  /// `$` and a name, and the path behind it: what a fetched property asks of its owner or of itself.
  case variable(String, [String])
  /// A name or a path. One word without quotes may be a word of SQL.
  case name([String], isQuoted: Bool)
  /// A function, in lower case, with its arguments.
  case call(String, [ExpressionTree])
  case negative(ExpressionTree)
  case not(ExpressionTree)
  case binary(Operator, ExpressionTree, ExpressionTree)
  case isNull(ExpressionTree)
  /// IS: null is the same as null.
  case isSame(ExpressionTree, ExpressionTree)
  case isBetween(ExpressionTree, ExpressionTree, ExpressionTree, isNegated: Bool)
  case isAmong(ExpressionTree, [ExpressionTree], isNegated: Bool)
  case isLike(ExpressionTree, ExpressionTree, escape: ExpressionTree?)
  case cases(base: ExpressionTree?, [Branch], other: ExpressionTree)
  /// CAST, with the type in lower case.
  case cast(ExpressionTree, String)

  package enum Operator: Sendable {
    case or, and, equal, unequal, less, lessOrEqual, greater, greaterOrEqual
    case add, subtract, multiply, divide, remainder, concatenate
  }

  /// WHEN and THEN.
  package struct Branch: Sendable {
    package let condition: ExpressionTree
    package let value: ExpressionTree
  }

  /// What the grammar of this file does not read.
  package struct NotRead: Error {
    /// The word, or what there is too much of.
    package let what: String
  }

  /// - Throws: `NotRead` for what is SQLite's to read; `StoreError` for what is no sequence of its words.
  package init(_ text: String) throws {
    var parser = ExpressionParser(try PredicateTokens(text).tokens)
    self = try parser.whole()
  }
}
