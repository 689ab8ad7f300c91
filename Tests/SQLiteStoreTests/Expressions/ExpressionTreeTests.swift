import Testing

@testable import RowExpressions

/// What the grammar of expressions that Bolide reads itself leaves to SQLite.
struct ExpressionTreeTests {
  @Test(arguments: [
    ("a GLOB 'x'", "GLOB"), ("a & 1", "&"), ("a -> 'x'", "->"), ("a COLLATE NOCASE", "COLLATE"), ("~a", "~"),
    ("(a, b) = (1, 2)", "a list in parentheses as a value"), ("a b", "b"), ("count(*)", "*"),
    ("CAST(a AS VARYING CHARACTER(10))", "CHARACTER"), ("a NOT GLOB 'x'", "NOT"), ("+a", "+"),
    (
      String(repeating: "(", count: 101) + "a" + String(repeating: ")", count: 101),
      "parts that are more than 100 deep"
    ),
    (Array(repeating: "a", count: 502).joined(separator: " + "), "more than 500 operators"),
  ])
  func `what is not read is named`(expression: String, what: String) throws {
    let error = #expect(throws: ExpressionTree.NotRead.self) { _ = try ExpressionTree(expression) }
    #expect(error?.what == what)
  }

  @Test func `what binds closer is read first`() throws {
    for (one, other) in [
      ("a OR b AND NOT c = d < e + f * g || h", "a OR (b AND (NOT (c = (d < (e + (f * (g || h)))))))"),
      ("a - b - c", "(a - b) - c"), ("-a * b", "(-a) * b"), ("NOT a IS NULL", "NOT (a IS NULL)"),
      ("a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"), ("a IS NOT DISTINCT FROM b", "a IS b"),
      ("a NOTNULL", "a IS NOT NULL"), ("a == b <> c", "(a = b) != c"),
      ("a LIKE b ESCAPE c OR d", "(a LIKE b ESCAPE c) OR d"),
      ("CASE WHEN a THEN b END", "CASE WHEN a THEN b ELSE NULL END"), ("? + ?3 + ?", "?1 + ?3 + ?4"),
    ] {
      #expect("\(try ExpressionTree(one))" == "\(try ExpressionTree(other))", "\(one)")
    }
  }
}
