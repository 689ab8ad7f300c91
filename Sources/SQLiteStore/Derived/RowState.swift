internal import ImportModel
internal import SQLiteAccess
internal import TypedRows

/// One state of a row: as a chunk brings it, as the table has it, or as it will be.
enum RowState {
  /// A new row.
  case new(Chunk, Int)
  /// A row as it is in the table.
  case stored(TableRow)
  /// A row as it will be; what the record left out stays.
  case revised(Chunk, Int, TableRow)
  /// An object that a new link leads to, as the current row of a query has it; the columns are the query's.
  case linked(RawStatement)

  /// The number in a column; null counts as 0.
  func number(_ column: Int) -> Number {
    switch self {
    case .new(let chunk, let row): Number(chunk, row, column)
    case .stored(let stored): Number(stored.statement, stored.column(column))
    case .revised(let chunk, let row, let stored):
      chunk.state(column, row) == .absent
        ? Number(stored.statement, stored.column(column)) : Number(chunk, row, column)
    case .linked(let query):
      if case .real(let value) = query.value(Int32(column)) {
        .real(value)
      } else {
        .integer(query.integer(Int32(column)))
      }
    }
  }

  /// Whether a column is null.
  func isNull(_ column: Int) -> Bool {
    switch self {
    case .new(let chunk, let row): chunk.state(column, row) != .value
    case .stored(let stored): stored.statement.isNull(stored.index(column))
    case .revised(let chunk, let row, let stored):
      chunk.state(column, row) == .absent
        ? stored.statement.isNull(stored.index(column)) : chunk.state(column, row) == .null
    case .linked(let query): query.isNull(Int32(column))
    }
  }

  /// The value in a column.
  func value(_ column: Int) -> Value {
    switch self {
    case .new(let chunk, let row): chunk.storedValue(column, row)
    case .stored(let stored): stored.statement.value(stored.index(column))
    case .revised(let chunk, let row, let stored):
      chunk.state(column, row) == .absent
        ? stored.statement.value(stored.index(column)) : chunk.storedValue(column, row)
    case .linked(let query): query.value(Int32(column))
    }
  }
}

/// A number of either kind; null counts as 0.
enum Number: Equatable {
  case integer(Int64)
  case real(Double)

  init(_ chunk: Chunk, _ row: Int, _ column: Int) {
    let isReal = chunk.layout.storages[column] == .real
    guard chunk.state(column, row) == .value else {
      self = isReal ? .real(0) : .integer(0)
      return
    }
    self = isReal ? .real(chunk.real(column, row)) : .integer(chunk.integer(column, row))
  }

  init(_ statement: RawStatement, _ column: (index: Int32, isReal: Bool)) {
    // SQLite reads null as 0.
    self = column.isReal ? .real(statement.real(column.index)) : .integer(statement.integer(column.index))
  }
}

extension Chunk {
  /// A cell as the table would hold it; absent is null.
  fileprivate func storedValue(_ column: Int, _ row: Int) -> Value {
    guard state(column, row) == .value else { return .null }
    return switch layout.storages[column] {
    case .integer: .integer(integer(column, row))
    case .real: .real(real(column, row))
    case .text: .text(String(decoding: bytes(column, row), as: UTF8.self))
    case .blob: .blob(Array(bytes(column, row)))
    }
  }
}
