internal import CLibPQ
package import ImportModel

/// The rows that a statement has given, in the server's binary form.
package final class QueryResult: ResultRows {
  private let library: bolide_pg_functions
  private let result: OpaquePointer
  /// How many rows there are.
  package let count: Int

  /// Takes over what libpq has made.
  init(_ library: bolide_pg_functions, _ result: OpaquePointer) {
    (self.library, self.result) = (library, result)
    count = Int(library.rows(result))
  }

  deinit { library.clear(result) }

  /// How many rows a statement without rows has written.
  package var affected: Int { library.affected(result).map { Int(String(cString: $0)) ?? 0 } ?? 0 }

  /// The type of a column, by the server's number for it.
  package func type(_ column: Int) -> UInt32 { library.type(result, Int32(truncatingIfNeeded: column)) }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    library.isNull(result, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) != 0
  }

  /// A value's bytes; valid as long as the result.
  package func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
    return UnsafeRawBufferPointer(
      start: library.value(result, row, column), count: Int(library.length(result, row, column)))
  }
}

extension QueryResult {
  /// A row of whatever types: numbers and texts as they are, everything else as bytes.
  package func values(_ row: Int) -> [Value] {
    (0..<columns).map { column in
      if isNull(row, column) { return .null }
      return switch type(column) {
      case 16, 20, 21, 23: .integer(integer(row, column))
      case 701: .real(real(row, column))
      case 18, 19, 25, 114, 1042, 1043: .text(text(row, column))
      default: .blob(Array(bytes(row, column)))
      }
    }
  }

  private var columns: Int { Int(library.fields(result)) }
}
