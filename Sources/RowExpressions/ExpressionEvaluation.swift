internal import GRDB
internal import GRDBSQLite
internal import SQLiteAccess
internal import TypedRows

extension ExpressionScan {
  /// How the expressions of a wave are evaluated for a row.
  struct Evaluation {
    private enum Place {
      case slot(Int)
      case column(Int32)
    }
    let program: RowProgram?
    /// Nil where the program computes all of them.
    let statement: RawStatement?
    private var values: [Place] = []
    private var checks: [Place] = []
    /// The values that are written without being shown.
    private var written: [RealColumn] = []
    /// The others, by their place among all.
    private var shown: [Int] = []

    private struct RealColumn {
      let slot: Int
      let column: Int
      let reads: [Int]
    }

    /// Whether there is more to do for a row than to show its values.
    var isOfRows: Bool { !checks.isEmpty || statement != nil }

    init(_ wave: [Compiled], program: RowProgram?, _ db: Database, _ layout: ChunkLayout) throws {
      self.program = program
      var texts: [String] = []
      var checkTexts: [String] = []
      var read: Set<String> = []
      for expression in wave {
        let slot = program == nil ? nil : expression.slot
        if slot == nil { read.formUnion(expression.reads) }
        switch (expression.purpose, slot) {
        case (.value(let column), let slot?):
          if expression.takesReals {
            written.append(
              RealColumn(slot: slot, column: column, reads: expression.reads.compactMap(layout.column)))
          } else {
            shown.append(values.count)
          }
          values.append(.slot(slot))
        case (.check, let slot?): checks.append(.slot(slot))
        case (.value, nil):
          shown.append(values.count)
          values.append(.column(Int32(texts.count)))
          texts.append(expression.sql)
        case (.check, nil): checkTexts.append(expression.sql)
        }
      }
      if !checkTexts.isEmpty {
        // To one that reads an absent field, absent is null. Null holds, as in SQL's CHECK, and so it does in AND.
        checks.append(.column(Int32(texts.count)))
        texts.append(checkTexts.joined(separator: " AND "))
      }
      statement =
        texts.isEmpty
        ? nil
        : try RawStatement(db, ExpressionScan.query(texts.joined(separator: ", "), of: layout, reading: read))
    }

    /// Computes what the program knows for the first of some rows, and writes what need not be shown.
    ///
    /// - Returns: for how many rows, which values are to be shown, and whether the program is not sure of the row behind
    ///   these.
    func compute(_ rows: ArraySlice<Int32>, of chunk: Chunk) -> (count: Int, shown: [Int], isUnsure: Bool) {
      guard let program else { return (1, shown, false) }
      let computed = program.run(rows, of: chunk.memory)
      let count = program.sureRows(of: computed)
      // A value that is no real number, or beyond the range, is to be told of, and its row's others come before it.
      let isWritten = written.allSatisfy { program.writeReals($0.slot, count, to: $0.column, $0.reads) }
      return (count, isWritten ? shown : Array(values.indices), count < computed)
    }

    /// What a value's expression gave for the row.
    ///
    /// - Parameter place: of the row among those of the program's last run.
    func outcome(_ index: Int, at place: Int) -> Outcome {
      switch values[index] {
      case .slot(let slot): program?[slot, place].outcome ?? .null
      case .column(let column): statement?[column].outcome ?? .null
      }
    }

    /// Whether a check may not hold: all that gave a text are false to AND, and hold by themselves.
    func mayBeFalse(at place: Int) -> Bool {
      checks.contains { check in
        switch check {
        case .slot(let slot): program?[slot, place].isFalse == true
        case .column(let column): statement?[column].isFalse == true
        }
      }
    }
  }
}

extension StatementValue {
  /// Whether it is not true to SQL's CHECK, which null is.
  var isFalse: Bool {
    switch type {
    case SQLITE_INTEGER: integer == 0
    case SQLITE_FLOAT: real == 0
    default: false
    }
  }

  fileprivate var outcome: ExpressionScan.Outcome {
    switch type {
    case SQLITE_INTEGER: .integer(integer)
    case SQLITE_FLOAT: .real(real)
    // Functions make other bytes, too: char(55296).
    case SQLITE_TEXT: isUTF8(bytes) ? .text(bytes) : .failed(ExpressionScan.notUTF8)
    case SQLITE_BLOB: .blob(bytes)
    default: .null
    }
  }
}

private func isUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  (try? UTF8Span(validating: bytes.span)) != nil
}

extension RowProgram.Value {
  var outcome: ExpressionScan.Outcome {
    switch kind {
    case .integer: .integer(integer)
    case .real: .real(real)
    case .text: .text(bytes)
    case .blob: .blob(bytes)
    case .null, .unknown: .null
    }
  }
}
