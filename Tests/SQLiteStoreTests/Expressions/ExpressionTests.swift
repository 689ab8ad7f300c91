import ImportModel
@testable import RowExpressions
import Testing

@testable import SQLiteStore
@testable import StoreInterface
@testable import TypedRows

/// Expressions are checked before a run, and evaluated over a chunk.
struct ExpressionTests {
  private let entity = Entity(
    name: "Thing", key: ["id"],
    attributes: [
      Attribute(name: "id", type: .integer64, isRequired: true),
      Attribute(name: "lat", type: .double),
      Attribute(name: "lat-dir", type: .string, isTransient: true),
      Attribute(name: "text", type: .string),
      Attribute(name: "out", type: .double),
      Attribute(name: "later", type: .string),
      Attribute(name: "count", type: .integer64, derivation: .count(relationship: "things")),
    ])

  private var pipeline: Pipeline {
    Pipeline(name: "things", entity: "Thing", model: Model(entities: [entity]), fields: [])
  }

  @Test(arguments: [
    ("lat * 2", nil),
    ("CASE \"lat-dir\" WHEN 'N' THEN lat WHEN 'S' THEN -lat END", nil),
    ("strftime('%Y', text)", nil),
    ("lower(text) -- the name", nil),
    ("json_extract(text, '$.a')", nil),
    ("(SELECT 1)", "subqueries prohibited in generated columns"),
    ("lat IN (SELECT 1)", "subqueries prohibited in generated columns"),
    ("EXISTS (SELECT 1)", "subqueries prohibited in generated columns"),
    ("sum(lat)", "misuse of aggregate function sum()"),
    ("count(*)", "misuse of aggregate function count()"),
    ("random()", "non-deterministic functions prohibited in generated columns"),
    ("date('now')", "date() depends on the current time, so another run would give another result"),
    ("date('n' || 'ow')", "non-deterministic use of date() in a generated column"),
    ("CURRENT_TIMESTAMP", "non-deterministic functions prohibited in generated columns"),
    ("\"lat-dri\"", "no such column: lat-dri"),
    ("lon", "no such column: lon"),
    ("count", "no such column: count"),
    ("nosuch(lat)", "no such function: nosuch"),
    ("lat +", "near \")\": syntax error"),
    ("lat, text", "row value misused"),
    ("?", "parameters prohibited in generated columns"),
    ("row_number() OVER ()", "misuse of window function row_number()"),
    ("lat; DROP TABLE x", "near \";\": syntax error"),
    ("1), other AS (2", "near \"(\": syntax error"),
    ("1)); CREATE TABLE other(a, b AS (1", "near \")\": syntax error"),
    ("1) FROM record; SELECT (2", "it is more than one expression"),
  ])
  func `An expression is one scalar over the record's attributes`(expression: String, problem: String?) throws
  {
    let check = try ExpressionCheck(entity)
    #expect(check.problem(expression) == problem)
    // A check leaves nothing behind.
    #expect(check.problem("lat") == nil)
  }

  @Test func `Every expression of a pipeline is looked at, with its place`() {
    let pipeline = Quakes.pipeline {
      $0.fields[2].source = .expression("depht * 2")
      $0.checks = ["depth > 0", "random() > 0"]
      $0.links[0].ownerKey[0].expression = "upper(\"plase\")"
    }
    #expect(
      pipeline.expressionProblems().map(\.description) == [
        "quakes: the expression cannot be used: no such column: depht",
        "quakes: the expression cannot be used: non-deterministic functions prohibited in generated columns",
        "quakes: the expression cannot be used: no such column: plase",
      ])
  }

  @Test func `The attributes that an expression reads are known`() throws {
    let check = try ExpressionCheck(entity)
    #expect(try check.attributes(usedBy: "CASE \"lat-dir\" WHEN 'N' THEN LAT END") == ["lat", "lat-dir"])
    #expect(try check.attributes(usedBy: "1 + 1") == [])
  }

  /// Evaluates expressions over rows, and writes results as a test may: by column.
  private func evaluate(
    _ expressions: [(String, String)], _ chunk: Chunk, checks: [String] = []
  ) throws -> [String] {
    let list = expressions.map { ExpressionScan.Expression(.value(column: place($0.0, chunk)), $0.1) }
    let scan = try ExpressionScan(
      list + checks.enumerated().map { ExpressionScan.Expression(.check(number: $0), $1) },
      layout: chunk.layout)
    var seen: [String] = []
    try scan.evaluate(chunk) { row, purpose, outcome in
      let what =
        switch purpose {
        case .value(let column): chunk.layout.columns[column].name
        case .check(let number): "check \(number)"
        }
      seen.append("\(row) \(what) \(take(outcome, purpose, row, chunk))")
      if case .failed = outcome { return false }
      if case .check = purpose { return false }
      return true
    }
    return seen
  }

  private func place(_ name: String, _ chunk: Chunk) -> Int {
    chunk.layout.columns.firstIndex { $0.name == name } ?? -1
  }

  private func take(
    _ outcome: ExpressionScan.Outcome, _ purpose: ExpressionScan.Expression.Purpose, _ row: Int,
    _ chunk: Chunk
  ) -> String {
    guard case .value(let column) = purpose else { return "\(outcome)" }
    chunk.row = row
    switch outcome {
    case .null: chunk.setNull(column)
    case .integer(let number) where chunk.layout.columns[column].storage == .real:
      chunk.set(Double(number), column)
    case .integer(let number): chunk.set(number, column)
    case .real(let number): chunk.set(number, column)
    case .text(let bytes), .blob(let bytes): chunk.set(bytes, column)
    case .failed(let message): return message
    }
    guard case .text(let bytes) = outcome else { return "\(outcome)" }
    return "text(\(bytes.count))"
  }

  @Test func `An expression that uses another's result comes after it`() throws {
    let chunk = chunk(pipeline)
    chunk.append(["id": 1, "lat": 1.5])
    chunk.append(["id": 2, "lat": 2.5])
    let seen = try evaluate(
      [("later", "'n' || out"), ("out", "lat * 2")], chunk, checks: ["later <> 'n5.0'"])
    #expect(
      seen == [
        "0 out real(3.0)", "1 out real(5.0)", "0 later text(4)", "1 later text(4)", "1 check 0 integer(0)",
      ])
    #expect(chunk.value(place("later", chunk), 1) == "n5.0")
  }

  @Test func `Expressions that need each other are an error`() {
    let chunk = chunk(pipeline)
    let error = #expect(throws: StoreError.self) {
      try evaluate([("out", "later"), ("later", "out")], chunk)
    }
    #expect(error?.code == .expression)
    #expect(error?.message == "the expressions of later and out depend on each other")
    #expect(error?.hint == "Write one of them without the others.")
  }

  @Test func `An absent field is null, and a null that comes of it is absent`() throws {
    let chunk = chunk(pipeline)
    for record: Record in [["id": 1], ["id": 2, "lat": .null], ["id": 3, "lat": 4.0]] { chunk.append(record) }
    let seen = try evaluate(
      [("out", "ifnull(lat, 9.0)"), ("later", "lat || 'x'")], chunk, checks: ["lat > 1", "lat IS NOT NULL"])
    #expect(
      seen == [
        "0 out real(9.0)", "0 check 1 integer(0)", "1 out real(9.0)", "1 later null", "1 check 1 integer(0)",
        "2 out real(4.0)", "2 later text(4)",
      ])
    #expect(chunk.value(place("out", chunk), 0) == 9.0)
    #expect(chunk.value(place("later", chunk), 0) == nil)
  }

  @Test func `A check that gives a text holds, beside others too`() throws {
    let chunk = chunk(pipeline)
    for (number, lat) in [2.0, 0.5].enumerated() {
      chunk.append(["id": .integer(Int64(number)), "lat": .real(lat), "text": "x"])
    }
    #expect(try evaluate([], chunk, checks: ["text"]) == [])
    #expect(try evaluate([], chunk, checks: ["text", "lat > 1"]) == ["1 check 1 integer(0)"])
  }

  @Test func `A failing row is told with its expression, and the scan goes on behind it`() throws {
    let chunk = chunk(pipeline)
    for (number, text) in ["[1]", "{", "[2]", "x", "]", "[3]"].enumerated() {
      chunk.append(["id": .integer(Int64(number)), "lat": 1.0, "text": .text(text)])
    }
    let seen = try evaluate(
      [("out", "lat * 2"), ("lat", "json_extract(text, '$[0]')"), ("later", "out || 'z'")], chunk)
    #expect(
      seen == [
        "0 lat integer(1)", "1 lat malformed JSON", "2 lat integer(2)",
        "3 lat malformed JSON", "4 lat malformed JSON", "5 lat integer(3)",
        "0 out real(2.0)", "2 out real(4.0)", "5 out real(6.0)", "0 later text(4)", "2 later text(4)",
        "5 later text(4)",
      ])
  }

  @Test func `Why an expression failed holds nothing of the row`() throws {
    let chunk = chunk(pipeline)
    chunk.append(["id": 1, "lat": 1.0, "text": "it's secret"])
    #expect(
      try evaluate([("out", "json_extract('{}', text)")], chunk) == ["0 out JSON path error near '…'"])
  }

  @Test func `Results may grow the chunk under the scan`() throws {
    let chunk = chunk(pipeline)
    for number in 0..<1000 {
      let text = String(repeating: "é\u{0}x", count: number / 4)
      chunk.append(["id": .integer(Int64(number)), "text": .text(text)])
    }
    // The first wave copies the very bytes that its rows point to, while the arena moves.
    _ = try evaluate([("lat-dir", "text"), ("later", "\"lat-dir\" || id || text")], chunk)
    for number in 0..<1000 {
      let text = String(repeating: "é\u{0}x", count: number / 4)
      try #require(chunk.value(place("lat-dir", chunk), number) == .text(text))
      try #require(chunk.value(place("later", chunk), number) == .text(text + "\(number)" + text))
    }
  }
}
