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
    package init(_ purpose: Purpose, _ text: String) {
      self.purpose = purpose
      self.text = text
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
    /// The values' columns in the chunk; these come first.
    let columns: [Int]
    /// The columns that each value reads, one after the other.
    let reads: [Int]
    /// Where those of each value end.
    let readsEnds: [Int]
    /// Behind the values one more result says whether all checks hold, if there are any.
    let hasChecks: Bool
    let together: RawStatement
    /// The same expressions one by one, to find which of them failed or does not hold.
    let apart: [(purpose: Expression.Purpose, statement: RawStatement)]
  }

  /// Compiles the expressions.
  ///
  /// - Throws: `StoreError` when one does not compile; `ExpressionCheck` finds that out beforehand.
  package init(_ expressions: [Expression], layout: ChunkLayout) throws {
    let queue = try DatabaseQueue.forExpressions()
    let (table, waves) = try queue.inDatabase { db in
      let table = try ChunkTable(db, layout: layout, showsDefaults: true)
      let waves = try Self.waves(of: expressions, layout: layout).map { wave in
        var columns: [Int] = []
        var reads: [[Int]] = []
        var texts: [String] = []
        var checks: [String] = []
        let wave = try wave.map { expression, attributes in
          let guarded = try DateCalls.guarding(expression.text, of: layout.entity)
          let text = try DecimalNumbers.numbers(in: guarded, of: layout.entity, isGuarded: true)
          return (purpose: expression.purpose, text: "(\(text)\n)", reads: attributes)
        }
        for (purpose, text, attributes) in wave {
          switch purpose {
          case .value(let column):
            columns.append(column)
            reads.append(attributes.compactMap(layout.column))
            texts.append(text)
          case .check: checks.append(text)
          }
        }
        // To one that reads an absent field, absent is null. Null holds, as in SQL's CHECK, and so it does in AND.
        if !checks.isEmpty { texts.append(checks.joined(separator: " AND ")) }
        return Wave(
          columns: columns, reads: reads.flatMap(\.self),
          readsEnds: reads.indices.map { reads[...$0].reduce(0) { $0 + $1.count } },
          hasChecks: !checks.isEmpty,
          together: try RawStatement(
            db, Self.query(texts.joined(separator: ", "), of: layout, reading: Set(wave.flatMap(\.reads)))),
          apart: try wave.map { purpose, text, _ in
            (purpose, try RawStatement(db, "SELECT \(text) FROM \(layout.tableName)"))
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
  private static func query(
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
      while start < rows.count {
        let rest = rows[start...]
        start += try queue.inDatabase { _ in
          try table.show(chunk, rows: rest) { try scan(wave, chunk, rest, &accepted, goOn, visit) }
        }
      }
      rows = accepted
    }
  }

  /// - Returns: how many rows were dealt with.
  private func scan(
    _ wave: Wave, _ chunk: Chunk, _ rows: ArraySlice<Int32>, _ accepted: inout [Int32],
    _ goOn: () throws -> Void, _ visit: (Int, Expression.Purpose, Outcome) -> Bool
  ) throws -> Int {
    let statement = wave.together
    defer { statement.reset() }
    let checks = Int32(wave.columns.count)
    for place in rows.indices {
      let row = rows[place]
      try goOn()
      do {
        guard try statement.step() else { return place - rows.startIndex }
      } catch {
        let failure = firstFailure(wave, chunk, row) ?? (wave.apart[0].purpose, .failed(Self.reason(error)))
        _ = visit(Int(row), failure.purpose, failure.outcome)
        return place - rows.startIndex + 1
      }
      var isAccepted = true
      var read = 0
      chunk.row = Int(row)
      let cells = chunk.memory.pointee.cells(ofRow: Int(row))
      for index in wave.columns.indices where isAccepted {
        // A null that comes of an absent field is absent itself: the stored value stays.
        var isAbsent = false
        while read < wave.readsEnds[index] {
          isAbsent = isAbsent || cells.state(wave.reads[read]).pointee == CellState.absent.rawValue
          read += 1
        }
        let result = statement[Int32(index)]
        if isAbsent, result.isNull { continue }
        isAccepted = visit(Int(row), .value(column: wave.columns[index]), outcome(result))
      }
      // A text is false to AND and holds by itself: each check has the last word.
      if isAccepted, wave.hasChecks, isFalse(statement[checks]),
        let failure = firstFailure(wave, chunk, row)
      {
        isAccepted = visit(Int(row), failure.purpose, failure.outcome)
      }
      if isAccepted { accepted.append(row) }
    }
    return rows.count
  }

  /// What the first expression gave that failed, or the first check that does not hold; nil when there is none.
  private func firstFailure(
    _ wave: Wave, _ chunk: Chunk, _ row: Int32
  ) -> (purpose: Expression.Purpose, outcome: Outcome)? {
    for (purpose, statement) in wave.apart {
      defer { statement.reset() }
      do {
        let hasRow = try table.show(chunk, rows: [row][...]) { try statement.step() }
        if hasRow, case .check = purpose, isFalse(statement[0]) { return (purpose, .integer(0)) }
      } catch {
        return (purpose, .failed(Self.reason(error)))
      }
    }
    return nil
  }

  /// As SQL's CHECK sees it: null is not false.
  private func isFalse(_ value: StatementValue) -> Bool {
    switch value.type {
    case SQLITE_INTEGER: value.integer == 0
    case SQLITE_FLOAT: value.real == 0
    default: false
    }
  }

  private func outcome(_ value: StatementValue) -> Outcome {
    switch value.type {
    case SQLITE_INTEGER: .integer(value.integer)
    case SQLITE_FLOAT: .real(value.real)
    case SQLITE_TEXT: .text(value.bytes)
    case SQLITE_BLOB: .blob(value.bytes)
    default: .null
    }
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
