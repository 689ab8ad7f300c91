internal import GRDBSQLite
internal import QueryPlans
internal import SQLiteAccess

/// A place in a fetch's order: behind one object, by what it was sorted by and its id.
///
/// Values stay as SQLite keeps them: a text that another program wrote need not be UTF-8.
final class KeysetCursor {
  /// What was sorted by, and last the id.
  private let values: [OpaquePointer?]
  private let isNull: [Bool]

  /// - Parameters:
  ///   - statement: at the object's row.
  ///   - first: the column of the first sort key; the id comes behind the last.
  ///   - count: how many sort keys there are.
  init(_ statement: RawStatement, from first: Int, count: Int) {
    let columns = (first...first + count).map(Int32.init)
    values = columns.map { sqlite3_value_dup(sqlite3_column_value(statement.pointer, $0)) }
    isNull = columns.map(statement.isNull)
  }

  deinit { values.forEach(sqlite3_value_free) }

  /// How many values the condition takes.
  var count: Int { values.count }

  /// What holds for the objects behind the place.
  ///
  /// - Parameter first: the number of the condition's first value.
  func condition(_ plan: FetchPlan, from first: Int) -> String {
    plan.behind(
      isNull.dropLast().enumerated().map { $1 ? nil : "?\(first + $0)" }, "?\(first + values.count - 1)")
  }

  /// Binds the condition's values.
  func bind(to statement: RawStatement, from first: Int) {
    for (index, value) in values.enumerated() {
      sqlite3_bind_value(statement.pointer, Int32(first + index), value)
    }
  }
}
