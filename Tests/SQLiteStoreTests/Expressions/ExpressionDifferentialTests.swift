import Foundation
import GRDB
import ImportModel
import Testing

@testable import RowExpressions
@testable import TypedRows

/// Whatever a program computes is what SQLite gives, in kind and in bits: values, failures and checks alike.
@Suite struct ExpressionDifferentialTests {
  /// `BOLIDE_EXPRESSIONS` for more values than a test run has time for, `BOLIDE_EXPRESSIONS_SEED` for others.
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["BOLIDE_EXPRESSIONS"].flatMap { Int($0) } ?? 4_800
  private static let seed = environment["BOLIDE_EXPRESSIONS_SEED"].flatMap { Int($0) } ?? 0

  private let layout = ChunkLayout(RandomExpression.pipeline, model: RandomExpression.pipeline.model)

  /// What the visitor of a scan was told, by row.
  private func told(_ scan: ExpressionScan, _ chunk: Chunk) throws -> [String] {
    var told: [String] = []
    try scan.evaluate(chunk) { row, purpose, outcome in
      told.append("\(row) \(purpose) \(text(outcome))")
      if case .value = purpose { return row % 7 != 0 }
      return false
    }
    return told
  }

  private func text(_ outcome: ExpressionScan.Outcome) -> String {
    switch outcome {
    case .real(let number): "real \(number) \(number.bitPattern)"
    case .text(let bytes): "text \(Array(bytes)) \(String(decoding: bytes, as: UTF8.self))"
    case .blob(let bytes): "blob \(Array(bytes))"
    default: "\(outcome)"
    }
  }

  /// What a program is sure of, a row at a time, beside SQLite alone.
  @Test func `A computed value is SQLite's, in kind and in bits`() throws {
    let (column, rowCount) = (try #require(layout.column(of: "real")), 24)
    var (turn, cases, sure) = (Self.seed, 0, 0)
    while cases < Self.count {
      var random = RandomExpression(dice: Dice(turn))
      turn += 1
      let text = random.expression()
      guard let (program, slot) = try program(text) else { continue }
      let chunk = Chunk(layout: layout)
      for id in 0..<rowCount { chunk.append(random.record(id)) }
      var theirs = [String](repeating: self.text(.null), count: rowCount)
      let scan = try ExpressionScan([.init(.value(column: column), text)], layout: layout, computes: false)
      try scan.evaluate(chunk) { row, _, outcome in
        theirs[row] = self.text(outcome)
        return true
      }
      let rows = (0..<Int32(rowCount)).map(\.self)
      try #require(program.run(rows[...], of: chunk.memory) == rowCount)
      // Behind the first row of which it is not sure, a run tells of no other.
      for row in 0..<rowCount where program[slot, row].kind != .unknown {
        sure += 1
        let ours = self.text(program[slot, row].outcome)
        if ours != theirs[row] {
          Issue.record("seed \(turn - 1), row \(row): \(ours) instead of \(theirs[row]): \(text)")
        }
      }
      cases += rowCount
    }
    // A program that is sure of nothing would always be right.
    #expect(sure > cases / 2, "\(sure) of \(cases)")
  }

  private func program(_ expression: String) throws -> (program: RowProgram, slot: Int)? {
    try DatabaseQueue().inDatabase { db in
      var compiler = try ExpressionCompiler(db, layout: layout)
      return compiler.compile(expression).map { (RowProgram(compiler, results: [$0]), $0) }
    }
  }

  @Test func `A scan tells the same with programs and without`() throws {
    let columns = ["int", "real", "text"].compactMap(layout.column)
    var turn = Self.seed
    var cases = 0
    while cases < Self.count / 4 {
      var random = RandomExpression(dice: Dice(turn))
      turn += 1
      let texts = (0..<3).map { _ in random.expression(depth: 3) }
      let expressions = texts.enumerated().map { index, text in
        index == 2 && random.dice.once(in: 2)
          ? ExpressionScan.Expression(.check(number: 0), text)
          : ExpressionScan.Expression(.value(column: columns[index]), text)
      }
      let chunk = Chunk(layout: layout)
      for id in 0..<10 { chunk.append(random.record(id)) }
      let ours = try told(ExpressionScan(expressions, layout: layout), chunk)
      let theirs = try told(ExpressionScan(expressions, layout: layout, computes: false), chunk)
      #expect(ours == theirs, "seed \(turn - 1): \(texts)")
      cases += 30
    }
  }

  /// Whatever a pipeline is likely to have is not asked of SQLite.
  @Test(arguments: [
    ("CASE t WHEN 'N' THEN r WHEN 'S' THEN -r END", true), ("(r IS NULL) = (t IS NULL)", true),
    ("strftime('%Y', at)", true), ("date(ms)", true), ("price * 2 > 10 AND price / 3 <= 12.5", true),
    ("t || '/' || i", true), ("coalesce(t, t2, 'none')", true), ("lower(substr(t, 1, 4))", true),
    ("CAST(substr(day, 1, 4) AS INTEGER) % 100", true), ("i BETWEEN -5 AND 5 OR small NOT IN (1, 2)", true),
    ("max(i, small, 0)", true), ("nullif(t, '')", true), ("\"end\" = 'x' -- with a comment", true),
    ("t = 5", false), ("t + 1", false), ("r || ''", false), ("round(r, 2)", false),
    ("CAST(t AS REAL)", false),
    ("t COLLATE NOCASE = 'a'", false), ("t LIKE 'a%'", false), ("strftime('%Y', t)", false),
    ("strftime('%j', at)", false), ("date(us)", false), ("r % 2", false), ("i = (t = 'a') IS TRUE", false),
    ("substr(t, -2, 1)", false), ("x'00' = raw", false), ("i IN ()", false), ("-+0.0", false),
  ])
  func `Which expressions are computed`(text: String, isComputed: Bool) throws {
    #expect(try ExpressionCheck(RandomExpression.entity).problem(text) == nil)
    #expect(try (program(text) != nil) == isComputed)
  }

  @Test func `However deep an expression is, the compiler's stack is not`() throws {
    for (open, close) in [
      ("(", ")"), ("NOT ", ""), ("- ", ""), ("coalesce(", ", 1)"), ("CASE WHEN ", " THEN 1 END"),
    ] {
      func nested(_ count: Int) -> String {
        String(repeating: open, count: count) + "i" + String(repeating: close, count: count)
      }
      #expect(try program(nested(20)) != nil)
      #expect(try program(nested(100_000)) == nil)
    }
  }
}
