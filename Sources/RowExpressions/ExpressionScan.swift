internal import GRDB
internal import GRDBSQLite
internal import ImportModel
internal import SQLiteAccess
internal import StoreInterface
package import TypedRows

/// Evaluates a pipeline's expressions over a whole chunk, on the reading thread.
///
/// The expressions run on a private connection to an empty database in memory, so they can reach nothing but the
/// chunk's own attributes. An expression that uses another's result runs in a later wave.
///
/// SQLite says what each means. Most are computed by a `RowProgram` all the same, which gives the same at a tenth of the
/// cost; SQLite is asked for the others, and for rows of which the program is not sure.
package final class ExpressionScan {
  /// One expression: what it is for, and its text.
  package struct Expression: Sendable {
    package enum Purpose: Sendable, Hashable {
      /// The value of a column of the chunk.
      case value(column: Int)
      /// Holds for the whole record, unless it gives 0; null counts as true, as in SQL's CHECK.
      case check(number: Int)
    }
    package let purpose: Purpose
    package let text: String
    /// Whether the column takes null and any finite real number as they are.
    package let takesReals: Bool

    /// - Parameter takesReals: whether the scan may write null and finite numbers into the column by itself, and not show
    ///   them.
    package init(_ purpose: Purpose, _ text: String, takesReals: Bool = false) {
      self.purpose = purpose
      self.text = text
      self.takesReals = takesReals
    }
  }

  /// What an expression gave for the row under the cursor.
  package enum Outcome {
    case null
    case integer(Int64)
    case real(Double)
    /// Valid during the call only.
    case text(UnsafeBufferPointer<UInt8>)
    case blob(UnsafeBufferPointer<UInt8>)
    /// The expression failed for this row; SQLite's sentence.
    case failed(String)
  }

  private let queue: DatabaseQueue
  private let waves: [Wave]
  private let table: ChunkTable

  private struct Wave {
    /// The values' columns in the chunk, one after the other.
    let columns: [Int]
    /// The columns that each value reads.
    let reads: [[Int]]
    /// As cheap as can be.
    let usual: Evaluation
    /// By SQLite alone.
    let exact: Evaluation
    /// The same expressions one by one, to find which of them failed or does not hold.
    let apart: [(purpose: Expression.Purpose, statement: RawStatement)]
  }

  struct Compiled {
    let purpose: Expression.Purpose
    let takesReals: Bool
    let sql: String
    let reads: Set<String>
    /// Where the program has its value.
    let slot: Int?
  }

  /// Compiles the expressions.
  ///
  /// - Parameter computes: whether programs compute what they can; if not, SQLite is asked for everything.
  /// - Throws: `StoreError` when one does not compile; `ExpressionCheck` finds that out beforehand.
  package init(_ expressions: [Expression], layout: ChunkLayout, computes: Bool = true) throws {
    let queue = try DatabaseQueue.forExpressions()
    let (table, waves) = try queue.inDatabase { db in
      let table = try ChunkTable(db, layout: layout, showsDefaults: true)
      let waves = try Self.waves(of: expressions, layout: layout).map { readings in
        var compiler = try ExpressionCompiler(db, layout: layout)
        let wave = try readings.map { expression, reads in
          let guarded = try DateCalls.guarding(expression.text, of: layout.entity)
          let text = try DecimalNumbers.numbers(in: guarded, of: layout.entity, isGuarded: true)
          return Compiled(
            purpose: expression.purpose, takesReals: expression.takesReals, sql: "(\(text)\n)", reads: reads,
            slot: computes ? compiler.compile(expression.text) : nil)
        }
        let values = wave.filter { if case .value = $0.purpose { true } else { false } }
        let slots = wave.compactMap(\.slot)
        let exact = try Evaluation(wave, program: nil, db, layout)
        return Wave(
          columns: values.compactMap { if case .value(let column) = $0.purpose { column } else { nil } },
          reads: values.map { $0.reads.compactMap(layout.column) },
          usual: slots.isEmpty
            ? exact : try Evaluation(wave, program: RowProgram(compiler, results: slots), db, layout),
          exact: exact,
          apart: try wave.map {
            ($0.purpose, try RawStatement(db, "SELECT \($0.sql) FROM \(layout.tableName)"))
          })
      }
      return (table, waves)
    }
    self.queue = queue
    self.table = table
    self.waves = waves
  }

  /// The expressions over the chunk, each attribute read once a row however often it is used.
  ///
  /// SQLite asks a virtual table again for each use of a column. A subquery's columns stand in registers; the limits
  /// limit nothing, and keep SQLite from merging the two queries.
  static func query(
    _ list: String, of layout: ChunkLayout, reading attributes: Set<String>
  ) -> String {
    let columns = attributes.isEmpty ? "NULL" : attributes.sorted().map(quoted).joined(separator: ", ")
    return "SELECT \(list) FROM (SELECT \(columns) FROM \(layout.tableName) LIMIT -1) LIMIT -1"
  }

  /// Evaluates every expression for every row of the chunk's window.
  ///
  /// A row that the visitor refuses is not shown to later waves.
  /// - Parameters:
  ///   - goOn: called before each row; what it throws ends the scan.
  ///   - visit: called with the row (the chunk's current one), the expression and what it gave; for a check
  ///     only when it does not hold. Returns false to refuse the row.
  package func evaluate(
    _ chunk: Chunk, goOn: () throws -> Void = {}, visit: (Int, Expression.Purpose, Outcome) -> Bool
  ) throws {
    var rows = chunk.batch.map { Int32(truncatingIfNeeded: $0) }
    for wave in waves {
      var accepted: [Int32] = []
      accepted.reserveCapacity(rows.count)
      // A failing row ends the statement: the scan goes on behind it.
      var start = 0
      var evaluation = wave.usual
      while start < rows.count {
        let rest = rows[start...]
        let end = try queue.inDatabase { _ in
          try table.show(chunk, rows: rest) {
            try scan(wave, by: evaluation, chunk, rest, &accepted, goOn, visit)
          }
        }
        start += end.rows
        // Those behind it may well be like it.
        if end.isUnsure { evaluation = wave.exact }
      }
      rows = accepted
    }
  }

  /// - Returns: how many rows were dealt with, and whether the program was not sure of the one behind them.
  private func scan(
    _ wave: Wave, by evaluation: Evaluation, _ chunk: Chunk, _ rows: ArraySlice<Int32>,
    _ accepted: inout [Int32], _ goOn: () throws -> Void, _ visit: (Int, Expression.Purpose, Outcome) -> Bool
  ) throws -> (rows: Int, isUnsure: Bool) {
    defer { evaluation.statement?.reset() }
    var rest = rows
    while !rest.isEmpty {
      let computed = evaluation.compute(rest, of: chunk)
      let block = rest.prefix(computed.count)
      if computed.shown.isEmpty, !evaluation.isOfRows {
        try goOn()
        accepted.append(contentsOf: block)
      } else {
        for (place, row) in block.enumerated() {
          try goOn()
          chunk.row = Int(row)
          do {
            if let statement = evaluation.statement, try !statement.step() {
              return (rows.count - rest.count + place, false)
            }
          } catch {
            let failure =
              firstFailure(wave, chunk, row) ?? (wave.apart[0].purpose, .failed(Self.reason(error)))
            _ = visit(Int(row), failure.purpose, failure.outcome)
            return (rows.count - rest.count + place + 1, false)
          }
          if show(wave, evaluation, computed.shown, chunk, row, at: place, visit) { accepted.append(row) }
        }
      }
      rest = rest.dropFirst(computed.count)
      if computed.isUnsure { return (rows.count - rest.count, true) }
    }
    return (rows.count, false)
  }

  /// Shows a row's values to the visitor, and the check that does not hold.
  ///
  /// - Parameter place: of the row among those of the last computation.
  /// - Returns: whether the visitor took all.
  private func show(
    _ wave: Wave, _ evaluation: Evaluation, _ shown: [Int], _ chunk: Chunk, _ row: Int32, at place: Int,
    _ visit: (Int, Expression.Purpose, Outcome) -> Bool
  ) -> Bool {
    let cells = chunk.memory.pointee.cells(ofRow: Int(row))
    for index in shown {
      let outcome = evaluation.outcome(index, at: place)
      // A null that comes of an absent field is absent itself: the stored value stays.
      if case .null = outcome,
        wave.reads[index].contains(where: { cells.state($0).pointee == CellState.absent.rawValue })
      {
        continue
      }
      guard visit(Int(row), .value(column: wave.columns[index]), outcome) else { return false }
    }
    guard evaluation.mayBeFalse(at: place), let failure = firstFailure(wave, chunk, row) else { return true }
    return visit(Int(row), failure.purpose, failure.outcome)
  }

  /// What the first expression gave that failed, or the first check that does not hold; nil when there is none.
  private func firstFailure(
    _ wave: Wave, _ chunk: Chunk, _ row: Int32
  ) -> (purpose: Expression.Purpose, outcome: Outcome)? {
    for (purpose, statement) in wave.apart {
      defer { statement.reset() }
      do {
        let hasRow = try table.show(chunk, rows: [row][...]) { try statement.step() }
        if hasRow, case .check = purpose, statement[0].isFalse { return (purpose, .integer(0)) }
      } catch {
        return (purpose, .failed(Self.reason(error)))
      }
    }
    return nil
  }

  private typealias Reading = (expression: Expression, reads: Set<String>)

  /// Puts expressions that use another's result behind it.
  private static func waves(of expressions: [Expression], layout: ChunkLayout) throws -> [[Reading]] {
    let check = try ExpressionCheck(layout.entity)
    var waiting: [Reading] = try expressions.map { ($0, try check.attributes(usedBy: $0.text)) }
    var waves: [[Reading]] = []
    while !waiting.isEmpty {
      let open = Set(
        waiting.compactMap { reading -> String? in
          guard case .value(let column) = reading.expression.purpose, layout.isAttribute(column) else {
            return nil
          }
          return layout.columns[column].name
        })
      let ready = waiting.filter { $0.reads.isDisjoint(with: open) }
      guard !ready.isEmpty else {
        throw StoreError.circularExpressions(open.sorted())
      }
      waves.append(ready)
      waiting.removeAll { $0.reads.isDisjoint(with: open) }
    }
    return waves
  }
}
